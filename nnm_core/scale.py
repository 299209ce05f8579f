"""The rating scale: which values people could give, and how they map to probabilities of liking."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nnm_core.errors import InputError
from nnm_core.types import FloatArray

MAX_LEVELS = 1001
"""A scale with more evenly spaced levels than this counts as continuous."""

_RELATIVE_NOISE = 1e-6
"""Differences below this share of the range are rounding noise, not levels."""


def written(number: float, digits: int | None = None) -> str:
    """A number as people read it, with a real minus sign: "3.5", "−1"; with that many decimals if they are given."""
    text = f"{number:g}" if digits is None else f"{number:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


@dataclass(frozen=True, slots=True)
class Scale:
    """Ratings from ``lowest`` to ``highest`` in steps of ``step``; a step of 0 means continuous.

    The paper's ``z / Z`` in general form: level number ``z`` of ``Z`` has the unit value ``z / Z``, so the
    highest rating is 1 and the lowest is one step above 0. A continuous scale maps to [0, 1] itself.
    """

    lowest: float
    highest: float
    step: float = 1.0

    def __post_init__(self) -> None:
        numbers = (self.lowest, self.highest, self.step)
        if not all(math.isfinite(number) for number in numbers):
            raise InputError(f"A rating scale needs finite numbers, not {numbers}.")
        if self.highest <= self.lowest:
            raise InputError(
                f"A rating scale from {self.lowest:g} to {self.highest:g} has fewer than two levels; "
                "give the lowest and the highest rating that people could have given."
            )
        if self.step < 0 or self.step > self.span * (1 + _RELATIVE_NOISE):
            raise InputError(f"The step {self.step:g} does not fit a scale from {self.lowest:g} to {self.highest:g}.")
        if self.step and abs(self.span / self.step - round(self.span / self.step)) > 1e-3:
            raise InputError(
                f"Steps of {self.step:g} from {self.lowest:g} do not reach {self.highest:g}; "
                "use step=0 for a scale without even steps."
            )

    @classmethod
    def infer(cls, values: ArrayLike) -> Scale:
        """The scale of the given finite ratings: their range, in the largest steps that meet every value."""
        levels = np.unique(np.asarray(values, dtype=np.float64))
        if len(levels) == 0:
            raise InputError("There are no ratings to read a scale from.")
        if len(levels) == 1:
            raise InputError(
                f"Every rating is {levels[0]:g}, so the scale cannot be read from the data; "
                "say what people could have given, for example scale=Scale(1, 5)."
            )
        lowest, highest = float(levels[0]), float(levels[-1])
        step = _common_step(np.diff(levels), (highest - lowest) * _RELATIVE_NOISE)
        n_steps = round((highest - lowest) / step) if step else 0
        if not 0 < n_steps < MAX_LEVELS:
            return cls(lowest, highest, 0.0)
        return cls(lowest, highest, (highest - lowest) / n_steps)

    @property
    def span(self) -> float:
        """Highest minus lowest."""
        return self.highest - self.lowest

    @property
    def is_continuous(self) -> bool:
        """Whether the scale has no levels."""
        return self.step == 0

    @property
    def n_levels(self) -> int:
        """How many different ratings there are; 0 for a continuous scale."""
        return 0 if self.is_continuous else round(self.span / self.step) + 1

    @property
    def levels(self) -> FloatArray:
        """All possible ratings in increasing order, (n_levels,); empty for a continuous scale."""
        return self.lowest + self.span * np.arange(self.n_levels) / max(self.n_levels - 1, 1)

    @property
    def lowest_unit(self) -> float:
        """The unit value of the lowest rating, the 1/Z of the paper."""
        return self.step / (self.span + self.step)

    def to_unit(self, ratings: ArrayLike) -> FloatArray:
        """Ratings as probabilities of liking, same shape."""
        return (np.asarray(ratings, dtype=np.float64) - self.lowest + self.step) / (self.span + self.step)

    def from_unit(self, probabilities: ArrayLike) -> FloatArray:
        """Probabilities of liking as ratings, same shape; not clipped: 0 lies one step below the lowest."""
        return np.asarray(probabilities, dtype=np.float64) * (self.span + self.step) + self.lowest - self.step

    def clip(self, ratings: ArrayLike) -> FloatArray:
        """Ratings moved into the scale's range, same shape."""
        return np.clip(np.asarray(ratings, dtype=np.float64), self.lowest, self.highest)

    def round(self, ratings: ArrayLike) -> FloatArray:
        """Ratings clipped and moved to the nearest level (halves go up), same shape."""
        clipped = self.clip(ratings)
        if self.is_continuous:
            return clipped
        number = np.floor((clipped - self.lowest) / self.step + 0.5)
        return self.lowest + self.span * number / (self.n_levels - 1)


def _common_step(gaps: FloatArray, noise: float) -> float:
    """Greatest common divisor of positive gaps, up to noise; 0 if there is none worth the name."""
    step = float(gaps[0])
    for gap in np.unique(gaps):
        a, b = float(gap), step
        while b > noise:
            a, b = b, min(a % b, b - a % b)
        step = a
        if step <= 10 * noise:
            return 0.0
    return step
