"""The rating scale: which values people could give, and how they map to probabilities of liking."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from nnm_core.errors import InputError
from nnm_core.types import FloatArray

MAX_LEVELS = 1001
"""A scale with more evenly spaced levels than this counts as continuous."""

_RELATIVE_NOISE = 1e-6
"""Differences below this share of the range are rounding noise, not levels."""

_GROUPED = 10_000
"""From here on digits are grouped by thousands."""

_SMALLEST, _LARGEST = 1e-9, 1e15
"""Between these, numbers are written out in digits."""


def written(number: float, digits: int | None = None) -> str:
    """Format a number for people, with a real minus sign: "3.5", "−1", "12,500"; with so many decimals if given.

    Powers of ten are used only where nobody could count the zeros: "1e300", "1e−12".
    """
    comma = "," if abs(number) >= _GROUPED else ""
    text = _in_digits(number, comma) if digits is None else f"{number:{comma}.{digits}f}"
    is_zero = not comma and float(text) == 0
    return text.removeprefix("-") if is_zero else text.replace("-", "−")


def _in_digits(number: float, comma: str) -> str:
    """Up to six digits, or all that a large number has before the point."""
    size, text = abs(number), f"{number:g}"
    if size != 0 and not _SMALLEST <= size < _LARGEST:
        mantissa, _, power = text.partition("e")
        return f"{mantissa}e{int(power)}" if power else mantissa
    return f"{number:{comma}.0f}" if size >= 1e6 else f"{Decimal(text):{comma}f}"


@dataclass(frozen=True, slots=True)
class Scale:
    """A rating scale from ``lowest`` to ``highest`` in steps of ``step``; a step of 0 means continuous.

    The paper's ``z / Z`` in general form: level number ``z`` of ``Z`` has the unit value ``z / Z``, so the
    highest rating is 1 and the lowest is one step above 0. A continuous scale maps to [0, 1] itself.

    Examples
    --------
    >>> Scale(1, 5).to_unit([1, 3, 5]).tolist()
    [0.2, 0.6, 1.0]
    >>> Scale.infer([0.5, 1, 4.5])
    Scale(lowest=0.5, highest=4.5, step=0.5)
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
                f"A rating scale from {written(self.lowest)} to {written(self.highest)} has fewer than two levels; "
                "give the lowest and the highest rating that people could have given."
            )
        if self.step < 0 or self.step > self.span * (1 + _RELATIVE_NOISE):
            raise InputError(
                f"The step {written(self.step)} does not fit a scale from {written(self.lowest)} to "
                f"{written(self.highest)}."
            )
        if self.step and abs(self.span / self.step - round(self.span / self.step)) > 1e-3:
            raise InputError(
                f"Steps of {written(self.step)} from {written(self.lowest)} do not reach {written(self.highest)}; "
                "use step=0 for a scale without even steps."
            )

    @classmethod
    def infer(cls, values: ArrayLike) -> Scale:
        """Return the scale of finite ratings: their range, in the largest steps that meet every value."""
        levels = np.unique(np.asarray(values, dtype=np.float64))
        if len(levels) == 0:
            raise InputError("There are no ratings to read a scale from.")
        if len(levels) == 1:
            raise InputError(
                f"Every rating is {written(levels[0])}, so the scale cannot be read from the data; "
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
    def zero(self) -> float:
        """The rating that would mean a probability of liking of 0.

        One step below the lowest of several levels, so that level z of Z means z/Z, as in the paper. The two levels of
        thumbs are the paper's binary answers: the lower one means 0 and the upper one 1.
        """
        return self.lowest if self.n_levels == 2 else self.lowest - self.step

    @property
    def unit_span(self) -> float:
        """By how much a rating grows while its probability of liking grows from 0 to 1."""
        return self.highest - self.zero

    @property
    def lowest_unit(self) -> float:
        """The probability of liking that the lowest rating means: the 1/Z of the paper, 0 for thumbs."""
        return (self.lowest - self.zero) / self.unit_span

    def to_unit(self, ratings: ArrayLike) -> FloatArray:
        """Convert ratings to probabilities of liking, same shape.

        >>> Scale(1, 5).to_unit([1, 5]).tolist(), Scale(0, 1).to_unit([0, 1]).tolist()
        ([0.2, 1.0], [0.0, 1.0])
        """
        return (np.asarray(ratings, dtype=np.float64) - self.zero) / self.unit_span

    def from_unit(self, probabilities: ArrayLike) -> FloatArray:
        """Convert probabilities of liking to ratings, same shape; not clipped to the scale."""
        return np.asarray(probabilities, dtype=np.float64) * self.unit_span + self.zero

    def clip(self, ratings: ArrayLike) -> FloatArray:
        """Clip ratings to the scale's range, same shape."""
        return np.clip(np.asarray(ratings, dtype=np.float64), self.lowest, self.highest)

    def round(self, ratings: ArrayLike) -> FloatArray:
        """Round ratings to the nearest level (halves go up), clipped, same shape."""
        clipped = self.clip(ratings)
        if self.is_continuous:
            return clipped
        number = np.floor((clipped - self.lowest) / self.step + 0.5)
        return self.lowest + self.span * number / (self.n_levels - 1)


def _common_step(gaps: FloatArray, noise: float) -> float:
    """Return the greatest common divisor of positive gaps, up to noise; 0 if it is noise itself."""
    step = float(gaps[0])
    for gap in np.unique(gaps):
        a, b = float(gap), step
        while b > noise:
            a, b = b, min(a % b, b - a % b)
        step = a
        if step <= 10 * noise:
            return 0.0
    return step
