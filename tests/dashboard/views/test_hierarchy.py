"""The hierarchy page: ε, focus, what was picked."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.state import SessionStateProxy

from dashboard.components.common import display
from nnm_core import fit, preset
from nnm_core.interpret.hierarchy.screening import (
    all_inclusive,
    count_overlap,
    screen_tags,
    screen_taste,
    screen_traits,
)
from nnm_core.interpret.towers import compute_towers
from nnm_core.phrases import percent
from tests.dashboard.views.conftest import HOSTILE, charts, texts
from tests.fits import fitted


@pytest.fixture(scope="module")
def model(bundled):
    return fitted(bundled.ratings, preset("recommended"))


@pytest.fixture(scope="module")
def hierarchy(model, bundled):
    """As in the paper."""
    return screen_tags(model, bundled.tags).hierarchy


@pytest.fixture(scope="module")
def by_taste(model, bundled):
    return screen_taste(compute_towers(model, bundled)).hierarchy


def test_the_sentence_counts_the_inclusions_at_epsilon(page, hierarchy):
    for epsilon, n_left in ((0.265, 19), (0.285, 16)):
        app = page("hierarchy", by="liking", eps=epsilon)
        order = hierarchy.at(epsilon)
        order = order.without(all_inclusive(order))
        assert f"there are {order.n_edges} inclusions among {n_left} genres" in texts(app)


def test_it_opens_by_taste_on_several_layers(page, by_taste):
    app = page("hierarchy")
    order = by_taste.at(app.slider(key="eps").value)
    assert order.layers.max() >= 3
    assert f"there are {order.n_edges} inclusions among {len(by_taste.tags)} genres" in texts(app)
    nodes = charts(app)[1]["data"][-1]
    assert len(nodes["customdata"]) == len(order.classes)
    assert len(set(nodes["x"])) >= 4
    assert "by" not in app.query_params
    assert "Western (168)" in texts(app)  # which is left out, and named
    assert "lean no more than chance" in texts(app)


def test_the_percentage_is_rounded_down(page, by_taste):
    for epsilon, percentage in ((0.301, 69), (0.305, 69), (0.31, 69), (0.3, 70), (0.105, 89)):
        app = page("hierarchy", eps=epsilon)
        assert f"**at least {percentage}%** of the taste" in texts(app)
        for broad, narrow in np.argwhere(by_taste.at(epsilon).includes):
            one, other = by_taste.vectors[narrow], by_taste.vectors[broad]
            assert np.minimum(one, other).sum() / one.sum() >= percentage / 100 - 1e-12


def test_one_click_shows_the_papers_figure(page):
    app = page("hierarchy", eps=0.2, without="IMAX")
    next(button for button in app.button if button.label == "Paper’s figure").click().run()
    assert not app.exception
    assert app.slider(key="D").value == 8
    assert app.slider(key="eps").value == 0.333
    assert app.multiselect(key="without").value == ["Film-Noir", "War"]
    text = texts(app)
    assert "At ε = 1/3" in text
    assert "**at least 66%**" in text
    assert "among 17 genres" in text  # also those that include everything
    assert app.query_params["by"] == "liking"


def test_a_third_is_on_the_slider_of_all_data(page, cinema, hostile, thousand_tags):
    for dataset, by in (
        (None, "taste"),
        (None, "liking"),
        (cinema, "taste"),
        (cinema, "liking"),
        (hostile, "liking"),
        (thousand_tags, "liking"),
    ):
        slider = page("hierarchy", dataset, by=by).slider(key="eps")
        assert slider.min <= 0.333 <= slider.max
        assert slider.step == 0.001


def test_tags_by_lot_are_not_ordered_by_taste(page, thousand_tags):
    app = page("hierarchy", thousand_tags)
    assert "Left out: 1,000 tags, toward which stereotypes lean no more than chance" in app.info[0].value
    assert "**As in the paper**" in app.info[0].value


def test_genres_that_include_everything_are_left_out_until_a_chip_brings_them_back(page, hierarchy):
    order = hierarchy.at(0.285)
    broadest = all_inclusive(order)
    assert set(broadest) == {"Documentary", "Film-Noir", "War"}
    app = page("hierarchy", by="liking", eps=0.285)
    assert not set(broadest) & set(charts(app)[1]["data"][-1]["customdata"])
    assert "among 16 genres" in texts(app)
    app.pills(key="inclusive").set_value("shown").run()
    assert "among 19 genres" in texts(app)
    assert app.query_params["inclusive"] == "shown"
    again = page("hierarchy", by="liking", eps=0.285, inclusive="shown")
    assert f"there are {order.n_edges} inclusions among 19 genres" in texts(again)


def test_a_chip_brings_back_what_was_left_out(page):
    app = page("hierarchy", without="IMAX")
    before = texts(app)
    next(button for button in app.button if button.label.startswith("IMAX")).click().run()
    assert app.multiselect(key="without").value == []
    assert "among 17 genres" in before
    assert "among 18 genres" in texts(app)
    assert "without" not in app.query_params


def test_another_comparison_opens_at_its_own_epsilon(page):
    app = page("hierarchy", eps=0.2)
    app.segmented_control(key="by").set_value("liking").run()
    assert app.slider(key="eps").value == page("hierarchy", by="liking").slider(key="eps").value
    assert "eps" not in app.query_params


def test_with_one_stereotype_nothing_leans_and_the_paper_is_still_there(page):
    app = page("hierarchy", D=1)
    assert "Fewer than two genres are left to compare" in app.info[0].value
    app.segmented_control(key="by").set_value("liking").run()
    assert not app.exception
    assert len(charts(app)) >= 2


def test_what_epsilon_promises_is_kept(hierarchy):
    """A stereotype drawn in proportion to its liking for the narrow genre likes the broad one as often as is said."""
    order = hierarchy.at(0.31)
    for broad, narrow in np.argwhere(order.includes):
        drawn = hierarchy.vectors[narrow] / hierarchy.vectors[narrow].sum()
        assert drawn @ hierarchy.vectors[broad] >= 0.69 - 1e-9


def test_stereotypes_that_carry_alike_are_named_together(page, hierarchy):
    text = texts(page("hierarchy", by="liking", node="War", inside="Film-Noir"))
    carried = np.sort(hierarchy.witness("War", "Film-Noir").carried)[::-1]
    alike = (carried > carried[0] - 0.02).sum()
    assert ("About equally large parts stay inside" if alike > 1 else "The largest part stays inside") in text
    assert "That **War is included in Film\\-Noir**" in text
    assert "⊆" not in text
    assert all(percent(part) in text for part in carried[:alike])


def test_traits_are_not_liked_or_drawn_to(page, cinema):
    text = texts(page("hierarchy", cinema, ordered="traits", by="liking"))
    assert "drawn to" not in text
    assert " like" not in text.replace("how likely", "")


def test_the_table_of_births_begins_with_what_is_included(page, hierarchy, monkeypatch):
    taken = {}
    monkeypatch.setattr(display, "offer_files", lambda _, tables, *rest: taken.update(tables))
    page("hierarchy", by="liking")
    table = taken["All births"]()
    assert table.columns[0] == "included genre"
    assert table.columns[1:].tolist() == [f"in {tag}" for tag in hierarchy.tags]
    row = table.set_index("included genre").loc["War"]
    assert row["in Film-Noir"] == hierarchy.witness("War", "Film-Noir").birth
    assert np.isnan(row["in War"])  # what a genre loses to itself says nothing about inclusion


def test_epsilon_moves_the_graph(page):
    app = page("hierarchy", eps=0.21)
    before = charts(app)[1]
    app.slider(key="eps").set_value(0.26).run()
    assert not app.exception
    assert charts(app)[1] != before


def test_an_inclusion_shows_its_birth(page, hierarchy):
    app = page("hierarchy", by="liking", node="War", inside="Film-Noir")
    witness = hierarchy.witness("War", "Film-Noir")
    first = np.ceil(1000 * witness.birth) / 1000  # where the slider first shows it
    assert f"**ε = {first:.3f}**" in texts(app)
    bars = charts(app)[2]["data"]
    assert len(bars) == 2


def test_tags_can_be_left_out(page):
    app = page("hierarchy", without="IMAX")
    assert "among 17 genres" in texts(app)
    assert "among 18 genres" in texts(page("hierarchy", by="liking", eps=0.265, without="IMAX", inclusive="shown"))


def test_a_thousand_tags_are_shown_around_one(page, thousand_tags):
    app = page("hierarchy", thousand_tags, by="liking")
    assert "a whole picture is a tangle" in texts(app)
    nodes = charts(app)[1]["data"][-1]
    assert len(nodes["customdata"]) <= 61


def test_traits_can_be_ordered(page, ml_100k):
    app = page("hierarchy", ml_100k, ordered="traits", D=8)
    assert "Hierarchy of traits of people" in texts(app)
    assert "One trait is" in texts(app)
    assert "lean toward" in texts(app)


def test_traits_of_few_people_are_named_and_not_drawn(page, ml_100k):
    app = page("hierarchy", ml_100k, ordered="traits", by="liking", eps=0.36)
    text = texts(app)
    assert "This compares **stereotypes, not persons**" in text
    assert "everybody" not in text
    assert "with fewer than 20 people: doctor (7)" in text
    assert "homemaker (7)" in text
    assert not {"doctor", "homemaker"} & set(charts(app)[1]["data"][-1]["customdata"])


def test_what_counting_people_contradicts_is_said(page, ml_100k):
    order = screen_traits(fit(ml_100k.ratings, preset("recommended")), ml_100k.traits.items()).hierarchy.at(0.36)
    (narrow, broad) = ("librarian", "male")
    assert broad in order.including(narrow)
    text = texts(page("hierarchy", ml_100k, ordered="traits", by="liking", eps=0.36, node=narrow, inside=broad))
    people = pd.DataFrame({trait: labels.member.argmax(axis=1) for trait, labels in ml_100k.traits.items()})
    has = people["occupation"] == ml_100k.traits["occupation"].names.index(narrow)
    both = has & (people["gender"] == ml_100k.traits["gender"].names.index(broad))
    rate = (people["gender"] == ml_100k.traits["gender"].names.index(broad)).mean()
    assert f"librarian in male ({both.sum()} of {has.sum()}; of all {rate:.0%})" in text
    assert f"Among the persons themselves, {both.sum()} of {has.sum()} people" in text


def test_without_tags_it_says_what_to_do(page, without_tags):
    assert "Data" in page("hierarchy", without_tags).info[0].value


def test_the_barcode_has_every_birth(page, hierarchy):
    app = page("hierarchy", by="liking")
    strokes = charts(app)[0]["data"][0]
    assert len(strokes["y"] if isinstance(strokes["y"], list) else np.zeros(3 * 19 * 18)) == 3 * 19 * 18


def test_the_first_picture_has_levels_and_hardly_a_square(page, bundled):
    for name in ("recommended", "paper"):
        nodes = charts(page("hierarchy", fit=name, by="liking"))[1]["data"][-1]
        squares = [
            tag
            for tag, symbol in zip(nodes["customdata"], nodes["marker"]["symbol"], strict=True)
            if symbol == "square"
        ]
        assert len(nodes["customdata"]) >= 16  # three include everything and are left out
        assert len(squares) <= 1


def test_it_says_when_the_order_is_one_of_being_liked(page, hierarchy, cinema):
    text = texts(page("hierarchy", by="liking"))
    best = [hierarchy.tags[row] for row in np.argsort(-hierarchy.vectors.mean(axis=1))[:3]]
    assert "mostly an order of how well liked the genres are" in text
    assert f"explains {percent(hierarchy.share_of_the_broad())} of where inclusions begin" in text
    assert "in this order: " + ", ".join(best).replace("-", "\\-") in text
    assert "Mostly this is an order" not in texts(page("hierarchy"))  # by taste
    assert "Mostly this is an order" not in texts(page("hierarchy", cinema, by="liking"))  # there it is one of taste


def test_epsilon_is_the_telling_one_of_what_is_shown_until_somebody_moves_it(page):
    app = page("hierarchy")
    app.slider(key="D").set_value(4).run()
    assert app.slider(key="eps").value == page("hierarchy", D=4).slider(key="eps").value
    assert "eps" not in app.query_params
    moved = round(app.slider(key="eps").value + 0.004, 3)
    app.slider(key="eps").set_value(moved).run()
    app.slider(key="D").set_value(3).run()
    assert app.slider(key="eps").value == moved
    assert "".join(app.query_params["eps"]) == f"{moved:.3f}"


def test_the_report_shows_the_hierarchy_as_it_was_looked_at(page_at, hierarchy, monkeypatch):
    made = {}
    monkeypatch.setattr(display, "download_button", lambda label, make, *_, **__: made.update({label: make}))
    app = page_at("export", {})
    app.session_state["without"], app.session_state["eps"] = ["IMAX"], 0.265
    app.session_state["by"], app.session_state["inclusive"] = "liking", "shown"
    app.session_state["every"], app.session_state["node"] = True, "Drama"
    app.run()
    assert not app.exception
    report = made["Report (HTML)"]()
    n_edges = hierarchy.without(["IMAX"]).at(0.265).n_edges
    assert f"At ε = 0.265 there are {n_edges} inclusions among 18 genres" in report
    assert "Left out: IMAX." in report
    assert "IMAX ⊆" not in report
    assert re.search(r"(?:<|\\u003c)b(?:>|\\u003e)[^,]*Drama", report)  # what was picked stands out


def test_choices_are_written_only_when_they_change(page, monkeypatch):
    """A select box that is set in every run takes back what somebody did to it in the meantime."""
    written = []
    app = page("hierarchy", node="War", without="IMAX")
    plain = SessionStateProxy.__setitem__
    monkeypatch.setattr(
        SessionStateProxy, "__setitem__", lambda proxy, key, value: written.append(key) or plain(proxy, key, value)
    )
    app.run()
    assert not app.exception
    assert not {"node", "inside", "ordered", "without"} & set(written)
    app.selectbox(key="node").set_value("Drama").run()
    assert app.selectbox(key="node").value == "Drama"
    assert app.query_params["node"] == "Drama"
    app.multiselect(key="without").set_value(["Drama"]).run()  # what is left out can no longer be looked at
    assert app.selectbox(key="node").value is None
    assert "node" not in app.query_params


def test_arrows_between_traits_come_with_what_counting_persons_says(page, ml_100k, monkeypatch):
    files = {}
    monkeypatch.setattr(display, "offer_files", lambda _, tables, figures, more: files.update(more))
    page("hierarchy", ml_100k, ordered="traits", by="liking", eps=0.36)
    table = pd.read_csv(io.BytesIO(files["Arrows (CSV)"][0]())).set_index(["included", "includes"])
    line = table.loc[("librarian", "male")]
    found = count_overlap(ml_100k.traits.items()).of("librarian", "male")
    assert (line["people with both"], line["people with the included one"]) == found


def test_arrows_come_as_csv_that_no_spreadsheet_runs(page, hostile, monkeypatch):
    files = {}
    monkeypatch.setattr(display, "offer_files", lambda _, tables, figures, more: files.update(more))
    page("hierarchy", hostile, by="liking", eps=0.5, inclusive="shown")
    content, _, _ = files["Arrows (CSV)"]
    written = content()
    assert written.startswith(b"\xef\xbb\xbf")
    table = pd.read_csv(io.BytesIO(written), dtype=str, keep_default_na=False)
    assert set(table["includes"]) | set(table["included"]) >= {"'" + name for name in HOSTILE if name[0] in "=%"}
    assert not any(name.startswith(("=", "%")) for column in ("includes", "included") for name in table[column])
    assert all(len(birth.partition(".")[2]) <= 4 for birth in table["birth"])
