"""The page People: the map of everybody, one person up close, and what colours and corners say."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dashboard.components import people
from dashboard.figures.people import MOST_POINTS
from nnm_core import fit, preset
from nnm_core.datasets import Labels
from nnm_core.interpret.audience import nearest_people
from nnm_core.interpret.text.portraits import stereotype_names
from nnm_core.interpret.traits import trait_shares
from tests.dashboard.views.conftest import charts, make_dataset, texts, type_in
from tests.fits import fitted


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


def test_a_trait_is_told_by_who_people_are_and_not_beyond(page, cinema):
    trait, labels = next(iter(cinema.traits.items()))
    model = fit(cinema.ratings, preset("recommended"))
    app = page("people", cinema, color=trait)
    found = trait_shares(model, labels)
    value, kind = found.clearest()
    assert f"**{found.shares[value, kind]:.0%}** are “{labels.names[value]}”" in texts(app)
    assert f"against {found.audience[value]:.0%} of the audience" in texts(app)


@pytest.mark.parametrize(
    ("tastes", "said"),
    [
        (np.eye(3), "**Everybody** is at least four fifths of one stereotype."),
        (np.full((3, 3), 1 / 3), "Nobody is at least four fifths of one stereotype: all are mixtures."),
        (
            np.array([[1, 0, 0], [0.5, 0.5, 0]]),
            "**50%** are at least four fifths of one stereotype; the others are mixtures.",
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


def test_recommendations_can_be_taken_away(bundled):
    model = fitted(bundled.ratings, preset("recommended"))
    names = stereotype_names(model, bundled)
    view = SimpleNamespace(model=model, dataset=bundled, names=names)
    seen = bundled.ratings.by_user.partners[bundled.ratings.by_user.of(4)]
    table = people.recommendations_table(view, model.mixtures[4], seen)
    assert len(table) == 100
    assert not {bundled.ratings.item_ids[row] for row in seen} & set(table["item"])
    assert table["expected"].is_monotonic_decreasing
    np.testing.assert_allclose(table[[f"from {name}" for name in names]].sum(axis=1).clip(0.5, 5), table["expected"])
