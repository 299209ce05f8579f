"""The rating pattern: low-rank structure in who rated what, before any rating is read (the option ``kinship``).

What people choose to rate says something about their taste. The leading singular vectors of the 0/1 matrix of who
rated what, scaled so that busy users and popular items do not dominate, are the directions in which whole groups of
people and items differ; directions that shuffled data would show as well are left out. Shrinkage draws a row toward
the projection of all rows onto these directions: toward people who rated the same items, and items rated by the same
people, instead of the average of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.products import inner_products, partner_sums, row_products
from nnm_core.fitting.workers import Workers
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

DAMPING = 0.3
"""Average rows' worth of ratings that are added to a row's own number when it is scaled."""

CHANCE = 2.0 / 3.0
"""Up to where the singular values of shuffled data reach, in units of 1/√(ratings a user) + 1/√(ratings an item)."""

PASSES = 3
"""Of the subspace iteration."""

_NOTHING = 1e-12

Product = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class RatingPattern:
    """Orthonormal directions of the users (n_users, K) and of the items (n_items, K).

    Rows without ratings are zero. Over the users who have some, every direction sums to zero.
    """

    users: FloatArray
    items: FloatArray


def find_rating_pattern(ratings: Ratings, n_directions: int, workers: Workers) -> RatingPattern:
    """Return at most ``n_directions`` directions; fewer where chance would show the rest as well."""
    by_user, by_item = ratings.by_user, ratings.by_item
    rated = by_user.counts > 0
    user_scale, item_scale = _scale(by_user), _scale(by_item)

    def to_users(items: FloatArray) -> FloatArray:
        users = user_scale * _sums(by_user, item_scale * items, workers)
        users[rated] -= users[rated].mean(axis=0)
        return users

    def to_items(users: FloatArray) -> FloatArray:
        return item_scale * _sums(by_item, user_scale * users, workers)

    n_directions = min(n_directions, len(user_scale), len(item_scale))
    chance = chance_level(float(by_user.counts[rated].mean()), float(by_item.counts.mean()))
    users, _, items = truncated_svd(to_users, to_items, len(item_scale), n_directions, above=chance)
    return RatingPattern(users, items)


def chance_level(mean_user: float, mean_item: float) -> float:
    """Return how far the singular values of shuffled data reach, from the mean numbers of ratings."""
    return float(CHANCE * (mean_user**-0.5 + mean_item**-0.5))


def truncated_svd(
    to_left: Product, to_right: Product, n_right: int, rank: int, *, passes: int = PASSES, above: float = 0.0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the leading singular vectors and values of a matrix M given by its products, by subspace iteration.

    ``to_left(x)`` is M x, ``to_right(y)`` is M'y, ``n_right`` the number of columns of M. Returns the left vectors
    (n_left, K), the values (K,), largest first, and the right vectors (n_right, K), of at most ``rank`` values that lie
    above a bound. The start is fixed, so that the same matrix gives the same bits.
    """
    right = first_directions(n_right, rank)
    for _ in range(passes):
        right = _orthonormal(to_right(to_left(right)))[0]
    left, values, rotation = _orthonormal(to_left(right), above)
    return left, values, row_products(right, rotation)


def first_directions(n_right: int, rank: int) -> FloatArray:
    """Return where the subspace iteration begins, (n_right, rank)."""
    return np.random.default_rng(0).standard_normal((n_right, rank))


def project(directions: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the projection of the columns of ``rows`` (n, m) onto orthonormal ``directions`` (n, K)."""
    return row_products(directions, inner_products(rows, directions))


def scale_of_rows(counts: IntArray, mean: float) -> FloatArray:
    """Return by what the rows of the 0/1 matrix are multiplied, (n_rows, 1); ``mean``: of all counts."""
    return np.asarray((counts + DAMPING * mean) ** -0.5)[:, None]


def _scale(ratings: RatingRows) -> FloatArray:
    return scale_of_rows(ratings.counts, float(ratings.counts.mean()))


def _sums(ratings: RatingRows, factors: FloatArray, workers: Workers) -> FloatArray:
    sums = np.empty((ratings.n_rows, factors.shape[1]))
    workers.run(partner_sums, ratings.starts, ratings, factors, sums)
    return sums


def _orthonormal(columns: FloatArray, above: float = 0.0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return left singular vectors, values above a bound, largest first, and right singular vectors, a row each."""
    values, right = values_and_right_vectors(inner_products(columns, columns), above)
    return row_products(columns, right / values[:, None]), values, right


def values_and_right_vectors(gram: FloatArray, above: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return the singular values above a bound, largest first, and the right singular vectors of C, a row each.

    ``gram`` is C'C; the left vectors are C right' / values.
    """
    squares, vectors = np.linalg.eigh(gram)
    kept = np.flatnonzero(squares > max(above**2, _NOTHING * squares.max(initial=0.0)))[::-1]
    return np.sqrt(squares[kept]), np.ascontiguousarray(vectors[:, kept].T)
