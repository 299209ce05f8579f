"""A cluster of two worker processes for each file that asks for one, and ratings as folders of parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import Client

from nnm_core import Ratings
from nnm_core._kernels.grouping import RatingRows, transpose
from nnm_core.cluster import connect
from nnm_core.cluster.partition import Partition
from nnm_core.cluster.spread import LoadedParts
from tests.planted import planted_ratings


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with connect("local:2") as client:
        yield client


@pytest.fixture(scope="session")
def planted() -> Ratings:
    """Ratings of 300 users for 50 items, of whom everybody and everything has some."""
    ratings = planted_ratings(n_users=300, n_items=50, n_stereotypes=3, density=0.3, seed=2, noise=0.3)[0]
    ratings = Ratings.from_numbers(ratings.users, ratings.items, ratings.values, ratings.user_ids, ratings.item_ids)
    assert min(ratings.by_user.counts.min(), ratings.by_item.counts.min()) > 0
    return ratings


def divide_ratings(ratings: Ratings, bounds: Sequence[int]) -> LoadedParts:
    """Divide ratings that are in memory among partitions of users, which begin at the ``bounds``."""
    partitions = []
    for first, last in pairwise(bounds):
        starts = ratings.by_user.starts[first : last + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        rows = RatingRows(starts - starts[0], ratings.by_user.partners[entries], ratings.by_user.codes[entries])
        by_user = rows.read_only()
        by_item = transpose(by_user, ratings.n_items).read_only()
        partitions.append(Partition(ratings.user_ids[first:last], by_user, by_item))
    facts = (ratings.user_ids, ratings.item_ids, ratings.levels, ratings.scale, ratings.content_hash)
    return LoadedParts(partitions, np.asarray(bounds), *facts, is_implicit=False)


def table_of(ratings: Ratings) -> pd.DataFrame:
    users, items = np.array(ratings.user_ids)[ratings.users], np.array(ratings.item_ids)[ratings.items]
    return pd.DataFrame({"user": users, "item": items, "rating": ratings.values})


def write_parts(ratings: Ratings, folder: Path, n_parts: int, kind: str = "parquet", *, shuffled: bool = True) -> Path:
    """Write ratings as so many files, in a random order unless users are to stay together."""
    table = table_of(ratings)
    table = table.sample(frac=1.0, random_state=0) if shuffled else table
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(np.array_split(np.arange(len(table)), n_parts)):
        part = table.iloc[rows]
        if kind == "parquet":
            part.to_parquet(folder / f"part-{number}.parquet", index=False)
        else:
            part.to_csv(folder / f"part-{number}.csv", index=False)
    return folder
