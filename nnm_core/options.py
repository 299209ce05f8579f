"""What can be chosen about a fit, and the presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

from nnm_core.errors import InputError

Mode = Literal["like", "stars"]
Fill = Literal["all", "sampled", "none"]
Method = Literal["alternating", "distilled"]

MAX_STEREOTYPES = 256
"""The time of a row grows with the third power of D; nobody can look at more kinds of taste than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions:
    """How to fit a model; the defaults are the paper's.

    ``n_stereotypes``: the dimension D, stereotypes of generosity not counted.
    ``mode``: ``"like"`` reads a rating as a probability of liking, ``"stars"`` as one of several answers.
    ``n_sweeps``: at most this many rounds over all items and all users.
    ``tol``: stop when a round lowers the objective by less than this share; 0 never stops early.
    ``fill``: what counts as rated zero in the first ``fill_sweeps`` rounds: all unknown ratings, a random sample
    about as large as the known ones, or none.
    ``generosity``: add the enthusiast and the skeptic, who give everything the highest and the lowest rating.
    ``shrinkage``: how many ratings' worth of pull draws each item toward its mean and each user toward the average
    mixture.
    ``kinship``: in at most how many ways people may be alike by what they rated, and items by who rated them; shrinkage
    then draws each toward what its kin have in common instead of the average alone. 0: toward the average alone.
    ``committee``: average this many fits from different random starts.
    ``anchors``: fit only this many of the most active users and most popular items, and fold everyone else in; ``None``
    fits all.
    ``star_sweeps``: rounds in stars mode, after the fit in like mode from which it starts.
    ``method``: ``"alternating"`` is Algorithm 1; ``"distilled"`` samples a relaxed model with ``n_factors`` factors
    (0: chosen by the number of ratings) in ``n_chains`` chains of ``n_sweeps`` rounds, averages what follows the first
    ``burn_in``, and takes the nearest model with generosity. Of the options above it knows the number of stereotypes,
    the number of rounds and the committee.
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
        faults = [
            f"{name} must be {what}, not {getattr(self, name)!r}"
            for name, what, holds in self._rules()
            if not holds(getattr(self, name))
        ]
        faults = faults or self._contradictions()
        if faults:
            raise InputError("These options cannot be used: " + "; ".join(faults) + ".")

    def _contradictions(self) -> list[str]:
        """What each option allows by itself but not together."""
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

    @staticmethod
    def _rules() -> list[tuple[str, str, Any]]:
        def whole(lowest: int) -> tuple[str, Any]:
            return (
                f"a whole number of at least {lowest}",
                lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= lowest,
            )

        def number(value: Any) -> bool:
            return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")

        return [
            (
                "n_stereotypes",
                f"a whole number from 1 to {MAX_STEREOTYPES}",
                lambda value: whole(1)[1](value) and value <= MAX_STEREOTYPES,
            ),
            ("mode", f"one of {get_args(Mode)}", lambda value: value in get_args(Mode)),
            ("n_sweeps", *whole(1)),
            ("tol", "a number of at least 0", number),
            ("momentum", "true or false", lambda value: isinstance(value, bool)),
            ("starts", *whole(1)),
            ("fill", f"one of {get_args(Fill)}", lambda value: value in get_args(Fill)),
            ("fill_sweeps", *whole(0)),
            ("generosity", "true or false", lambda value: isinstance(value, bool)),
            ("shrinkage", "a number of at least 0", number),
            ("kinship", *whole(0)),
            ("committee", *whole(1)),
            ("star_sweeps", *whole(1)),
            ("method", f"one of {get_args(Method)}", lambda value: value in get_args(Method)),
            ("n_factors", *whole(0)),
            ("n_chains", *whole(1)),
            ("burn_in", *whole(0)),
            ("anchors", "None or two whole numbers of at least 1, users and items", _are_anchors),
        ]


def for_seen_only(options: FitOptions) -> FitOptions:
    """The options for data that say only who saw what: unknown pairs count as zeros in every round.

    Nothing else would tell such data from a catalogue that everybody likes, and nobody is more generous than another.
    """
    return replace(options, method="alternating", fill="all", fill_sweeps=options.n_sweeps, generosity=False)


def _are_anchors(value: Any) -> bool:
    return value is None or (
        isinstance(value, tuple) and len(value) == 2 and all(isinstance(n, int) and n >= 1 for n in value)
    )


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
    """The options of a preset, with changes."""
    if name not in PRESETS:
        raise InputError(f"There is no preset {name!r}; choose one of {', '.join(PRESETS)}.")
    return replace(PRESETS[name], **changes)
