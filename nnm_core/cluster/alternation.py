"""Algorithm 1 in like mode with the users spread over partitions: which tasks make up a sweep.

An item half-step adds the partial sums of all partitions up a tree, one tree for each block of items, and solves the
blocks in parallel. A user half-step needs the items, and the sums over all users (``Report``), but no other partition.
All of a sweep is submitted at once; a few numbers come back in the end.

What a state holds are handles of results on the workers. A result that is lost with its worker is computed again from
those it was computed from; ``checkpoints`` cut that chain every few sweeps.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from nnm_core.cluster.partition import (
    FoundItems,
    Items,
    Objective,
    Report,
    Users,
    add_columns,
    add_reports,
    add_sums,
    distance_of_items,
    extrapolate_items,
    found_with,
    join_items,
    known_error,
    random_users,
    replace_mixture,
    report_users,
    sample_zeros,
    solve_items,
    solve_users,
    start_items,
    sum_items,
)
from nnm_core.cluster.pattern import Blocks
from nnm_core.cluster.tasks import Each, Tasks, reduce_tree
from nnm_core.fitting.alternation import Factors, Momentum
from nnm_core.fitting.fill import Zeros
from nnm_core.fitting.likes import TIE_BREAK, LikeAlternation
from nnm_core.fitting.progress import CurrentModel, Progress, Snapshot
from nnm_core.model import fixed_likes
from nnm_core.options import FitOptions
from nnm_core.scale import Scale
from nnm_core.types import FloatArray, IntArray

_BLOCK_BYTES = 16 * 2**20
"""Of the sums of one block of items; a partition sends so much for every block in a sweep."""


MANY_BYTES = 2**28
"""Mixtures of more bytes than this are brought to a file."""


@dataclass(frozen=True, slots=True, eq=False)
class SpreadRatings:
    """Ratings whose users are spread over partitions.

    ``partitions``: handles; ``bounds`` (n_partitions + 1,): the first user of each, in the numbering of all users;
    ``facts``: handle of what is known of the items; ``directions``: handles of the rating pattern of each partition.
    ``counts`` (n_items,): ratings of each item; ``mean``: of all ratings, as a probability of liking; ``busy``: the few
    users with a large share of all ratings.
    """

    tasks: Tasks
    partitions: Sequence[Any]
    bounds: IntArray
    facts: Any
    directions: Sequence[Any]
    counts: IntArray
    mean: float
    busy: Sequence[int]
    levels: FloatArray
    scale: Scale

    def __len__(self) -> int:
        return int(self.counts.sum())

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return int(self.bounds[-1])


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Both factors: handles of the users of each partition, and of the items."""

    users: Sequence[Any]
    items: Any


@dataclass(frozen=True, slots=True)
class Ahead:
    """From where, and how far, the users of the present state are extrapolated before the next sweep."""

    was: Sequence[Any]
    momentum: float


