"""What is computed on one partition of the users, as plain functions of arrays: the tasks of a fit on a cluster.

A partition has all ratings of some users. It needs nothing of the others but sums: a ``Report`` of their mixtures, and
for the items the sums of ``_kernels.partial_sums``. No function changes its arguments, so that any of them can be run
again on another worker. Arrays that come from another process may be read-only; kernels are compiled for writable
factors and read-only ratings, hence the copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nnm_core._kernels.grouping import RatingRows, row_sums
from nnm_core._kernels.half_step import LeastSquares, Solution, half_step, least_squares, weighted_errors
from nnm_core._kernels.partial_sums import count_sums, solve_sums, sum_rows
from nnm_core._kernels.products import inner_products, project_onto_simplex, row_products
from nnm_core.fitting.alternation import distance_moved
from nnm_core.fitting.averages import damped_means
from nnm_core.fitting.fill import Zeros, with_zeros
from nnm_core.fitting.rating_pattern import project
from nnm_core.fitting.starts import MOST_BUSY
from nnm_core.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """All ratings of some users, who follow each other in the numbering of all users.

    ``by_user``: rows are these users; ``by_item``: rows are all items, partners these users.
    """

    user_ids: tuple[str, ...]
    by_user: RatingRows
    by_item: RatingRows

    @property
    def n_users(self) -> int:
        """How many users it has."""
        return self.by_user.n_rows


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """What is minimised; the same for all partitions.

    ``targets`` (n_levels,): what each code means as a probability; ``zeros_count``: unknown ratings count as zeros;
    ``pull``: what the problems are solved with; ``penalty``: what the objective counts of it; ``fixed`` (n_fixed,): the
    probabilities that the stereotypes of generosity like anything.
    """

    targets: FloatArray
    zeros_count: bool
    pull: float
    penalty: float
    fixed: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Users:
    """The mixtures of a partition, and the error and residual of the half-step that found them."""

    mixtures: FloatArray
    error: float = 0.0
    residual: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Sums over users: everything that other partitions need to know of them.

    ``gram`` (C + 1 + K, C + 1 + K): the Gram matrix of the columns [mixtures | 1 | directions of the rating pattern].
    """

    gram: FloatArray
    n_columns: int
    error: float
    residual: float

    @property
    def mean_mixture(self) -> FloatArray:
        """The mean mixture, (C,)."""
        return np.asarray(self.gram[self.n_columns, : self.n_columns] / self.gram[self.n_columns, self.n_columns])

    @property
    def projected(self) -> FloatArray:
        """Mixtures times directions, (C, K)."""
        return np.ascontiguousarray(self.gram[: self.n_columns, self.n_columns + 1 :])

    @property
    def pull(self) -> float:
        """The squared distance of all users from their centers, from the Gram matrix alone."""
        apart = np.vstack([np.eye(self.n_columns), -self.mean_mixture[None], -self.projected.T])
        return float(max(np.einsum("ac,ab,bc->", apart, self.gram, apart), 0.0))


class Sums(NamedTuple):
    """What the users of some partitions contribute to a block of items, and to what is known of all users.

    ``rows`` (n_items, n_sums): as ``_kernels.partial_sums`` has them; ``report``: of the users, with the first
    block, and with all of them where unknown ratings count as zeros.
    """

    rows: FloatArray
    report: Report | None


