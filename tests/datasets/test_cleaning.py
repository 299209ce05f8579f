"""From columns to ratings: decisions about rows, repeats, and numbers that can be no ratings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nnm_core.datasets import (
    Cleaning,
    ColumnMapping,
    load_dataset,
    sniff,
)
from nnm_core.errors import DataError, InputError
from nnm_core.scale import Scale


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duplicates": "all"}, "'first', 'last' or 'mean'"),
        ({"min_user_ratings": 0}, "must be 1 or more"),
        ({"n_bins": 1}, "between 2 and 100"),
        ({"n_bins": 5, "scale": Scale(1, 5)}, "either a scale or n_bins"),
        ({"scale": Scale(0, 1e300, 0)}, "a scale may reach 1,000,000,000 above and below zero"),
    ],
)
def test_decisions_that_cannot_be_followed_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Cleaning(**options)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("1e300", "2e300"), r"go from 1e300 to 2e300, but nothing beyond 1,000,000,000 above or below zero"),
        (("-1.5e308", "1.5e308"), r"go from −1\.5e308 to 1\.5e308, but nothing beyond"),
        (("1e15", "1e15"), r"go from 1e15 to 1e15, but nothing beyond"),
        (("3", "1600000000000"), r"go from 3 to 1,600,000,000,000, but.*column of ids or times"),
        (("1e-300", "2e-300"), r"go from 1e−300 to 2e−300, too close together"),
    ],
)
def test_numbers_that_can_be_no_ratings_are_refused(values: tuple[str, str], message: str) -> None:
    rows = [f"u{k},i{k % 7},{value}" for k in range(20) for value in values[k % 2 : k % 2 + 1]]
    content = "\n".join(["user,item,rating", *rows]).encode()
    mapping = replace(sniff(content).mapping.ratings, user="user", item="item", rating="rating")
    with pytest.raises(DataError, match=message):
        load_dataset(content, ColumnMapping(mapping))


def test_large_number_for_not_rated_can_be_left_out() -> None:
    content = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\na,y,1e300\n"
    with pytest.raises(DataError, match="If such a number means “not rated”, say so when loading"):
        load_dataset(content)
    dataset, _ = load_dataset(content, cleaning=Cleaning(missing=(1e300,)))
    assert dataset.ratings.scale == Scale(1, 5, 2)
