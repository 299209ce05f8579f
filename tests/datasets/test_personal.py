"""Exports of one person's ratings, matched with films by title and year."""

import pytest

from nnm_core.datasets.personal import match_personal_export
from nnm_core.errors import DataError

LETTERBOXD = "Date,Name,Year,Letterboxd URI,Rating\n"
IMDB = "Const,Your Rating,Date Rated,Title,Original Title,URL,Title Type,IMDb Rating,Runtime (mins),Year\n"


def letterboxd(*rows):
    return LETTERBOXD + "".join(f'2021-01-01,"{name}",{year},https://boxd.it/x,{value}\n' for name, year, value in rows)


@pytest.mark.parametrize(
    ("name", "year", "title"),
    [
        ("The Matrix", 1999, "Matrix, The (1999)"),
        ("Amélie", 2001, "Amelie (Fabuleux destin d'Amélie Poulain, Le) (2001)"),
        ("Léon: The Professional", 1994, "Léon: The Professional (a.k.a. The Professional) (Léon) (1994)"),
        ("WALL·E", 2008, "WALL·E (2008)"),
        ("Se7en", 1995, "Seven (a.k.a. Se7en) (1995)"),
        ("Pulp Fiction", 1995, "Pulp Fiction (1994)"),  # a year off
    ],
)
def test_titles_are_written_in_many_ways(bundled, name, year, title):
    found = match_personal_export(letterboxd((name, year, 4.5)).encode(), bundled)
    assert {bundled.titles[bundled.ratings.item_index[item]]: value for item, value in found.ratings.items()} == {
        title: 4.5
    }


def test_another_film_of_the_same_name_is_not_taken(bundled):
    assert match_personal_export(letterboxd(("Hamlet", 1911, 4)).encode(), bundled).ratings == {}
    both = match_personal_export(letterboxd(("Hamlet", 1996, 4), ("Hamlet", 2000, 2)).encode(), bundled).ratings
    assert len(both) == 2


def test_ratings_move_to_the_scale_of_the_data(bundled):
    rows = "".join(f'tt{k},{k},2021-01-01,"Toy Story",Toy Story,https://x,Movie,8.3,81,1995\n' for k in (7,))
    found = match_personal_export((IMDB + rows).encode(), bundled)
    assert (found.service, list(found.ratings.values()), found.n_given) == ("IMDb", [3.5], 1)


def test_what_is_not_rated_or_not_known_does_not_count(bundled):
    rows = [("Toy Story", 1995, ""), ("Toy Story", "", 4), ("No Such Film Anywhere", 1995, 4), ("Heat", 1995, 3)]
    found = match_personal_export(letterboxd(*rows).encode(), bundled)
    assert (list(found.ratings.values()), found.n_given) == ([3.0], 2)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\x00", b"a,b\n1,2\n", "Name,Year\nx,1\n".encode("utf-16")])
def test_other_files_are_refused_in_words(bundled, content):
    with pytest.raises(DataError, match=r"Letterboxd|no table"):
        match_personal_export(content, bundled)
