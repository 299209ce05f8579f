"""The page Films: one item up close, what is like it, and finding one by its title."""

from types import SimpleNamespace

import numpy as np
import pytest

from dashboard.components import items
from dashboard.components.common import widgets
from dashboard.wording import FILMS
from nnm_core import Ratings, Scale, fit, preset
from nnm_core.datasets import Dataset, Labels, load_dataset
from nnm_core.interpret.audience import nearest_items
from tests.dashboard.views.conftest import charts, texts, type_in


def test_what_is_typed_is_searched_for_in_all_titles(page, cinema):
    app = page("films", cinema, film="film-30")
    type_in(app, "film", "the")
    found = [row for row, title in enumerate(cinema.titles) if "the" in title.lower()]
    best_known = max(found, key=lambda row: cinema.ratings.by_item.counts[row])
    assert app.selectbox(key="film").value == cinema.ratings.item_ids[best_known]
    assert f"{len(found)} films with “the” in the title; the best match is shown" in texts(app)
    title = cinema.titles[found[-1]]
    type_in(app, "film", title.upper())
    assert app.selectbox(key="film").value == cinema.ratings.item_ids[found[-1]]
    type_in(app, "film", "nothing like it")
    assert not app.exception
    assert "There is no film with" in texts(app)


def test_an_exact_title_comes_first_whatever_its_word_order():
    titles = ("Matrix Reloaded, The (2003)", "Matrix, The (1999)")
    ratings = Ratings.from_arrays(list("abc"), ["i0", "i0", "i1"], [1, 2, 3], scale=Scale(1, 5))
    view = SimpleNamespace(dataset=Dataset("two", ratings, titles, Labels.none(2)))
    assert widgets.search_items(view, "the matrix") == [1, 0]
    assert widgets.search_items(view, "matri") == [0, 1]  # by renown
    assert widgets.search_items(view, "matrix nowhere") == []


@pytest.mark.parametrize(
    ("likes", "said"),
    [
        ([0.934, 0.676, 0.7], "Liked most by *A*, least by *B*: they are 25 points apart."),
        ([0.998, 0.9961, 0.5], "Liked most by *A* and *B*, least by *C*: they are 50 points apart."),
        ([0.5, 0.51, 0.49], "All stereotypes see it much alike."),
        ([0.5], ""),
    ],
)
def test_differences_are_those_of_the_numbers_shown(likes, said):
    view = SimpleNamespace(names=list("ABC"), words=FILMS)
    assert items.who_likes(np.array(likes), view) == said


def test_one_kind_of_taste_agrees_with_nobody(page, cinema):
    assert "All stereotypes" not in texts(page("films", cinema, D=1))


def test_where_nobody_rated_too_few_choices_are_not_called_ratings(page):
    lonely = load_dataset(b"user,item\nu1,i1\nu2,i2\n", filename="clicks.csv")[0]
    assert "No other item has enough choices to compare: at least 5 people in common." in texts(
        page("films", lonely, D=1)
    )


def test_stars_are_introduced_as_stars(page, cinema):
    text = texts(page("films", cinema, mode="stars"))
    assert "gives it which rating" in text
    assert "is to like it" not in text


def test_a_film_and_what_is_like_it(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    app = page("films", cinema, film="film-30")
    row = model.item_index["film-30"]
    bars = charts(app)[0]["data"][0]
    assert bars["text"] == [f"{value:.0%}" for value in model.likes[row, :3]]
    assert list(app.dataframe[0].value["title"]) == list(nearest_items(model, cinema, row, 8)["title"])


def test_stars_show_whole_distributions(page, cinema):
    app = page("films", cinema, film="film-30", mode="stars")
    bars = charts(app)[0]["data"]
    assert [trace["type"] for trace in bars] == ["bar"] * 3
    assert [sum(trace["y"]) for trace in bars] == pytest.approx([1, 1, 1])


def test_a_film_that_is_not_among_the_best_known_stays_in_the_link(page, bundled):
    counts = bundled.ratings.by_item.counts
    obscure = bundled.ratings.item_ids[int(counts.argmin())]
    app = page("films", film=obscure)
    assert app.selectbox(key="film").value == obscure
    assert app.query_params["film"] in (obscure, [obscure])
