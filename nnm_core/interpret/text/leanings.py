"""What the people who lean to a stereotype gave, from the ratings themselves.

A tower describes somebody who is nothing but one stereotype, and nobody is. Here everybody counts by how much of the
stereotype they are, so that every figure is a mean over ratings that were given. Standard errors are over people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.fitting.averages import damped_means
from nnm_core.interpret.audience import check_same_rows
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

_MOST_RATINGS = 4_000_000  # where there are more, the first people who gave so many are taken
_BLOCK = 4_000_000  # people times themes at a time, so that memory stays bounded


@dataclass(frozen=True, slots=True, eq=False)
class Leanings:
    """By how much more than the audience the people of each stereotype like each theme, and how certain that is.

    ``means`` (n_themes, n_stereotypes): a share of the scale. ``errors``: the standard error of each.
    """

    means: FloatArray
    errors: FloatArray

    @property
    def scores(self) -> FloatArray:
        """Each mean in standard errors; 0 where there is nothing to go by."""
        return np.divide(self.means, self.errors, out=np.zeros_like(self.means), where=self.errors > 1e-12)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What the people of each stereotype gave on average, (n_stereotypes,), and ``overall`` what all gave.

    ``errors``: the standard error of the difference between the two.
    """

    means: FloatArray
    errors: FloatArray
    overall: float


def mean_ratings(model: Model, ratings: Ratings) -> Given:
    """Return the mean rating by the people of each stereotype of taste; somebody who is 60% of one counts 0.6.

    >>> mean_ratings(model, dataset.ratings).means.round(1).tolist()
    [2.5, 2.5, 2.6]
    """
    check_same_rows(model, ratings)
    counts = ratings.by_user.counts.astype(np.float64)
    sums = np.bincount(ratings.users, ratings.values, ratings.n_users).astype(np.float64)
    mixtures = model.mixtures[:, : model.n_stereotypes]
    overall = float(sums.sum() / counts.sum())
    more, errors = _differences(mixtures, sums[:, None], counts[:, None])
    return Given(overall + more[0], errors[0], overall)


def find_leanings(model: Model, dataset: Dataset, themes: Labels) -> Leanings:
    """Return how much more than the audience the people of each stereotype of taste like the items of each theme.

    A rating counts by how far it lies above the mean of its item and the person's own generosity. Where nobody rated,
    a person counts by how much more often than all people they chose items of the theme.

    >>> find_leanings(model, dataset, dataset.tags).scores[2].round(0).tolist()
    [19.0, -8.0, -8.0]
    """
    check_same_rows(model, dataset.ratings)
    by_user = dataset.ratings.by_user
    n_users = max(int(np.searchsorted(by_user.starts, _MOST_RATINGS, "right")) - 1, 1)
    starts = by_user.starts[: n_users + 1]
    items, mixtures = by_user.partners[: starts[-1]], model.mixtures[:n_users, : model.n_stereotypes]
    shape = (n_users, dataset.ratings.n_items)
    chosen = csr_array((np.ones(len(items)), items, starts), shape=shape)
    above = None if dataset.implicit else csr_array((_above_average(dataset.ratings, starts), items, starts), shape)
    means, errors = (np.empty((len(themes.names), model.n_stereotypes)) for _ in range(2))
    block = max(_BLOCK // n_users, 1)
    for first in range(0, len(themes.names), block):
        rows = slice(first, first + block)
        member = themes.member[:, rows].astype(np.float64)
        counts = (chosen @ member).toarray()
        if above is not None:
            sums = (above @ member).toarray()
        else:
            each = np.diff(starts)[:, None].astype(np.float64)
            sums, counts = counts - each * (counts.sum(axis=0) / each.sum()), np.broadcast_to(each, counts.shape)
        means[rows], errors[rows] = _differences(mixtures, sums, counts)
    return Leanings(means, errors)


def _above_average(ratings: Ratings, starts: IntArray) -> FloatArray:
    """Return by how much each rating of the first people exceeds the item's mean and the person's generosity."""
    values = ratings.scale.to_unit(ratings.levels)[ratings.by_user.codes[: starts[-1]]]
    items, people = ratings.by_user.partners[: starts[-1]], np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    counts = np.bincount(items, minlength=ratings.n_items)
    sums = np.bincount(items, values, ratings.n_items)
    above = values - damped_means(sums, counts, float(values.mean()))[items]
    generosity = np.bincount(people, above, len(starts) - 1) / np.maximum(np.diff(starts), 1)
    return np.asarray(above - generosity[people])


def _differences(mixtures: FloatArray, sums: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each stereotype's mean less that of all people, and its standard error, (n_themes, n_stereotypes).

    ``sums`` and ``counts`` (n_users, n_themes): of each person's ratings. With its share w of a stereotype, a person
    contributes ψ = w (s - m n) / Σ w n - (s - a n) / Σ n to the difference between the stereotype's mean m and the
    mean a of all; the squared error is Σ ψ², which is multiplied out here.
    """
    total, weight = np.maximum(counts.sum(axis=0), 1e-12)[:, None], np.maximum(counts.T @ mixtures, 1e-12)
    own, overall = (sums.T @ mixtures) / weight, sums.sum(axis=0)[:, None] / total
    ss, sn, nn = (np.ascontiguousarray(part.T) for part in (sums * sums, sums * counts, counts * counts))
    squared = mixtures * mixtures
    variance = (ss @ squared - 2 * own * (sn @ squared) + own**2 * (nn @ squared)) / weight**2
    both = (ss @ mixtures - (own + overall) * (sn @ mixtures) + own * overall * (nn @ mixtures)) / (weight * total)
    of_all = [part.sum(axis=1)[:, None] for part in (ss, sn, nn)]
    variance += (of_all[0] - 2 * overall * of_all[1] + overall**2 * of_all[2]) / total**2 - 2 * both
    return own - overall, np.sqrt(np.maximum(variance, 0.0))
