"""What a stereotype can be named after: the tags of the items, the years in their titles, and how well known they are.

A tag becomes a phrase that reads well in a sentence: "family films" for the tag "Children". Tags that say how a film
is shown ("IMAX") or that say nothing ("unknown") are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.phrases import listed, split_year, tag_in_words
from nnm_core.types import BoolArray, IntArray

Kind = Literal["tag", "years", "known"]

_PHRASES = {
    "action": "action", "adventure": "adventure", "animation": "animation", "biography": "biographies",
    "children": "family films", "children's": "family films", "comedy": "comedies", "crime": "crime films",
    "documentary": "documentaries", "drama": "dramas", "family": "family films", "fantasy": "fantasy",
    "film-noir": "film noir", "history": "historical films", "horror": "horror", "music": "music films",
    "musical": "musicals", "mystery": "mysteries", "romance": "romances", "sci-fi": "science fiction",
    "science fiction": "science fiction", "sport": "sports films", "thriller": "thrillers", "war": "war films",
    "western": "westerns",
}  # fmt: skip
_LEFT_OUT = {
    "imax", "3d", "tv movie", "short", "blu-ray", "dvd", "vhs", "paperback", "hardcover", "ebook", "audiobook",
    "unknown", "other", "misc", "none", "n/a", "(no genres listed)",
}  # fmt: skip
_LONGEST = 28  # characters of a tag within a name
_COMMON = 0.01  # of the ratings must be of the items of a theme for a name to begin with it
_EARLIEST, _LATEST = 1800, 2100  # years between which items may have come out
_MOST_HAVE = 0.5  # of the ratings must be of items with a year for years to count
_OLD, _NEW = 1 / 8, 2 / 5  # the shares of the ratings that go to old and to new items at most
_FEWEST_ITEMS = 50  # of a band of years or of the best or least known: what is said of fewer seldom holds
_MIDDLE = 20  # years after the old items that form a band of their own
_BEST_KNOWN, _LITTLE_KNOWN = 0.3, 0.3  # the shares of the ratings that go to the best and to the least known items


@dataclass(frozen=True, slots=True, eq=False)
class Themes:
    """What a stereotype can be named after.

    ``labels``: which item has which theme, the data set's own tags first. ``phrases``: one per theme, for sentences.
    ``stems``: "vegan" for the phrase "vegan items"; empty for a phrase that has no noun to share with others.
    ``noun``: what items are called, "films" or "items".
    ``is_nameable`` (n_themes,): whether a theme says anything, which a format or a band of few items does not.
    ``is_common`` (n_themes,): whether enough ratings are of its items for a name to begin with it.
    """

    labels: Labels
    kinds: tuple[Kind, ...]
    phrases: tuple[str, ...]
    stems: tuple[str, ...]
    noun: str
    is_nameable: BoolArray
    is_common: BoolArray

    def listed(self, rows: Sequence[int], word: str = "and") -> str:
        """Return themes as a list: "horror and action", "vegan and quick items"."""
        if len(rows) > 1 and all(self.stems[row] for row in rows):
            return f"{listed([self.stems[row] for row in rows], word)} {self.noun}"
        return listed([self.phrases[row] for row in rows], word)


def find_themes(dataset: Dataset) -> Themes:
    """Find what the stereotypes of a data set can be named after.

    >>> find_themes(dataset).phrases[:3]
    ('comedies', 'family films', 'horror')
    """
    noun = "films" if dataset.about_films else "items"
    tags, ratings = dataset.tags, dataset.ratings
    bands = _bands(dataset, noun)
    added = np.array([band.member for band in bands], dtype=np.bool_).reshape(len(bands), ratings.n_items).T
    member = csr_array(hstack([tags.member, csr_array(added)], format="csr"), dtype=np.bool_)
    phrases = _tag_phrases(tags.names, noun)
    common = member.astype(np.float64).T @ ratings.by_item.counts >= _COMMON * len(ratings)
    says_something = [is_telling(tag) for tag in tags.names]
    kinds: list[Kind] = ["tag"] * len(tags.names)
    return Themes(
        Labels((*tags.names, *(band.phrase for band in bands)), member),
        (*kinds, *(band.kind for band in bands)),
        (*(phrase for phrase, _ in phrases), *(band.phrase for band in bands)),
        (*(stem for _, stem in phrases), *([""] * len(bands))),
        noun,
        np.array([*says_something, *(band.member.sum() >= _FEWEST_ITEMS for band in bands)], dtype=np.bool_),
        np.asarray(common, dtype=np.bool_),
    )


def is_telling(tag: str) -> bool:
    """Return whether a tag says something about items, unlike formats and names for nothing.

    >>> is_telling("Horror"), is_telling("IMAX")
    (True, False)
    """
    return tag.casefold() not in _LEFT_OUT


class _Band(NamedTuple):
    """A theme that is not a tag, and which items have it."""

    kind: Kind
    phrase: str
    member: BoolArray


def _bands(dataset: Dataset, noun: str) -> list[_Band]:
    """Return the themes that are not tags: bands of years, and how well known items are."""
    best, least = _best_and_least_known(dataset)
    hits = "blockbusters" if noun == "films" else f"well-known {noun}"
    bands = [_Band("known", f"well-known {noun}", best), _Band("known", f"little-known {noun}", least)]
    years = _years(dataset)
    cuts = _cuts(years, dataset)
    if cuts is not None:
        old, new = cuts
        before, since = (years > 0) & (years < old), (years >= new) & (new > old)
        middle = (years >= old) & (years < old + _MIDDLE) & (old + _MIDDLE <= new)
        bands += [
            _Band("years", f"{'classics' if noun == 'films' else noun} before {old}", before),
            _Band("years", f"{noun} of the {old}s–{(old + 10) % 100:02d}s", middle),
            _Band("years", f"{noun} since {new}", since),
            _Band("known", f"{hits} since {new}", best & since),
        ]
    return [band for band in bands if band.member.any()]


def _tag_phrases(tags: tuple[str, ...], noun: str) -> list[tuple[str, str]]:
    """Return the phrase of each tag and its stem; two tags never share a phrase."""
    phrases: list[tuple[str, str]] = []
    for tag in tags:
        phrase = (_PHRASES.get(tag.casefold(), "") if noun == "films" else "", "")
        word = tag_in_words(tag, _LONGEST)
        phrases.append(phrase if phrase[0] and phrase not in phrases else (f"{word} {noun}", word))
    return phrases


def _years(dataset: Dataset) -> IntArray:
    """Return the year at the end of each title, "Heat (1995)", or 0, (n_items,)."""
    years = [split_year(title)[1] or 0 for title in dataset.titles]
    return np.array([year if _EARLIEST <= year < _LATEST else 0 for year in years], dtype=np.int64)


def _cuts(years: IntArray, dataset: Dataset) -> tuple[int, int] | None:
    """Return the years before which items are old and since which they are new; None where few titles have years."""
    counts, total = dataset.ratings.by_item.counts, len(dataset.ratings)
    if counts[years > 0].sum() <= _MOST_HAVE * total:
        return None
    first, last = int(years[years > 0].min()), int(years.max())
    decades, halves = range(first - first % 10, last + 1, 10), range(first - first % 5, last + 6, 5)
    old = max(year for year in decades if counts[(years > 0) & (years < year)].sum() <= _OLD * total)
    new = min(year for year in halves if counts[years >= year].sum() <= _NEW * total)
    return old, new


def _best_and_least_known(dataset: Dataset) -> tuple[BoolArray, BoolArray]:
    """Return the most and the least rated items: those that get a little less than a third of the ratings each."""
    counts = dataset.ratings.by_item.counts
    order = np.argsort(-counts, kind="stable")
    share = np.cumsum(counts[order]) / len(dataset.ratings)
    best, least = np.zeros((2, len(counts)), dtype=np.bool_)
    best[order[share <= _BEST_KNOWN]] = True
    least[order[share > 1 - _LITTLE_KNOWN]] = True
    return best, least
