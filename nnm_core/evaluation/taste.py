"""Whether there is taste in ratings: what stereotypes add to averages on ratings that the model has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.special import expit, logit

from nnm_core.datasets import Dataset
from nnm_core.errors import InputError
from nnm_core.evaluation.folds import random_folds
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Callback
from nnm_core.options import FitOptions, preset
from nnm_core.prediction import predict
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

N_FOLDS = 5
"""Every rating is held out once, unless the answer is clear before."""

SURE = 4.0
"""Taste is found where held-out ratings side with the stereotypes by more than this many standard errors.

Of ratings without taste the standard errors have a mean of 0 and a standard deviation of about 1, in many shapes of
data. This is stricter than one test needs to be, since people look at several numbers of stereotypes.
"""

LEAST_BORNE_OUT = 0.1
"""Taste is found where held-out ratings bear out at least this part of what the stereotypes say.

Of very many ratings without taste, the little that averages miss could be surely above zero.
"""

_CERTAIN = 5.0
"""Beyond this many standard errors, further folds change nothing."""

_RIDGE = 0.3
"""Holds the averages of people and items with few ratings back, in ratings."""

_POWERS = 3
"""Powers of the averages that stand for any smooth function of them; more change nothing."""

MOST_RATINGS = 1_000_000
"""Of more ratings, the people are sampled: the answer does not need them all."""

_FEWEST_RATINGS = 200
_MOST_STEREOTYPES = 8
"""More of them take longer and answer the same question."""


@dataclass(frozen=True, slots=True)
class TasteGain:
    """What the stereotypes add to averages and generosity on held-out ratings, of which there are ``n_held_out``.

    ``gain``: by which share they lower the squared error; at most 1, and below 0 where they do harm.
    ``borne_out``: which part of the differences that stereotypes add to averages is there in held-out ratings: 1 if
    they are neither too large nor too small, 0 if they are chance. What a person or an item has on average is left
    out, and so is what follows from both, such as that nobody can give a good item more than the highest rating.
    ``standard_errors``: how surely that is above 0, in standard errors over people, whose ratings count alike.
    ``mae``, ``mae_of_averages``: mean absolute error with and without stereotypes of taste, on the rating scale.
    """

    gain: float
    borne_out: float
    standard_errors: float
    mae: float
    mae_of_averages: float
    n_held_out: int

    @property
    def is_found(self) -> bool:
        """Whether people differ in taste by more than chance."""
        return self.standard_errors > SURE and self.borne_out > LEAST_BORNE_OUT


def taste_options(dataset: Dataset, n_stereotypes: int) -> FitOptions | None:
    """Return the fit by which to test whether there is taste; None where the test has no answer.

    It is the recommended one with as many stereotypes: what is in data is no matter of the method.

    >>> taste_options(dataset, 1) is None
    True
    """
    if dataset.implicit or n_stereotypes < 2 or len(dataset.ratings) < _FEWEST_RATINGS:
        return None
    return _recommended(min(n_stereotypes, _MOST_STEREOTYPES))


@cache
def _recommended(n_stereotypes: int) -> FitOptions:
    """Return the recommended options, which a page asks for a hundred times."""
    return preset("recommended", n_stereotypes=n_stereotypes)


def measure_taste_gain(
    ratings: Ratings, options: FitOptions, *, seed: int = 0, callback: Callback | None = None
) -> TasteGain:
    """Hold ratings out, predict them with stereotypes of taste and with averages alone, and compare.

    The averages are those of the Rasch model: the log odds of liking are the sum of how generous a person is and how
    good an item is. Noisy ratings can make a fit too bold, so that it predicts worse than averages although people do
    differ in the way that it says. Taste is therefore found where the differences have the right direction, see
    ``TasteGain.is_found``, and ``gain`` says whether they help to predict. At least ten ratings are needed;
    ``options`` are those of the model with taste, ``seed`` is that of the split and of the fits.

    >>> from nnm_core.datasets import load_dataset
    >>> from nnm_core import preset
    >>> ratings = load_dataset("demo")[0].ratings
    >>> measure_taste_gain(ratings, preset("recommended")).is_found
    True
    """
    if len(ratings) < 10:
        raise InputError(f"{len(ratings)} ratings are too few to hold some out; at least 10 are needed.")
    if len(ratings) > MOST_RATINGS:
        ratings = _sample_people(ratings, MOST_RATINGS / len(ratings), seed)
    options = replace(options, starts=1, committee=1)
    agreement, size = np.zeros((2, ratings.n_users))  # of every person, summed over held-out ratings
    is_there = ratings.by_user.counts > 0
    errors, errors_of_averages = [], []
    for held_out in random_folds(ratings, N_FOLDS, seed):
        users, items, truth = ratings.users[held_out], ratings.items[held_out], ratings.values[held_out]
        train = ratings.subset(~held_out)
        expected = _predict_averages(train, users, items)
        predicted = predict(fit(train, options, seed=seed, callback=callback), users, items)
        added = _beyond(expected, predicted - expected, users, items)
        agreement += np.bincount(users, weights=(truth - expected) * added, minlength=ratings.n_users)
        size += np.bincount(users, weights=added**2, minlength=ratings.n_users)
        errors.append(predicted - truth)
        errors_of_averages.append(expected - truth)
        if (sureness := _standard_errors(agreement[is_there])) > _CERTAIN:
            break
    error, before = np.concatenate(errors), np.concatenate(errors_of_averages)
    return TasteGain(
        gain=1 - float(np.square(error).sum()) / float(np.square(before).sum()) if before.any() else 0.0,
        borne_out=float(agreement.sum() / size.sum()) if size.any() else 0.0,
        standard_errors=sureness,
        mae=float(np.abs(error).mean()),
        mae_of_averages=float(np.abs(before).mean()),
        n_held_out=len(error),
    )


def _predict_averages(train: Ratings, users: IntArray, items: IntArray) -> FloatArray:
    """Return ratings by the Rasch model, whose two sides are fitted in turn by Newton's method."""
    scale = train.scale
    liking = (train.values - scale.lowest) / (scale.highest - scale.lowest)
    overall = float(logit(np.clip(liking.mean(), 0.001, 0.999)))
    generosity, quality = np.zeros(train.n_users), np.zeros(train.n_items)
    for _ in range(50):
        largest = 0.0
        for rows, offsets in ((train.items, quality), (train.users, generosity)):
            expected = expit(overall + generosity[train.users] + quality[train.items])
            slope = np.bincount(rows, weights=liking - expected, minlength=len(offsets)) - _RIDGE * offsets
            curvature = np.bincount(rows, weights=expected * (1 - expected), minlength=len(offsets)) + _RIDGE
            step = np.clip(slope / curvature, -2.0, 2.0)
            offsets += step
            largest = max(largest, float(np.abs(step).max()))
        if largest < 0.001:
            break
    return scale.lowest + (scale.highest - scale.lowest) * expit(overall + generosity[users] + quality[items])


