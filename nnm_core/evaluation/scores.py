"""The error of predictions: MAE and RMSE, of raw and of rounded predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from nnm_core.scale import Scale
from nnm_core.types import FloatArray


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean absolute and root mean squared error, of predictions clipped to the scale and of those rounded to it.

    Rounding mostly lowers the first and raises the second, so figures of one kind never compare with figures of the
    other.
    """

    mae: float
    rmse: float
    mae_rounded: float
    rmse_rounded: float

    @classmethod
    def of(cls, predicted: FloatArray, truth: FloatArray, scale: Scale) -> Scores:
        """Return the scores of predictions, which are clipped to the scale first."""
        raw = scale.clip(predicted) - truth
        rounded = scale.round(predicted) - truth
        return cls(*(float(error) for part in (raw, rounded) for error in _errors(part)))


def mean(scores: Sequence[Scores]) -> Scores:
    """Return the mean of each score."""
    return Scores(*np.mean([astuple(s) for s in scores], axis=0).tolist())


def spread(scores: Sequence[Scores]) -> Scores:
    """Return the standard deviation of each score over the folds; 0 for a single fold."""
    if len(scores) < 2:
        return Scores(*(0.0 for _ in fields(Scores)))
    return Scores(*np.std([astuple(s) for s in scores], axis=0, ddof=1).tolist())


def _errors(difference: FloatArray) -> tuple[float, float]:
    return float(np.abs(difference).mean()), float(np.sqrt(np.square(difference).mean()))
