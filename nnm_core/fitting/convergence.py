"""Momentum with restarts for alternating least squares, and how far a sweep moves the model.

Plain alternation creeps: each sweep takes a small part of what is left to go. Here both factors are extrapolated along
their last step before each sweep, as in accelerated alternating NMF (Ang and Gillis, 2019). A sweep after which the
objective would be higher is taken back and done again without extrapolation, and the momentum starts anew
(O'Donoghue and Candès, 2015). So the objective never rises from sweep to sweep.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nnm_core.types import FloatArray

_LARGEST_MOMENTUM = 0.98


class Alternation(Protocol):
    """Two factors, improved in turn: what like mode, stars mode and the projection have in common."""

    @property
    def mixtures(self) -> FloatArray:
        """The mixtures of the users, rows on the simplex."""

    @property
    def answers(self) -> FloatArray:
        """The likes or answers of the items, their first axis."""

    @property
    def item_weights(self) -> FloatArray:
        """How much each item counts in the movement of the model; sums to 1."""

    def sweep(self) -> tuple[float, float]:
        """Improve the items, then the users; return the objective after each half-step."""

    def move_to(self, mixtures: FloatArray, answers: FloatArray) -> None:
        """Continue from these mixtures and the nearest valid answers."""


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


def project_onto_simplex(rows: FloatArray) -> FloatArray:
    """Return the nearest point of the simplex to each row.

    >>> project_onto_simplex(np.array([[0.5, 0.5, 0.5], [2.0, 0.0, 0.0]])).round(3).tolist()
    [[0.333, 0.333, 0.333], [1.0, 0.0, 0.0]]
    """
    descending = -np.sort(-rows, axis=1)
    excess = np.cumsum(descending, axis=1) - 1.0
    counts = np.arange(1, rows.shape[1] + 1)
    n_positive = (descending * counts > excess).sum(axis=1)
    threshold = excess[np.arange(len(rows)), n_positive - 1] / n_positive
    nearest = np.maximum(rows - threshold[:, None], 0.0)
    return np.asarray(nearest / nearest.sum(axis=1, keepdims=True))
