"""Pieces of sentences: lists, shares, ratings, counts, and names from files."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from nnm_core.scale import Scale, written

LONGEST = 60  # characters of a tag or title that a sentence shows
_PLAIN = re.compile(r"[\w][\w '’/&+.-]*")
_ARTICLE = re.compile(r"^([^()]+), (The|A|An|Le|La|Les|Il|El|Der|Die|Das)((?: \([^)]*\))*)$")
_YEAR = re.compile(r"\s*\((\d{4})\)\s*$", re.ASCII)
_JOINED = re.compile(r"\b(and|or|more|less|than)\b", re.IGNORECASE)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return the text on one line, without unprintable characters, cut with an ellipsis where it is too long."""
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def quoted(text: str, longest: int = LONGEST) -> str:
    """Return the text in quotation marks, on one line."""
    return f"“{shortened(text, longest)}”"


def quoted_name(name: str) -> str:
    """Return a stereotype's name in quotation marks; quotation marks within it become single ones."""
    return quoted(name.replace("“", "‘").replace("”", "’"))


def tag_in_words(tag: str, longest: int = LONGEST) -> str:
    """Return a tag for use in a sentence, in quotation marks where it could be misread as part of the sentence."""
    line = shortened(tag, longest)
    return line if _PLAIN.fullmatch(line) and not _JOINED.search(line) else f"“{line}”"


def title_in_words(title: str) -> str:
    """Return a title on one line with its article in front: "The Matrix (1999)" for "Matrix, The (1999)"."""
    return shortened(_ARTICLE.sub(r"\2 \1\3", title, count=1))


def split_year(title: str) -> tuple[str, int | None]:
    """Return a title without the year in brackets at its end, and the year, if it has one: "Heat" and 1995."""
    found = _YEAR.search(title)
    return (title, None) if found is None else (title[: found.start()], int(found[1]))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names with a number behind each that occurred before: "a", "a (2)"."""
    result: dict[str, None] = {}
    for name in names:
        unique, number = name, 2
        while unique in result:
            unique, number = f"{name} ({number})", number + 1
        result[unique] = None
    return tuple(result)


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Join words to a list: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def some_of(names: Collection[str], n_shown: int = 8) -> str:
    """Name the first few columns or items in quotation marks, with how many there are if those are not all."""
    some = ", ".join(repr(_cut_inside(name)) for name in list(names)[:n_shown])
    return f"{some}{f', … ({len(names):,} in all)' if len(names) > n_shown else ''}"


def _cut_inside(name: str) -> str:
    """The name, without its middle if it is long: parts of a question differ at the end."""
    line = shortened(name, len(name) + 1)
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2].rstrip()}…{line[-LONGEST // 2 + 1 :].lstrip()}"


def percent(share: float) -> str:
    """Return a share in whole percent; "0%" and "100%" only where that is exact."""
    if 0 < share <= 0.005:  # 0.5 would be rounded to 0
        return "less than 1%"
    if 0.995 <= share < 1 - 1e-12:
        return "more than 99%"
    return f"{round(100 * share)}%"


def percent_down(share: float) -> str:
    """Return a share in whole percent, rounded down: what is said to be at least that much is."""
    return f"{math.floor(100 * share + 1e-9)}%"


def rating_in_words(rating: float, scale: Scale) -> str:
    """Return a rating, clipped to the scale, with as many decimals as a twentieth of the scale needs."""
    digits = max(0, math.ceil(math.log10(20 / scale.span)))
    return written(float(scale.clip(rating)), digits)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: "1 person", "671 people"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def as_text(value: Any) -> str:
    """Write a value without a ``.0`` that only its type added; empty for null and NaN."""
    if value is None or value != value:
        return ""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return f"{value:.0f}" if is_whole else str(value)
