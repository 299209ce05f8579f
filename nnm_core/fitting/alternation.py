"""What the methods that alternate have in common: the state, the loop of sweeps, momentum and the test for its end.

Plain alternation creeps: each sweep takes a small part of what is left to go. Here both factors are extrapolated along
their last step before each sweep, as in accelerated alternating NMF (Ang and Gillis, 2019). A sweep after which the
objective would be higher is taken back and done again without extrapolation, and the momentum starts anew
(O'Donoghue and Candès, 2015). So the objective never rises from sweep to sweep.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnm_core._kernels.half_step import weighted_errors
from nnm_core._kernels.products import project_onto_simplex
from nnm_core.fitting.progress import CurrentModel, Progress
from nnm_core.fitting.workers import Workers
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

_LARGEST_MOMENTUM = 0.98


@dataclass(slots=True)
class Factors:
    """The state of an alternation.

    ``mixtures`` (n_users, D + n_fixed); ``likes`` (n_items, D), the free stereotypes alone; ``fixed`` (n_fixed,), the
    probabilities that the fixed ones like anything; ``mean_mixture`` (D + n_fixed,), toward which the last sweep drew
    people.
    """

    mixtures: FloatArray
    likes: FloatArray
    fixed: FloatArray
    mean_mixture: FloatArray

    def all_likes(self) -> FloatArray:
        """Return the likes of all stereotypes, fixed ones last, (n_items, D + n_fixed)."""
        return np.hstack([self.likes, np.tile(self.fixed, (len(self.likes), 1))])


class Alternation(ABC):
    """Two factors, improved in turn: what a loop of sweeps needs to know, wherever the factors are.

    ``InMemoryAlternation`` has them as arrays; on a cluster they are spread over the workers.
    ``item_weights``: how much each item counts in the movement of the model; they sum to 1. ``residual``: the largest
    optimality residual of the last sweep.
    """

    item_weights: FloatArray
    residual: float = 0.0

    @property
    @abstractmethod
    def answers(self) -> FloatArray:
        """What the items are described by."""

    @abstractmethod
    def state(self) -> Any:
        """Return both factors as they stand; later sweeps do not change what was returned."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Continue from a state."""

    @abstractmethod
    def extrapolate(self, previous: Any, now: Any, momentum: float) -> None:
        """Continue from the valid factors nearest to ``now + momentum * (now - previous)``."""

    @abstractmethod
    def distance_from(self, state: Any) -> float:
        """Return how far the answers are from those of a state, see :func:`distance_moved`."""

    @abstractmethod
    def mixture_in(self, state: Any, user: int) -> FloatArray:
        """Return the mixture of one user in a state."""

    @abstractmethod
    def with_mixture(self, state: Any, user: int, mixture: FloatArray) -> Any:
        """Return a state in which one user has another mixture."""

    @abstractmethod
    def sweep(self) -> tuple[float, float]:
        """Improve the items, then the users; return the objective after each half-step."""

    @abstractmethod
    def objective(self) -> float:
        """Return what both half-steps lower."""

    @abstractmethod
    def squared_error(self) -> float:
        """Return the squared error over the known ratings, as probabilities of liking."""

    @abstractmethod
    def current_model(self, before: Any) -> CurrentModel:
        """Return the factors for whoever watches the fit; ``before``: the state before the last sweep, if known."""

    def after_sweep(self, momentum: Momentum, progress: Progress) -> None:  # noqa: B027 - most have nothing to do
        """Do what has to be done after every sweep, such as keeping a copy."""


