"""Users and items with too few ratings left out, and partitions that know only what is left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

from nnm_core._kernels.grouping import RatingRows, transpose
from nnm_core.cluster.partition import Partition, add
from nnm_core.cluster.parts import Plan
from nnm_core.cluster.tasks import Each, Tasks, reduce_tree
from nnm_core.datasets.cleaning import Cleaning, too_few
from nnm_core.datasets.report import Dropped
from nnm_core.errors import DataError
from nnm_core.types import BoolArray, FloatArray, IntArray


def leave_out_rare(
    tasks: Tasks, partitions: Sequence[Any], n_items: int, cleaning: Cleaning
) -> tuple[list[Any], BoolArray, list[Dropped]]:
    """Leave out users and items with too few ratings until none is left; return what stays, and what was left out."""
    least_user, least_item = cleaning.min_user_ratings, cleaning.min_item_ratings
    item_stays, before = np.ones(n_items, dtype=np.bool_), total_size(tasks, partitions)
    was, now, kept = (0, 0), before, list(partitions)
    while now != was and max(least_user, least_item) > 1:
        counted = tasks.map("nnm-count-of-items", _count_of_items, kept)
        counts = tasks.gather(reduce_tree(tasks, "nnm-add", add, counted, 1)[0])
        item_stays = counts >= max(least_item, 1)
        stays = tasks.submit("nnm-items-that-stay", np.asarray, item_stays)
        kept = tasks.map("nnm-leave-out", _without_rare, kept, Each(stays), Each(least_user))
        was, now = now, total_size(tasks, kept)
    if now == before:
        return kept, item_stays, []
    n_users, n_rare = before[0] - now[0], n_items - int(item_stays.sum())
    if not now[1]:
        raise DataError(f"No user has {least_user:,} ratings of items that have {least_item:,}; ask for fewer.")
    return kept, item_stays, [Dropped(too_few(n_users, least_user, n_rare, least_item), before[1] - now[1])]


def total_size(tasks: Tasks, partitions: Sequence[Any]) -> tuple[int, int]:
    """Return how many users and ratings all partitions have."""
    sizes = tasks.gather(tasks.map("nnm-size", _size_of, partitions))
    return sum(size[0] for size in sizes), sum(size[1] for size in sizes)


def renumber(
    tasks: Tasks, partitions: Sequence[Any], item_stays: BoolArray, plan: Plan
) -> tuple[list[Any], FloatArray]:
    """Return the partitions that still have users, with the items that stay; and the levels that there are."""
    level_stays = np.ones(len(plan.levels), dtype=np.bool_)
    if plan.scale.is_continuous:  # else levels that nobody gave count too
        used = tasks.map("nnm-used-levels", _used_levels, partitions, Each(len(plan.levels)))
        level_stays = np.any(tasks.gather(used), axis=0)
    sizes = tasks.gather(tasks.map("nnm-size", _size_of, partitions))
    not_empty = [partition for partition, (n_users, _) in zip(partitions, sizes, strict=True) if n_users]
    stays = tasks.submit("nnm-items-that-stay", np.asarray, item_stays)
    return tasks.map("nnm-renumber", _renumber, not_empty, Each(stays), Each(level_stays)), plan.levels[level_stays]


def _count_of_items(partition: Partition) -> IntArray:
    """Return the number of ratings of each item in a partition."""
    return partition.by_item.counts


def _size_of(partition: Partition) -> tuple[int, int]:
    """Return how many users and ratings a partition has."""
    return partition.n_users, len(partition.by_user.partners)


def _without_rare(partition: Partition, item_stays: BoolArray, least: int) -> Partition:
    """Return a partition without some items, and then without users who have fewer than ``least`` ratings left."""
    by_user = partition.by_user
    keep = item_stays[by_user.partners]
    user_stays = np.bincount(by_user.rows[keep], minlength=by_user.n_rows) >= least
    keep &= user_stays[by_user.rows]
    counts = np.bincount(by_user.rows[keep], minlength=by_user.n_rows)[user_stays]
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    fewer = RatingRows(starts, by_user.partners[keep], by_user.codes[keep]).read_only()
    user_ids = tuple(compress(partition.user_ids, user_stays.tolist()))
    return Partition(user_ids, fewer, transpose(fewer, len(item_stays)).read_only())


def _used_levels(partition: Partition, n_levels: int) -> BoolArray:
    """Return which levels somebody in a partition gave."""
    return np.asarray(np.bincount(partition.by_user.codes, minlength=n_levels) > 0)


def _renumber(partition: Partition, items: BoolArray, levels: BoolArray) -> Partition:
    """Return a partition that knows only some items and levels, which are all that it has ratings with."""
    by_user, kind = partition.by_user, np.min_scalar_type(max(int(levels.sum()) - 1, 0))
    item_numbers, codes = (np.cumsum(stays) - 1 for stays in (items, levels))
    new = RatingRows(
        by_user.starts, item_numbers.astype(np.int32)[by_user.partners], codes.astype(kind)[by_user.codes]
    ).read_only()
    return Partition(partition.user_ids, new, transpose(new, int(items.sum())).read_only())
