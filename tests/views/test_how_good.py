"""Curves as jobs, and a cancelled fit."""

from dashboard import cache, jobs
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
    finish(app, "has the lowest error")
    lines = charts(app)[-1]["data"]
    assert [line["name"] for line in lines] == ["raw", "rounded to the scale"]
    again = page("how_good", without_tags, upto="6", folds="3")
    assert "has the lowest error" in texts(again)
    assert list(again.dataframe[0].value["method"][:2]) == ["this model, D = 1", "this model, D = 2"]


def test_held_out_errors_round_by_round(page, without_tags):
    app = page("how_good", without_tags)
    next(button for button in app.button if button.label.startswith("Hold a fifth")).click().run()
    for _ in range(200):
        if len(charts(app)[1]["data"]) == 2:
            break
        app.run()
    assert [line["name"] for line in charts(app)[1]["data"]] == ["ratings it saw", "ratings held out"]


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
    from nnm_core import preset

    return preset("recommended", n_stereotypes=n_stereotypes)


def test_small_data_say_that_nothing_can_be_held_out(page, one_user):
    app = page("how_good", one_user)
    assert "nothing can be held out" in texts(app)
    assert jobs.find(("nothing",)) is None
