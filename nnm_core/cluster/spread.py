"""From parts or ratings in memory to ``SpreadRatings``: partitions on the workers, and what a fit knows of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from nnm_core._kernels.grouping import RatingRows, transpose
from nnm_core.cluster.alternation import SpreadRatings, item_blocks
from nnm_core.cluster.partition import Partition, add, busiest_rows, count_items, item_facts
from nnm_core.cluster.parts import (
    Part,
    Plan,
    Scan,
    find_parts,
    guess_columns,
    items_of,
    make_plan,
    merge_ids,
    merge_pieces,
    number_items,
    scan_part,
    split_part,
    take_piece,
    without_items,
)
from nnm_core.cluster.pattern import find_pattern
from nnm_core.cluster.tasks import Tasks, reduce_tree
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.guessing.hints import Hints
from nnm_core.datasets.report import Dropped, Note
from nnm_core.errors import InputError
from nnm_core.fitting.starts import busiest_users
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.types import FloatArray, IntArray

RATINGS_PER_PARTITION = 4_000_000
"""About how many ratings a partition has: a half-step takes a tenth of a second, reading them a second or two."""

FEWEST_PARTITIONS = 4


@dataclass(frozen=True, slots=True, eq=False)
class LoadedParts:
    """Ratings on the workers of a cluster, with the ids that a model needs.

    ``partitions``: handles; ``bounds``: the first user of each. ``dropped``: rows that were left out, by part.
    ``is_implicit``: nobody rated, rows only say who saw what. ``notes``: how the columns were found.
    """

    partitions: Sequence[Any]
    bounds: IntArray
    user_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    levels: FloatArray
    scale: Scale
    content_hash: str
    is_implicit: bool
    dropped: tuple[tuple[str, Dropped], ...] = ()
    notes: tuple[Note, ...] = ()


def load_parts(
    tasks: Tasks,
    data: str,
    hints: Hints,
    cleaning: Cleaning,
    ratings_per_partition: int = RATINGS_PER_PARTITION,
    report: Callable[[float, str], None] = lambda _share, _step: None,
) -> LoadedParts:
    """Read all parts on the workers and give every partition the ratings of its users."""
    _check_cleaning(cleaning)
    parts = find_parts(data)
    mapping, notes = guess_columns(parts[0], hints)
    report(0.0, f"reading {len(parts):,} parts")
    scanned = [tasks.submit(f"nnm-scan:{part.path}", scan_part, part, mapping, cleaning) for part in parts]
    scans: list[Scan] = tasks.gather([tasks.submit("nnm-scan-summary", without_items, scan) for scan in scanned])
    ids = [tasks.submit("nnm-items", items_of, scan) for scan in scanned]
    merged = reduce_tree(tasks, "nnm-merge-ids", merge_ids, ids)
    numbered = tasks.submit("nnm-number-items", number_items, merged)
    n_ratings = sum(scan.n_ratings for scan in scans)
    n_partitions = max(-(-n_ratings // ratings_per_partition), FEWEST_PARTITIONS)
    plan = make_plan(parts, scans, mapping, cleaning, n_partitions)
    item_ids = tuple(tasks.gather(numbered))
    report(0.3, f"dividing {n_ratings:,} ratings")
    partitions = _divide(tasks, parts, plan, mapping, cleaning, numbered, len(item_ids))
    users = [tasks.submit("nnm-user-ids", _user_ids, partition) for partition in partitions]
    by_partition: list[tuple[str, ...]] = tasks.gather(users)
    bounds = np.cumsum([0, *map(len, by_partition)])
    user_ids = tuple(name for ids in by_partition for name in ids)
    levels = plan.values if plan.scale.is_continuous else plan.scale.levels
    report(0.8, "naming the content")
    content = _content_hash(tasks, partitions, user_ids, item_ids, levels, plan.scale)
    dropped = tuple((part.path, each) for part, scan in zip(parts, scans, strict=True) for each in scan.dropped)
    return LoadedParts(
        partitions, bounds, user_ids, item_ids, levels, plan.scale, content, mapping.implicit, dropped, notes
    )


def _check_cleaning(cleaning: Cleaning) -> None:
    if (cleaning.min_user_ratings, cleaning.min_item_ratings, cleaning.n_bins) != (1, 1, None):
        raise InputError(
            "On a cluster all users and items stay, and ratings as they are: leave the minima and bins out."
        )


def _divide(
    tasks: Tasks, parts: Sequence[Part], plan: Plan, mapping: Any, cleaning: Cleaning, item_ids: Any, n_items: int
) -> list[Any]:
    """Return handles of the partitions; a part is read by the task from which its pieces come."""
    split = [
        tasks.submit(f"nnm-split:{part.path}", split_part, part, mapping, cleaning, item_ids, plan) for part in parts
    ]
    partitions = []
    for number, overlap in enumerate(plan.overlaps):
        pieces = [tasks.submit("nnm-piece", take_piece, split[part], number) for part in overlap]
        partitions.append(tasks.submit("nnm-partition", merge_pieces, pieces, n_items, plan))
    return partitions


def _user_ids(partition: Partition) -> tuple[str, ...]:
    return partition.user_ids


def _content_hash(
    tasks: Tasks,
    partitions: Sequence[Any],
    user_ids: tuple[str, ...],
    item_ids: tuple[str, ...],
    levels: FloatArray,
    scale: Scale,
) -> str:
    """Return the content hash that the same ratings have in memory; the arrays pass through here one at a time."""
    digest = hashlib.sha256()
    digest.update(repr((scale, len(user_ids), len(item_ids))).encode())
    for ids in (user_ids, item_ids):
        digest.update("\x00".join(ids).encode("utf-8", "surrogatepass"))
    digest.update(np.ascontiguousarray(levels).data)
    digest.update(np.zeros(1, dtype=np.int64).data)
    before = 0
    for partition in partitions:
        starts = tasks.gather(tasks.submit("nnm-starts", _starts, partition)) + before
        digest.update(np.ascontiguousarray(starts[1:]).data)
        before = int(starts[-1])
    for take in (_partners, _codes):
        for partition in partitions:
            digest.update(np.ascontiguousarray(tasks.gather(tasks.submit("nnm-column", take, partition))).data)
    return digest.hexdigest()


def _starts(partition: Partition) -> IntArray:
    return partition.by_user.starts


def _partners(partition: Partition) -> IntArray:
    return partition.by_user.partners


def _codes(partition: Partition) -> IntArray:
    return partition.by_user.codes


def divide_ratings(tasks: Tasks, ratings: Ratings, bounds: Sequence[int]) -> LoadedParts:
    """Divide ratings that are in memory among partitions of users, which begin at the ``bounds``."""
    partitions = []
    for first, last in pairwise(bounds):
        starts = ratings.by_user.starts[first : last + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        rows = RatingRows(starts - starts[0], ratings.by_user.partners[entries], ratings.by_user.codes[entries])
        by_user = rows.read_only()
        partition = Partition(ratings.user_ids[first:last], by_user, transpose(by_user, ratings.n_items).read_only())
        partitions.append(tasks.submit("nnm-partition", _itself, partition))
    facts = (ratings.user_ids, ratings.item_ids, ratings.levels, ratings.scale, ratings.content_hash)
    return LoadedParts(partitions, np.asarray(bounds), *facts, is_implicit=False)


def _itself(partition: Partition) -> Partition:
    return partition


def prepare(tasks: Tasks, loaded: LoadedParts, options: FitOptions) -> SpreadRatings:
    """Return what a fit with these options needs: means of the items, the rating pattern, and who is busy."""
    targets = loaded.scale.to_unit(loaded.levels)
    counted = [tasks.submit("nnm-count-items", count_items, each, targets) for each in loaded.partitions]
    totals = reduce_tree(tasks, "nnm-add", add, counted, 1)[0]
    busy = [tasks.submit("nnm-busiest", busiest_rows, each) for each in loaded.partitions]
    (counts, mean), rows_and_counts = tasks.gather((tasks.submit("nnm-counts", _counts, totals), busy))
    n_users, kinship = int(loaded.bounds[-1]), options.kinship if options.shrinkage else 0
    blocks = item_blocks(len(counts), options.n_stereotypes)
    directions, item_directions = find_pattern(tasks, loaded.partitions, counts, n_users, kinship, blocks)
    facts = tasks.submit("nnm-item-facts", item_facts, totals, item_directions)
    users = np.concatenate([first + rows for first, (rows, _) in zip(loaded.bounds, rows_and_counts, strict=False)])
    most = busiest_users(np.concatenate([own for _, own in rows_and_counts]), int(counts.sum()))
    return SpreadRatings(
        tasks=tasks,
        partitions=loaded.partitions,
        bounds=loaded.bounds,
        facts=facts,
        directions=directions,
        counts=counts,
        mean=mean,
        busy=[int(users[k]) for k in most],
        levels=loaded.levels,
        scale=loaded.scale,
    )


def _counts(totals: FloatArray) -> tuple[IntArray, float]:
    return totals[1].astype(np.int64), float(totals[0].sum() / totals[1].sum())
