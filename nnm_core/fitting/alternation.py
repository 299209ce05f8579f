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

import numpy as np

from nnm_core._kernels.half_step import weighted_errors
from nnm_core._kernels.products import project_onto_simplex
from nnm_core.fitting.progress import Progress
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
    """Two factors, improved in turn: the base of like mode, stars mode and the projection.

    ``item_weights``: how much each item counts in the movement of the model; they sum to 1. ``residual``: the largest
    optimality residual of the last sweep.
    """

    def __init__(self, factors: Factors, item_weights: FloatArray | IntArray) -> None:
        self.factors, self.item_weights = factors, item_weights / item_weights.sum()
        self.residual = 0.0

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

    @abstractmethod
    def objective(self) -> float:
        """Return what both half-steps lower."""

    @abstractmethod
    def squared_error(self) -> float:
        """Return the squared error over the known ratings, as probabilities of liking."""


class Momentum:
    """Runs the sweeps of an alternation, extrapolating between them unless ``enabled`` is false.

    ``movement`` is how far the last sweep moved the model, see :func:`distance_moved`.
    """

    def __init__(self, steps: Alternation, enabled: bool) -> None:
        self.movement = np.inf
        self._steps, self._enabled = steps, enabled
        self.restart()

    def restart(self) -> None:
        """Forget the last step; the next sweep is a plain one."""
        self._age, self._objective = 1, np.inf
        self._previous: tuple[FloatArray, FloatArray] | None = None

    def run(
        self, n_sweeps: int, tol: float, progress: Progress, is_settled: Callable[[], bool] = lambda: False
    ) -> None:
        """Sweep until the model stands still or ``is_settled()``, at most ``n_sweeps`` times."""
        steps = self._steps
        for _ in range(n_sweeps):
            objectives = self.sweep()
            error, before = steps.squared_error(), None if self._previous is None else self._previous[0]
            progress.end_sweep(objectives, error, steps.residual, self.movement, steps.mixtures, steps.likes, before)
            if progress.traces[-1].is_steady(tol) or is_settled():
                break

    def sweep(self) -> tuple[float, float]:
        """Do one sweep; return the objective after each half-step.

        The first of the two belongs to extrapolated mixtures, so only the second compares with other sweeps.
        """
        steps = self._steps
        before = steps.mixtures.copy(), steps.answers.copy()
        momentum = min(_LARGEST_MOMENTUM, (self._age - 1) / (self._age + 2))
        if self._enabled and self._previous is not None and momentum > 0:
            mixtures, answers = (now + momentum * (now - was) for now, was in zip(before, self._previous, strict=True))
            steps.move_to(project_onto_simplex(mixtures), answers)
            objectives = steps.sweep()
            if objectives[1] > self._objective:
                self._age = 1
                steps.move_to(*before)
                objectives = steps.sweep()
        else:
            objectives = steps.sweep()
        self._age += 1
        self._objective, self._previous = objectives[1], before
        self.movement = distance_moved(before[1], steps.answers, steps.item_weights)
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
