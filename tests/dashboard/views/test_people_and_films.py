"""People, one's own taste, and films."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dashboard.components import items, people
from dashboard.components.common import widgets
from dashboard.figures.people import MOST_POINTS
from dashboard.wording import FILMS
from nnm_core import Ratings, Scale, fit, fold_in_user, preset
from nnm_core.datasets import Dataset, Labels, load_dataset
from nnm_core.interpret.audience import nearest_items, nearest_people, shares
from nnm_core.interpret.text.portraits import stereotype_names, write_portraits
from nnm_core.interpret.traits import trait_shares
from nnm_core.phrases import percent
from tests.dashboard.views.conftest import charts, make_dataset, texts, type_in


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
    app = page("people", cinema, person="person-007")
    assert not app.text_input  # there is one field to search in
    type_in(app, "person", "13")
    assert "13" in app.selectbox(key="person").value
    found = [name for name in cinema.ratings.user_ids if "13" in name]
    assert set(app.selectbox(key="person").options[: len(found)]) == set(found)
    assert f"{len(found)} people have “13” in their id; the closest is shown" in texts(app)
    type_in(app, "person", "Person-013")
    assert app.selectbox(key="person").value == "person-013"
    assert "One person has" in texts(app)
    type_in(app, "person", "nobody at all")
    assert app.selectbox(key="person").value is None
    assert "Nobody has" in texts(app)


def test_the_exact_id_comes_before_many_others_that_contain_it(page):
    crowd = make_dataset(n_users=700)
    app = page("people", crowd)
    type_in(app, "person", "P1")
    assert app.selectbox(key="person").value == "p1"


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


def test_two_or_three_of_many_stereotypes_can_be_the_corners(page, cinema):
    model = fit(cinema.ratings, preset("recommended", n_stereotypes=5))
    app = page("people", cinema, D=5, corners="1-3-4")
    free = model.mixtures[:, :5] / model.mixtures[:, :5].sum(axis=1, keepdims=True)
    inside = np.flatnonzero(free[:, [0, 2, 3]].sum(axis=1) >= 0.5)
    data = charts(app)[0]["data"]
    drawn = sorted(row for trace in data for row in trace.get("customdata", ()))
    assert drawn == inside.tolist()
    assert f"{len(inside):,} of {model.n_users:,} people" in texts(app)
    assert app.query_params["corners"] in ("1-3-4", ["1-3-4"])
    whole = charts(page("people", cinema, D=5))[0]["data"]
    assert whole[0]["type"] == "heatmap"
    assert len([row for trace in whole for row in trace.get("customdata", ())]) == model.n_users


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
        ([0.934, 0.676, 0.7], "*A* likes it most, *B* least: they are 25 points apart."),
        ([0.998, 0.9961, 0.5], "*A* and *B* like it most, *C* least: they are 50 points apart."),
        ([0.5, 0.51, 0.49], "All stereotypes see it much alike."),
        ([0.5], ""),
    ],
)
def test_differences_are_those_of_the_numbers_shown(likes, said):
    view = SimpleNamespace(names=list("ABC"), words=FILMS)
    assert items.who_likes(np.array(likes), view) == said


def test_the_average_person_is_the_audience_of_the_portraits(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    app = page("people", cinema, people="taste")
    shown = [part["text"] for part in charts(app)[0]["data"]]
    told = [portrait.share for portrait in write_portraits(model, cinema)]
    assert shown == [f"{share:.0%}" if share >= 0.06 else "" for share in told]


def test_a_trait_is_told_by_who_people_are_and_not_beyond(page, cinema):
    trait, labels = next(iter(cinema.traits.items()))
    model = fit(cinema.ratings, preset("recommended"))
    app = page("people", cinema, color=trait)
    found = trait_shares(model, labels)
    value, kind = found.clearest()
    assert f"**{found.shares[value, kind]:.0%}** are “{labels.names[value]}”" in texts(app)
    assert f"against {found.audience[value]:.0%} of the audience" in texts(app)


def test_one_kind_of_taste_agrees_with_nobody(page, cinema):
    assert "All stereotypes" not in texts(page("films", cinema, D=1))


def test_where_nobody_rated_too_few_choices_are_not_called_ratings(page):
    lonely = load_dataset(b"user,item\nu1,i1\nu2,i2\n", filename="clicks.csv")[0]
    assert "No other item has enough choices to compare: at least 5 people in common." in texts(
        page("films", lonely, D=1)
    )


def test_options_show_what_the_way_of_fitting_has(page, cinema):
    app = page("data", cinema, sweeps=30)
    assert app.selectbox(key="fill").placeholder == "wherever nothing is known"
    assert app.selectbox(key="generosity").placeholder == "yes"
    assert page("data", cinema, sweeps=30, fit="paper").selectbox(key="generosity").placeholder == "no"


def test_stars_are_introduced_as_stars(page, cinema):
    text = texts(page("films", cinema, mode="stars"))
    assert "gives it which rating" in text
    assert "is to like it" not in text


@pytest.mark.parametrize(
    ("tastes", "said"),
    [
        (np.eye(3), "**Everybody** is at least four fifths of a single kind."),
        (np.full((3, 3), 1 / 3), "Nobody is at least four fifths of a single kind: all are mixtures."),
        (
            np.array([[1, 0, 0], [0.5, 0.5, 0]]),
            "**50%** are at least four fifths of a single kind; the others are mixtures.",
        ),
    ],
)
def test_the_others_are_mentioned_only_where_there_are_some(monkeypatch, tastes, said):
    monkeypatch.setattr(people, "tastes_of", lambda _: tastes)
    view = SimpleNamespace(model=SimpleNamespace(n_stereotypes=3, n_users=3, n_fixed=0), names=list("abc"))
    assert said in people.describe_people(view)


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
    assert "What the average person would like" in texts(app)
    assert f"{percent(shares(fit(cinema.ratings, preset('recommended'))).max())} of the average person is" in texts(app)


def test_recommendations_can_be_taken_away(bundled):
    model = fit(bundled.ratings, preset("recommended"))
    names = stereotype_names(model, bundled)
    view = SimpleNamespace(model=model, dataset=bundled, names=names)
    seen = bundled.ratings.by_user.partners[bundled.ratings.by_user.of(4)]
    table = people.recommendations_table(view, model.mixtures[4], seen)
    assert len(table) == 100
    assert not {bundled.ratings.item_ids[row] for row in seen} & set(table["item"])
    assert table["expected"].is_monotonic_decreasing
    np.testing.assert_allclose(table[[f"from {name}" for name in names]].sum(axis=1).clip(0.5, 5), table["expected"])


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


def rated(app):
    """What the page of one's own taste made of the clicks, by the mixture that it shows."""
    return [part["text"] for part in charts(app)[0]["data"]]


