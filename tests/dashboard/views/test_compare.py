"""The page Compare: what it puts beside the current view, and that removed data leave nothing behind."""

from dataclasses import replace

import numpy as np

from dashboard.compute import store
from dashboard.compute.bounded_store import kept, mentions
from dashboard.wording import plain
from tests.dashboard.views.conftest import charts, texts
from tests.interpret.test_side_by_side import audience


def test_another_number_of_stereotypes(page, cinema):
    app = page("compare", cinema, D=2)
    assert len(charts(app)) == 2
    assert "Only in the other view" in texts(app)
    assert "say the same" not in texts(app)


def test_another_seed_says_the_same(page, cinema):
    assert "The two views say the same" in texts(page("compare", cinema, D=3, against="seed"))


def test_a_part_of_the_audience_against_everyone_else(page):
    app = page("compare", audience("Horror"), D=2, against="part")
    text = plain(texts(app))
    assert "early (75 people)" in text
    assert "everyone else (75 people)" in text
    assert "Horror more" in text


def test_a_pinned_view_is_kept_while_the_sidebar_changes(page, cinema):
    app = page("compare", cinema, D=2, against="pinned")
    assert "Nothing is pinned yet" in texts(app)
    next(button for button in app.button if button.label == "Pin this view").click().run()
    assert "This view is pinned" in texts(app)
    app.slider(key="D").set_value(3).run()
    assert any(said in texts(app) for said in ("matched stereotypes", "say the same", "not all have a match"))


def test_removed_data_take_the_models_of_their_parts_along(page):
    dataset = audience("Horror", seed=7)
    app = page("compare", dataset, D=2, against="part")
    key = app.query_params["data"][0] if isinstance(app.query_params["data"], list) else app.query_params["data"]
    of_parts = [place for place, _ in kept.items("models") if mentions(place, [dataset.content_hash])]
    assert len(of_parts) == 2
    store.remove_own(key, "tester")
    for compartment in ("models", "results"):
        assert not [place for place, _ in kept.items(compartment) if mentions(place, [dataset.content_hash])]


def test_people_who_joined_before_and_since_a_date(page):
    dataset = audience("Horror")
    day = np.where(np.arange(150) < 75, 10_950, 11_400)  # the second half joins in March 2001
    days = (day[dataset.ratings.users] + dataset.ratings.items % 9).astype(np.int32)
    app = page("compare", replace(dataset, days=days), D=2, against="date", date="2001-01-01")
    text = plain(texts(app))
    assert "joined before 1 January 2001 (75 people)" in text
    assert "joined since 1 January 2001 (75 people)" in text
    assert "People join with their first rating." in text
    assert "Horror more" in text


def test_without_times_nobody_is_asked_for_a_date(page):
    app = page("compare", audience("Horror"), D=2)
    assert "date of joining" not in app.selectbox(key="against").options
