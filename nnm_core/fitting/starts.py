"""The best of several random starts, and what the others found.

The objective has local optima. Most starts of a converged fit end in the best one or in one that is hardly worse; the
atlas of a model says how many did, and keeps the optima that describe the ratings equally well.

On small data the optima often differ in nothing but the stereotype that the busiest people belong to: whoever gave more
than a hundredth of all ratings keeps the items that hardly anyone else rated in place. So a fit of several starts also
tries other stereotypes for these people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from nnm_core.atlas import EQUALLY_GOOD, SAME_STEREOTYPE, Atlas, Optimum
from nnm_core.fitting.convergence import Alternation
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

MOST_KEPT = 2
"""Equally good optima whose mixtures and answers are kept."""

_BUSY = 0.01
"""People with more than this share of all ratings are tried elsewhere."""

_MOST_BUSY = 6
_TRIAL_SWEEPS = 2
_LEAST_GAIN = 1e-6


def best_start(models: Sequence[Model], ratings: Ratings) -> Model:
    """Return the model with the lowest objective, with the atlas of all of them.

    Parameters
    ----------
    models
        Fits of the same ratings with the same options, each from its own random start.
    ratings
        The ratings that they were fitted to.
    """
    order = sorted(range(len(models)), key=lambda k: _objective(models[k]))
    best = models[order[0]]
    weights = ratings.by_item.counts / len(ratings)
    found_by, n_best = np.ones(best.n_stereotypes, dtype=np.int64), 1
    others: list[Optimum] = []
    for k in order[1:]:
        columns, distances = _match(best, models[k], weights)
        found_by += distances < SAME_STEREOTYPE
        excess = _objective(models[k]) / max(_objective(best), 1e-300) - 1.0
        if distances.max(initial=0.0) < SAME_STEREOTYPE:
            n_best += 1
            continue
        if not models[k].converged:  # it was given up: what it would have ended in is not known
            continue
        twin = next((n for n, other in enumerate(others) if _is_same(other.distances, distances)), None)
        if twin is not None:
            others[twin] = replace(others[twin], n_starts=others[twin].n_starts + 1)
            continue
        is_kept = excess < EQUALLY_GOOD and sum(other.mixtures is not None for other in others) < MOST_KEPT
        others.append(
            Optimum(
                excess,
                1,
                distances,
                models[k].mixtures[:, columns] if is_kept else None,
                models[k].answers[:, :, columns] if is_kept else None,
            )
        )
    return replace(best, atlas=Atlas(len(models), n_best, found_by, tuple(others)))


def relocate_busy_users(steps: Alternation, counts: IntArray, objective: float) -> bool:
    """Try every other stereotype for the busiest people, and move on to the best place if that lowers the objective.

    ``counts``: how many ratings each user gave; ``objective``: of the alternation as it stands.
    Returns whether somebody was moved; the alternation then has to converge again.
    """
    n_free = steps.answers.shape[-1]
    busy = [user for user in np.argsort(-counts, kind="stable")[:_MOST_BUSY] if counts[user] > _BUSY * counts.sum()]
    start = steps.mixtures.copy(), steps.answers.copy()
    best, found = objective * (1.0 - _LEAST_GAIN), start
    for user in busy:
        for stereotype in np.flatnonzero(start[0][user, :n_free] < 0.5):
            mixtures = start[0].copy()
            mixtures[user] = np.arange(mixtures.shape[1]) == stereotype
            steps.move_to(mixtures, start[1])
            reached = min(steps.sweep()[1] for _ in range(_TRIAL_SWEEPS))
            if reached < best:
                best, found = reached, (steps.mixtures.copy(), steps.answers.copy())
    steps.move_to(*found)
    return found is not start


def _objective(model: Model) -> float:
    return float(model.traces[-1].objectives[-1])


def _match(best: Model, other: Model, weights: FloatArray) -> tuple[list[int], FloatArray]:
    """Return the columns of ``other`` in the order of those of ``best``, and the distances of the free ones."""
    n_free = best.n_stereotypes
    between = np.array([weights @ np.abs(other.likes[:, :n_free] - best.likes[:, k, None]) for k in range(n_free)])
    matched = linear_sum_assignment(between)[1]
    return [*matched.tolist(), *range(n_free, best.n_columns)], between[np.arange(n_free), matched]


def _is_same(first: FloatArray, second: FloatArray) -> bool:
    """Whether two optima are equally far from the best in every stereotype."""
    return bool(np.abs(first - second).max() < SAME_STEREOTYPE / 3)
