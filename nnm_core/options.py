"""The options of a fit and their presets; ``option_table`` describes each of them in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

from nnm_core.errors import InputError
from nnm_core.option_table import OPTIONS

Mode = Literal["like", "stars"]
Fill = Literal["all", "sampled", "none"]
Method = Literal["alternating", "distilled"]

MAX_STEREOTYPES = 256
"""The time of a row grows with the third power of D; nobody can look at more stereotypes than this."""

_TYPICAL_SWEEPS = 80
"""About how many sweeps an alternation takes until it has converged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions:
    """How to fit a model; the defaults are the paper's.

    Parameters
    ----------
    n_stereotypes
        The dimension D, stereotypes of generosity not counted.
    mode
        ``"like"`` reads a rating as a probability of liking, ``"stars"`` as one of several answers.
    n_sweeps
        At most this many sweeps over all items and all users; of a chain in the distilled method.
    tol
        Stop when the last few sweeps each moved the model by less than this; 0 never stops early.
    momentum
        Extrapolate both factors between sweeps, which converges several times as fast.
    starts
        Fit from this many random starts and keep the best; the model's atlas says what the others found.
    fill, fill_sweeps
        What counts as rated zero in the first ``fill_sweeps`` sweeps: ``"all"`` unknown ratings, a random sample about
        as large as the known ones (``"sampled"``), or ``"none"``.
    generosity
        Add the enthusiast and the skeptic, who give everything the highest and the lowest rating.
    shrinkage
        How many ratings' worth of pull draws each item toward its mean and each user toward the mean mixture.
    kinship
        Rank of the prior that shrinkage takes from the rating pattern: rows are drawn toward people who rated the same
        items, and items rated by the same people, along at most so many directions. 0 uses the averages alone.
    committee
        Average this many fits from different random starts.
    star_sweeps
        Sweeps in stars mode, after the fit in like mode from which it starts.
    anchors
        Fit only this many of the most active users and most popular items, and fold everyone else in; ``None``: all.
    method
        ``"alternating"`` is Algorithm 1. ``"distilled"`` samples a relaxed model, averages the draws and takes the
        nearest model with generosity; of the options above it uses ``n_stereotypes``, ``n_sweeps`` and ``committee``.
    n_factors, n_chains, burn_in
        Of the relaxed model: factors (0: chosen by the number of ratings), chains, and sweeps of a chain before its
        draws count.

    Raises
    ------
    InputError
        If values are out of bounds or contradict each other; the message names all of them.

    Examples
    --------
    >>> FitOptions(n_stereotypes=4, generosity=True).n_sweeps
    16
    >>> FitOptions(n_stereotypes=0, tol=-1)
    Traceback (most recent call last):
    nnm_core.errors.InputError: These options cannot be used: n_stereotypes must be a whole number from 1 to 256, \
not 0; tol must be a number of at least 0, not -1.
    """

    n_stereotypes: int = 3
    mode: Mode = "like"
    n_sweeps: int = 16
    tol: float = 0.0
    momentum: bool = False
    starts: int = 1
    fill: Fill = "all"
    fill_sweeps: int = 2
    generosity: bool = False
    shrinkage: float = 0.0
    kinship: int = 0
    committee: int = 1
    star_sweeps: int = 16
    anchors: tuple[int, int] | None = None
    method: Method = "alternating"
    n_factors: int = 0
    n_chains: int = 1
    burn_in: int = 30

    def __post_init__(self) -> None:
        found = {option.name: option.fault(getattr(self, option.name)) for option in OPTIONS if option.phrase}
        found |= {
            "n_stereotypes": None if self._has_dimension() else f"a whole number from 1 to {MAX_STEREOTYPES}",
            "anchors": None if self._has_anchors() else "None or two whole numbers of at least 1, users and items",
            "method": None if self.method in get_args(Method) else f"one of {get_args(Method)}",
        }
        faults = [
            f"{name} must be {found[name]}, not {getattr(self, name)!r}"
            for name in self.__dataclass_fields__
            if found[name]
        ]
        faults = faults or self._contradictions()
        if faults:
            raise InputError("These options cannot be used: " + "; ".join(faults) + ".")

    @property
    def uses_side_information(self) -> bool:
        """Whether the method makes use of traits, tags and decades."""
        return self.method == "distilled"

    @property
    def expected_sweeps(self) -> int:
        """About how many sweeps a start takes: all that are allowed, unless it stops when it has converged."""
        if self.method == "distilled":
            return self.n_chains * self.n_sweeps + _TYPICAL_SWEEPS
        allowed = self.n_sweeps + (self.star_sweeps if self.mode == "stars" else 0)
        return min(allowed, _TYPICAL_SWEEPS) if self.tol > 0 else allowed

    def _has_dimension(self) -> bool:
        n = self.n_stereotypes
        return isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= MAX_STEREOTYPES

    def _has_anchors(self) -> bool:
        value: Any = self.anchors
        is_pair = isinstance(value, tuple) and len(value) == 2
        return value is None or (is_pair and all(isinstance(n, int) and n >= 1 for n in value))

    def _contradictions(self) -> list[str]:
        """Return what each option allows by itself but not together."""
        if self.method == "distilled":
            rules = [
                (self.n_sweeps > self.burn_in, f"n_sweeps must be above burn_in={self.burn_in}, not {self.n_sweeps}"),
                (self.generosity, "a distilled model always has generosity"),
                (self.mode == "like", "a distilled model is always in like mode"),
                (self.anchors is None, "a distilled model has no anchors"),
                (self.starts == 1, "a distilled model has one start"),
            ]
            return [fault for holds, fault in rules if not holds]
        if self.generosity and self.fill != "none" and self.fill_sweeps >= self.n_sweeps:
            fault = "generosity joins after the fill, so n_sweeps must be above"
            return [f"{fault} fill_sweeps={self.fill_sweeps}, not {self.n_sweeps}"]
        return []


def for_seen_only(options: FitOptions) -> FitOptions:
    """Return the options for data that say only who saw what: unknown pairs count as zeros in every sweep.

    Nothing else would tell such data from a catalogue that everybody likes, and nobody is more generous than another.
    """
    return replace(options, method="alternating", fill="all", fill_sweeps=options.n_sweeps, generosity=False)


PRESETS: Mapping[str, FitOptions] = MappingProxyType(
    {
        "paper": FitOptions(),
        "recommended": FitOptions(
            n_sweeps=600, tol=1e-4, momentum=True, star_sweeps=600, generosity=True, shrinkage=1.5, kinship=24
        ),
        "accurate": FitOptions(method="distilled", n_stereotypes=16, n_sweeps=120, generosity=True, shrinkage=1.0),
    }
)
"""``paper`` is Algorithm 1 and nothing else; ``recommended`` predicts better and separates taste from generosity;
``accurate`` predicts best and takes seconds to a minute."""


def preset(name: str, **changes: Any) -> FitOptions:
    """Return the options of a preset, with changes.

    Parameters
    ----------
    name
        ``"paper"``, ``"recommended"`` or ``"accurate"``.
    **changes
        Options that differ from the preset, by name.

    Raises
    ------
    InputError
        If there is no such preset, or the options cannot be used.

    Examples
    --------
    >>> preset("recommended", n_stereotypes=5).shrinkage
    1.5
    """
    if name not in PRESETS:
        raise InputError(f"There is no preset {name!r}; choose one of {', '.join(PRESETS)}.")
    return replace(PRESETS[name], **changes)
