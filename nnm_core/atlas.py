"""The optima that several random starts of a fit ended in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnm_core.types import FloatArray, IntArray

SAME_STEREOTYPE = 0.03
"""Two stereotypes are the same if their probabilities of liking differ by less than this on average."""

EQUALLY_GOOD = 2e-4
"""Two optima describe the ratings equally well if their objectives differ by less than this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """An optimum other than the best one, with its stereotypes in the order of those of the best.

    Attributes
    ----------
    excess
        By which share its objective is higher.
    n_starts
        How many starts ended in it.
    distances
        How differently each stereotype answers, compared with the one that it is matched with, (n_stereotypes,).
    mixtures, answers
        As in :class:`Model`, for optima that are equally good; None for others.
    """

    excess: float
    n_starts: int
    distances: FloatArray
    mixtures: FloatArray | None = None
    answers: FloatArray | None = None

    @property
    def is_equally_good(self) -> bool:
        """Whether it describes the ratings as well as the best one."""
        return self.excess < EQUALLY_GOOD


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """What the starts of a fit found.

    Attributes
    ----------
    n_starts
        How many random starts there were.
    found_by
        How many of them found each stereotype of the best model, (n_stereotypes,).
    n_best
        How many of them ended in the best optimum.
    others
        The other optima, best first; starts that were given up are in none of them.
    """

    n_starts: int
    n_best: int
    found_by: IntArray
    others: tuple[Optimum, ...] = ()

    @property
    def equally_good(self) -> tuple[Optimum, ...]:
        """The other optima that describe the ratings as well as the best one."""
        return tuple(optimum for optimum in self.others if optimum.is_equally_good)

    @property
    def is_unique(self) -> bool:
        """Whether no other optimum describes the ratings as well as the best one."""
        return not self.equally_good and bool(np.all(self.found_by * 2 >= self.n_starts))
