"""The best of several random starts, and what the others found.

The objective has local optima. Most starts of a converged fit end in the best one or in one that is hardly worse; the
atlas of a model says how many did, and keeps the optima that describe the ratings equally well.

On small data the optima often differ in nothing but the stereotype that the busiest people belong to: whoever gave more
than a hundredth of all ratings keeps the items that hardly anyone else rated in place. So a fit of several starts also
tries other stereotypes for these people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from nnm_core.atlas import EQUALLY_GOOD, SAME_STEREOTYPE, Atlas, Optimum
from nnm_core.fitting.alternation import Alternation
from nnm_core.model import Model, Trace
from nnm_core.options import FitOptions
from nnm_core.types import FloatArray, IntArray

STARTS_TOGETHER = 4
"""Random starts in a group; those of a group do not know of each other."""

MOST_KEPT = 2
"""Equally good optima whose mixtures and answers are kept."""

_BUSY = 0.01
"""People with more than this share of all ratings are tried elsewhere."""

_HOPE = 20
"""Sweeps that every start may take before it is given up."""

_FAR_ABOVE = 150
"""A start is given up if it is further above the best one than this times what its last four sweeps gained."""

_ARRIVED, _ARRIVED_EXCESS = 0.01, 1e-4
"""A start has arrived at a known optimum if its stereotypes and its objective are this near."""

MOST_BUSY = 6
"""People who are tried elsewhere at most."""

_TRIAL_SWEEPS = 2
_LEAST_GAIN = 1e-6


def best_of_starts(
    options: FitOptions, fit_group: Callable[[Sequence[int], Sequence[Model]], list[Model]], item_weights: FloatArray
) -> Model:
    """Return the best of several random starts, with the atlas of all.

    ``fit_group(starts, found)`` fits some starts, each of which may compare itself with the models ``found`` so far.
    The first start runs alone, the others in groups that do not know of each other, so that the result does not depend
    on how many run side by side.
    """
    models: list[Model] = []
    bounds = [0, *range(1, options.starts, STARTS_TOGETHER), options.starts]
    for first, last in pairwise(bounds):
        models += fit_group(range(first, last), tuple(models) if options.mode == "like" else ())
    return models[0] if len(models) == 1 else best_start(models, item_weights)


def best_start(models: Sequence[Model], item_weights: FloatArray) -> Model:
    """Return the model with the lowest objective, with the atlas of all of them.

    ``models``: of the same ratings and options, each from its own random start. ``item_weights`` (n_items,): how much
    each item counts, its share of all ratings.
    """
    order = sorted(range(len(models)), key=lambda k: (not models[k].converged, _objective(models[k])))
    best = models[order[0]]
    n_free, fixed = best.n_stereotypes, range(best.n_stereotypes, best.n_columns)
    found_by, n_best = np.ones(n_free, dtype=np.int64), 1
    others: list[Optimum] = []
    other_likes: list[FloatArray] = []
    for k in order[1:]:
        likes = models[k].likes[:, :n_free]
        matched, distances = _match(best.likes[:, :n_free], likes, item_weights)
        found_by += distances < SAME_STEREOTYPE
        excess = _objective(models[k]) / max(_objective(best), 1e-300) - 1.0
        if distances.max(initial=0.0) < SAME_STEREOTYPE:
            n_best += 1
            continue
        same = (
            n for n, other in enumerate(other_likes) if _match(other, likes, item_weights)[1].max() < SAME_STEREOTYPE
        )
        if (n := next(same, None)) is not None:
            others[n] = replace(others[n], n_starts=others[n].n_starts + 1)
            continue
        if not models[k].converged:  # it was given up: what it would have ended in is not known
            continue
        is_kept = excess < EQUALLY_GOOD and sum(other.mixtures is not None for other in others) < MOST_KEPT
        other_likes.append(likes)
        others.append(
            Optimum(
                excess,
                1,
                distances,
                models[k].mixtures[:, [*matched, *fixed]] if is_kept else None,
                models[k].answers[:, :, [*matched, *fixed]] if is_kept else None,
            )
        )
    return replace(best, atlas=Atlas(len(models), n_best, found_by, tuple(others)))


class Rivals:
    """Earlier starts of a fit: says when a start in progress need not run on.

    ``has_arrived``: it has come to an optimum that one of them ended in.
    """

    def __init__(self, models: Sequence[Model], steps: Alternation) -> None:
        self.has_arrived = False
        self._steps = steps
        self._found = [
            (_objective(model), model.likes[:, : model.n_stereotypes]) for model in models if model.converged
        ]

    def settle(self, trace: Trace) -> bool:
        """Return whether the start has arrived at a known optimum or cannot reach the best one any more."""
        if not self._found:
            return False
        objective = float(trace.objectives[-1])
        for reached, likes in self._found:
            if abs(objective / reached - 1.0) < _ARRIVED_EXCESS:
                distances = _match(likes, self._steps.answers, self._steps.item_weights)[1]
                self.has_arrived = self.has_arrived or distances.max() < _ARRIVED
        return self.has_arrived or _is_hopeless(trace, min(reached for reached, _ in self._found))


def _is_hopeless(trace: Trace, best: float) -> bool:
    """Return whether the objective is far above ``best`` and hardly falls any more."""
    comparable = trace.objectives[trace.shown_from + 1 :: 2]
    if len(comparable) < _HOPE:
        return False
    above = float(comparable[-1]) - best
    return above > EQUALLY_GOOD * best and above > _FAR_ABOVE * float(comparable[-5] - comparable[-1])


def busiest_users(counts: IntArray, n_ratings: int | None = None) -> list[int]:
    """Return the few users who gave more than a hundredth of all ratings, as positions in ``counts``.

    ``counts``: how many ratings each user gave; ``n_ratings``: of all users, if these are not all.
    """
    most, total = np.argsort(-counts, kind="stable")[:MOST_BUSY], counts.sum() if n_ratings is None else n_ratings
    return [int(user) for user in most if counts[user] > _BUSY * total]


def relocate_users(steps: Alternation, busy: Sequence[int]) -> bool:
    """Try every other stereotype for busy people, and move on to the best place if that lowers the objective.

    Returns whether somebody was moved; the alternation then has to converge again.
    """
    if not busy:
        return False
    n_free = steps.answers.shape[-1]
    start = steps.state()
    best, found = steps.objective() * (1.0 - _LEAST_GAIN), start
    for user in busy:
        present = steps.mixture_in(start, user)
        for stereotype in np.flatnonzero(present[:n_free] < 0.5):
            pure = (np.arange(len(present)) == stereotype).astype(np.float64)
            steps.restore(steps.with_mixture(start, user, pure))
            reached = min(steps.sweep()[1] for _ in range(_TRIAL_SWEEPS))
            if reached < best:
                best, found = reached, steps.state()
    steps.restore(found)
    return found is not start


def _objective(model: Model) -> float:
    return float(model.traces[-1].objectives[-1])


def _match(best: FloatArray, other: FloatArray, weights: FloatArray) -> tuple[list[int], FloatArray]:
    """Return the columns of ``other`` in the order of those of ``best``, and their distances from them."""
    from scipy.optimize import linear_sum_assignment  # here: to import that takes longer than to match

    between = np.array([weights @ np.abs(other - column[:, None]) for column in best.T])
    matched = linear_sum_assignment(between)[1]
    return matched.tolist(), between[np.arange(len(matched)), matched]
