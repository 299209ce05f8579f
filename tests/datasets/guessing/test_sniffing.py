"""Guesses about whole sources and about the columns of a table."""

from __future__ import annotations

import pytest

from nnm_core.datasets import (
    Dialect,
    UserColumns,
    load_dataset,
    sniff,
)

RATINGS = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\n"


def test_guess_shows_samples_of_every_table_it_uses() -> None:
    guess = sniff(RATINGS, items=b"item,title\nx,X\ny,Y\n", users=b"user,age\na,30\nb,50\n", filename="r.csv")
    assert [table.file for table in guess.tables] == ["r.csv", "items", "users"]
    assert guess.table("items").sample == (("x", "X"), ("y", "Y"))
    assert guess.mapping.users == UserColumns(("user", "age"), "user", ("age",), Dialect(), "users")


def test_cell_longer_than_python_s_reader_takes_is_read_in_a_table_without_quotes() -> None:
    rows = [f"u{k}\ti{k % 3}\t{k % 5 + 1}\t{'x' * 200_000 if k == 1 else 'fine'}" for k in range(12)]
    dataset, report = load_dataset("\n".join(["user\titem\trating\tremark", *rows]).encode())
    assert (len(dataset.ratings), report.rows_dropped) == (12, 0)


@pytest.mark.parametrize(
    "rows",
    [
        b"Anna Meyer, Where Is the Friend's Home?\nBen Kunz, Monsters and Co.\nAnna Meyer, Monsters and Co.\n",
        b"Anna Meyer,Where Is the Friend's Home?\nBen Kunz,The Monsters and Co.\n",
        b"user, item\nAnna Maria Meyer, Where Is the Friend's Home?\nBen Kunz, Monsters and Co.\n",
        b"anna, alien.\nben, heat.\n",
        b"Anna Meyer the first, Where Is It?, 5\nBen Kunz the second, Monsters and Co., 4\n",
    ],
    ids=["repeats", "no blanks", "named", "few words", "ratings"],
)
def test_titles_and_full_names_are_not_taken_for_prose(rows: bytes) -> None:
    dataset, _ = load_dataset(rows)
    assert dataset.ratings.n_users == 2
