"""Stars mode: ratings as categorical answers, each level of the scale with a vector of its own."""

from __future__ import annotations

import numpy as np

from nnm_core._kernels.stars import star_items, star_users
from nnm_core.errors import InputError
from nnm_core.fitting.alternating import PSEUDO_RATINGS, TIE_BREAK, Factors
from nnm_core.fitting.progress import Watch
from nnm_core.fitting.tracelog import TraceLog
from nnm_core.fitting.workers import Workers
from nnm_core.model import Trace
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

MAX_ANSWERS = 51
"""More levels than this leave too few ratings per answer to learn anything from."""


def alternate_stars(
    ratings: Ratings, options: FitOptions, start: Factors, workers: Workers, watch: Watch
) -> tuple[FloatArray, Trace]:
    """Fit answers (n_items, n_answers, D) and mixtures to the ratings, from the mixtures of a fit in like mode.

    The mixtures of ``start`` are improved in place; its likes are left behind.
    """
    scale = ratings.scale
    if not 2 <= scale.n_levels <= MAX_ANSWERS:
        found = "no levels" if scale.is_continuous else f"{scale.n_levels} levels"
        raise InputError(
            f"Stars mode needs a scale of 2 to {MAX_ANSWERS} levels and this one has {found}; "
            "bin the ratings to fewer levels or use mode='like'."
        )
    centers = item_histograms(ratings)
    mixtures, answers = start.mixtures, _start_answers(centers, start)
    rated = ratings.by_user.counts > 0
    levels = scale.to_unit(scale.levels)
    log = TraceLog("stars", scale, len(ratings), n_filled=0)
    for _ in range(options.star_sweeps):
        error, item_residual = _item_step(ratings, mixtures, answers, centers, start, options.shrinkage, workers)
        log.objectives.append(error + _pull(mixtures[rated], answers, centers, start, options.shrinkage))
        start.mean_mixture = mixtures[rated].mean(axis=0)
        error, residual = _user_step(ratings, mixtures, answers, start.mean_mixture, options.shrinkage, workers)
        log.objectives.append(error + _pull(mixtures[rated], answers, centers, start, options.shrinkage))
        log.end_sweep(_squared_error_of_means(ratings, mixtures, answers, levels), max(item_residual, residual))
        watch.sweep_done(log, mixtures, lambda: np.einsum("iza,z->ia", answers, levels))
        if log.progress() < options.tol:
            break
    return answers, log.trace()


def item_histograms(ratings: Ratings) -> FloatArray:
    """How often each item got each rating, drawn toward the average of all items, (n_items, n_answers)."""
    n_answers = ratings.scale.n_levels
    cells = ratings.by_item.rows.astype(np.int64) * n_answers + ratings.by_item.codes
    counts = np.bincount(cells, minlength=ratings.n_items * n_answers).reshape(ratings.n_items, n_answers)
    damped = counts + PSEUDO_RATINGS * mean_answers(ratings)
    return np.asarray(damped / damped.sum(axis=1, keepdims=True))


def mean_answers(ratings: Ratings) -> FloatArray:
    """How often each rating was given at all, (n_answers,)."""
    counts = np.bincount(ratings.by_user.codes, minlength=ratings.scale.n_levels)
    return np.asarray(counts / counts.sum())


def _start_answers(centers: FloatArray, start: Factors) -> FloatArray:
    """Every free stereotype answers as people do on average; fixed ones give the highest and the lowest rating."""
    answers = np.repeat(centers[:, :, None], start.mixtures.shape[1], axis=2)
    n_free = start.likes.shape[1]
    if len(start.fixed):
        answers[:, :, n_free:] = 0.0
        answers[:, -1, n_free] = 1.0
        answers[:, 0, n_free + 1] = 1.0
    return answers


def _item_step(
    ratings: Ratings,
    mixtures: FloatArray,
    answers: FloatArray,
    centers: FloatArray,
    start: Factors,
    shrinkage: float,
    workers: Workers,
) -> tuple[float, float]:
    """Best answers for the mixtures, in place; returns the squared error and the largest residual."""
    side, n_free = ratings.by_item, start.likes.shape[1]
    errors, residuals = np.empty(ratings.n_items), np.empty(ratings.n_items)
    workers.run(
        star_items,
        side.starts,
        side.partners,
        side.codes,
        mixtures,
        n_free,
        float(shrinkage),
        centers,
        answers,
        errors,
        residuals,
    )
    return float(errors.sum()), float(residuals.max())


def _user_step(
    ratings: Ratings,
    mixtures: FloatArray,
    answers: FloatArray,
    mean_mixture: FloatArray,
    shrinkage: float,
    workers: Workers,
) -> tuple[float, float]:
    """Best mixtures for the answers, in place; returns the squared error and the largest residual."""
    side, dim = ratings.by_user, mixtures.shape[1]
    errors, residuals = np.empty(ratings.n_users), np.empty(ratings.n_users)
    workers.run(
        star_users,
        side.starts,
        side.partners,
        side.codes,
        answers,
        np.einsum("iza,izb->iab", answers, answers),
        max(shrinkage, TIE_BREAK) * np.eye(dim),
        mean_mixture,
        mixtures,
        errors,
        residuals,
    )
    return float(errors.sum()), float(residuals.max())


def _pull(mixtures: FloatArray, answers: FloatArray, centers: FloatArray, start: Factors, shrinkage: float) -> float:
    """What shrinkage adds to the objective, for the mixtures of the users who rated something."""
    if shrinkage == 0:
        return 0.0
    item_pull = np.square(answers[:, :, : start.likes.shape[1]] - centers[:, :, None]).sum()
    user_pull = np.square(mixtures - mixtures.mean(axis=0)).sum()
    return shrinkage * float(item_pull + user_pull)


def _squared_error_of_means(ratings: Ratings, mixtures: FloatArray, answers: FloatArray, levels: FloatArray) -> float:
    """Squared error of the mean answers over the known ratings, in units."""
    likes = np.einsum("iza,z->ia", answers, levels)
    predicted = np.einsum("na,na->n", mixtures[ratings.users], likes[ratings.items])
    return float(np.square(predicted - levels[ratings.by_user.codes]).sum())
