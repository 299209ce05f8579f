"""Committees: several models of the same ratings as one, which predicts their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.types import FloatArray


def average(models: Sequence[Model]) -> Model:
    """Combine models of the same ratings into one, with their stereotypes side by side; it predicts their mean.

    Parameters
    ----------
    models
        Models of the same ratings, mode and generosity; their numbers of stereotypes may differ. Stereotypes of
        generosity, which are the same in all, are merged.

    Raises
    ------
    InputError
        If the models cannot be combined.

    Examples
    --------
    >>> from nnm_core import Ratings, average, fit, preset
    >>> ratings = Ratings.from_arrays([1, 1, 2], [1, 2, 2], [5, 1, 4])
    >>> average([fit(ratings, preset("recommended", n_stereotypes=n)) for n in (2, 3)]).names
    ('1', '2', '3', '4', '5', 'enthusiast', 'skeptic')
    """
    first = models[0]
    for model in models[1:]:
        if (model.data_hash, model.options.mode, model.n_fixed) != (
            first.data_hash,
            first.options.mode,
            first.n_fixed,
        ):
            raise InputError("Only models of the same ratings, mode and generosity can form a committee.")
    share = 1.0 / len(models)
    free = [model.n_stereotypes for model in models]
    precision = np.zeros((sum(free) + first.n_fixed,) * 2)
    for k, model in enumerate(models):
        # The committee's pull is the mean of its members', whose own mixtures are K times their part of the whole.
        where = np.r_[sum(free[:k]) : sum(free[: k + 1]), sum(free) : len(precision)]
        stretch = np.r_[np.full(free[k], len(models)), np.ones(model.n_fixed)]
        precision[np.ix_(where, where)] += share * model.mixture_precision * np.outer(stretch, stretch)
    return replace(
        first,
        mixtures=_side_by_side([model.mixtures * share for model in models], free),
        mean_mixture=_side_by_side([model.mean_mixture[None] * share for model in models], free)[0],
        mixture_precision=precision,
        answers=np.concatenate(
            [model.answers[:, :, : model.n_stereotypes] for model in models] + [first.answers[:, :, free[0] :]], axis=2
        ),
        traces=tuple(trace for model in models for trace in model.traces),
        options=replace(first.options, committee=len(models)),
        given_names=None,
    )


def _side_by_side(mixtures: list[FloatArray], free: list[int]) -> FloatArray:
    """Put free columns side by side and add fixed ones up."""
    fixed = sum(mixture[:, n:] for mixture, n in zip(mixtures, free, strict=True))
    return np.hstack([mixture[:, :n] for mixture, n in zip(mixtures, free, strict=True)] + [fixed])
