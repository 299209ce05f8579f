"""What the items of a data set are called, numbers for people, and texts from files as Markdown."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import datetime

from nnm_core.datasets import Dataset
from nnm_core.errors import without_flags
from nnm_core.option_table import OPTIONS, Option
from nnm_core.options import PRESETS, FitOptions
from nnm_core.phrases import counted as counted
from nnm_core.phrases import shortened
from nnm_core.scale import Scale

NAME = "NNM Explorer"

_TITLES = {"bundled": "MovieLens small", "demo": "Invented cinema", "ml-latest-small": "MovieLens small, newer"} | {
    f"ml-{size}": f"MovieLens {size.upper()}" for size in ("100k", "1m", "10m", "20m", "25m", "32m")
}

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$&^=@])")
_ESCAPED = re.compile(r"\\(.)|\*+")
_DIRECTIVE = re.compile(r":(?=[\w+\-])")
_ADDRESS = re.compile(r"(?i)(https?|ftp|www)(?=[:.])")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Words:
    """What items and tags of a data set are called, and what people do with items: rate them, or only choose them."""

    item: str
    items: str
    tag: str
    tags: str
    like: str = "like"
    likes: str = "likes"
    liked: str = "liked"
    rating: str = "rating"
    rated: str = "rated"


FILMS = Words("film", "films", "genre", "genres")
ITEMS = Words("item", "items", "tag", "tags")


def words_for(dataset: Dataset) -> Words:
    """Return films and genres where the data are known to be about films, else items and tags."""
    words = FILMS if dataset.about_films else ITEMS
    if not dataset.implicit:
        return words
    return replace(words, like="choose", likes="chooses", liked="chosen", rating="choice", rated="chose")


def title_of(key: str, name: str) -> str:
    """Return the name of a data set for people: by its key, or for uploads that of the file."""
    return _TITLES.get(key, name)


def day(when: datetime) -> str:
    """Return the date of a time: "5 March 2026"."""
    return f"{when.day} {when:%B %Y}"


def md(text: str, longest: int = 120) -> str:
    """Return Markdown that shows exactly this text, on one line, and never as a link."""
    plain = _ADDRESS.sub("\\1\u2060", _DIRECTIVE.sub(":\u2060", shortened(text, longest)))
    return _MARKDOWN.sub(r"\\\1", plain)


def plain(markdown: str) -> str:
    """Return the text that our own Markdown, of emphasis and escaped text, shows."""
    return _ESCAPED.sub(lambda found: found[1] or "", markdown).replace("\u2060", "")


def message(text: str) -> str:
    """Return Markdown that shows this message of the library, which may quote a file.

    What to type in a command, "(--wide)", is left out: pages have fields for it.
    """
    return "\n\n".join(md(line, 2000) for line in without_flags(text).splitlines() if line.strip())


def number(count: int) -> str:
    """Return a number, small ones as words."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else f"{count:,}"


def no_taste(words: Words) -> str:
    """Say that held-out ratings do not bear out the stereotypes, as Markdown."""
    return (
        "**No taste found beyond chance.** Ratings that the model has not seen do not bear out what stereotypes add to "
        f"the average of each {words.item} and to how generous each person is. What follows may be chance."
    )


def stereotypes(count: int) -> str:
    """Return "one stereotype", "three stereotypes" and so on."""
    return f"{number(count)} stereotype{'s' if count > 1 else ''}"


def signed(points: float) -> str:
    """Return whole points with their sign: "+3", "−3", "0"."""
    return f"{points:+.0f}".replace("-", "−") if round(points) else "0"


def a(noun: str) -> str:
    """Return a noun with its article: "a film", "an item"."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def unit_for(dataset: Dataset) -> str:
    """Return what a rating is counted in."""
    return "stars" if words_for(dataset).item == FILMS.item and dataset.ratings.scale.highest == 5 else "points"


def error_in_words(error: float, scale: Scale, more_digits: int = 0) -> str:
    """Return an error with as many decimals as a 200th of the scale needs, or more."""
    digits = max(0, math.ceil(math.log10(200 / scale.span))) + more_digits
    return f"{error:.{digits}f}"


def duration(seconds: float) -> str:
    """Return about how long something takes: "about 4 s", "about 2 min"."""
    if seconds < 1:
        return "less than a second"
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"


_METHODS = {"recommended": "Recommended", "paper": "As in the paper", "accurate": "Accurate"}


def fit_in_words(options: FitOptions, seed: int) -> str:
    """Return what sets a fit apart: "three stereotypes, method “Recommended”, random seed 0"."""
    method, changes = nearest_preset(options)
    changed = [option.phrase.format(_value(getattr(options, option.name))) for option in changes]
    with_changes = f" with {', '.join(changed)}" if changed else ""
    return f"{stereotypes(options.n_stereotypes)}, method “{_METHODS[method]}”{with_changes}, random seed {seed}"


def nearest_preset(options: FitOptions) -> tuple[str, list[Option]]:
    """Return the preset of the same method from which the fewest options differ, and these options."""
    changes = {
        name: [one for one in OPTIONS if one.phrase and getattr(options, one.name) != getattr(PRESETS[name], one.name)]
        for name in _METHODS
        if PRESETS[name].method == options.method
    }
    nearest = min(changes, key=lambda name: len(changes[name]))
    return nearest, changes[nearest]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return f"{value[0]:,} people and {value[1]:,} items"
    return str(value) if isinstance(value, str) else f"{value:g}"