def folded(dataset, given):
    mixture = fold_in_user(fit(dataset.ratings, preset("recommended")), given)
    return [f"{share:.0%}" if share >= 0.06 else "" for share in mixture]


def test_half_stars_can_be_given(page, bundled):
    app = page("people", people="taste", **{"r-356": 3})
    assert rated(app) == folded(bundled, {"356": 4.0})
    box = next(box for box in app.checkbox if box.label == "3½ instead")
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


def test_ratings_from_elsewhere_count_until_one_starts_over(page, bundled):
    rated = ("The Matrix", 1999, 5), ("Toy Story", 1995, 1.5), ("Heat", 1995, 4), ("Nowhere", 1990, 3)
    rows = "".join(f"2021-01-01,{name},{year},https://boxd.it/x,{value}\n" for name, year, value in rated)
    app = page("people", people="taste")
    average = [part["x"][0] for part in charts(app)[0]["data"]]
    (box,) = app.file_uploader
    box.set_value(("ratings.csv", ("Date,Name,Year,Letterboxd URI,Rating\n" + rows).encode(), "text/csv")).run()
    assert "**3 of 4 ratings** from Letterboxd" in texts(app)
    assert "From 3 ratings" in texts(app)
    model = fit(bundled.ratings, preset("recommended"))
    ids = dict(zip(bundled.titles, bundled.ratings.item_ids, strict=True))
    given = {ids["Matrix, The (1999)"]: 5.0, ids["Toy Story (1995)"]: 1.5, ids["Heat (1995)"]: 4.0}
    shown = [part["x"][0] for part in charts(app)[0]["data"]]
    assert sorted(shown) == pytest.approx(sorted(fold_in_user(model, given)), abs=1e-6)
    next(button for button in app.button if button.label == "Start over").click().run()
    assert [part["x"][0] for part in charts(app)[0]["data"]] == average
    app.file_uploader[0].set_value(("notes.csv", b"a,b\n1,2\n", "text/csv")).run()
    assert "This is no export of Letterboxd or IMDb" in app.error[0].value
