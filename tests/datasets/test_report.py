"""What became of every row, in words, and whether anything can be learned from the data."""

from __future__ import annotations

import numpy as np

from nnm_core.datasets import (
    describe,
    diagnose,
    load_dataset,
)


def test_report_reads_well() -> None:
    content = b"user,item,rating\na,x,5\nb,x,oops\nb,y,1\nc,y,-1\nc,x,\nc,x,2\nc,x,3\n"
    dataset, report = load_dataset(content, items=b"item,title,genres\nx,X,a|b\nz,Z,c\n", filename="mine.csv")
    text = describe(dataset, report)
    assert report.rows_read == 7
    for line in (
        "mine\n  4 ratings by 3 users of 2 items (66.67% of all pairs)",
        "  scale: −1 to 5 in steps of 1 (7 levels)",
        "  tags: 2 (a, b)",
        "Import of mine.csv\n  mine.csv: ratings, 7 rows\n  items, 2 rows\n",
        "  ratings: 7 read, 4 kept, 3 dropped",
        "  dropped 1: no rating\n    mine.csv, line 6: user 'c', item 'x', no rating",
        "  dropped 1: the rating is not a number\n    mine.csv, line 3: user 'b', item 'x', rating 'oops'",
        "  dropped 1: the same user rated the same item again; the last of them was kept\n    mine.csv, line 7:",
        "  −1 may mean “not rated” (1 time): all other ratings are 1 or more; to leave it out, import with --missing",
        "  note: left out for want of a rating: 1 item of the item file, namely 'z'",
        "  note: without a title, so that the id stands in for it: 1 rated item, namely 'y'",
        "  note: without tags: 1 item, namely 'y'",
    ):
        assert line in text, text


def test_large_and_small_ratings_are_written_in_one_way() -> None:
    rows = [f"u{k},i{k % 7},{1_000_000 * (k % 5 - 2)}" for k in range(20)]
    dataset, report = load_dataset("\n".join(["user,item,rating", *rows]).encode())
    assert dataset.scale_in_words == "−2,000,000 to 2,000,000 in steps of 1,000,000 (5 levels)"
    assert "levels: −2,000,000 (4), −1,000,000 (4), 0 (4)," in describe(dataset, report)


def test_a_continuous_scale_is_explained_without_names_from_code() -> None:
    values = np.random.default_rng(1).normal(size=60)
    text = "user,item,rating\n" + "".join(f"u{k % 12},i{k // 12},{value:.6f}\n" for k, value in enumerate(values))
    _, report = load_dataset(text.encode())
    (note,) = [note for note in report.notes if "without even steps" in note]
    assert "n_bins" not in note
    assert "(--bins)" in note


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
