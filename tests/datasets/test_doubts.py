"""Whether anything can be learned from data, and what is said where nothing can."""

from __future__ import annotations

from nnm_core.datasets import diagnose, load_dataset

ROWS = [f"u{user},i{item},{1 + user * item % 5}" for user in range(12) for item in range(10)]


def told(rows: list[str]) -> str:
    """What is said of a file with these rows of users, items and ratings."""
    return diagnose(*load_dataset("\n".join(["user,item,rating", *rows]).encode()))


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


def test_few_ratings_are_doubted_whoever_gave_them() -> None:
    assert "only 2 ratings" in told(["a,x,1", "b,y,5"])
    assert "only 19 ratings" in told(ROWS[:19])
    assert told(ROWS[:20]) == ""


def test_people_who_share_less_than_two_items_have_nothing_in_common() -> None:
    alone = [f"u{k},i{k},{1 + k % 5}" for k in range(100)]
    everybody_saw_one = [*alone, *(f"u{k},hit,{1 + k % 5}" for k in range(100))]
    assert "Nobody rated two items that others rated too" in told(alone)
    assert "Nobody rated two items that others rated too" in told(everybody_saw_one)
    assert told([*everybody_saw_one, "u1,i2,3"]) == ""


def test_where_nobody_rated_the_doubt_is_about_choices() -> None:
    assert "only 2 choices" in diagnose(*load_dataset(b"user,item\na,x\nb,y\n"))
