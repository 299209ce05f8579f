"""Every further option of a fit: what it is called in plain words, what it changes, and how somebody sets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard import link
from nnm_core import FitOptions, InputError


@dataclass(frozen=True, slots=True)
class _Option:
    """An option of :class:`FitOptions`, what the link calls it, what people read, and what it changes for them."""

    name: str
    key: str
    label: str
    about: str

    @property
    def help(self) -> str:
        """What it changes, and what it is called in a link."""
        return f"{self.about} In the address: `{self.key}`."

    def ask(self, preset: FitOptions) -> Any:
        """Draw it; what somebody chose, None if it stays as the preset has it."""
        raise NotImplementedError

    def _number(self, lowest: float, highest: float, as_it_is: object, **more: Any) -> float | None:
        return st.number_input(
            self.label,
            lowest,
            highest,
            None,
            placeholder=str(as_it_is),
            key=self.key,
            bind="query-params",
            help=self.help,
            **more,
        )


@dataclass(frozen=True, slots=True)
class _Whole(_Option):
    lowest: int
    highest: int

    def ask(self, preset: FitOptions) -> Any:
        return self._number(self.lowest, self.highest, getattr(preset, self.name, "all"), step=1)


@dataclass(frozen=True, slots=True)
class _Number(_Option):
    highest: float

    def ask(self, preset: FitOptions) -> Any:
        return self._number(0.0, self.highest, f"{getattr(preset, self.name):g}", format="%g")


@dataclass(frozen=True, slots=True)
class _Choice(_Option):
    texts: Mapping[str, str]
    values: Mapping[str, Any]

    def ask(self, preset: FitOptions) -> Any:
        has = getattr(preset, self.name)
        chosen = link.select(
            self.label,
            list(self.texts),
            self.key,
            form=self.texts.__getitem__,
            placeholder=next(text for key, text in self.texts.items() if self.values.get(key, key) == has),
            help=self.help,
        )
        return None if chosen is None else self.values.get(chosen, chosen)


_COMMITTEE = _Whole(
    "committee",
    "committee",
    "Average over several fits",
    "Fits that many times from other random starts and takes their average, which predicts better and takes that many "
    "times as long. The stereotypes of all these fits are shown side by side, so there are that many times as many.",
    1,
    32,
)
_ROUNDS = _Whole(
    "n_sweeps",
    "sweeps",
    "Rounds at most",
    "Each round fits everybody and everything a little better. More take longer; “How good” shows when it rests.",
    1,
    1000,
)
_FILL = _Choice(
    "fill",
    "fill",
    "Not rated counts as zero at first",
    "People rate what they expect to like. A start from zeros lets the fit see what nobody chose; the rounds after "
    "it look at given ratings alone.",
    {"all": "wherever nothing is known", "sampled": "for a random part", "none": "never"},
    {},
)
_FILL_ROUNDS = _Whole(
    "fill_sweeps",
    "fill_sweeps",
    "… in this many rounds",
    "More rounds, and what few people know seems less liked.",
    0,
    1000,
)
_GENEROSITY = _Choice(
    "generosity",
    "generosity",
    "Set generosity aside",
    "Adds an enthusiast and a skeptic, who give everything the highest and the lowest rating, so that the "
    "stereotypes are about taste and not about how strict people are.",
    {"on": "yes", "off": "no"},
    {"on": True, "off": False},
)
_ALTERNATING = (
    _Choice(
        "mode",
        "mode",
        "What a rating says",
        "“One answer of several” tells how often a stereotype gives each rating, on the page with the items; it takes "
        "longer.",
        {"like": "how likely one likes it", "stars": "one answer of several"},
        {},
    ),
    _ROUNDS,
    _Number(
        "tol",
        "tol",
        "Stop early below this gain",
        "When a round improves the fit by a smaller share than this, it stops; 0 goes on to the last round.",
        1.0,
    ),
    _FILL,
    _FILL_ROUNDS,
    _GENEROSITY,
    _Number(
        "shrinkage",
        "shrinkage",
        "Caution where little is known",
        "So many average ratings are added to everybody and everything: those with few ratings of their own stay "
        "closer to the average, and predictions get safer.",
        1000.0,
    ),
    _Whole(
        "kinship",
        "kinship",
        "Lean on similar people and items",
        "What people chose to rate says something about them too. Those with few ratings then stay closer to people "
        "who rated the same, and items to what the same people rated, instead of the average of all. The number says "
        "in how many ways they may be alike; 0 keeps to the average.",
        0,
        100,
    ),
    _COMMITTEE,
    _Whole(
        "star_sweeps",
        "star_sweeps",
        "Rounds for several answers",
        "Matters only where a rating is read as one answer of several.",
        1,
        1000,
    ),
)
_ABOUT_ANCHORS = (
    "For very large data: the stereotypes are found among these alone, which is faster, and everybody else is then "
    "described by them."
)
_ANCHORS = (
    _Whole("", "anchor_users", "Learn from the most active people only", _ABOUT_ANCHORS, 1, 10_000_000),
    _Whole("", "anchor_items", "Learn from the best-known items only", _ABOUT_ANCHORS, 1, 10_000_000),
)
_TRIES = _Whole("n_sweeps", "sweeps", "Rounds of trying out", "More are steadier and take longer.", 2, 2000)
_BURN_IN = _Whole(
    "burn_in",
    "burn_in",
    "First rounds that do not count",
    "Until then it has not settled (the burn-in of a sampler).",
    1,
    1999,
)
_DISTILLED = (
    _TRIES,
    _BURN_IN,
    _Whole(
        "n_factors",
        "factors",
        "Detail of the model behind it",
        "This way fits a freer model first, with so many numbers (factors) per person, and then the stereotypes that "
        "come closest to it. 0 lets the size of the data decide.",
        0,
        64,
    ),
    _Whole(
        "n_chains",
        "chains",
        "Independent runs that are averaged",
        "More are steadier and take as many times as long (chains of a sampler).",
        1,
        8,
    ),
    _COMMITTEE,
)


def are_in_the_link() -> bool:
    """Whether the link sets one of them."""
    return any(option.key in st.query_params for option in (*_ALTERNATING, *_ANCHORS, *_DISTILLED))


def ask(preset: FitOptions) -> dict[str, Any]:
    """Draw them all; those that somebody set."""
    st.caption("What you leave empty stays as the way of fitting has it.")
    distilled = preset.method == "distilled"
    given = {option.name: option.ask(preset) for option in (_DISTILLED if distilled else _ALTERNATING)}
    if not distilled:
        given["anchors"] = _anchors(preset)
    return {name: value for name, value in given.items() if value is not None}


def why_not(preset: FitOptions, given: Mapping[str, Any], error: InputError) -> str:
    """Why the options that somebody set cannot be used together, by the names they have here, and what to change.

    The fields allow only numbers of rounds to clash; should anything else be wrong, the library's own words.
    """
    distilled = preset.method == "distilled"
    more, less = (_TRIES, _BURN_IN) if distilled else (_ROUNDS, _FILL_ROUNDS)
    rounds, fewer = (given.get(option.name, getattr(preset, option.name)) for option in (more, less))
    if rounds > fewer:
        return str(error)
    name = f"“{less.label}”" if distilled else f"“{_FILL.label} {less.label}”"
    clash = f"“{more.label}” is {rounds:,} and must be more than {name}, which is {fewer:,}"
    way_out = "Raise the first or lower the second"
    if not distilled:
        way_out += f", or choose “{_GENEROSITY.texts['off']}” for “{_GENEROSITY.label}”"
    return f"{clash}. {way_out}; until then no option set here is used."


def _anchors(preset: FitOptions) -> tuple[int, int] | None:
    users, items = (option.ask(preset) for option in _ANCHORS)
    if users and items:
        return users, items
    if users or items:
        st.caption("Give both numbers: how many people and how many items to learn from.")
    return None
