"""The optima that several random starts of a fit ended in."""

from __future__ import annotations

from dataclasses import dataclass

from nnm_core.types import FloatArray, IntArray

SAME_STEREOTYPE = 0.03
"""Two stereotypes are the same if their probabilities of liking differ by less than this on average."""

EQUALLY_GOOD = 2e-4
"""Two optima describe the ratings equally well if their objectives differ by less than this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """An optimum other than the best one, with its stereotypes in the order of those of the best.

    ``excess``: by which share its objective is higher; ``n_starts``: how many starts ended in it. ``distances``
    (n_stereotypes,): how differently each stereotype answers, compared with the one that it is matched with.
    ``mixtures``, ``answers``: as in :class:`Model`, for optima that are equally good; None for others.
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

    ``n_starts``: how many random starts there were; ``n_best``: how many of them ended in the best optimum.
    ``found_by`` (n_stereotypes,): how many found each stereotype of the best model. ``others``: the other optima, best
    first; starts that were given up are in none of them.
    """

    n_starts: int
    n_best: int
    found_by: IntArray
    others: tuple[Optimum, ...] = ()

    @property
    def equally_good(self) -> tuple[Optimum, ...]:
        """The other optima that describe the ratings as well as the best one."""
        return tuple(optimum for optimum in self.others if optimum.is_equally_good)
