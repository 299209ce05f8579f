"""What stereotypes can be named after: phrases for tags, bands of years, and how well known items are."""

from dataclasses import replace

import numpy as np
import pytest

from nnm_core import Ratings
from nnm_core.datasets import Dataset, Labels
from nnm_core.interpret.themes import find_themes


def catalogue(titles, counts, tags=None):
    """A data set in which the first ``counts[k]`` people rated item k."""
    users = np.concatenate([np.arange(count) for count in counts])
    items = np.repeat(np.arange(len(counts)), counts)
    people, rows = [str(k) for k in range(max(counts))], [str(k) for k in range(len(counts))]
    ratings = Ratings.from_numbers(users, items, np.resize([1.0, 2, 3, 4, 5], len(users)), people, rows)
    labels = Labels.none(len(counts)) if tags is None else Labels.from_lists(dict(enumerate(tags)), len(counts))
    return Dataset("shop", ratings, tuple(titles), labels)


def members(themes, phrase):
    return np.flatnonzero(themes.labels.member[:, [themes.phrases.index(phrase)]].toarray().ravel()).tolist()


def test_the_bundled_films(bundled):
    themes = find_themes(bundled)
    by_tag = dict(zip(themes.labels.names, themes.phrases, strict=True))
    assert by_tag["Children"] == "family films"
    assert by_tag["Film-Noir"] == "film noir"
    assert by_tag["Sci-Fi"] == "science fiction"
    assert not themes.is_nameable[bundled.tags.names.index("IMAX")]
    # The other theme that no name rests on is a band of so few films that what is said of it seldom holds.
    left_out = [phrase for phrase, nameable in zip(themes.phrases, themes.is_nameable, strict=True) if not nameable]
    assert left_out == ["IMAX films", "blockbusters since 2000"]
    assert themes.phrases[len(bundled.tags.names) :] == (
        "well-known films", "little-known films", "classics before 1970", "films of the 1970s–80s", "films since 2000",
        "blockbusters since 2000",
    )  # fmt: skip
    ends = [title.strip()[-6:] for title in bundled.titles]
    years = np.array([int(end[1:5]) if end[0] == "(" and end[1:5].isdecimal() else 9999 for end in ends])
    assert members(themes, "classics before 1970") == np.flatnonzero(years < 1970).tolist()
    counts = bundled.ratings.by_item.counts
    best, least = members(themes, "well-known films"), members(themes, "little-known films")
    assert counts[best].min() >= np.delete(counts, best).max()
    assert counts[least].max() <= np.delete(counts, least).min()
    for rows in (best, least):
        assert counts[rows].sum() / counts.sum() == pytest.approx(0.3, abs=0.01)


def test_bands_of_years_follow_the_data():
    """An eighth of the ratings at most go to old items, two fifths at most to new ones."""
    titles = [f"Thing {k} ({1950 + k})" for k in range(60)]
    themes = find_themes(catalogue(titles, [10] * 60))
    assert members(themes, "items since 1990") == list(range(40, 60))  # 20 of 60 ratings; since 1985 it would be 25
    assert not [phrase for phrase in themes.phrases if "before" in phrase]  # before 1960 it would be 10 of 60
    late = find_themes(catalogue(titles, [1] * 40 + [40] * 20))
    assert members(late, "items before 1990") == list(range(40))  # 40 of 840 ratings
    assert members(late, "items since 2005") == list(range(55, 60))


def test_titles_without_years_have_no_bands():
    assert "years" in find_themes(catalogue(["a (1999)", "b (1970)", "c"], [4, 4, 4])).kinds
    assert "years" not in find_themes(catalogue(["a (1999)", "b", "c"], [4, 4, 4])).kinds


def test_tags_of_other_things_are_called_items():
    themes = find_themes(catalogue("abcd", [9, 8, 7, 6], [["vegan"], ["quick"], ["war, and peace"], ["paperback"]]))
    at = {name: row for row, name in enumerate(themes.labels.names)}
    assert themes.phrases[at["vegan"]] == "vegan items"
    assert themes.listed([at["vegan"], at["quick"]]) == "vegan and quick items"
    assert themes.listed([at["quick"], at["war, and peace"]], "or") == "quick or “war, and peace” items"
    assert "well-known items" in themes.phrases
    assert not themes.is_nameable[at["paperback"]]


def test_two_tags_never_share_a_phrase():
    dataset = catalogue("abcd", [9, 8, 7, 6], [["Children"], ["Family"], ["Horror"], ["Drama"]])
    themes = find_themes(replace(dataset, about_films=True))
    assert find_themes(dataset).phrases[0] == "Children items"
    assert themes.phrases[:4] == ("family films", "dramas", "Family films", "horror")


def test_what_few_ratings_are_of_is_not_common():
    themes = find_themes(catalogue("abc", [300, 300, 4], [["a"], ["a"], ["b"]]))
    assert themes.is_common[:2].tolist() == [True, False]
