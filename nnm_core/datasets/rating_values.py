"""Ratings as people write them: as numbers, which of them may mean "not rated", and in bins on request."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from nnm_core.datasets.report import Finding, Note, Offer, note
from nnm_core.scale import written
from nnm_core.types import BoolArray, FloatArray, IntArray

NOT_GIVEN = frozenset(
    {"", "na", "n/a", "nan", "null", "none", "nil", "-", "--", "?", "\\n", "<na>", ".", "missing", "unrated"}
)
"""What people write for "no rating", in lower case."""

_THUMBS = (
    {"down": 0.0, "up": 1.0},
    {"thumbs down": 0.0, "thumbs up": 1.0},
    {"thumbs_down": 0.0, "thumbs_up": 1.0},
    {"dislike": 0.0, "like": 1.0},
    {"disliked": 0.0, "liked": 1.0},
    {"false": 0.0, "true": 1.0},
    {"f": 0.0, "t": 1.0},
    {"no": 0.0, "yes": 1.0},
    {"n": 0.0, "y": 1.0},
    {"-": 0.0, "+": 1.0},
    {"👎": 0.0, "👍": 1.0},
    {"not recommended": 0.0, "recommended": 1.0},
    {"bad": 0.0, "good": 1.0},
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_PERCENT = re.compile(r"([+-]?\d+(?:[.,]\d+)?)\s*%")
_STARS = re.compile(r"[★⭐]+[☆]*")
_OUT_OF = re.compile(r"(\d+(?:\.\d+)?)\s*(?:/|out of|of)\s*(\d+)")
MAX_LISTED = 64
_MIN_REST = 4
"""So many ratings must lie together before another one can be said to lie far from them."""


class Notation(Enum):
    """Ways to write ratings that are not plain numbers, and the kind of note that tells of it."""

    WORDS = Finding.WORDS_READ
    DECIMAL_COMMA = Finding.DECIMAL_COMMAS
    PERCENT = Finding.PERCENT_SIGNS
    STARS = Finding.STARS_COUNTED
    OUT_OF = Finding.OUT_OF


@dataclass(frozen=True, slots=True)
class ParsedRatings:
    """Distinct ratings as numbers.

    ``values`` (n,): NaN where a text is no number. ``not_given`` (n,): which texts say that there is no rating.
    ``notations``: which ways of writing occur beside plain numbers, each with an example or what its words mean.
    """

    values: FloatArray
    not_given: BoolArray
    notations: dict[Notation, str] = field(default_factory=dict)

    @property
    def notes(self) -> list[Note]:
        """How ratings were understood that are not plain numbers."""
        return [note(how.value, meaning=text, example=text) for how, text in self.notations.items()]


def parse_ratings(texts: Sequence[str]) -> ParsedRatings:
    """Parse distinct ratings: decimals with point or comma, percent, stars, "4/5", or a pair like up and down.

    >>> parse_ratings(["4/5", "2/5", "n/a"]).values.tolist()
    [4.0, 2.0, nan]
    """
    plain = _plain_numbers(texts)
    if plain is not None:
        return ParsedRatings(plain, np.zeros(len(texts), dtype=np.bool_))
    stripped = [text.strip().strip("\"'").strip() for text in texts]
    thumbs = _thumbs(stripped)
    not_given = np.array(
        [text.lower() in NOT_GIVEN and (thumbs is None or text != "-") for text in stripped], dtype=np.bool_
    )
    if thumbs is not None:
        values = np.array([thumbs.get(text.lower(), math.nan) for text in stripped])
        meaning = ", ".join(f"{text!r} = {value:g}" for text, value in thumbs.items())
        return ParsedRatings(values, not_given, {Notation.WORDS: meaning})
    return _written_numbers(stripped, not_given)


def _plain_numbers(texts: Sequence[str]) -> FloatArray | None:
    """All texts as numbers, or None if a single one is not plainly a finite number."""
    try:
        values = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return values if np.isfinite(values).all() and not any("_" in text for text in texts) else None


def _thumbs(texts: Sequence[str]) -> dict[str, float] | None:
    """Return the pair of words that all given ratings are taken from, if there is one."""
    if len(texts) > MAX_LISTED:
        return None
    words = {text.lower() for text in texts}
    for pair in _THUMBS:
        given = words - (NOT_GIVEN - set(pair))
        if given and given <= set(pair) and (len(given) == 2 or not given & NOT_GIVEN):
            return pair
    return None


def _written_numbers(texts: Sequence[str], not_given: BoolArray) -> ParsedRatings:
    values = np.full(len(texts), math.nan)
    seen: dict[Notation, str] = {}
    commas = not any("." in text for text in texts)
    for k, text in enumerate(texts):
        if not_given[k]:
            continue
        if _NUMBER.fullmatch(text):
            values[k] = float(text)
        elif commas and _DECIMAL_COMMA.fullmatch(text):
            values[k] = float(text.replace(",", "."))
            seen.setdefault(Notation.DECIMAL_COMMA, text)
        elif (match := _PERCENT.fullmatch(text)) is not None:
            values[k] = float(match[1].replace(",", "."))
            seen.setdefault(Notation.PERCENT, text)
        elif _STARS.fullmatch(text):
            values[k] = float(sum(character in "★⭐" for character in text))
            seen.setdefault(Notation.STARS, text)
        elif (match := _OUT_OF.fullmatch(text)) is not None:
            values[k] = float(match[1])
            seen.setdefault(Notation.OUT_OF, text)
    values[~np.isfinite(values)] = math.nan
    return ParsedRatings(values, not_given, seen)


def find_offers(levels: FloatArray, counts: IntArray) -> list[Offer]:
    """Find ratings that may mean "seen, not rated" among increasing ``levels`` (n,) with their ``counts`` (n,)."""
    offers = []
    if len(levels) >= 3:
        for outer, inner, rest in ((0, 1, levels[1:]), (-1, -2, levels[:-1])):
            value = float(levels[outer])
            gap = abs(value - float(levels[inner]))
            why = _why_missing(value, gap, rest)
            if why:
                offers.append(Offer(value, int(counts[outer]), why))
    return offers


def _why_missing(value: float, gap: float, rest: FloatArray) -> str:
    """Why an outermost rating may be no rating; empty if nothing speaks for it."""
    lowest, highest = float(rest[0]), float(rest[-1])
    span = highest - lowest
    others = f"all other ratings are from {written(lowest)} to {written(highest)}"
    if len(rest) >= _MIN_REST and gap > max(span, 1.0) * 1.5:
        return f"it lies far from all other ratings, {written(lowest)} to {written(highest)}"
    if value == -1 and lowest >= 0 and highest > 1:
        return f"all other ratings are {written(lowest)} or more"
    if value == 0 and lowest >= 1 and span >= 2:
        return f"{others}, and 0 is often written for “not rated”"
    if value in (99, 999, -99, -999, 9999, -9999) and gap > 1:
        return f"it is often written for “not rated”, and {others}"
    return ""


def bin_ratings(values: FloatArray, n_bins: int) -> tuple[FloatArray, Note]:
    """Put values into equally wide levels 1 to ``n_bins``; return them, same shape, and a note that says so."""
    finite = values[np.isfinite(values)]
    lowest, highest = float(finite.min()), float(finite.max())
    width = (highest - lowest) / n_bins
    level = (
        np.clip(np.floor((values - lowest) / width + 1e-9) + 1, 1, n_bins)
        if width > 0
        else np.where(np.isfinite(values), 1.0, values)
    )
    edges = [written(float(f"{lowest + width * k:.4g}")) for k in range(n_bins + 1)]
    ranges = ", ".join(f"{k + 1} = {edges[k]} to {edges[k + 1]}" for k in range(min(n_bins, 12)))
    return level, note(Finding.BINNED, n_bins=n_bins, ranges=f"{ranges}{', …' if n_bins > 12 else ''}")