@dataclass(frozen=True, slots=True, eq=False)
class ItemFacts:
    """What a fit knows of the items: ratings of each, damped means (n_items, 1), and directions (n_items, K)."""

    counts: IntArray
    means: FloatArray
    directions: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The likes of all items and the centers they are drawn to; and how they were found, if a sweep found them."""

    likes: FloatArray
    centers: FloatArray
    found: FoundItems | None = None

    @classmethod
    def at(cls, likes: FloatArray, facts: ItemFacts) -> Items:
        """Return the items with these likes."""
        means = np.array(facts.means)
        return cls(likes, means + project(np.array(facts.directions), likes - means))


class FoundItems(NamedTuple):
    """What a sweep says of the items: error, residual and pull of all, how far they moved, and a report of the users.

    ``report``: of the users with whose mixtures they were found.
    """

    error: float
    residual: float
    pull: float
    moved: float
    report: Report


class Block(NamedTuple):
    """Solved items: their likes, the sum of their errors and the largest residual; ``report``: with the first block."""

    likes: FloatArray
    error: float
    residual: float
    report: Report | None


def random_users(choices: IntArray, dim: int) -> Users:
    """Return users of whom each is one stereotype."""
    mixtures = np.zeros((len(choices), dim))
    mixtures[np.arange(len(choices)), choices] = 1.0
    return Users(mixtures)


def start_items(facts: ItemFacts, dim: int) -> Items:
    """Return items that every stereotype likes as people do on average."""
    return Items.at(np.repeat(facts.means, dim, axis=1), facts)


def sample_zeros(partition: Partition, first_user: int, zeros: Zeros, zero: int) -> Partition:
    """Return a partition with sampled zeros, whose code is ``zero``; ``first_user``: its place among all users."""
    by_user, by_item = with_zeros(partition.by_user, first_user, zeros, zero)
    return Partition(partition.user_ids, by_user.read_only(), by_item.read_only())


def report_users(users: Users, directions: FloatArray) -> Report:
    """Return the sums over the users of one partition."""
    columns = np.hstack([users.mixtures, np.ones((len(users.mixtures), 1)), directions])
    return Report(inner_products(columns, columns), users.mixtures.shape[1], users.error, users.residual)


def add_reports(reports: Sequence[Report]) -> Report:
    """Return the sums over the users of several partitions."""
    grams, errors = add([each.gram for each in reports]), sum(each.error for each in reports)
    return Report(grams, reports[0].n_columns, errors, max(each.residual for each in reports))


def add(arrays: Sequence[FloatArray]) -> FloatArray:
    """Return the sum of arrays, in their order."""
    total = np.array(arrays[0])
    for array in arrays[1:]:
        total += array
    return total


def add_sums(sums: Sequence[Sums]) -> Sums:
    """Return the sums over several partitions."""
    reports = [each.report for each in sums if each.report is not None]
    return Sums(add([each.rows for each in sums]), add_reports(reports) if reports else None)


def sum_items(
    partition: Partition,
    users: Users,
    was: Users | None,
    directions: FloatArray,
    momentum: float,
    first: int,
    last: int,
    now: Objective,
) -> Sums:
    """Return the sums of the items ``first`` to ``last`` over the ratings of this partition.

    ``was``, ``momentum``: the users are extrapolated first, here and when they are solved, which takes less time than a
    task of its own. ``now``: what is minimised.
    """
    users = extrapolate_users(users, was, momentum)
    dim = users.mixtures.shape[1] - len(now.fixed)
    explained = np.zeros(partition.n_users)
    for k, weight in enumerate(now.fixed):
        explained += weight * users.mixtures[:, dim + k]
    problem = _problem(users.mixtures[:, :dim], np.zeros((1, dim)), now, explained=explained, on_simplex=False)
    rows = np.empty((last - first, count_sums(dim, now.zeros_count)))
    sum_rows(first, last, partition.by_item.read_only(), problem, dim, rows)
    return Sums(rows, report_users(users, directions) if first == 0 or now.zeros_count else None)


def solve_items(
    partial_sums: Sequence[Sums], items: Items, facts: ItemFacts, first: int, objective: Objective
) -> Block:
    """Solve the items from ``first`` on; all ``partial_sums`` together are over all partitions."""
    sums, report = add_sums(partial_sums)
    counts = np.array(facts.counts[first : first + len(sums)])
    likes, centers = (np.array(rows[first : first + len(sums)]) for rows in (items.likes, items.centers))
    dim = likes.shape[1]
    problem = _problem(np.zeros((1, dim)), centers, objective, on_simplex=False)
    if objective.zeros_count and report is not None:
        problem = problem._replace(gram=np.array(report.gram[:dim, :dim]))
    solution = Solution.starting_at(likes)
    solve_sums(counts, sums, problem, solution)
    return Block(likes, float(solution.errors.sum()), float(solution.residuals.max(initial=0.0)), report)


def join_items(blocks: Sequence[Block], reference: Items, facts: ItemFacts) -> Items:
    """Return all items from the blocks in which they were solved; they moved from ``reference``."""
    items = Items.at(np.concatenate([block.likes for block in blocks]), facts)
    found = FoundItems(
        error=sum(block.error for block in blocks),
        residual=max(block.residual for block in blocks),
        pull=float(np.square(items.likes - items.centers).sum()),
        moved=distance_of_items(reference, items, facts),
        report=next(block.report for block in blocks if block.report is not None),
    )
    return replace(items, found=found)


def solve_users(
    partition: Partition,
    users: Users,
    was: Users | None,
    directions: FloatArray,
    momentum: float,
    items: Items,
    objective: Objective,
) -> Users:
    """Return the best mixtures of a partition for the items."""
    mixtures, report = np.array(extrapolate_users(users, was, momentum).mixtures), found_with(items).report
    centers = report.mean_mixture + row_products(np.array(directions), report.projected)
    problem = _problem(items.likes, centers, objective, fixed=objective.fixed, on_simplex=True)
    solution = Solution.starting_at(mixtures)
    half_step(0, partition.n_users, partition.by_user.read_only(), problem, solution)
    return Users(mixtures, float(solution.errors.sum()), float(solution.residuals.max(initial=0.0)))


def found_with(items: Items) -> FoundItems:
    """Return what the sweep that found the items says of them."""
    if items.found is None:
        raise ValueError("no sweep found these items")
    return items.found


def known_error(partition: Partition, users: Users, items: Items, objective: Objective) -> float:
    """Return the squared error over the known ratings of a partition."""
    errors, likes = np.empty(partition.n_users), _all_likes(items, objective)
    targets, weights = np.array(objective.targets), np.ones(len(likes))
    mixtures = np.array(users.mixtures)
    weighted_errors(0, len(errors), partition.by_user.read_only(), targets, likes, weights, mixtures, errors)
    return float(errors.sum())


def extrapolate_users(now: Users, was: Users | None, momentum: float) -> Users:
    """Return the users further along their last step; as they are if nothing was before."""
    return now if was is None else Users(project_onto_simplex(now.mixtures + momentum * (now.mixtures - was.mixtures)))


def extrapolate_items(now: Items, was: Items, momentum: float, facts: ItemFacts) -> Items:
    """Return the items further along their last step."""
    return Items.at(np.clip(now.likes + momentum * (now.likes - was.likes), 0.0, 1.0), facts)


def add_columns(users: Users, n_columns: int) -> Users:
    """Return the users with more stereotypes, of no weight."""
    return replace(users, mixtures=np.hstack([users.mixtures, np.zeros((len(users.mixtures), n_columns))]))


def replace_mixture(users: Users, row: int, mixture: FloatArray) -> Users:
    """Return the users, one of them with another mixture."""
    mixtures = np.array(users.mixtures)
    mixtures[row] = mixture
    return Users(mixtures)


def distance_of_items(before: Items, after: Items, facts: ItemFacts) -> float:
    """Return how far the items moved, popular ones counting more."""
    return distance_moved(before.likes, after.likes, facts.counts / facts.counts.sum())


def count_items(partition: Partition, targets: FloatArray) -> FloatArray:
    """Return the sum and the number of ratings of each item in a partition, (2, n_items)."""
    return np.array([row_sums(partition.by_item.read_only(), np.array(targets)), partition.by_item.counts])


def item_facts(totals: FloatArray, directions: FloatArray) -> ItemFacts:
    """Return what a fit knows of the items; ``totals``: of :func:`count_items` over all partitions."""
    sums, counts = totals[0], totals[1].astype(np.int64)
    return ItemFacts(counts, damped_means(sums, counts, sums.sum() / counts.sum())[:, None], directions)


def busiest_rows(partition: Partition) -> tuple[IntArray, IntArray]:
    """Return the users of a partition who gave the most ratings, as rows, and how many each gave."""
    counts = partition.by_user.counts
    rows = np.sort(np.argsort(-counts, kind="stable")[:MOST_BUSY])
    return rows, counts[rows]


def _all_likes(items: Items, objective: Objective) -> FloatArray:
    return np.hstack([items.likes, np.tile(objective.fixed, (len(items.likes), 1))])


def _problem(
    partners: FloatArray, centers: FloatArray, objective: Objective, *, on_simplex: bool, **more: Any
) -> LeastSquares:
    return least_squares(
        np.array(objective.targets),
        partners,
        objective.pull * np.eye(centers.shape[1]),
        centers,
        zeros_count=objective.zeros_count,
        on_simplex=on_simplex,
        **more,
    )
