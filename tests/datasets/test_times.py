"""When ratings were given: read from the columns that people bring, and kept beside the right ratings."""

from __future__ import annotations

import io
from datetime import date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from nnm_core.datasets import Cleaning, Dataset, load_dataset
from nnm_core.datasets.storage import dataset_bytes, dataset_from_bytes
from nnm_core.datasets.times import NO_DAY, parse_days
from nnm_core.errors import InputError

EPOCH = date(1970, 1, 1)
DAY = (date(2001, 9, 9) - EPOCH).days  # the billionth second


@pytest.mark.parametrize(
    "cells",
    [
        ["1000000000", "1000000000", "", "word"],
        [" 1000000000000", "1000000000000 ", None, "?"],
        ["2001-09-09", "2001/9/9 01:46:40", "", "9 September"],
        ["2001-09-09T01:46:40Z", "2001.09.09", "0000-00-00", None],
    ],
)
def test_times_are_read_as_people_write_them(cells: list[str | None]) -> None:
    days = parse_days(pa.chunked_array([[*cells, cells[0]]], type=pa.string()))
    assert days is not None
    assert days.tolist() == [DAY, DAY, NO_DAY, NO_DAY, DAY]


def test_typed_columns_are_read_as_well() -> None:
    seconds = pa.array([1_000_000_000, None, 1_000_000_000])
    moments = [datetime(2001, 9, 9, 23, 59), datetime(1969, 12, 31)]
    assert parse_days(pa.chunked_array([seconds])).tolist() == [DAY, NO_DAY, DAY]  # type: ignore[union-attr]
    for unit in ("s", "ms", "us", "ns"):
        column = pa.chunked_array([pa.array(moments).cast(pa.timestamp(unit))])
        assert parse_days(column).tolist() == [DAY, -1]  # type: ignore[union-attr]


def test_zero_and_nothing_are_times_that_are_not_known() -> None:
    cells = ["0", "1000000000", "0", "", "0.0", None]
    assert parse_days(pa.chunked_array([cells], type=pa.string())).tolist() == [NO_DAY, DAY, *[NO_DAY] * 4]  # type: ignore[union-attr]
    numbers = pa.chunked_array([[0, 1_000_000_000, 0, 0, 0, None]])
    assert parse_days(numbers).tolist() == [NO_DAY, DAY, *[NO_DAY] * 4]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "cells", [["1999", "2003"], ["1", "2"], ["x", "y"], ["2001-09-09", "x", "y"], ["", ""], ["0", "0"]]
)
def test_columns_that_hold_no_times_are_left_alone(cells: list[str]) -> None:
    assert parse_days(pa.chunked_array([cells], type=pa.string())) is None


def by_pair(dataset: Dataset) -> dict[tuple[str, str], int]:
    """Return the day of each rating by the ids of its user and item."""
    ratings, days = dataset.ratings, dataset.days
    assert days is not None
    pairs = zip(ratings.users.tolist(), ratings.items.tolist(), days.tolist(), strict=True)
    return {(ratings.user_ids[user], ratings.item_ids[item]): day for user, item, day in pairs}


def random_table(n: int = 400) -> pd.DataFrame:
    """Return ratings in a random order, some of them repeated and some of them unusable."""
    rng = np.random.default_rng(3)
    ratings = rng.choice(["1", "2", "3", "", "bad"], n, p=[0.3, 0.3, 0.3, 0.05, 0.05])
    users, items = rng.integers(5, 25, n), rng.integers(0, 30, n)
    return pd.DataFrame({"user": users, "item": items, "rating": ratings, "timestamp": 86_400 * (9_000 + np.arange(n))})


@pytest.mark.parametrize("keep", ["first", "last", "mean"])
@pytest.mark.parametrize("least", [1, 8])
def test_each_rating_keeps_its_own_time(keep: str, least: int) -> None:
    table = random_table()
    content = table.to_csv(index=False).encode()
    cleaning = Cleaning(duplicates=keep, min_user_ratings=least, min_item_ratings=least)  # type: ignore[arg-type]
    dataset, _ = load_dataset(content, cleaning=cleaning)
    usable = table[table.rating.isin(["1", "2", "3"])]
    first = usable.drop_duplicates(["user", "item"], keep="first" if keep == "first" else "last")
    expected = {(str(row.user), str(row.item)): row.timestamp // 86_400 for row in first.itertuples()}
    found = by_pair(dataset)
    assert found == {pair: expected[pair] for pair in found}
    assert len(found) == len(dataset.ratings)
    assert (len(found) == len(expected)) == (least == 1)


def test_the_same_times_come_from_parquet_and_from_a_file_without_header() -> None:
    table = random_table()[lambda rows: rows.rating.isin(["1", "2", "3"])]
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    csv, _ = load_dataset(table.to_csv(index=False).encode())
    bare, _ = load_dataset(table.to_csv(index=False, header=False, sep="\t").encode())
    assert by_pair(csv) == by_pair(load_dataset(buffer.getvalue(), filename="t.parquet")[0]) == by_pair(bare)


def test_times_are_no_part_of_the_content_and_follow_a_subset() -> None:
    table = random_table()
    timed, _ = load_dataset(table.to_csv(index=False).encode())
    plain, _ = load_dataset(table.drop(columns="timestamp").to_csv(index=False).encode())
    assert plain.days is None
    assert timed.content_hash == plain.content_hash
    mask = np.arange(len(timed.ratings)) % 3 == 0
    part = timed.subset(mask)
    assert part.ratings.content_hash == plain.subset(mask).ratings.content_hash
    assert by_pair(part).items() <= by_pair(timed).items()
    with pytest.raises(InputError, match="3 days for"):
        Dataset("x", timed.ratings, timed.titles, timed.tags, days=np.zeros(3, dtype=np.int32))


def test_a_year_or_a_release_date_beside_ratings_is_no_time() -> None:
    content = b"user,item,rating,year,released\na,x,5,1999,1999-01-02\nb,x,3,1999,1999-01-02\nb,y,1,2001,2001-02-03\n"
    assert load_dataset(content)[0].days is None


def test_the_bundled_ratings_have_their_times() -> None:
    dataset, _ = load_dataset("bundled")
    assert dataset.days is not None
    years = 1970 + dataset.days / 365.2425
    assert 1995 < years.min() < years.max() < 2020


def test_times_outlive_the_server() -> None:
    timed, report = load_dataset(random_table().to_csv(index=False).encode())
    again, _ = dataset_from_bytes(dataset_bytes(timed, report))
    assert by_pair(again) == by_pair(timed)
