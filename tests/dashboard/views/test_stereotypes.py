"""The first page: towers, words, evidence, names."""

import io
import re
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard.components import towers
from dashboard.components.common import display
from dashboard.compute import jobs, store
from dashboard.export import csv_bytes
from dashboard.wording import plain
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import invented_report
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.interpret.compare import measure_stability, refits
from nnm_core.interpret.towers import compute_towers, tag_vectors
from tests.dashboard.views.conftest import charts, make_dataset, texts
from tests.fits import fitted


def names(app) -> list[str]:
    """What the stereotypes are called above their towers."""
    return [part.value.splitlines()[0].removeprefix("## ") for part in app.markdown if part.value.startswith("## ")]


def test_it_opens_with_a_sentence_and_the_towers_of_the_bundled_data(page, bundled):
    app = page("stereotypes")
    opening = app.markdown[0].value
    assert "**671 people** rated **9,066 films**" in opening
    assert "**Three stereotypes**" in opening
    bars = compute_towers(fitted(bundled.ratings, preset("recommended")), bundled)
    shown = charts(app)
    assert len(shown) == 3
    for stereotype, chart in enumerate(shown):
        tower = chart["data"][0]
        expected = {tag: bars.relative[row, stereotype] for row, tag in enumerate(bars.tags)}
        assert len(tower["customdata"]) == bars.is_supported.sum()
        for tag, text in zip(tower["customdata"], tower["text"], strict=True):
            assert float(text.replace("−", "-")) == pytest.approx(100 * expected[tag], abs=0.51)


def test_towers_of_items_say_what_a_tick_is(page, without_tags):
    assert "a grey tick is the whole audience" in texts(page("stereotypes", without_tags))


def test_every_further_option_says_what_it_changes(page):
    for way in ("recommended", "accurate"):
        app = page("data", fit=way, sweeps=40)  # one that is set is shown, with all others
        options = [box for box in (*app.sidebar.number_input, *app.sidebar.selectbox) if box.key != "data"]
        assert len(options) >= 7
        for option in options:
            assert len(option.help) > 20, option.label


def test_the_link_sets_the_number_of_stereotypes_and_the_preset(page):
    app = page("stereotypes", D=4, fit="paper")
    assert len(charts(app)) == 4
    assert app.selectbox(key="fit").value == "paper"
    assert not any("Enthusiast" in caption.value for caption in app.caption)


def test_moving_the_slider_refits(page):
    app = page("stereotypes")
    app.slider(key="D").set_value(2).run()
    assert not app.exception
    assert len(charts(app)) == 2


def test_the_evidence_names_the_items_of_a_tag(page, cinema):
    app = page("stereotypes", cinema, tag="Horror", of=2, behind="true")
    table = app.dataframe[0].value
    row = cinema.tags.names.index("Horror")
    horror = {title for title, has in zip(cinema.titles, cinema.tags.member[:, [row]].toarray(), strict=True) if has}
    assert set(table["title"]) == horror
    assert f"It rests on {len(horror)} items" in texts(app) or f"It rests on {len(horror)} films" in texts(app)


def test_renaming_goes_everywhere_and_into_the_link(page, cinema):
    app = page("stereotypes", cinema)
    assert not app.text_input
    app.button(key="name-0").click().run()
    app.text_input[0].set_value("Night <owls>").run()
    assert not app.exception
    assert names(app)[0] == "Night \\<owls\\>"
    assert "".join(app.query_params["names"]) == "Night <owls>~~"


def test_names_in_the_link_are_shown(page, cinema):
    app = page("stereotypes", cinema, names="First~~Third")
    assert names(app)[::2] == ["First", "Third"]


def test_a_name_that_is_taken_is_refused(page, cinema):
    app = page("stereotypes", cinema, names="First~Second~Third")
    app.button(key="name-1").click().run()
    app.text_input[0].set_value("first").run()
    assert names(app) == ["First", "Second", "Third"]


def test_one_can_leave_a_name_as_it_is(page, cinema):
    app = page("stereotypes", cinema, names="First~Second~Third")
    app.button(key="name-1").click().run()
    assert app.button(key="name-1").label == "Save"
    app.button(key="name-1").click().run()
    assert not app.text_input
    assert names(app) == ["First", "Second", "Third"]


