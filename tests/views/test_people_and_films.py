"""People, one's own taste, and films."""

from dataclasses import replace

import numpy as np
import pytest

from dashboard.figures.simplex import MOST_POINTS
from nnm_core import Ratings, Scale, fit, fold_in_user, preset
from nnm_core.datasets import Dataset, Labels
from nnm_core.meaning.distances import nearest_items, nearest_people
from tests.views.conftest import charts, make_dataset, texts


def test_a_person_up_close(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    app = page("people", cinema, person="person-007")
    row = model.user_index["person-007"]
    bar = charts(app)[1]["data"]
    assert [part["x"][0] for part in bar] == model.mixtures[row].tolist() or len(bar) == model.n_columns
    near = nearest_people(model, row, 8)
    assert list(app.dataframe[1].value["person"]) == list(near["person"])
    assert len(app.dataframe[0].value) == cinema.ratings.by_user.counts[row]


def test_neighbours_say_how_much_both_rated(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    rated = [set(cinema.ratings.items[cinema.ratings.users == user].tolist()) for user in range(model.n_users)]
    row = model.user_index["person-007"]
    near = page("people", cinema, person="person-007").dataframe[1].value
    assert list(near["both"]) == [len(rated[row] & rated[model.user_index[person]]) for person in near["person"]]
    film = model.item_index["film-30"]
    alike = page("films", cinema, film="film-30").dataframe[0].value
    both = [sum({film, cinema.titles.index(title)} <= part for part in rated) for title in alike["title"]]
    assert list(alike["both"]) == both


def test_searching_for_a_person(page, cinema):
    app = page("people", cinema, find="13")
    assert all("13" in option for option in app.selectbox(key="person").options)
    app = page("people", cinema, find="nobody at all")
    assert "Nobody has" in texts(app)


def test_people_can_be_coloured_by_a_trait(page, cinema):
    app = page("people", cinema, color="nearest stereotype")
    names = {trace.get("name") for trace in charts(app)[0]["data"]}
    assert {"the thrill seeker", "the romantic", "the parent"} <= names


def test_rare_values_of_a_trait_are_other_values_and_only_the_unknown_are_not_known(page):
    plain = make_dataset(n_tags=3)
    rows = np.arange(55)  # of the last five people nothing is known
    job = Labels.from_pairs(rows, rows % 12, [f"job {k}" for k in range(12)], 60)
    app = page("people", replace(plain, traits={"job": job}), color="job")
    groups = {trace["name"]: trace for trace in charts(app)[0]["data"] if trace.get("name")}
    assert groups["not known"]["customdata"] == [55, 56, 57, 58, 59]
    assert sorted(groups["other values"]["customdata"]) == [row for row in rows if row % 12 >= 8]
    colors = {groups[f"job {k}"]["marker"]["color"] for k in range(8)}
    corners = set(groups["stereotypes"]["marker"]["color"])
    assert len(colors) == 8
    assert not colors & corners


def test_many_people_are_a_density_and_it_says_so(page):
    crowd = make_dataset(n_users=MOST_POINTS + 1000, n_items=20)
    app = page("people", crowd)
    assert "too many for single points" in texts(app)
    assert charts(app)[0]["data"][0]["type"] == "heatmap"


def test_own_taste_is_the_fold_in_of_the_clicks(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    app = page("people", cinema, people="taste", **{"r-film-25": 4, "r-film-37": 0})
    expected = fold_in_user(model, {"film-25": 5.0, "film-37": 1.0})
    shown = [part["text"] for part in charts(app)[0]["data"]]
    assert shown == [f"{share:.0%}" if share >= 0.06 else "" for share in expected]
    assert "From 2 ratings" in texts(app)
    assert "What you would like, and why" in texts(app)


def test_any_film_can_be_searched_for_and_rated(page, cinema):
    counts = cinema.ratings.by_item.counts
    row = int(counts.argmin())
    app = page("people", cinema, people="taste")
    assert cinema.titles[row] not in [text.value.replace("\\", "") for text in app.markdown]
    app.text_input(key="rate").set_value(cinema.titles[row].lower()).run()
    assert not app.exception
    assert cinema.titles[row] in [text.value.replace("\\", "") for text in app.markdown]
    app.text_input(key="rate").set_value("no such film at all").run()
    assert "No film has" in texts(app)


def test_own_taste_without_clicks_is_the_average(page, cinema):
    app = page("people", cinema, people="taste")
    assert "The average person, so far" in texts(app)


def test_a_film_and_what_is_like_it(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    app = page("films", cinema, film="film-30")
    row = model.item_index["film-30"]
    bars = charts(app)[0]["data"][0]
    assert bars["text"] == [f"{value:.0%}" for value in model.likes[row, :3]]
    assert list(app.dataframe[0].value["title"]) == list(nearest_items(model, cinema, row, 8)["title"])


def test_searching_for_a_film(page, cinema):
    app = page("films", cinema, q="the LEDGER")
    options = app.selectbox(key="film").options
    assert any("Double Ledger" in option for option in options)
    assert "1 film with" in texts(app)


def test_stars_show_whole_distributions(page, cinema):
    app = page("films", cinema, film="film-30", mode="stars")
    lines = charts(app)[0]["data"]
    assert len(lines) == 3
    assert np.size(lines[0]["x"] if isinstance(lines[0]["x"], list) else 5) in (1, 5)


def test_a_film_that_is_not_among_the_best_known_stays_in_the_link(page, bundled):
    counts = bundled.ratings.by_item.counts
    obscure = bundled.ratings.item_ids[int(counts.argmin())]
    app = page("films", film=obscure)
    assert app.selectbox(key="film").value == obscure
    assert app.query_params["film"] in (obscure, [obscure])


def rated(app):
    """What the page of one's own taste made of the clicks, by the mixture that it shows."""
    return [part["text"] for part in charts(app)[0]["data"]]


def folded(dataset, given):
    mixture = fold_in_user(fit(dataset.ratings, preset("recommended")), given)
    return [f"{share:.0%}" if share >= 0.06 else "" for share in mixture]


def test_half_stars_can_be_given(page, bundled):
    app = page("people", people="taste", **{"r-356": 3})
    assert rated(app) == folded(bundled, {"356": 4.0})
    box = next(box for box in app.checkbox if box.label == "rather 3½")
    box.check().run()
    assert not app.exception
    assert rated(app) == folded(bundled, {"356": 3.5})
    assert rated(page("people", people="taste", **{"r-356": 0, "half-356": "true"})) == folded(bundled, {"356": 0.5})
    next(button for button in app.button if button.label == "Start over").click().run()
    assert "The average person, so far" in texts(app)


@pytest.mark.parametrize(
    ("scale", "offered", "given"),
    [
        (Scale(1, 10), 10, "7.0"),
        (Scale(-10, 10, 0), 11, "-4.0"),
        (Scale(-2, 2), 5, "-2.0"),
        (Scale(0, 100), 11, "30.0"),
        (Scale(0, 5), 6, "0.0"),
    ],
)
def test_other_scales_are_rated_in_their_own_numbers(page, scale, offered, given):
    rng = np.random.default_rng(5)
    users, items = np.nonzero(rng.random((40, 20)) < 0.5)
    values = scale.round(scale.lowest + scale.span * rng.random(len(users)))
    ids = [f"i{k}" for k in range(20)]
    ratings = Ratings.from_numbers(users, items, values, [f"p{k}" for k in range(40)], ids, scale=scale)
    dataset = Dataset("numbers", ratings, tuple(ids), Labels.none(20))
    app = page("people", dataset, people="taste", **{"r-i3": given})
    box = app.selectbox(key="r-i3")
    assert len(box.options) == offered
    assert all("-" not in option for option in box.options)
    assert rated(app) == folded(dataset, {"i3": float(given)})
    assert app.query_params["r-i3"] in (given, [given])
