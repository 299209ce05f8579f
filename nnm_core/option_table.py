"""One table that describes every option of a fit, for the library, the command line, the form and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Option:
    """Describes one option for the library, the command line and the dashboard's form.

    ``kind``: int, float, bool or str, one of ``choices``, which have a text each. ``label`` and ``help``: what people
    read. ``phrase``: how a changed value is put into words, empty in a second entry of the same name. ``key``: of the
    query parameter and the flag, the name if empty. ``lowest``: of a number; ``highest``: that the form offers.
    ``method``: which has it, ``None`` if both have.
    """

    name: str
    kind: type
    label: str
    help: str
    phrase: str
    key: str = ""
    lowest: int = 0
    highest: int = 1000
    choices: Mapping[str, str] = field(default_factory=dict)
    method: Literal["alternating", "distilled"] | None = "alternating"

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.name)

    @property
    def flag(self) -> str:
        """The flag of the command line."""
        return "--" + self.key.replace("_", "-")

    def fault(self, value: Any) -> str | None:
        """Return what the library accepts instead of the value, in words; None if it accepts that."""
        if self.kind is bool:
            return None if isinstance(value, bool) else "true or false"
        if self.kind is str:
            return None if value in self.choices else f"one of {tuple(self.choices)}"
        is_number = isinstance(value, self.kind | int) and not isinstance(value, bool)
        if is_number and self.lowest <= value < float("inf"):
            return None
        return f"a {'whole ' if self.kind is int else ''}number of at least {self.lowest}"


_ABOUT_ANCHORS = (
    "For very large data: the stereotypes are found among these alone, which is faster, and everybody else is then "
    "described by them."
)
OPTIONS = (
    Option(
        "mode",
        str,
        "What a rating stands for",
        "With “one of several answers”, the page with the items shows how often a stereotype gives each rating. It "
        "takes longer.",
        "mode “{}”",
        choices={"like": "a probability of liking", "stars": "one of several answers"},
    ),
    Option(
        "n_sweeps",
        int,
        "Iterations at most",
        "Each iteration fits everybody and everything a little better. “Accuracy” shows whether it has converged.",
        "at most {} iterations",
        key="sweeps",
        lowest=1,
    ),
    Option(
        "tol",
        float,
        "Stop below this movement",
        "The fit has converged when its iterations move no stereotype by more than this on average; 0 goes on to the "
        "last iteration.",
        "stopping below a movement of {}",
        highest=1,
    ),
    Option(
        "momentum",
        bool,
        "Momentum",
        "Extrapolates from one iteration to the next, which converges several times as fast.",
        "momentum: {}",
        choices={"on": "yes", "off": "no"},
    ),
    Option(
        "starts",
        int,
        "Random starts",
        "Fits from this many random starts and keeps the best. More starts find better optima and take longer.",
        "best of {} starts",
        lowest=1,
        highest=64,
    ),
    Option(
        "fill",
        str,
        "Unknown ratings count as zero at first",
        "People rate what they expect to like. A start from zeros lets the fit see what nobody chose; the iterations "
        "after it use the known ratings alone.",
        "zeros at first: {}",
        choices={"all": "all of them", "sampled": "a random part", "none": "none"},
    ),
    Option(
        "fill_sweeps",
        int,
        "… in this many iterations",
        "More iterations, and what few people know seems less liked.",
        "zeros for {} iterations",
    ),
    Option(
        "generosity",
        bool,
        "Set generosity aside",
        "Adds an enthusiast and a skeptic, who give everything the highest and the lowest rating, so that the "
        "stereotypes are about taste and not about how strict people are.",
        "generosity set aside: {}",
        choices={"on": "yes", "off": "no"},
    ),
    Option(
        "shrinkage",
        float,
        "Shrinkage",
        "Pulls people and items toward the average, as if each had this many average ratings more. Those with few "
        "ratings of their own stay closer to it, and predictions get safer.",
        "shrinkage {}",
    ),
    Option(
        "kinship",
        int,
        "Lean on similar people and items",
        "What people chose to rate says something about them, too. Those with few ratings are pulled toward people "
        "who rated the same items, and items toward others that the same people rated, instead of the average of "
        "all. The number says in how many ways they may be alike; 0 pulls toward the average.",
        "alike in up to {} ways",
        highest=100,
    ),
    Option(
        "star_sweeps",
        int,
        "Iterations for several answers",
        "Matters only where a rating stands for one of several answers.",
        "{} iterations for several answers",
        lowest=1,
    ),
    Option(
        "anchors",
        int,
        "Learn from the most active people only",
        _ABOUT_ANCHORS,
        "learned from {}",
        key="anchor_users",
        lowest=1,
        highest=10_000_000,
    ),
    Option(
        "anchors",
        int,
        "Learn from the best-known items only",
        _ABOUT_ANCHORS,
        "",
        key="anchor_items",
        lowest=1,
        highest=10_000_000,
    ),
    Option(
        "n_sweeps",
        int,
        "Sampling iterations",
        "More are steadier and take longer.",
        "",
        key="sweeps",
        lowest=2,
        highest=2000,
        method="distilled",
    ),
    Option(
        "burn_in",
        int,
        "Burn-in iterations",
        "The first iterations of the sampler do not count, since it has not settled yet.",
        "{} burn-in iterations",
        highest=1999,
        method="distilled",
    ),
    Option(
        "n_factors",
        int,
        "Factors of the relaxed model",
        "This method first fits a model with looser constraints, with this many numbers (factors) per person, and then "
        "the stereotypes that come closest to it. 0 lets the size of the data decide.",
        "{} factors",
        key="factors",
        highest=64,
        method="distilled",
    ),
    Option(
        "n_chains",
        int,
        "Chains",
        "Independent runs of the sampler, which are averaged. More are steadier and take as many times as long.",
        "{} chains",
        key="chains",
        lowest=1,
        highest=8,
        method="distilled",
    ),
    Option(
        "committee",
        int,
        "Average over several fits",
        "Fits that many times from other random starts and takes their average, which predicts better and takes "
        "that many times as long. The stereotypes of all these fits are shown side by side, so there are that "
        "many times as many.",
        "average of {} fits",
        lowest=1,
        highest=32,
        method=None,
    ),
)
"""Every option but the number of stereotypes and the method, in the order of the form.

Two entries have the same name where the form has two fields for it, or each method its own words.
"""
