"""Mappings and dialects that cannot be followed, and how a person overrules the guess."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest

from nnm_core.datasets import (
    ColumnMapping,
    Dialect,
    ItemColumns,
    RatingColumns,
    UserColumns,
    load_dataset,
    sniff,
)
from nnm_core.errors import DataError, InputError
from nnm_core.scale import Scale

RATINGS = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\n"


def test_mapping_faults_are_told_all_at_once() -> None:
    with pytest.raises(InputError, match=r"user column 'nobody' is not in the table; no column is named for the item"):
        RatingColumns(("a", "b"), user="nobody")
    with pytest.raises(InputError, match=r"'a' has two roles"):
        RatingColumns(("a", "b"), user="a", item="a")
    with pytest.raises(InputError, match="a wide table needs item columns"):
        RatingColumns(("a", "b"), layout="wide")
    with pytest.raises(InputError, match="both the user and an item"):
        RatingColumns(("a", "b"), user="a", layout="wide", item_columns=("a", "b"))
    with pytest.raises(InputError, match=r"'z' is not in the table.*The columns are 'a', 'b'"):
        ItemColumns(("a", "b"), item="a", tags=("z",))
    with pytest.raises(InputError, match="trait 'z' is not in the table"):
        UserColumns(("a", "b"), user="a", traits=("z",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ""}, "cannot delimit"),
        ({"quote": "<>"}, "single characters"),
        ({"encoding": "utf-99"}, "no known text"),
    ],
)
def test_dialects_that_cannot_be_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Dialect(**options)  # type: ignore[arg-type]


def test_person_can_overrule_the_guess() -> None:
    content = b"name;thing;stars;weight\na;x;5;1\nb;x;3;2\nb;y;1;3\n"
    guess = sniff(content)
    assert guess.mapping.ratings.rating == "stars"
    other = replace(guess.mapping, ratings=replace(guess.mapping.ratings, rating="weight"))
    assert load_dataset(content, other)[0].ratings.scale == Scale(1, 3)
    seen = replace(guess.mapping, ratings=replace(guess.mapping.ratings, rating=""))
    assert load_dataset(content, seen)[0].implicit


def test_mapping_for_another_file_is_refused() -> None:
    mapping = ColumnMapping(
        RatingColumns(("user", "item", "rating"), "user", "item", "rating", dialect=Dialect(), file="z.csv")
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", RATINGS)
        archive.writestr("b.csv", RATINGS)
    with pytest.raises(DataError, match=r"has no file 'z\.csv'; it has a\.csv, b\.csv"):
        load_dataset(buffer.getvalue(), mapping, filename="r.zip")


def test_file_of_which_the_mapping_makes_no_use_is_told() -> None:
    _, report = load_dataset(RATINGS, sniff(RATINGS).mapping, items=b"item,title\nx,X\ny,Y\n")
    assert "not used: items" in report.notes
