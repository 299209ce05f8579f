"""Averages toward which a fit draws rows with few ratings."""

from __future__ import annotations

import numpy as np

from nnm_core._kernels.grouping import RatingRows, row_sums
from nnm_core.options import Mode
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

PSEUDO_RATINGS = 5.0
"""Average ratings that are added to a row's own when its mean is taken."""


def damped_means(sums: FloatArray | IntArray, counts: IntArray, mean: float) -> FloatArray:
    """Return the mean of each row's ratings with PSEUDO_RATINGS more of the value ``mean``, (n_rows,)."""
    return np.asarray((sums + PSEUDO_RATINGS * mean) / (counts + PSEUDO_RATINGS))


def damped_item_means(by_item: RatingRows, targets: FloatArray) -> FloatArray:
    """Return the damped mean rating of each item as a probability of liking, (n_items,)."""
    sums = row_sums(by_item, targets)
    return damped_means(sums, by_item.counts, sums.sum() / len(by_item.codes))


def damped_answers(counts: FloatArray | IntArray, mean_answer: FloatArray) -> FloatArray:
    """Return how often each row got each answer, (n_rows, n_answers), with PSEUDO_RATINGS average answers more."""
    damped = counts + PSEUDO_RATINGS * mean_answer
    return np.asarray(damped / damped.sum(axis=1, keepdims=True))


def answer_counts(ratings: RatingRows, n_answers: int) -> IntArray:
    """Count the answers of each row, (n_rows, n_answers); codes are answers."""
    cells = ratings.rows.astype(np.int64) * n_answers + ratings.codes
    return np.bincount(cells, minlength=ratings.n_rows * n_answers).reshape(ratings.n_rows, n_answers)


def average_answer(ratings: Ratings, mode: Mode) -> FloatArray:
    """Return how often each answer was given at all, (n_answers,)."""
    if mode == "stars":
        counts = np.bincount(ratings.by_user.codes, minlength=ratings.scale.n_levels)
        return np.asarray(counts / counts.sum())
    like = float(row_sums(ratings.by_user, ratings.scale.to_unit(ratings.levels)).sum()) / len(ratings)
    return np.array([1.0 - like, like])
