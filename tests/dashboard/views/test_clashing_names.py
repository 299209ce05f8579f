"""Names from files and from people that are also names of ours: nothing fails, and nothing takes another's place."""

import io
from dataclasses import replace

import pandas as pd
import pytest

from dashboard import export
from dashboard.components.common import display
from nnm_core.interpret.hierarchy.inclusion import value_names
from nnm_core.phrases import distinct
from tests.dashboard.views.conftest import charts, make_dataset, texts


@pytest.fixture
def taken(monkeypatch):
    """What pages offer to take away: tables and pictures by their names."""
    tables, figures = {}, {}

    def take_away(page, offered, pictures, more=None):
        tables.update(offered)
        figures.update(pictures)

    monkeypatch.setattr(display, "offer_files", take_away)
    return tables, figures


def with_traits(*names):
    dataset = make_dataset(n_tags=6)
    (trait,) = dataset.traits.values()
    return replace(dataset, traits=dict.fromkeys(names, trait))


def test_names_that_occur_again_are_numbered():
    assert distinct(["a", "b", "a", "a", "a (2)"]) == ("a", "b", "a (2)", "a (3)", "a (2) (2)")


def test_a_trait_may_be_called_like_any_picture_of_the_data(page, taken):
    traits = ("Tags", "Ratings given", "Ratings per person")
    app = page("data", with_traits(*traits))
    assert len(charts(app)) == len(taken[1]) == 3 + 1 + len(traits)
    assert {"Tags", "Tags (2)", "Ratings given (2)", "Ratings per person (2)"} <= set(taken[1])
    assert r"**Tags \(2\)**: 2" in texts(app)


def test_a_stereotype_may_be_called_like_a_column_of_the_mixtures(page, cinema, taken):
    page("people", cinema, names="person~title~ratings")
    table = pd.read_csv(io.BytesIO(export.csv_bytes(taken[0]["Mixtures"]())))
    assert list(table.columns) == ["person", "person (2)", "title", "ratings", "Enthusiast", "Skeptic"]
    assert list(table["person"]) == list(cinema.ratings.user_ids)
    assert table["person (2)"].between(0, 1).all()


def test_no_column_about_films_takes_the_place_of_another(page, cinema, taken):
    page("films", cinema, names="stands out for A~A likes it~title")
    table = taken[0]["Films"]()
    assert table.shape[1] == 3 + 3 + 3
    assert {"stands out for A likes it", "stands out for A likes it (2)"} <= set(table.columns)
    export.csv_bytes(table)


def test_values_of_traits_that_read_alike_are_told_apart(page):
    dataset = make_dataset(n_tags=6)
    (side,) = dataset.traits.values()
    alike = replace(side, names=("side: one", "two"))
    app = page("hierarchy", replace(dataset, traits={"side": side, "again": side, "other": alike}), ordered="traits")
    assert not app.error
    assert value_names([("side", side), ("again", side), ("other", alike)]) == (
        "side: one", "side: two", "again: one", "again: two", "side: one (2)", "other: two",
    )  # fmt: skip


@pytest.mark.parametrize("trait", ["kind", "their largest part"])
def test_people_can_be_coloured_by_a_trait_of_any_name(page, trait):
    app = page("people", with_traits(trait))
    box = app.selectbox(key="color")
    assert len(set(box.options)) == 2
    box.select(box.options[1]).run()
    assert not app.exception
    assert {"one", "two"} <= {trace.get("name") for trace in charts(app)[0]["data"]}
    assert app.query_params["color"] in (trait, [trait])


def test_items_of_the_same_title_can_each_be_chosen(page):
    dataset = make_dataset()
    app = page("films", replace(dataset, titles=("Twin",) * len(dataset.titles)))
    box = app.selectbox(key="film")
    assert len(set(box.options)) == len(box.options)
    box.select(box.options[3]).run()
    assert app.selectbox(key="film").value == app.session_state["film"] != dataset.ratings.item_ids[0]
    assert app.query_params["film"] in (app.session_state["film"], [app.session_state["film"]])


def test_columns_that_read_alike_can_each_be_chosen(page):
    long = "x" * 80
    app = page("data", part="own")
    rows = "".join(f"{k % 9},{k % 7},{1 + k % 5},{k % 3},{k % 4}\n" for k in range(60))
    content = f"user,item,rating,{long}a,{long}b\n{rows}".encode()
    app.file_uploader[0].set_value(("alike.csv", content, "text/csv")).run()
    box = app.selectbox(key="map-rating")
    assert len(set(box.options)) == len(box.options)
    box.select(box.options[-1]).run()
    assert app.selectbox(key="map-rating").value == f"{long}b"