def _beyond(expected: FloatArray, values: FloatArray, users: IntArray, items: IntArray) -> FloatArray:
    """Return values less what a person or an item has on average, and less a smooth function of ``expected``.

    Ratings that depend on generosity and quality alone, but in another way than by log odds, would otherwise pass for
    taste: those that crowd at an end of the scale, for instance.
    """
    around = (expected - expected.mean()) / max(float(expected.std()), 1e-9)
    rest, *powers = (_within_both(each, users, items) for each in (values, *(around**n for n in range(1, _POWERS + 1))))
    terms = np.stack(powers, axis=1)
    return np.asarray(rest - terms @ np.linalg.lstsq(terms, rest, rcond=None)[0])


def _within_both(values: FloatArray, users: IntArray, items: IntArray) -> FloatArray:
    """Return values less the means of their person and of their item."""
    for _ in range(20):  # each mean disturbs the other a little less
        for rows in (items, users):
            values = values - (np.bincount(rows, weights=values) / np.maximum(np.bincount(rows), 1))[rows]
    return values


def _standard_errors(values: FloatArray) -> float:
    """Return the mean in its standard errors."""
    error = float(values.std() / np.sqrt(len(values)))
    return float(values.mean()) / error if error > 0 else 0.0


def _sample_people(ratings: Ratings, share: float, seed: int) -> Ratings:
    """Return all ratings of a random part of the people."""
    is_kept = np.random.default_rng(seed).random(ratings.n_users) < share
    return ratings.subset(is_kept[ratings.users])
