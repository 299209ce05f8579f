"""What the pages say about taste on held-out ratings, and about several random starts."""

import time
from dataclasses import replace

import numpy as np
import pytest

from dashboard import theme
from dashboard.components import towers
from dashboard.compute import jobs, store
from dashboard.compute.bounded_store import kept
from dashboard.compute.current import View
from dashboard.report import report_of
from dashboard.session import Spec
from nnm_core import Ratings, Scale, fit, preset
from nnm_core.datasets import Dataset, ImportReport, Labels
from nnm_core.evaluation.taste import measure_taste_gain
from nnm_core.interpret.item_chance import measure_item_chance
from nnm_core.interpret.text.portraits import stereotype_names
from tests.dashboard.views.conftest import charts, texts
from tests.evaluation.test_taste import thumbs_drawn_by_coins


@pytest.fixture(scope="module")
def chance():
    """Ratings that depend on nothing but chance, with genres that mean nothing."""
    rng = np.random.default_rng(3)
    cells = rng.choice(250 * 120, 6000, replace=False)
    users, items = (cells // 120).astype(str), (cells % 120).astype(str)
    ratings = Ratings.from_arrays(users, items, rng.integers(1, 6, 6000).astype(float), scale=Scale(1, 5))
    rows, columns = np.nonzero(rng.random((ratings.n_items, 4)) < 0.4)
    return Dataset("chance", ratings, ratings.item_ids, Labels.from_pairs(rows, columns, "ABCD", ratings.n_items), {})


def measured_taste(ratings, n_stereotypes=3):
    """Have the result of the test on held-out ratings ready, as a page finds it later."""
    options = preset("recommended", n_stereotypes=n_stereotypes)
    key = ("taste", ratings.content_hash, options)
    job = jobs.start(key, "test", lambda _: measure_taste_gain(ratings, options), jobs.AHEAD, "long")
    assert job.wait(120)
    return job.result


def test_the_opening_says_what_taste_adds_on_ratings_not_seen(page, bundled):
    found = measured_taste(bundled.ratings)
    text = texts(page("stereotypes"))
    assert f"taste explains **{100 * found.gain:.1f}%** of what film averages and people's generosity" in text
    assert "No taste found" not in text


def test_what_was_tested_is_named_where_another_model_is_shown(page, cinema):
    found = measured_taste(cinema.ratings)
    text = texts(page("stereotypes", cinema, fit="paper"))
    assert f"the recommended fit with three stereotypes explains **{100 * found.gain:.1f}%** of what" in text
    assert "taste explains" not in text


def test_taste_that_does_not_help_to_predict_is_no_chance(page, cinema):
    thumbs = thumbs_drawn_by_coins(0)
    coins = replace(cinema, ratings=thumbs, titles=thumbs.item_ids, tags=Labels.none(thumbs.n_items), traits={})
    found = measured_taste(thumbs)
    assert found.gain < 0
    text = texts(page("stereotypes", coins))
    assert "bear out that people differ in taste. They are predicted no better" in text
    assert "No taste found" not in text


@pytest.mark.parametrize("name", ["stereotypes", "hierarchy", "people", "films"])
def test_where_there_is_no_taste_every_page_says_so(page, chance, name):
    assert not measured_taste(chance.ratings).is_found
    app = page(name, chance)
    assert "No taste found beyond chance" in app.warning[0].value
    said = ("Fan of", "No clear leaning", "Nothing in the ratings", "What sets it apart:", "who lean to it")
    assert not any(part in texts(app) for part in said)
    if name == "stereotypes":
        assert all("rgba" in color for chart in charts(app) for color in chart["data"][0]["marker"]["color"])


class Quiet:
    """Progress that nobody sees."""

    def report(self, share, step):
        """Do nothing."""


def test_the_report_says_so_too_and_draws_pale_bars(chance):
    options = preset("recommended")
    measured_taste(chance.ratings)
    model = fit(chance.ratings, options)
    report = ImportReport(chance.name, (), len(chance.ratings), len(chance.ratings))
    view = View(Spec("chance", options, 0), chance, report, model, ("chance",), theme.LIGHT, ("",) * 3)
    colors = [figure.data[0].marker.color for figure in towers.first_towers(view, "damped")]
    assert all("rgba" in color for bars in colors for color in bars)
    html = report_of("chance", chance, report, model, Quiet())
    assert "No taste found beyond chance." in html
    assert "Taste makes up" not in html
    assert "Stereotype 1" in html


@pytest.fixture
def with_several_starts(monkeypatch):
    """Fits are repeated from several starts, as the server does, instead of being shown as they are."""
    monkeypatch.setattr(store, "IMPROVE_WITHIN", 60.0)


def test_the_best_of_several_starts_replaces_the_first_and_says_who_found_it(page, cinema, with_several_starts):
    options = preset("recommended", n_stereotypes=4)
    several = store.improved(cinema, options)
    assert several == replace(options, starts=8)
    assert "random starts." not in texts(page("stereotypes", cinema, D=4, seed=9))
    model = fit(cinema.ratings, several, seed=9)
    kept.put("models", store.model_key(cinema, several, 9), model)
    text = texts(page("stereotypes", cinema, D=4, seed=9))
    named = page("stereotypes", cinema, D=4, seed=9, names="Ann~~~")
    assert "## Ann" in texts(named)
    for k in range(4):
        assert f"Found by {model.atlas.found_by[k]} of 8 random starts." in text


@pytest.mark.parametrize("name", ["stereotypes", "people", "films", "compare"])
def test_names_are_said_when_no_other_fit_will_replace_the_model(page, cinema, name, with_several_starts):
    several, names = store.improved(cinema, preset("recommended", n_stereotypes=4)), ("Ann", "Bob", "Cem", "Dee")
    key = store.model_key(cinema, several, 21)
    kept.remove("models", key)
    app = page(name, cinema, D=4, seed=21, names="~".join(names))
    before = texts(app) + str(charts(app))
    assert "Stereotype 1" in before
    assert not any(part in before for part in (*names, "They disagree most"))
    assert "Rename" not in [button.label for button in app.button]

    kept.put("models", key, fit(cinema.ratings, several, seed=21))
    after = texts(app.run()) + str(charts(app))
    assert all(one in after for one in names)
    assert "Stereotype 1" not in after or name == "compare"  # whose other view has no better fit yet


def test_names_of_the_first_fit_are_said_where_the_better_one_is_cancelled(page, cinema, with_several_starts):
    options = preset("recommended", n_stereotypes=4)
    kept.put("cancelled", ("tester", store.model_key(cinema, store.improved(cinema, options), 25)), True)
    text = texts(page("stereotypes", cinema, D=4, seed=25))
    assert all(f"## {name}" in text for name in stereotype_names(fit(cinema.ratings, options, seed=25), cinema)[:4])


def test_files_are_of_the_model_that_stays(page, cinema, with_several_starts):
    app = page("export", cinema, D=4, seed=26)
    for _ in range(200):
        if app.code:
            break
        time.sleep(0.2)
        app.run()
    assert "--starts 8" in app.code[0].value
    assert app.title[0].value == "Export"


@pytest.mark.movielens
def test_another_description_that_fits_equally_well_is_shown(page, ml_100k, with_several_starts):
    several = store.improved(ml_100k, preset("recommended"))
    model = fit(ml_100k.ratings, several)
    kept.put("models", store.model_key(ml_100k, several, 0), model)
    app = page("stereotypes", ml_100k)
    other = model.atlas.equally_good[0]
    assert f"within {other.excess:.3%} of the one above" in texts(app)


def test_fits_that_do_not_converge_are_not_repeated(cinema, with_several_starts):
    assert store.improved(cinema, preset("paper")) is None
    assert store.improved(cinema, preset("accurate")) is None


def colours(app) -> list[str]:
    return [color for chart in charts(app) for color in chart["data"][0]["marker"]["color"]]


def when_items_are_tested(page, dataset, **link):
    """The page of data without tags, once its items are tested."""
    app = page("stereotypes", dataset, **link)
    for _ in range(200):
        if "in the background" not in texts(app):
            break
        time.sleep(0.5)  # while pages run, background work waits
        app.run()
    return app


def test_random_ratings_without_tags_have_no_bar_in_colour(page, chance):
    bare = replace(chance, tags=Labels.none(chance.ratings.n_items))
    assert colours(when_items_are_tested(page, bare, D=2))  # for which nobody has tested taste as a whole
    assert all("rgba" in color for color in colours(when_items_are_tested(page, bare, D=2)))


def test_planted_items_without_tags_are_in_colour(page, cinema):
    bare = replace(cinema, tags=Labels.none(cinema.ratings.n_items))
    app = when_items_are_tested(page, bare)
    clear = measure_item_chance(fit(bare.ratings, preset("recommended")), bare).is_clear
    assert "Pale bars could be chance" in texts(app)
    full = 0
    for k, chart in enumerate(charts(app)):
        bars, ticks = chart["data"]
        for title, color, like, audience in zip(bars["customdata"], bars["marker"]["color"], bars["x"], ticks["x"],
                                                strict=True):  # fmt: skip
            if "rgba" not in color:
                full += 1
                assert clear[bare.titles.index(title.replace("&amp;", "&")), k]
                assert like != pytest.approx(audience, abs=0.005)
    assert full >= 12


def test_what_is_done_while_the_page_is_drawn_is_shown_too(page, cinema, monkeypatch):
    """The page is drawn before the test of its items is done, and looks for the job after that."""
    bare = replace(cinema, tags=Labels.none(cinema.ratings.n_items))
    draw, key = towers._show, []

    def draw_slowly(view, *args, **options):
        key.append(towers._item_chance_key(view))
        assert jobs.find(key[-1]).wait(60)
        return draw(view, *args, **options)

    monkeypatch.setattr(towers, "_PATIENCE", 0.0)
    monkeypatch.setattr(towers, "_show", draw_slowly)
    app = page("stereotypes", bare, seed=5)
    assert len(key) >= 2
    assert any("rgba" not in color for color in colours(app))
