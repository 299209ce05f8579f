"""From parts or ratings in memory to ``SpreadRatings``: partitions on the workers, and what a fit knows of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter
from typing import Any

import numpy as np

from nnm_core.cluster.alternation import SpreadRatings, item_blocks
from nnm_core.cluster.minima import leave_out_rare, renumber, total_size
from nnm_core.cluster.partition import add, busiest_rows, count_items, item_facts
from nnm_core.cluster.parts import (
    Part,
    Plan,
    Scan,
    find_parts,
    guess_columns,
    make_plan,
    merge_ids,
    merge_pieces,
    number_items,
    scan_part,
    split_part,
    without_items,
)
from nnm_core.cluster.pattern import find_pattern
from nnm_core.cluster.tasks import Each, Tasks, reduce_tree
from nnm_core.datasets.cleaning import Cleaning, repeated
from nnm_core.datasets.guessing.hints import Hints
from nnm_core.datasets.report import Dropped, Note
from nnm_core.fitting.starts import busiest_users
from nnm_core.options import FitOptions
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
    parts = find_parts(data)
    mapping, notes = guess_columns(parts[0], hints)
    report(0.0, f"reading {len(parts):,} parts")
    scanned = [tasks.submit(f"nnm-scan:{part.path}", scan_part, part, mapping, cleaning) for part in parts]
    scans: list[Scan] = tasks.gather(tasks.map("nnm-scan-summary", without_items, scanned))
    ids = tasks.map("nnm-items", attrgetter("items"), scanned)
    merged = reduce_tree(tasks, "nnm-merge-ids", merge_ids, ids)
    numbered = tasks.submit("nnm-number-items", number_items, merged)
    n_ratings = sum(scan.n_ratings for scan in scans)
    n_partitions = max(-(-n_ratings // ratings_per_partition), FEWEST_PARTITIONS)
    plan = make_plan(parts, scans, mapping, cleaning, n_partitions)
    item_ids = tuple(tasks.gather(numbered))
    report(0.3, f"dividing {n_ratings:,} ratings")
    partitions = _divide(tasks, parts, plan, mapping, cleaning, numbered, len(item_ids))
    dropped = [(part.path, each) for part, scan in zip(parts, scans, strict=True) for each in scan.dropped]
    n_kept, levels = total_size(tasks, partitions)[1], plan.levels
    if n_kept < n_ratings:
        dropped.append((data, Dropped(repeated(cleaning, is_implicit=mapping.implicit), n_ratings - n_kept)))
    if plan.scale.is_continuous or max(cleaning.min_user_ratings, cleaning.min_item_ratings) > 1:
        partitions, item_stays, rare = leave_out_rare(tasks, partitions, len(item_ids), cleaning)
        dropped += [(data, each) for each in rare]
        partitions, levels = renumber(tasks, partitions, item_stays, plan)
        item_ids = tuple(compress(item_ids, item_stays.tolist()))
    by_partition: list[tuple[str, ...]] = tasks.gather(tasks.map("nnm-user-ids", attrgetter("user_ids"), partitions))
    bounds = np.cumsum([0, *map(len, by_partition)])
    user_ids = tuple(name for ids in by_partition for name in ids)
    report(0.8, "naming the content")
    content = _content_hash(tasks, partitions, user_ids, item_ids, levels, plan.scale)
    about = (user_ids, item_ids, levels, plan.scale, content, mapping.implicit)
    return LoadedParts(partitions, bounds, *about, tuple(dropped), (*notes, *plan.notes))


def _divide(
    tasks: Tasks, parts: Sequence[Part], plan: Plan, mapping: Any, cleaning: Cleaning, item_ids: Any, n_items: int
) -> list[Any]:
    """Return handles of the partitions; a part is read by the task from which its pieces come."""
    split = [
        tasks.submit(f"nnm-split:{part.path}", split_part, part, mapping, cleaning, item_ids, plan) for part in parts
    ]
    partitions = []
    for number, overlap in enumerate(plan.overlaps):
        pieces = [tasks.submit("nnm-piece", dict.get, split[part], number) for part in overlap]
        partitions.append(tasks.submit("nnm-partition", merge_pieces, pieces, n_items, plan))
    return partitions


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
        starts = tasks.gather(tasks.submit("nnm-starts", attrgetter("by_user.starts"), partition)) + before
        digest.update(np.ascontiguousarray(starts[1:]).data)
        before = int(starts[-1])
    for column in ("by_user.partners", "by_user.codes"):
        for partition in partitions:
            values = tasks.gather(tasks.submit("nnm-column", attrgetter(column), partition))
            digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()


def prepare(tasks: Tasks, loaded: LoadedParts, options: FitOptions) -> SpreadRatings:
    """Return what a fit with these options needs: means of the items, the rating pattern, and who is busy."""
    targets = loaded.scale.to_unit(loaded.levels)
    counted = tasks.map("nnm-count-items", count_items, loaded.partitions, Each(targets))
    totals = reduce_tree(tasks, "nnm-add", add, counted, 1)[0]
    busy = tasks.map("nnm-busiest", busiest_rows, loaded.partitions)
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
