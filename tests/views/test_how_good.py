"""Curves as jobs, and a cancelled fit."""

from types import SimpleNamespace

import numpy as np

from dashboard import cache, jobs
from dashboard.views.how_good import _suggested
from nnm_core import fit, preset
from nnm_core.evaluation import single_split
from nnm_core.evaluation.curve import Suggestion
from nnm_core.prediction import predict
from tests.views.conftest import charts, texts


def finish(app, phrase):
    for _ in range(300):
        if phrase in texts(app):
            return
        app.run()
    raise AssertionError(texts(app))


def test_the_curve_runs_as_a_job_and_survives_a_new_session(page, without_tags):
    app = page("how_good", without_tags, upto="6", folds="3")
    next(button for button in app.button if button.label.startswith("Draw the curve")).click().run()
    finish(app, "predict best, off by")
    lines = charts(app)[0]["data"]
    assert [line["name"] for line in lines] == ["as predicted", "rounded to a rating"]
    again = page("how_good", without_tags, upto="6", folds="3")
    assert "predict best, off by" in texts(again)
    assert list(again.dataframe[0].value["method"][:2]) == ["this model, D = 1", "this model, D = 2"]


def test_the_verdict_is_the_error_on_ratings_that_were_held_out(page, bundled):
    app = page("how_good")
    ratings = bundled.ratings
    (hidden,) = single_split(ratings, 0.2, 0)
    train = ratings.subset(~hidden)
    model = fit(train, preset("recommended"))
    users, items = ratings.users[hidden], ratings.items[hidden]
    error = np.abs(np.clip(predict(model, users, items), 0.5, 5) - ratings.values[hidden]).mean()
    sums, counts = (
        np.bincount(train.items, train.values, train.n_items),
        np.bincount(train.items, minlength=train.n_items),
    )
    means = (sums + 5 * train.values.mean()) / (counts + 5)
    of_means = np.abs(means[items] - ratings.values[hidden]).mean()
    verdict = app.markdown[0].value
    assert f"the model is off by {error:.2f} stars on average" in verdict
    assert f"Always guessing a film's mean is off by {of_means:.2f}" in verdict
    assert f"the model is {1 - error / of_means:.0%} closer" in verdict
    assert [line["name"] for line in charts(app)[1]["data"]] == ["ratings it has seen", "ratings held out"]
    assert preset("recommended").fill_sweeps == 2
    assert "The pictures begin after the first two rounds" in texts(app)


def test_no_jargon(page, without_tags):
    text = texts(page("how_good", without_tags))
    for word in ("half-round", "solved to within", "objective", "e-1"):
        assert word not in text
    assert "points on average" in text


def test_where_nobody_rated_the_verdict_is_about_lists(page, clicks):
    app = page("how_good", clicks, D=2)
    assert "Ten recommendations of the model bring back" in app.markdown[0].value
    assert "MAE" not in texts(app)
    assert "begin after" not in texts(app)
    assert charts(app)[0]["data"][0]["y"]  # zeros count throughout, so every round compares


def test_a_cancelled_fit_keeps_what_was_shown(page, cinema):
    app = page("stereotypes", cinema)
    key = ("fit", *cache.model_key(cinema, jobs_options(5), 0))
    app.session_state["cancelled"] = key
    app.slider(key="D").set_value(5).run()
    assert not app.exception
    assert "This fit was cancelled" in texts(app)
    assert "Below is what was shown before" in texts(app)
    assert len(charts(app)) == 3
    next(button for button in app.button if button.label == "Fit it after all").click().run()
    assert len(charts(app)) == 5


def jobs_options(n_stereotypes):
    return preset("recommended", n_stereotypes=n_stereotypes)


def test_small_data_say_that_nothing_can_be_held_out(page, one_user):
    app = page("how_good", one_user)
    assert "nothing can be held out" in texts(app)
    assert jobs.find(("nothing",)) is None


def test_two_errors_that_read_the_same_are_not_contrasted(cinema):
    view = SimpleNamespace(model=fit(cinema.ratings, preset("recommended")), dataset=cinema)

    def sentence(mae, best_mae):
        found = Suggestion(n_stereotypes=3, best=6, mae=mae, best_mae=best_mae, standard_error=0.01)
        return _suggested(SimpleNamespace(suggestion=lambda: found), view)

    assert view.model.scale.span == 4
    assert "but **three** are simpler and not clearly worse: off by 0.671" in sentence(0.671, 0.668)
    same = sentence(0.6683, 0.6679)
    assert same.count("0.668") == 1
    assert "but" not in same
    assert "**three** are simpler" in same
