"""Words: what the items of a data set are called, and texts that came from somebody's file."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from html import escape

from nnm_core.datasets import Dataset
from nnm_core.option_table import OPTIONS
from nnm_core.options import PRESETS, FitOptions
from nnm_core.phrases import counted as counted
from nnm_core.phrases import shortened
from nnm_core.scale import Scale

NAME = "NNM Explorer"

_TITLES = {
    "bundled": "MovieLens small",
    "demo": "Invented cinema",
    "ml-100k": "MovieLens 100K",
    "ml-1m": "MovieLens 1M",
    "ml-10m": "MovieLens 10M",
    "ml-20m": "MovieLens 20M",
    "ml-25m": "MovieLens 25M",
    "ml-32m": "MovieLens 32M",
    "ml-latest-small": "MovieLens small, newer",
}

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$&^=@])")
_ESCAPED = re.compile(r"\\(.)|\*+")
_DIRECTIVE = re.compile(r":(?=[\w+\-])")
_ADDRESS = re.compile(r"(?i)(https?|ftp|www)(?=[:.])")
_INSIDE = re.compile(r"(?<=[-/‐–])(?=.)")
_OVERHANG = 2
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Words:
    """What one calls an item and a tag of a data set, and what people do with items: rate them, or only choose them."""

    item: str
    items: str
    tag: str
    tags: str
    like: str = "like"
    likes: str = "likes"
    rating: str = "rating"
    rated: str = "rated"


FILMS = Words("film", "films", "genre", "genres")
ITEMS = Words("item", "items", "tag", "tags")


def words_for(dataset: Dataset) -> Words:
    """Films and genres where the data are known to be about films, else items and tags."""
    words = FILMS if dataset.name == "demo" or "GroupLens" in dataset.licence else ITEMS
    return replace(words, like="choose", likes="chooses", rating="choice", rated="chose") if dataset.implicit else words


def title_of(key: str, name: str) -> str:
    """The one name of a data set for people: by its key, or for uploads that of the file."""
    return _TITLES.get(key, name)


def md(text: str, longest: int = 120) -> str:
    """A text from outside as Markdown that shows exactly this text, on one line, and never as a link."""
    plain = _ADDRESS.sub("\\1\u2060", _DIRECTIVE.sub(":\u2060", shortened(text, longest)))
    return _MARKDOWN.sub(r"\\\1", plain)


def plain(markdown: str) -> str:
    """Our own Markdown, of emphasis and escaped text, as the text that it shows."""
    return _ESCAPED.sub(lambda found: found[1] or "", markdown).replace("\u2060", "")


def message(text: str) -> str:
    """A message of the library, which may quote a file, as Markdown that shows exactly this text."""
    return "\n\n".join(md(line, 2000) for line in text.splitlines() if line.strip())


def label(text: str, longest: int = 26) -> str:
    """A text from outside as plotly shows it: never markup, and short enough for an axis."""
    return in_picture(shortened(text, longest))


def in_picture(text: str) -> str:
    """A text as plotly shows it: what looks like markup stays text, and a quotation mark is one."""
    return escape(text, quote=False)


def in_lines(text: str, width: int) -> list[str]:
    """The text in lines of about that many characters, broken at spaces, or behind slashes and hyphens of long words.

    No word is broken elsewhere: one that is much longer than a line is shortened.
    """
    lines: list[str] = []
    for word in text.split():
        pieces = [word] if len(word) <= width + _OVERHANG else _INSIDE.split(word)
        for k, piece in enumerate(pieces):
            joint = "" if k else " "
            if lines and len(lines[-1]) + len(joint) + len(piece) <= width:
                lines[-1] += joint + piece
            else:
                lines.append(piece if len(piece) <= width + _OVERHANG else shortened(piece, width))
    return lines


def number(count: int) -> str:
    """Small numbers as words."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else f"{count:,}"


def signed(points: float) -> str:
    """Whole points with their sign: "+3", "−3", "0"."""
    return f"{points:+.0f}".replace("-", "−") if round(points) else "0"


def a(noun: str) -> str:
    """ "a film", "an item"."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def unit_for(dataset: Dataset) -> str:
    """What a rating is counted in."""
    return "stars" if words_for(dataset).item == FILMS.item and dataset.ratings.scale.highest == 5 else "points"


def error_in_words(error: float, scale: Scale, more_digits: int = 0) -> str:
    """How far off something is, with as many decimals as a 200th of the scale needs, or more."""
    digits = max(0, math.ceil(math.log10(200 / scale.span))) + more_digits
    return f"{error:.{digits}f}"


def duration(seconds: float) -> str:
    """About how long something takes, for people: "about 4 s", "about 2 min"."""
    if seconds < 1:
        return "less than a second"
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"


_WAYS = {"recommended": "Recommended", "paper": "As in the paper", "accurate": "Accurate"}
_CHANGES = {option.name: option.phrase for option in OPTIONS if option.phrase}
"""An option that is not as the way of fitting has it, in words."""


def fit_in_words(options: FitOptions, seed: int) -> str:
    """What sets a fit apart, in a few words: "three kinds of taste, way of fitting “Recommended”, random start 0"."""

    def changes(way: str) -> list[str]:
        return [name for name in _CHANGES if getattr(options, name) != getattr(PRESETS[way], name)]

    ways = [way for way in _WAYS if PRESETS[way].method == options.method]
    way = min(ways, key=lambda way: len(changes(way)))
    kinds = f"{number(options.n_stereotypes)} kind{'s' if options.n_stereotypes > 1 else ''} of taste"
    changed = [_CHANGES[name].format(_value(getattr(options, name))) for name in changes(way)]
    with_changes = f" with {', '.join(changed)}" if changed else ""
    return f"{kinds}, way of fitting “{_WAYS[way]}”{with_changes}, random start {seed}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return f"{value[0]:,} people and {value[1]:,} items"
    return str(value) if isinstance(value, str) else f"{value:g}"