class InMemoryAlternation(Alternation):
    """Both factors as arrays: the base of like mode, stars mode and the projection."""

    def __init__(self, factors: Factors, item_weights: FloatArray | IntArray) -> None:
        self.factors, self.item_weights = factors, item_weights / item_weights.sum()

    @property
    def mixtures(self) -> FloatArray:
        """The mixtures of all users."""
        return self.factors.mixtures

    @property
    def answers(self) -> FloatArray:
        """What the items are described by: here the likes of the free stereotypes."""
        return self.factors.likes

    def likes(self) -> FloatArray:
        """Return the probabilities of liking, (n_items, D + n_fixed)."""
        return self.factors.all_likes()

    def move_to(self, mixtures: FloatArray, answers: FloatArray) -> None:
        """Continue from these mixtures and the nearest valid answers."""
        self.factors.mixtures[:] = mixtures
        np.clip(answers, 0.0, 1.0, out=self.factors.likes)

    def state(self) -> tuple[FloatArray, FloatArray]:
        """Return copies of the mixtures and the answers."""
        return self.mixtures.copy(), self.answers.copy()

    def restore(self, state: tuple[FloatArray, FloatArray]) -> None:
        """Continue from a state."""
        self.move_to(*state)

    def extrapolate(
        self, previous: tuple[FloatArray, FloatArray], now: tuple[FloatArray, FloatArray], momentum: float
    ) -> None:
        """Continue from the valid factors nearest to ``now + momentum * (now - previous)``."""
        mixtures, answers = (is_now + momentum * (is_now - was) for is_now, was in zip(now, previous, strict=True))
        self.move_to(project_onto_simplex(mixtures), answers)

    def distance_from(self, state: tuple[FloatArray, FloatArray]) -> float:
        """Return how far the answers are from those of a state."""
        return distance_moved(state[1], self.answers, self.item_weights)

    def mixture_in(self, state: tuple[FloatArray, FloatArray], user: int) -> FloatArray:
        """Return the mixture of one user in a state."""
        return np.asarray(state[0][user])

    def with_mixture(
        self, state: tuple[FloatArray, FloatArray], user: int, mixture: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return a state in which one user has another mixture."""
        mixtures = state[0].copy()
        mixtures[user] = mixture
        return mixtures, state[1]

    def current_model(self, before: tuple[FloatArray, FloatArray] | None) -> CurrentModel:
        """Return the factors for whoever watches the fit."""
        return CurrentModel.in_memory(self.mixtures, self.likes, None if before is None else before[0])

    def sweep(self) -> tuple[float, float]:
        """Improve the items, then the users; return the objective after each half-step."""
        self.update_items()
        after_items = self.objective()
        self.update_users()
        return after_items, self.objective()

    @abstractmethod
    def update_items(self) -> None:
        """Replace the answers by the best ones for the mixtures."""

    @abstractmethod
    def update_users(self) -> None:
        """Replace the mixtures by the best ones for the answers."""


class Momentum:
    """Runs the sweeps of an alternation, extrapolating between them unless ``enabled`` is false.

    ``movement`` is how far the last sweep moved the model, see :func:`distance_moved`; ``n_sweeps`` how many were made
    since the start of the present run. ``age``, ``objective`` and ``previous`` (sweeps since the momentum began anew,
    the objective after the last one and the state before it) are all that a sweep remembers of earlier ones.
    """

    def __init__(self, steps: Alternation, enabled: bool) -> None:
        self.movement = np.inf
        self._steps, self.enabled = steps, enabled
        self.restart()

    def restart(self) -> None:
        """Forget the last step; the next sweep is a plain one."""
        self.n_sweeps, self.age, self.objective = 0, 1, np.inf
        self.previous: Any = None

    def run(
        self, n_sweeps: int, tol: float, progress: Progress, is_settled: Callable[[], bool] = lambda: False
    ) -> None:
        """Sweep until the model stands still or ``is_settled()``, at most ``n_sweeps`` times."""
        steps = self._steps
        while self.n_sweeps < n_sweeps:
            objectives = self.sweep()
            self.n_sweeps += 1
            error, current = steps.squared_error(), steps.current_model(self.previous)
            progress.end_sweep(objectives, error, steps.residual, self.movement, current)
            if progress.traces[-1].is_steady(tol) or is_settled():
                break
            steps.after_sweep(self, progress)

    def sweep(self) -> tuple[float, float]:
        """Do one sweep; return the objective after each half-step.

        The first of the two belongs to extrapolated mixtures, so only the second compares with other sweeps.
        """
        steps, before = self._steps, self._steps.state()
        momentum = min(_LARGEST_MOMENTUM, (self.age - 1) / (self.age + 2))
        if self.enabled and self.previous is not None and momentum > 0:
            steps.extrapolate(self.previous, before, momentum)
            objectives = steps.sweep()
            if objectives[1] > self.objective:
                self.age = 1
                steps.restore(before)
                objectives = steps.sweep()
        else:
            objectives = steps.sweep()
        self.age += 1
        self.objective, self.previous = objectives[1], before
        self.movement = steps.distance_from(before)
        return objectives


def squared_error(ratings: Ratings, factors: Factors, workers: Workers) -> float:
    """Return the squared error over the known ratings, as probabilities of liking."""
    targets, errors = ratings.scale.to_unit(ratings.levels), np.empty(ratings.n_users)
    by_user, weights = ratings.by_user, np.ones(ratings.n_items)
    workers.run(
        weighted_errors, by_user.starts, by_user, targets, factors.all_likes(), weights, factors.mixtures, errors
    )
    return float(errors.sum())


def distance_moved(before: FloatArray, after: FloatArray, item_weights: FloatArray) -> float:
    """Return how far the stereotype that changed most has moved, from 0 to 1.

    The distance of a stereotype is the difference between its answers to an item before and after (total variation),
    averaged over the items by their weights. ``before`` and ``after``: likes (n_items, D) or answers
    (n_items, n_answers, D).
    """
    change = np.abs(after - before)
    if change.ndim == 3:
        change = change.sum(axis=1) / 2
    return float((item_weights @ change).max(initial=0.0))
