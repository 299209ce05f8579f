"""Whether there is taste in ratings: what stereotypes add to averages on ratings that the model has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nnm_core.errors import InputError
from nnm_core.evaluation.folds import random_folds
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Callback
from nnm_core.options import FitOptions, preset
from nnm_core.prediction import predict
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

N_FOLDS = 5
"""Every rating is held out once, unless the answer is clear before."""

SURE = 2.0
"""Taste is found where the errors that it saves exceed this many standard errors.

Stereotypes that are fitted to noise do harm on held-out ratings, so this is stricter than it looks.
"""

_CERTAIN = 5.0
"""Beyond this many standard errors, further folds change nothing."""

MOST_RATINGS = 1_000_000
"""Of more ratings, the people are sampled: the answer does not need them all."""


@dataclass(frozen=True, slots=True)
class TasteGain:
    """What the stereotypes add to averages and generosity on held-out ratings, of which there are ``n_held_out``.

    ``gain``: by which share they lower the squared error; at most 1, and below 0 where they do harm.
    ``standard_errors``: the squared error that a person's ratings save on average, in standard errors over people;
    everybody counts alike, so that a few busy people do not decide.
    ``mae``, ``mae_of_averages``: mean absolute error with and without stereotypes of taste, on the rating scale.
    """

    gain: float
    standard_errors: float
    mae: float
    mae_of_averages: float
    n_held_out: int

    @property
    def is_found(self) -> bool:
        """Whether the gain is more than chance."""
        return self.standard_errors > SURE


def measure_taste_gain(
    ratings: Ratings, options: FitOptions, *, seed: int = 0, callback: Callback | None = None
) -> TasteGain:
    """Hold ratings out, fit with and without stereotypes of taste, and compare the errors.

    Without taste, a model has one stereotype, which everybody shares, beside the enthusiast and the skeptic: it knows
    how good each item is and how generous each person is, and nothing else. At least ten ratings are needed;
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
    with_taste, averages = replace(options, starts=1, committee=1), preset("recommended", n_stereotypes=1)
    saved, counts = np.zeros(ratings.n_users), np.zeros(ratings.n_users)
    absolute, squared, n_held_out = np.zeros(2), 0.0, 0
    for held_out in random_folds(ratings, N_FOLDS, seed):
        users, items, truth = ratings.users[held_out], ratings.items[held_out], ratings.values[held_out]
        train = ratings.subset(~held_out)
        without, errors = (
            np.abs(predict(fit(train, each, seed=seed, callback=callback), users, items) - truth)
            for each in (averages, with_taste)
        )
        saved += np.bincount(users, weights=without**2 - errors**2, minlength=ratings.n_users)
        absolute += errors.sum(), without.sum()
        squared += float(np.square(without).sum())
        n_held_out += int(held_out.sum())
        counts += np.bincount(users, minlength=ratings.n_users)
        sureness = _standard_errors(saved[counts > 0] / counts[counts > 0])
        if abs(sureness) > _CERTAIN:
            break
    mae, mae_of_averages = (absolute / n_held_out).tolist()
    gain = float(saved.sum()) / squared if squared > 0 else 0.0
    return TasteGain(gain, sureness, mae, mae_of_averages, n_held_out)


def _standard_errors(saved: FloatArray) -> float:
    """Return the mean over people of what each one's ratings save on average, in its standard errors."""
    error = float(saved.std() / np.sqrt(len(saved)))
    return float(saved.mean()) / error if error > 0 else 0.0


def _sample_people(ratings: Ratings, share: float, seed: int) -> Ratings:
    """Return all ratings of a random part of the people."""
    is_kept = np.random.default_rng(seed).random(ratings.n_users) < share
    return ratings.subset(is_kept[ratings.users])