def test_bands_come_from_other_starts(page, cinema):
    app = page("stereotypes", cinema, sure="true")
    for _ in range(200):
        if "Found again" in texts(app):
            break
        app.run()
    assert "Found again in" in texts(app)
    assert charts(app)[0]["data"][0]["error_x"]["type"] == "data"
    assert "spans where it ends in all six fits" in texts(app)
    assert "a bar is full only if they agree on it" in texts(app)
    for chart in charts(app)[:3]:
        bars = chart["data"][0]
        ends = zip(bars["x"], bars["error_x"]["arrayminus"], bars["error_x"]["array"], strict=True)
        sides = [(end - minus > 0) or (end + plus < 0) for end, minus, plus in ends]
        full = ["rgba" not in color for color in bars["marker"]["color"]]
        assert any(full)
        assert all(side for side, is_full in zip(sides, full, strict=True) if is_full)
    assert "agree on it" not in texts(page("stereotypes", cinema))


def test_a_full_bar_leans_as_the_taste_does(page, bundled, monkeypatch):
    taken = {}
    monkeypatch.setattr(display, "offer_files", lambda _, tables, *rest: taken.update(tables))
    full, leaning_away = 0, []
    for k in range(5):
        tower = charts(page("stereotypes", D=5, of=k + 1))[1]
        table, bars = taken["Towers"]().iloc[k::5].set_index("tag"), tower["data"][0]
        for tag, color in zip(bars["customdata"], bars["marker"]["color"], strict=True):
            clear, taste, more = table.loc[tag, ["clear", "taste (damped)", "more than the audience (damped)"]]
            assert ("rgba" not in color) == (clear and taste * more > 0)
            full += "rgba" not in color
            leaning_away += [(k + 1, tag)] if clear and taste < 0 and more > 0.005 else []
    assert full > 10
    of, tag = leaning_away[0]
    text = texts(page("stereotypes", D=5, of=of, tag=tag, behind="true"))
    assert "but it likes everything more, and apart from that this less than other things" in text


def test_a_difference_that_comes_from_liking_everything_less_is_told_as_that(page, bundled):
    bars = compute_towers(fitted(bundled.ratings, preset("recommended")), bundled)
    k = int(bars.leanings.argmin())
    lean = round(-100 * bars.leanings[k])
    assert lean >= 3
    candidates = np.flatnonzero(~bars.is_clear[:, k] & (bars.relative[:, k] < -0.02) & bars.is_supported)
    text = texts(page("stereotypes", of=k + 1, tag=bars.tags[candidates[0]], behind="true"))
    assert f"but it likes everything about {lean} points less; what is left could be chance" in text


def test_what_other_fits_say_is_told_behind_a_bar(page, bundled):
    model = fitted(bundled.ratings, preset("recommended"))
    bars, found = compute_towers(model, bundled), measure_stability(refits(bundled.ratings, model, 5), bundled)
    row, k = np.argwhere(bars.is_reliable & ~found.is_firm & (np.abs(bars.relative) > 0.01))[0].tolist()
    link = {"of": k + 1, "tag": bars.tags[row], "behind": "true"}
    assert "do not agree on it" not in texts(page("stereotypes", **link))
    app = page("stereotypes", sure="true", **link)
    for _ in range(200):
        if "Found again" in texts(app):
            break
        app.run()
    assert "which is more than chance, but fits from other random starts do not agree on it" in texts(app)


def test_tags_stand_in_the_order_in_which_the_bars_differ(page):
    app = page("stereotypes")
    bars = np.array([chart["data"][0]["x"] for chart in charts(app)])
    assert (np.diff(np.ptp(bars, axis=0)) <= 1e-12).all()


def test_one_kind_of_taste_is_compared_with_nobody(page):
    app = page("stereotypes", D=1)
    assert names(app) == ["Common taste"]
    assert not [box for box in app.selectbox if box.label == "Sorted by"]
    assert [box.key for box in app.toggle] == ["alike"]  # and nothing that compares fits
    bars = charts(app)[0]["data"][0]
    assert all("rgba" not in color for color in bars["marker"]["color"])
    assert (np.diff(bars["x"]) <= 0).all()  # what is liked most comes first
    assert "move **Stereotypes (D)** to 2" in texts(app)
    assert "Pale bars" not in texts(app)


