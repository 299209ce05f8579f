"""Kinship: in which ways people are alike by what they rated, and items by who rated them, before any rating is read.

What people choose to see says something about their taste. The leading singular vectors of the table of who rated
what, scaled so that the busy and the popular do not drown the rest, are the ways in which whole groups differ; those
that chance would show as well are left out. The projection of all rows onto them is what each has in common with its
kin.

The few sums here have loops of their own: the threads of a linear algebra library would get in the way of ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from nnm_core._kernels.half_step import inner_products, partner_sums
from nnm_core.fitting.workers import Workers
from nnm_core.ratings import Ratings, Side
from nnm_core.types import FloatArray

DAMPING = 0.3
"""Average rows' worth of ratings that are added to a row's own number when it is scaled."""

CHANCE = 2.0 / 3.0
"""Up to where the singular values of shuffled data reach, in units of 1/√(ratings a user) + 1/√(ratings an item)."""

_PASSES = 3
_NOTHING = 1e-12
_LOOSE = {"contract", "nsz", "reassoc"}


@dataclass(frozen=True, slots=True, eq=False)
class Kinship:
    """Orthonormal directions of the users (n_users, K) and of the items (n_items, K).

    Rows without ratings are zero. Over the users who have some, every direction sums to zero.
    """

    users: FloatArray
    items: FloatArray


def kinship(ratings: Ratings, n_directions: int, workers: Workers) -> Kinship:
    """At most so many directions; fewer where chance would show the rest as well."""
    by_user, by_item = ratings.by_user, ratings.by_item
    rated = by_user.counts > 0
    user_scale, item_scale = _scale(by_user), _scale(by_item)

    def to_users(items: FloatArray) -> FloatArray:
        users = user_scale * _sums(by_user, item_scale * items, workers)
        users[rated] -= users[rated].mean(axis=0)
        return users

    n_directions = min(n_directions, len(user_scale), len(item_scale))
    items = np.random.default_rng(0).standard_normal((len(item_scale), n_directions))
    for _ in range(_PASSES):
        items = _orthonormal(item_scale * _sums(by_item, user_scale * to_users(items), workers))[0]
    chance = CHANCE * (by_user.counts[rated].mean() ** -0.5 + by_item.counts.mean() ** -0.5)
    users, turn = _orthonormal(to_users(items), above=chance)
    return Kinship(users, _times(items, turn))


def in_common(directions: FloatArray, rows: FloatArray) -> FloatArray:
    """What each of the rows (n, m) has in common with its kin: their projection onto the directions (n, K)."""
    return _times(directions, inner_products(rows, directions))


def _scale(side: Side) -> FloatArray:
    return np.asarray((side.counts + DAMPING * side.counts.mean()) ** -0.5)[:, None]


def _sums(side: Side, rows: FloatArray, workers: Workers) -> FloatArray:
    sums = np.empty((len(side.counts), rows.shape[1]))
    workers.run(partner_sums, side.starts, side.partners, rows, sums)
    return sums


def _orthonormal(columns: FloatArray, above: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Left singular vectors whose values lie above a bound, largest first, and the right ones, a row each."""
    squares, turn = np.linalg.eigh(inner_products(columns, columns))
    kept = np.flatnonzero(squares > max(above**2, _NOTHING * squares.max(initial=0.0)))[::-1]
    right = np.ascontiguousarray(turn[:, kept].T)
    return _times(columns, right / np.sqrt(squares[kept])[:, None]), right


@njit(nogil=True, cache=True, fastmath=_LOOSE)
def _times(left: FloatArray, right: FloatArray) -> FloatArray:
    """left @ right'."""
    products = np.empty((left.shape[0], right.shape[0]))
    for row in range(left.shape[0]):
        for a in range(right.shape[0]):
            total = 0.0
            for b in range(left.shape[1]):
                total += left[row, b] * right[a, b]
            products[row, a] = total
    return products
