"""The rating pattern (the option ``kinship``) of users who are spread over partitions.

The same subspace iteration as ``fitting.rating_pattern``: products with the partitions' own rows, whose sums over the
items are added up a tree. Only matrices with a row per item meet in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.products import inner_products, partner_sums, row_products
from nnm_core.cluster.partition import Partition, add
from nnm_core.cluster.tasks import Each, Tasks, reduce_tree
from nnm_core.fitting.rating_pattern import (
    PASSES,
    chance_level,
    first_directions,
    scale_of_rows,
    values_and_right_vectors,
)
from nnm_core.types import FloatArray, IntArray

Blocks = Sequence[tuple[int, int]]
"""Ranges of items that are summed up and solved by one task each."""


def find_pattern(
    tasks: Tasks, partitions: Sequence[Any], counts: IntArray, n_users: int, n_directions: int, blocks: Blocks
) -> tuple[list[Any], Any]:
    """Return handles of the directions of each partition's users, and of the items; ``counts``: ratings of items."""
    n_items, n_ratings = len(counts), int(counts.sum())
    rank = min(n_directions, n_users, n_items)
    if rank == 0:
        nothing = tasks.map("nnm-no-pattern", _no_directions, partitions)
        return nothing, np.empty((n_items, 0))
    user_mean, item_mean = n_ratings / n_users, n_ratings / n_items
    item_scale = tasks.submit("nnm-item-scale", scale_of_rows, counts, item_mean)

    def to_users(items: Any) -> tuple[list[Any], Any]:
        """Return the products of each partition, and the sum of each column over all users."""
        own = tasks.map("nnm-to-users", to_left, partitions, *map(Each, (items, item_scale, user_mean)))
        sums = tasks.map("nnm-column-sums", _column_sums, own)
        return own, reduce_tree(tasks, "nnm-add", add, sums, 1)[0]

    def to_items(users: Sequence[Any], sums: Any) -> list[Any]:
        """Return the products with all users, in blocks of items."""
        about = (sums, n_users, user_mean)
        parts = [
            tasks.map("nnm-to-items", to_right, partitions, users, *map(Each, (*about, *block))) for block in blocks
        ]
        return [reduce_tree(tasks, "nnm-add", add, part, 1)[0] for part in parts]

    right = tasks.submit("nnm-first-directions", first_directions, n_items, rank)
    for _ in range(PASSES):
        right = tasks.submit("nnm-orthonormal", _orthonormal, to_items(*to_users(right)), item_scale)
    users, sums = to_users(right)
    grams = tasks.map("nnm-gram", _centered_gram, users, Each(sums), Each(n_users))
    rotation = tasks.submit(
        "nnm-rotation", _rotation, reduce_tree(tasks, "nnm-add", add, grams, 1)[0], chance_level(user_mean, item_mean)
    )
    own = tasks.map("nnm-directions", _left_vectors, users, *map(Each, (sums, n_users, rotation)))
    return own, tasks.submit("nnm-item-directions", _right_vectors, right, rotation)


def to_left(partition: Partition, right: FloatArray, item_scale: FloatArray, user_mean: float) -> FloatArray:
    """Return the product of a partition's rows with the items' vectors, not yet centered."""
    scale = scale_of_rows(partition.by_user.counts, user_mean)
    return np.asarray(scale * _sums(partition.by_user, 0, partition.n_users, item_scale * right))


def to_right(
    partition: Partition, left: FloatArray, sums: FloatArray, n_users: int, user_mean: float, first: int, last: int
) -> FloatArray:
    """Return the product of the items ``first`` to ``last`` with a partition's vectors, not yet scaled."""
    scale = scale_of_rows(partition.by_user.counts, user_mean)
    return _sums(partition.by_item, first, last, scale * (left - sums / n_users))


def _sums(ratings: RatingRows, first: int, last: int, factors: FloatArray) -> FloatArray:
    entries = slice(int(ratings.starts[first]), int(ratings.starts[last]))
    starts = ratings.starts[first : last + 1] - ratings.starts[first]
    rows = RatingRows(starts, ratings.partners[entries], ratings.codes[entries]).read_only()
    sums = np.empty((last - first, factors.shape[1]))
    partner_sums(0, last - first, rows, factors, sums)
    return sums


def _no_directions(partition: Partition) -> FloatArray:
    return np.empty((partition.n_users, 0))


def _column_sums(left: FloatArray) -> FloatArray:
    return np.asarray(left.sum(axis=0))


def _orthonormal(blocks: Sequence[FloatArray], item_scale: FloatArray) -> FloatArray:
    columns = item_scale * np.concatenate(blocks)
    values, right = values_and_right_vectors(inner_products(columns, columns))
    return row_products(columns, right / values[:, None])


def _centered_gram(left: FloatArray, sums: FloatArray, n_users: int) -> FloatArray:
    centered = left - sums / n_users
    return inner_products(centered, centered)


def _rotation(gram: FloatArray, chance: float) -> tuple[FloatArray, FloatArray]:
    return values_and_right_vectors(np.array(gram), chance)


def _left_vectors(
    left: FloatArray, sums: FloatArray, n_users: int, rotation: tuple[FloatArray, FloatArray]
) -> FloatArray:
    values, right = rotation
    return row_products(left - sums / n_users, right / values[:, None])


def _right_vectors(right: FloatArray, rotation: tuple[FloatArray, FloatArray]) -> FloatArray:
    return row_products(np.array(right), np.array(rotation[1]))