def test_shares_and_habits_make_up_the_audience(page):
    text = texts(page("stereotypes"))
    told = re.search(r"Taste makes up (\d+)% of the audience; the rest is habit: (\d+)% \*Enthusiast\*, who gives "
                     r"everything 5\.0 and (\d+)% \*Skeptic\*, who gives everything 0\.5\.", text)  # fmt: skip
    assert told
    taste, *habits = map(int, told.groups())
    assert abs(taste + sum(habits) - 100) <= 1
    assert f"The other {100 - taste}% of the audience is habit" in text


def test_somebody_elses_data_are_not_shown(page_at, cinema):
    key, _ = store.keep_own(cinema, invented_report(cinema), "somebody else")
    app = page_at("stereotypes", {"data": key})
    assert "shown to nobody else" in app.warning[0].value
    assert "671 people" in texts(app)


def test_a_slider_leaves_behind_no_fit_that_it_has_passed(page, cinema, monkeypatch):
    """Every step of the slider asks for a fit, and only the last is wanted."""
    gate = threading.Event()

    def endless(ratings, options, *, callback, **_):
        while not gate.wait(0.01):
            callback(SimpleNamespace(number=1, share=0.5))
        return fit(ratings, options)

    app = page("stereotypes", cinema, D=2, seed=77)
    monkeypatch.setattr(store, "fit", endless)
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    for step in (5, 6, 7):
        app.slider(key="D").set_value(step).run()
    options = app.session_state["state"].spec.options
    *passed, last = (jobs.find(store.model_key(cinema, replace(options, n_stereotypes=n), 77)) for n in (5, 6, 7))
    assert all(job.wait(20) for job in passed)
    assert [job.state for job in passed] == ["cancelled", "cancelled"]
    assert not last.is_finished
    gate.set()
    assert last.wait(60)
    assert last.state == "done"


def test_uncertainty_of_an_accurate_fit_compares_fits_with_the_same_side_information(page, cinema, monkeypatch):
    monkeypatch.setattr(towers, "_REFITS", 1)
    link = {"fit": "accurate", "D": 2, "sweeps": 12, "burn_in": 4, "chains": 1, "factors": 4, "sure": "true"}
    app = page("stereotypes", cinema, **link)
    options = app.session_state["state"].spec.options
    key = store.model_key(cinema, options, 0)
    assert jobs.find(key).wait(120)
    app.run()
    job = jobs.find(("stability", key, cinema.content_hash, "tags", "damped"))
    assert job.wait(120)
    side = SideInformation.of(cinema)
    model = fit(cinema.ratings, options, side=side)
    alike, unlike = (measure_stability(refits(cinema.ratings, model, 1, side=each), cinema) for each in (side, None))
    assert np.array_equal(job.result.likes.low, alike.likes.low)
    assert not np.array_equal(job.result.likes.low, unlike.likes.low)


@pytest.mark.parametrize("alike", [False, True])
def test_the_opening_can_be_recomputed_from_the_exported_table(page, monkeypatch, alike):
    taken = {}
    monkeypatch.setattr(display, "offer_files", lambda _, tables, *rest: taken.update(tables))
    app = page("stereotypes", **({"alike": "true"} if alike else {}))
    table = pd.read_csv(io.BytesIO(csv_bytes(taken["Towers"]())))
    column = "likes (every item alike)" if alike else "likes (damped)"
    told = table[table["full bar"] & (table["share of taste"] >= 0.05) & (table["tag"] != "IMAX")]  # which is a format
    ends = told.groupby("tag")[column].agg(["min", "max"])
    tag = (ends["max"] - ends["min"]).idxmax()
    of_tag = told[told["tag"] == tag].sort_values(column)
    (least, low), (most, high) = of_tag[["stereotype", column]].iloc[[0, -1]].to_numpy().tolist()
    sentence = (
        f"They disagree most about {tag}: the stereotype {most} likes {high:.0%} of these films, {least} {low:.0%}."
    )
    assert sentence in plain(app.markdown[0].value)
    # The audience is the stereotypes together, weighted by their shares.
    weighting = column.removeprefix("likes ")
    by_tag = (table[column] * table["share of taste"]).groupby(table["tag"]).sum()
    audience = table.groupby("tag")[f"audience {weighting}"].first()
    assert (by_tag - audience).abs()[table.groupby("tag")["enough data"].first()].max() < 2e-4


