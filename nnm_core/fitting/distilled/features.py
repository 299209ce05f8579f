"""What is known about people and items besides the ratings, as features for the relaxed model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack

from nnm_core._kernels.grouping import RatingRows
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.errors import InputError
from nnm_core.fitting.rating_pattern import truncated_svd
from nnm_core.phrases import split_year
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

WEIGHT = 0.5
"""A trait, a tag or a decade counts this much beside a whole history of ratings, which has length 1."""

RANK = 100
_PASSES = 5


@dataclass(frozen=True, slots=True, eq=False)
class SideInformation:
    """Yes-or-no properties of the users and of the items, in the order of the ratings' ids; sparse, 0 or 1."""

    users: csr_array
    items: csr_array

    @classmethod
    def of(cls, dataset: Dataset) -> SideInformation:
        """Take the traits of a data set's people, and the tags and decades of its items."""
        ratings = dataset.ratings
        traits = [labels.member.astype(np.float64) for labels in dataset.traits.values()]
        users = hstack(traits).tocsr() if traits else csr_array((ratings.n_users, 0))
        items = hstack([dataset.tags.member.astype(np.float64), decades(dataset.titles).member.astype(np.float64)])
        return cls(users, items.tocsr())

    @property
    def content_hash(self) -> str:
        """Names the content."""
        digest = hashlib.sha256()
        for matrix in (self.users, self.items):
            digest.update(repr(matrix.shape).encode())
            for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)):
                digest.update(part.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Directions in which rows that have much in common are alike.

    ``directions`` (n_rows, rank): orthonormal columns; ``gains`` (rank,): how far a direction is trusted, in [0, 1).
    """

    directions: FloatArray
    gains: FloatArray


def decades(titles: tuple[str, ...]) -> Labels:
    """Return the decade of each item whose title ends in a year in parentheses."""
    years = [(row, split_year(title)[1]) for row, title in enumerate(titles)]
    found = [(row, f"{year:04}"[:3]) for row, year in years if year is not None]
    names = sorted({decade for _, decade in found})
    rows = np.array([row for row, _ in found], dtype=np.int64)
    columns = np.array([names.index(decade) for _, decade in found], dtype=np.int64)
    return Labels.from_pairs(rows, columns, [f"{decade}0s" for decade in names], len(titles))


def features(ratings: Ratings, side: SideInformation | None) -> tuple[Features, Features]:
    """Return features of the users and of the items: who rated what, and side information where there is any.

    They depend on which pairs are rated, never on the ratings themselves.
    """
    users, items = (None, None) if side is None else (side.users, side.items)
    for matrix, n_rows in ((users, ratings.n_users), (items, ratings.n_items)):
        if matrix is not None and matrix.shape[0] != n_rows:
            raise InputError(f"Side information has {matrix.shape[0]:,} rows where the ratings have {n_rows:,}.")
    return (
        _features(_history(ratings.by_user, ratings.n_items), users),
        _features(_history(ratings.by_item, ratings.n_users), items),
    )


def _history(ratings: RatingRows, n_partners: int) -> csr_array:
    """Return which partners each row has, scaled to length 1."""
    length = np.sqrt(np.maximum(ratings.counts, 1))
    ones = np.ones(len(ratings.partners))
    known = csr_array((ones, ratings.partners, ratings.starts), shape=(ratings.n_rows, n_partners))
    return (diags_array(1.0 / length) @ known).tocsr()


def _features(history: csr_array, properties: csr_array | None) -> Features:
    matrix = history if properties is None else hstack([history, WEIGHT * properties]).tocsr()
    rank = min(RANK, min(matrix.shape) - 1)
    if rank < 1:
        return Features(np.zeros((matrix.shape[0], 0)), np.zeros(0))
    transposed = matrix.T.tocsr()
    products = (lambda x: matrix @ x), (lambda y: transposed @ y)
    left, values, _ = truncated_svd(*products, matrix.shape[1], rank, passes=_PASSES)
    return Features(left, values**2 / (values**2 + 1.0))
