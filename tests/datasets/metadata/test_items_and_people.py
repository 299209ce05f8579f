"""Titles, tags and traits from the files beside the ratings."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from nnm_core.datasets import (
    load_dataset,
    sniff,
)
from nnm_core.errors import DataError

RATINGS = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\n"


PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"0" * 50


@pytest.mark.parametrize(("role", "whom"), [("items", "items"), ("users", "people")])
@pytest.mark.parametrize("content", [PICTURE, b"", b"id,name\nx,\x00\n"], ids=["picture", "empty", "NUL"])
def test_file_beside_the_ratings_that_cannot_be_read_is_refused(
    role: str, whom: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "poster.csv"
    path.write_bytes(content)
    said = rf"^poster\.csv.* It was taken for the file about the {whom}; choose another one, or remove it\.$"
    for read in (load_dataset, sniff):
        with pytest.raises(DataError, match=said):
            read(RATINGS, **{role: path})


def test_fault_far_inside_a_file_beside_the_ratings_is_told_of_that_file(tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_bytes(b"item,title\n" + b"x,X\n" * 20_000 + b"y,\x00\n")
    with pytest.raises(DataError, match=r"films\.csv, line 20,002, contains a NUL.*about the items; choose another"):
        load_dataset(RATINGS, items=path)


def test_ages_words_and_numbers_become_traits() -> None:
    users = "user;age;plan;visits;zip;since\n" + "".join(
        f"u{k};{15 + k};{'free' if k % 2 else 'paid'};{k * k};{10_000 + k};2020-01-{k % 28 + 1:02d}\n"
        for k in range(40)
    )
    ratings = "user,item,rating\n" + "".join(f"u{k},x,{k % 5}\n" for k in range(40))
    dataset, _ = load_dataset(ratings.encode(), users=users.encode())
    assert set(dataset.traits) == {"age", "plan", "visits"}
    assert dataset.traits["age"].names == (
        "age under 18", "age 18–24", "age 25–34", "age 35–44", "age 45–49", "age 50–55",
    )  # fmt: skip
    assert dataset.traits["age"].counts.tolist() == [3, 7, 10, 10, 5, 5]
    assert dataset.traits["plan"].names == ("free", "paid")
    assert len(dataset.traits["visits"].names) == 5
    assert dataset.traits["visits"].counts.sum() == 40
    assert dataset.traits["visits"].counts.min() >= 5


def test_numbers_in_a_trait_that_are_few_stay_as_they_are() -> None:
    dataset, _ = load_dataset(RATINGS, users=b"user,children\na,0\nb,2\n")
    assert dataset.traits["children"].names == ("children 0", "children 2")


def test_million_distinct_tags_are_read() -> None:
    rows = "".join(f"i{k},T{k},{'|'.join(f't{100 * k + j}' for j in range(100))}\n" for k in range(10_000))
    ratings = "user,item,rating\n" + "".join(f"u{k % 7},i{k},{k % 5}\n" for k in range(10_000))
    begin = time.monotonic()
    dataset, _ = load_dataset(ratings.encode(), items=f"item,title,tags\n{rows}".encode())
    assert len(dataset.tags.names) == 1_000_000
    assert dataset.tags.member.nnz == 1_000_000
    assert time.monotonic() - begin < 30


def test_tag_cell_with_deep_nesting_is_read_as_text() -> None:
    cell = "[" * 3000 + "]" * 3000
    dataset, _ = load_dataset(b"user,item,rating\na,x,5\nb,x,1\n", items=f"item,title,tags\nx,X,{cell}\n".encode())
    assert dataset.titles == ("X",)