def test_the_weighting_is_one_click_and_is_named(page, bundled):
    app = page("stereotypes", bars="all")
    assert "Weighting: films with few ratings count less." in texts(app)
    app.toggle(key="alike").set_value(True).run()
    assert app.toggle(key="alike").label == "Every film counts alike"
    assert "Weighting: every film counts alike, as in the paper." in texts(app)
    model = fitted(bundled.ratings, preset("recommended"))
    means = dict(zip(bundled.tags.names, tag_vectors(model, bundled.tags), strict=True))
    for stereotype, chart in enumerate(charts(app)):
        bars = chart["data"][0]
        np.testing.assert_allclose(bars["x"], [means[tag][stereotype] for tag in bars["customdata"]])


def test_the_weighting_calls_items_what_the_data_do(page, clicks, cinema):
    assert page("stereotypes", make_dataset(n_tags=4)).toggle(key="alike").label == "Every item counts alike"
    assert page("stereotypes", cinema).toggle(key="alike").label == "Every film counts alike"
    assert not [box for box in page("stereotypes", clicks).toggle if box.key == "alike"]  # which have no tags


def test_from_five_on_all_stereotypes_are_in_one_picture(page, bundled):
    bars = compute_towers(fitted(bundled.ratings, preset("recommended", n_stereotypes=5)), bundled)
    app = page("stereotypes", D=5, of=4)
    everything, tower = charts(app)
    full, pale = (np.array(trace["z"], dtype=float) for trace in everything["data"][:2])
    shown = np.where(np.isnan(full), pale, full)
    rows = [bars.row(tag) for tag in everything["layout"]["xaxis"]["ticktext"]]
    np.testing.assert_allclose(shown, bars.relative[rows].T)
    np.testing.assert_array_equal(~np.isnan(full), bars.is_reliable[rows].T)
    np.testing.assert_allclose(tower["data"][0]["x"], bars.relative[rows, 3])
    app.selectbox(key="of").set_value(2).run()
    np.testing.assert_allclose(charts(app)[1]["data"][0]["x"], bars.relative[rows, 1])
    assert len(charts(page("stereotypes", D=4))) == 4


def test_small_groups_are_taken_together_and_can_be_chosen(page, bundled):
    model = fitted(bundled.ratings, preset("recommended", n_stereotypes=12))
    share = model.mixtures.mean(axis=0)[:12]
    assert (share < 0.03).tolist() == [False] * 11 + [True]
    app = page("stereotypes", D=12, of=12)
    everything, tower = charts(app)
    assert len(everything["layout"]["yaxis"]["ticktext"]) == 11
    bars = compute_towers(model, bundled)
    rows = [bars.row(tag) for tag in everything["layout"]["xaxis"]["ticktext"]]
    np.testing.assert_allclose(tower["data"][0]["x"], bars.relative[rows, 11])
    assert f"One of them is a small group ({share[11]:.0%} of the audience)." in app.markdown[0].value
    assert f"and 1 small group ({share[11]:.0%})" in plain(texts(app))
    assert "small group" not in texts(page("stereotypes", D=6))


@pytest.mark.parametrize("of", ["0", "99", "-1", "²", "two"])
def test_nonsense_for_the_stereotype_is_passed_over(page, cinema, of):
    assert len(charts(page("stereotypes", cinema, D=6, of=of))) == 2


def test_a_place_that_is_picked_shows_that_tower(monkeypatch):
    monkeypatch.setattr(towers.st, "session_state", state := {})
    for place, of, tag in ([3, 1], 5, "War"), ([4, 0], 5, "Drama"), ([0, 9], 1, "Drama"), (None, 1, "Drama"):
        monkeypatch.setattr(display, "selected_point", lambda _, place=place: {"customdata": place})
        towers._select_cell(["Drama", "War"], [0, 1, 2, 4])  # the fourth of five is too small to be drawn
        assert state == {"of": of, "tag": tag}
