"""How stereotypes split with D, and how their shares moved over the years."""

from dataclasses import replace

import numpy as np

from dashboard.compute import store
from dashboard.compute.bounded_store import kept
from dashboard.theme import LIGHT
from dashboard.wording import plain
from nnm_core import preset
from nnm_core.interpret.over_time import shares_over_time
from tests.dashboard.views.conftest import charts, texts
from tests.fits import fitted


def test_lineage_shows_the_neighbours(page, cinema):
    app = page("stereotypes", cinema, lineage="true")
    titles = [note["text"] for note in charts(app)[-1]["layout"]["annotations"]]
    assert {"<b>2 stereotypes</b>", "<b>3 stereotypes</b>", "<b>4 stereotypes</b>"} <= set(titles)


def test_lineage_that_was_cancelled_waits_to_be_asked_for(page, cinema):
    app = page("stereotypes", cinema, seed=77)
    near = store.neighbours(preset("recommended"))[0]
    kept.put("cancelled", ("tester", store.model_key(cinema, near, 77)), True)
    app.session_state["lineage"] = True
    app.run()
    assert not app.exception
    assert "This was cancelled" in texts(app)
    assert len(charts(app)) == 3
    next(button for button in app.button if button.label == "Fit them after all").click().run()
    assert len(charts(app)) == 4


def test_lineage_ends_where_no_more_kinds_can_be(monkeypatch):
    assert [each.n_stereotypes for each in store.neighbours(replace(preset("paper"), n_stereotypes=256))] == [255]
    assert [each.n_stereotypes for each in store.neighbours(replace(preset("paper"), n_stereotypes=1))] == [2]


def test_lineage_gives_a_name_one_colour(page):
    """In the bundled data one name is found with three stereotypes and with four."""
    chart = charts(page("stereotypes", lineage="true"))[-1]
    blocks = [trace for trace in chart["data"] if trace.get("hoveron") == "fills"]
    assert len(blocks) == 2 + 3 + 4
    names = [block["text"].split(":")[0] for block in blocks]
    shown = dict(zip(names[2:5], (block["fillcolor"] for block in blocks[2:5]), strict=True))
    assert list(shown.values()) == [LIGHT.color(k) for k in range(3)]
    again = [(name, block["fillcolor"]) for name, block in zip(names, blocks, strict=True) if name in shown]
    assert len(again) > 3
    assert all(shown[name] == color for name, color in again)


def test_shares_over_the_years_are_drawn_once_the_box_is_open(page, bundled, cinema):
    assert len(charts(page("stereotypes"))) == 3
    app = page("stereotypes", **{"over-time": "true"})
    *_, picture = charts(app)
    found = shares_over_time(fitted(bundled.ratings, preset("recommended")), bundled)
    lines = [trace for trace in picture["data"] if trace["mode"] == "lines+markers"]
    np.testing.assert_allclose([line["y"] for line in lines], found.shares.T)
    assert found.moved.any()
    assert found.in_words([line["name"] for line in lines]) in plain(texts(app))
    assert not [box for box in page("stereotypes", cinema).expander if "over the years" in box.label]


def test_shares_that_did_not_move_are_drawn_without_a_sentence(page, bundled):
    days = np.random.default_rng(0).permutation(bundled.days)
    app = page("stereotypes", replace(bundled, days=days), **{"over-time": "true"})
    assert len(charts(app)) == 4
    assert "of the people who rated" not in texts(app)
