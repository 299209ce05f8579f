"""Algorithm 1 in like mode with the users spread over partitions: which tasks make up a sweep.

An item half-step adds the partial sums of all partitions up a tree, one tree for each block of items, and solves the
blocks in parallel. A user half-step needs the items, and the sums over all users (``Report``), but no other partition.
All of a sweep is submitted at once; a few numbers come back in the end.

What a state holds are handles of results on the workers. A result that is lost with its worker is computed again from
those it was computed from; ``checkpoints`` cut that chain every few sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from nnm_core.cluster.partition import (
    Items,
    Objective,
    Users,
    add,
    add_columns,
    add_reports,
    distance_of_items,
    extrapolate_items,
    extrapolate_users,
    join_items,
    known_error,
    random_users,
    replace_mixture,
    report_users,
    solve_items,
    solve_users,
    start_items,
    sum_items,
    summary_of_items,
)
from nnm_core.cluster.pattern import Blocks
from nnm_core.cluster.tasks import Tasks, reduce_tree
from nnm_core.fitting.alternation import Factors, Momentum
from nnm_core.fitting.likes import TIE_BREAK, LikeAlternation
from nnm_core.fitting.progress import CurrentModel, Progress, Snapshot
from nnm_core.model import fixed_likes
from nnm_core.options import FitOptions
from nnm_core.scale import Scale
from nnm_core.types import FloatArray, IntArray

_BLOCK_BYTES = 16 * 2**20
"""Of the sums of one block of items; a partition sends so much for every block in a sweep."""


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
    """Both factors: handles of the users of each partition, of reports on all of them, and of the items."""

    users: Sequence[Any]
    reports: Sequence[Any]
    items: Any


class SpreadLikes(LikeAlternation):
    """The two half-steps of a sweep as tasks, and the objective that both lower.

    ``error``: the squared error after the last half-step.
    ``keep``: called after every sweep with the momentum and the progress, to write a checkpoint.
    """

    def __init__(
        self,
        ratings: SpreadRatings,
        options: FitOptions,
        *,
        in_fill: bool,
        keep: Callable[[SpreadLikes, Momentum, Progress], None] | None = None,
    ) -> None:
        self.ratings, self._tasks, self._keep = ratings, ratings.tasks, keep
        self.item_weights = ratings.counts / ratings.counts.sum()
        self.blocks = item_blocks(len(ratings.counts), options.n_stereotypes)
        self._known = objective_of_known(ratings, options)
        nothing = np.empty(0)
        self.objective_now = (
            Objective(self._known.targets, True, 0.0, 0.0, nothing) if in_fill else replace(self._known, fixed=nothing)
        )
        self.error = 0.0
        self._mean_mixture: Any = None
        self._reference: State | None = None  # from where the next sweep's movement counts, if not from its beginning
        self._moved: tuple[State | None, float] = (None, 0.0)

    @property
    def in_fill(self) -> bool:
        """Whether unknown ratings count as zeros."""
        return self.objective_now.zeros_count

    def begin(self, choices: IntArray, dim: int) -> None:
        """Start at random: ``choices`` (n_users,) is the stereotype of each user."""
        small = choices.astype(np.uint8 if dim <= 256 else np.uint16)
        parts = np.split(small, self.ratings.bounds[1:-1])
        users = [self._tasks.submit("nnm-start", random_users, part, dim) for part in parts]
        items = self._tasks.submit("nnm-start-items", start_items, self.ratings.facts, dim)
        self._state = State(users, self.report(users), items)
        self._mean_mixture = self._state.reports

    def resume(
        self, mean_mixture: FloatArray, in_fill: bool, with_generosity: bool, error: float, residual: float
    ) -> None:
        """Take the place of an alternation that was interrupted; its state is restored apart from this."""
        self._mean_mixture, self.error, self.residual = mean_mixture, error, residual
        if not in_fill:
            fixed = fixed_likes(self.ratings.scale) if with_generosity else np.empty(0)
            self.objective_now = replace(self._known, fixed=fixed)

    def count_known_only(self, generosity: bool) -> None:
        """End the fill; add the enthusiast and the skeptic if asked to, with no weight at first."""
        fixed = fixed_likes(self.ratings.scale) if generosity else np.empty(0)
        self.objective_now = replace(self._known, fixed=fixed)
        if generosity:
            users = [self._tasks.submit("nnm-add-columns", add_columns, each, len(fixed)) for each in self._state.users]
            self._state = replace(self._state, users=users, reports=self.report(users))

    def state(self) -> State:
        """Return both factors as they stand."""
        return self._state

    def restore(self, state: State) -> None:
        """Continue from a state."""
        self._state, self._reference = state, None

    def extrapolate(self, previous: State, now: State, momentum: float) -> None:
        """Continue from the valid factors nearest to ``now + momentum * (now - previous)``."""
        submit = self._tasks.submit
        pairs = zip(now.users, previous.users, strict=True)
        users = [submit("nnm-extrapolate", extrapolate_users, *pair, momentum) for pair in pairs]
        items = submit(
            "nnm-extrapolate-items", extrapolate_items, now.items, previous.items, momentum, self.ratings.facts
        )
        self._state, self._reference = State(users, self.report(users), items), now

    def sweep(self) -> tuple[float, float]:
        """Improve the items, then the users; return the objective after each half-step."""
        before = self._state
        items = self._improve_items()
        users = self._improve_users(items)
        self._state = State(users, self.report(users), items)
        self._mean_mixture = before.reports
        reference = self._reference or before
        item_summary = self._tasks.submit("nnm-item-summary", summary_of_items, items)
        moved = self._tasks.submit("nnm-distance", distance_of_items, reference.items, items, self.ratings.facts)
        found = self._tasks.gather((before.reports, item_summary, self._state.reports, moved))
        was, now = add_reports(found[0]), add_reports(found[2])
        item_error, item_residual, item_pull = found[1]
        self._reference, self._moved = None, (reference, float(found[3]))
        penalty = self.objective_now.penalty
        self.error, self.residual = now.error, max(item_residual, now.residual)
        after_items = item_error + penalty * (item_pull + was.pull)
        return after_items, now.error + penalty * (item_pull + now.pull)

    def objective(self) -> float:
        """Return the objective after the last sweep."""
        summary = self._tasks.submit("nnm-item-summary", summary_of_items, self._state.items)
        items, reports = self._tasks.gather((summary, self._state.reports))
        return float(self.error + self.objective_now.penalty * (items[2] + add_reports(reports).pull))

    def squared_error(self) -> float:
        """Return the squared error over the known ratings, which is at hand unless unknown ones counted as zeros."""
        if not self.in_fill:
            return self.error
        pairs = zip(self.ratings.partitions, self._state.users, strict=True)
        more = (self._state.items, self.objective_now)
        errors = [self._tasks.submit("nnm-known-error", known_error, *pair, *more) for pair in pairs]
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
        """Return both factors, brought here."""
        return Factors(self.mixtures_of(self._state), self.answers, self.objective_now.fixed, self.mean_mixture())

    def mixtures_of(self, state: State) -> FloatArray:
        """Return the mixtures of all users in a state, brought here."""
        users: list[Users] = self._tasks.gather(list(state.users))
        return np.concatenate([each.mixtures for each in users])

    def mean_mixture(self) -> FloatArray:
        """Return the mean mixture toward which the last sweep drew people."""
        mean = self._mean_mixture
        return mean if isinstance(mean, np.ndarray) else add_reports(self._tasks.gather(mean)).mean_mixture

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
        return State(users, self.report(users), state.items)

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

    def _improve_items(self) -> Any:
        submit, ratings, now = self._tasks.submit, self.ratings, self._state
        pairs, objective = list(zip(ratings.partitions, now.users, strict=True)), self.objective_now
        solved = []
        for first, last in self.blocks:
            sums = [submit("nnm-sum-items", sum_items, *pair, first, last, objective) for pair in pairs]
            fewer = reduce_tree(self._tasks, "nnm-add", add, sums)
            more = (now.items, now.reports, ratings.facts, first, objective)
            solved.append(submit("nnm-solve-items", solve_items, fewer, *more))
        return submit("nnm-join-items", join_items, solved, ratings.facts)

    def _improve_users(self, items: Any) -> list[Any]:
        ratings, now = self.ratings, self._state
        each = zip(ratings.partitions, now.users, ratings.directions, strict=True)
        return [
            self._tasks.submit(
                "nnm-solve-users", solve_users, partition, users, items, now.reports, directions, self.objective_now
            )
            for partition, users, directions in each
        ]

    def report(self, users: Sequence[Any]) -> list[Any]:
        """Return handles of reports that together are on all users, whose handles these are, one per partition."""
        pairs = zip(users, self.ratings.directions, strict=True)
        reports = [self._tasks.submit("nnm-report", report_users, *pair) for pair in pairs]
        return reduce_tree(self._tasks, "nnm-add-reports", add_reports, reports)

    def _place(self, user: int) -> tuple[int, int]:
        """Return the partition of a user and the row in it."""
        place = int(np.searchsorted(self.ratings.bounds, user, side="right")) - 1
        return place, user - int(self.ratings.bounds[place])


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
