"""Whether anything can be learned from data, and what is said where nothing can."""

from __future__ import annotations

from nnm_core.datasets import doubt, load_dataset

ROWS = [f"u{user},i{item},{1 + user * item % 5}" for user in range(12) for item in range(10)]


def told(rows: list[str]) -> str:
    """What is said of a file with these rows of users, items and ratings."""
    return doubt(*load_dataset("\n".join(["user,item,rating", *rows]).encode()))


def test_ordinary_data_are_not_doubted() -> None:
    assert told(ROWS) == ""


def test_rows_that_only_repeat_others_are_no_sign_of_a_wrong_reading() -> None:
    _, report = load_dataset("\n".join(["user,item,rating", *ROWS * 30]).encode())
    assert (report.rows_dropped, report.rows_unreadable) == (29 * len(ROWS), 0)
    assert told(ROWS * 30) == ""


def test_rows_that_cannot_be_used_are_one() -> None:
    broken = [f"{row}x" for row in ROWS * 30]
    _, report = load_dataset("\n".join(["user,item,rating", *ROWS, *ROWS, *broken]).encode())
    assert (report.rows_dropped, report.rows_unreadable) == (31 * len(ROWS), 30 * len(ROWS))
    assert "Perhaps another delimiter or other columns are meant" in told([*ROWS, *broken])