class SpreadLikes(LikeAlternation):
    """The two half-steps of a sweep as tasks, and the objective that both lower.

    ``error``: the squared error after the last half-step. ``in_fill``: unknown ratings count as zeros, all of them or
    sampled ones. ``rng``: of this start.
    ``keep``: called after every sweep with the momentum and the progress, to write a checkpoint.
    """

    def __init__(
        self,
        ratings: SpreadRatings,
        options: FitOptions,
        *,
        in_fill: bool,
        rng: np.random.Generator,
        keep: Callable[[SpreadLikes, Momentum, Progress], None] | None = None,
    ) -> None:
        self.ratings, self._tasks, self._keep, self._rng = ratings, ratings.tasks, keep, rng
        self.item_weights = ratings.counts / ratings.counts.sum()
        self.blocks = item_blocks(len(ratings.counts), options.n_stereotypes)
        self._known = objective_of_known(ratings, options)
        self.in_fill, self.objective_now = in_fill, self._known
        self._partitions = ratings.partitions  # with sampled zeros, as long as they count
        if in_fill and options.fill == "sampled":
            self._sample_zeros()
        elif in_fill:
            self.objective_now = Objective(self._known.targets, True, 0.0, 0.0, np.empty(0))
        self.error = 0.0
        self._mean_mixture: FloatArray | None = None
        self._reference: State | None = None  # from where the next sweep's movement counts, if not from its beginning
        self._ahead = Ahead([None] * len(ratings.partitions), 0.0)
        self._report: Report | None = None  # of the users after the last sweep
        self._moved: tuple[State | None, float] = (None, 0.0)

    def _sample_zeros(self) -> None:
        """Let zeros that are drawn among the unknown ratings count like known ones."""
        ratings, targets = self.ratings, self._known.targets
        zeros = Zeros.draw(self._rng, len(ratings), ratings.n_users, len(ratings.counts))
        more = (Each(zeros), Each(len(targets)))
        self._partitions = self._tasks.map(
            "nnm-sample-zeros", sample_zeros, ratings.partitions, ratings.bounds[:-1].tolist(), *more
        )
        self.objective_now = Objective(np.append(targets, 0.0), False, 0.0, 0.0, np.empty(0))

    def begin(self, dim: int) -> None:
        """Start at random, with one stereotype for each user."""
        small = self._rng.integers(dim, size=self.ratings.n_users).astype(np.uint8 if dim <= 256 else np.uint16)
        parts = np.split(small, self.ratings.bounds[1:-1])
        users = self._tasks.map("nnm-start", random_users, parts, Each(dim))
        self.restore(State(users, self._tasks.submit("nnm-start-items", start_items, self.ratings.facts, dim)))

    def resume(
        self, mean_mixture: FloatArray, in_fill: bool, with_generosity: bool, error: float, residual: float
    ) -> None:
        """Take the place of an alternation that was interrupted; its state is restored apart from this."""
        self._mean_mixture, self.error, self.residual = mean_mixture, error, residual
        if not in_fill:
            self._end_fill(with_generosity)

    def count_known_only(self, generosity: bool) -> None:
        """End the fill; add the enthusiast and the skeptic if asked to, with no weight at first."""
        fixed = self._end_fill(generosity)
        if generosity:
            users = self._tasks.map("nnm-add-columns", add_columns, self._state.users, Each(len(fixed)))
            self.restore(replace(self._state, users=users))

    def _end_fill(self, generosity: bool) -> FloatArray:
        fixed = fixed_likes(self.ratings.scale) if generosity else np.empty(0)
        self.in_fill, self._partitions = False, self.ratings.partitions
        self.objective_now = replace(self._known, fixed=fixed)
        return fixed

    def state(self) -> State:
        """Return both factors as they stand."""
        return self._state

    def restore(self, state: State) -> None:
        """Continue from a state."""
        self._state, self._reference, self._report = state, None, None
        self._ahead = Ahead([None] * len(state.users), 0.0)

    def extrapolate(self, previous: State, now: State, momentum: float) -> None:
        """Continue from the valid factors nearest to ``now + momentum * (now - previous)``; the next sweep does it."""
        more = (now.items, previous.items, momentum, self.ratings.facts)
        self.restore(State(now.users, self._tasks.submit("nnm-extrapolate-items", extrapolate_items, *more)))
        self._reference, self._ahead = now, Ahead(previous.users, momentum)

    def sweep(self) -> tuple[float, float]:
        """Improve the items, then the users; return the objective after each half-step."""
        reference = self._reference or self._state
        items = self._improve_items(reference)
        users = self._improve_users(items)
        found: FoundItems
        found, reports = self._tasks.gather((self._tasks.submit("nnm-found", found_with, items), self._reports(users)))
        self.restore(State(users, items))
        was, now = found.report, add_reports(reports)
        self._mean_mixture, self._report, self._moved = was.mean_mixture, now, (reference, found.moved)
        penalty = self.objective_now.penalty
        self.error, self.residual = now.error, max(found.residual, now.residual)
        after_items = found.error + penalty * (found.pull + was.pull)
        return after_items, now.error + penalty * (found.pull + now.pull)

    def objective(self) -> float:
        """Return the objective after the last sweep."""
        items: Items = self._tasks.gather(self._state.items)
        pull = float(np.square(items.likes - items.centers).sum())
        return float(self.error + self.objective_now.penalty * (pull + self._report_now().pull))

    def squared_error(self) -> float:
        """Return the squared error over the known ratings, which is at hand unless unknown ones counted as zeros."""
        if not self.in_fill:
            return self.error
        both = (self.ratings.partitions, self._state.users)
        errors = self._tasks.map(
            "nnm-known-error", known_error, *both, Each(self._state.items), Each(self.objective_now)
        )
        return float(sum(self._tasks.gather(errors)))

    def distance_from(self, state: State) -> float:
        """Return how far the likes are from those of a state."""
        reference, distance = self._moved
        if state is reference:
            return distance
        task = self._tasks.submit("nnm-distance", distance_of_items, state.items, self._state.items, self.ratings.facts)
        return float(self._tasks.gather(task))

    @property
    def answers(self) -> FloatArray:
        """The likes of the free stereotypes, brought here."""
        items: Items = self._tasks.gather(self._state.items)
        return items.likes

    def factors(self) -> Factors:
        """Return both factors, brought here; the stereotypes with the largest share come first.

        Mixtures of many users are brought partition by partition to a file, so that they need no memory here.
        """
        bounds, likes, mean = self.ratings.bounds, self.answers, self.mean_mixture()
        n_free, shares = likes.shape[1], self._report_now().mean_mixture
        order = [*np.argsort(-shares[:n_free], kind="stable").tolist(), *range(n_free, len(shares))]
        mixtures = _empty((self.ratings.n_users, len(shares)))
        for first, last, handle in zip(bounds[:-1], bounds[1:], self._state.users, strict=True):
            users: Users = self._tasks.gather(handle)
            mixtures[first:last] = users.mixtures[:, order]
        mixtures.flags.writeable = False
        return Factors(mixtures, likes[:, order[:n_free]], self.objective_now.fixed, mean[order])

    def mixtures_of(self, state: State) -> FloatArray:
        """Return the mixtures of all users in a state, brought here."""
        users: list[Users] = self._tasks.gather(list(state.users))
        return np.concatenate([each.mixtures for each in users])

    def mean_mixture(self) -> FloatArray:
        """Return the mean mixture toward which the last sweep drew people."""
        if self._mean_mixture is None:
            return self._report_now().mean_mixture
        return self._mean_mixture

    def _report_now(self) -> Report:
        """Return the report of the present users."""
        if self._report is None:
            self._report = add_reports(self._tasks.gather(self._reports(self._state.users)))
        return self._report

    def mixture_in(self, state: State, user: int) -> FloatArray:
        """Return the mixture of one user in a state."""
        place, row = self._place(user)
        users: Users = self._tasks.gather(state.users[place])
        return np.asarray(users.mixtures[row])

    def with_mixture(self, state: State, user: int, mixture: FloatArray) -> State:
        """Return a state in which one user has another mixture."""
        place, row = self._place(user)
        users = list(state.users)
        users[place] = self._tasks.submit("nnm-replace", replace_mixture, users[place], row, mixture)
        return State(users, state.items)

    def current_model(self, before: State | None) -> CurrentModel:
        """Return the factors for whoever watches the fit; they are brought here when somebody asks for them."""
        state, fixed = self._state, self.objective_now.fixed

        def likes() -> FloatArray:
            items: Items = self._tasks.gather(state.items)
            return np.hstack([items.likes, np.tile(fixed, (len(items.likes), 1))])

        return CurrentModel(
            lambda users, items: np.einsum("nk,nk->n", self.mixtures_of(state)[users], likes()[items]),
            lambda: Snapshot(self.mixtures_of(before or state), likes(), self.mixtures_of(state)),
        )

    def after_sweep(self, momentum: Momentum, progress: Progress) -> None:
        """Write a checkpoint if it is time."""
        if self._keep is not None:
            self._keep(self, momentum, progress)

    def _improve_items(self, reference: State) -> Any:
        tasks, ratings, now, objective = self._tasks, self.ratings, self._state, self.objective_now
        lists = (self._partitions, now.users, self._ahead.was, ratings.directions)
        solved = []
        for first, last in self.blocks:
            more = map(Each, (self._ahead.momentum, first, last, objective))
            sums = reduce_tree(tasks, "nnm-add", add_sums, tasks.map("nnm-sum-items", sum_items, *lists, *more))
            about = (now.items, ratings.facts, first, objective)
            solved.append(tasks.submit("nnm-solve-items", solve_items, sums, *about))
        return tasks.submit("nnm-join-items", join_items, solved, reference.items, ratings.facts)

    def _improve_users(self, items: Any) -> list[Any]:
        lists = (self._partitions, self._state.users, self._ahead.was, self.ratings.directions)
        more = map(Each, (self._ahead.momentum, items, self.objective_now))
        return self._tasks.map("nnm-solve-users", solve_users, *lists, *more)

    def _reports(self, users: Sequence[Any]) -> list[Any]:
        """Return handles of reports that together are on all users, whose handles these are, one per partition."""
        reports = self._tasks.map("nnm-report", report_users, users, self.ratings.directions)
        return reduce_tree(self._tasks, "nnm-add-reports", add_reports, reports)

    def _place(self, user: int) -> tuple[int, int]:
        """Return the partition of a user and the row in it."""
        place = int(np.searchsorted(self.ratings.bounds, user, side="right")) - 1
        return place, user - int(self.ratings.bounds[place])


def _empty(shape: tuple[int, int]) -> FloatArray:
    """Return an array in memory or, if it is large, in a temporary file that goes with it."""
    if 8 * shape[0] * shape[1] < MANY_BYTES:
        return np.empty(shape)
    with tempfile.TemporaryFile() as file:  # which the array keeps open
        return np.memmap(file, dtype=np.float64, mode="w+", shape=shape)


def objective_of_known(ratings: SpreadRatings, options: FitOptions) -> Objective:
    """Return what is minimised once the fill is over, without generosity."""
    targets = ratings.scale.to_unit(ratings.levels)
    return Objective(targets, False, max(options.shrinkage, TIE_BREAK), options.shrinkage, np.empty(0))


def item_blocks(n_items: int, dim: int) -> Blocks:
    """Return ranges of items whose sums have a size that is easily sent."""
    width = 8 * ((dim * (dim + 1)) // 2 + dim + 1)
    n_blocks = max(-(-n_items * width // _BLOCK_BYTES), 1)
    ends = [n_items * k // n_blocks for k in range(n_blocks + 1)]
    return list(pairwise(ends))
