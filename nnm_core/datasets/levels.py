"""Rating levels: the distinct ratings of a column as numbers, what they may mean, and coarser ones on request."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core.datasets.report import Offer
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


@dataclass(frozen=True, slots=True)
class Levels:
    """The distinct ratings of a column.

    ``values`` (n,): as numbers, NaN where a text is none. ``not_given`` (n,): which texts say that there is no rating.
    ``notes``: in which way texts were understood that are not plain numbers.
    """

    values: FloatArray
    not_given: BoolArray
    notes: tuple[str, ...] = ()


def read_levels(texts: Sequence[str]) -> Levels:
    """Distinct rating texts as numbers: decimals with point or comma, percent, stars, "4/5", or a pair like up/down."""
    plain = _plain_numbers(texts)
    if plain is not None:
        return Levels(plain, np.zeros(len(texts), dtype=np.bool_))
    stripped = [text.strip().strip("\"'").strip() for text in texts]
    thumbs = _thumbs(stripped)
    not_given = np.array(
        [text.lower() in NOT_GIVEN and (thumbs is None or text != "-") for text in stripped], dtype=np.bool_
    )
    if thumbs is not None:
        values = np.array([thumbs.get(text.lower(), math.nan) for text in stripped])
        words = ", ".join(f"{text!r} = {value:g}" for text, value in thumbs.items())
        return Levels(values, not_given, (f"ratings are words and were read as {words}",))
    return _written_numbers(stripped, not_given)


def _plain_numbers(texts: Sequence[str]) -> FloatArray | None:
    """All texts as numbers, or None if a single one is not plainly a finite number."""
    try:
        values = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return values if np.isfinite(values).all() and not any("_" in text for text in texts) else None


def _thumbs(texts: Sequence[str]) -> dict[str, float] | None:
    """The pair of words that all given ratings are taken from, if there is one."""
    if len(texts) > MAX_LISTED:
        return None
    words = {text.lower() for text in texts}
    for pair in _THUMBS:
        given = words - (NOT_GIVEN - set(pair))
        if given and given <= set(pair) and (len(given) == 2 or not given & NOT_GIVEN):
            return pair
    return None


def _written_numbers(texts: Sequence[str], not_given: BoolArray) -> Levels:
    values = np.full(len(texts), math.nan)
    seen: dict[str, str] = {}
    commas = not any("." in text for text in texts)
    for k, text in enumerate(texts):
        if not_given[k]:
            continue
        if _NUMBER.fullmatch(text):
            values[k] = float(text)
        elif commas and _DECIMAL_COMMA.fullmatch(text):
            values[k] = float(text.replace(",", "."))
            seen.setdefault("decimal commas were read as decimal points", text)
        elif (match := _PERCENT.fullmatch(text)) is not None:
            values[k] = float(match[1].replace(",", "."))
            seen.setdefault("per cent signs were left out", text)
        elif _STARS.fullmatch(text):
            values[k] = float(sum(character in "★⭐" for character in text))
            seen.setdefault("stars were counted", text)
        elif (match := _OUT_OF.fullmatch(text)) is not None:
            values[k] = float(match[1])
            seen.setdefault("ratings written as “out of” were read as their first number", text)
    values[~np.isfinite(values)] = math.nan
    return Levels(values, not_given, tuple(f"{how} (for example {text!r})" for how, text in seen.items()))


def offers_among(levels: FloatArray, counts: IntArray) -> list[Offer]:
    """Ratings that may mean "seen, not rated", among distinct increasing ``levels`` (n,) with their ``counts`` (n,)."""
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


def binned(values: FloatArray, n_bins: int) -> tuple[FloatArray, str]:
    """Values put into ``n_bins`` equally wide levels 1 to ``n_bins``, same shape, and the sentence that says so."""
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
    return level, f"ratings were put into {n_bins} levels: {ranges}{', …' if n_bins > 12 else ''}"
