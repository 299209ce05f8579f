"""Curves as jobs, and a cancelled fit."""

from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest

from dashboard.components import display
from dashboard.components.accuracy import ABOUT_ERRORS, compare_with_popular, describe_curve
from dashboard.compute import jobs, store
from dashboard.compute.bounded_store import kept
from dashboard.wording import plain
from nnm_core import Scale, fit, preset
from nnm_core.evaluation import Curve, single_split
from nnm_core.evaluation.folds import Scores
from nnm_core.prediction import predict
from tests.dashboard.views.conftest import charts, texts


def finish(app, phrase):
    for _ in range(300):
        if phrase in texts(app):
            return
        app.run()
    raise AssertionError(texts(app))


def test_the_curve_runs_as_a_job_and_survives_a_new_session(page, without_tags):
    app = page("accuracy", without_tags, upto="6", folds="3")
    next(button for button in app.button if button.label.startswith("Draw the curve")).click().run()
    finish(app, "predict best, off by")
    table = app.dataframe[0].value.set_index("method")
    best = table["mae"][1:6].min()
    assert f"off by {best:.3f} points on average" in texts(app)
    app.segmented_control(key="measure").set_value("rmse").run()
    assert f"typically off by {table['rmse'][1:6].min():.3f} points" in texts(app)
    assert "on average" not in next(text.value for text in app.markdown if "predict best" in text.value)
    lines = charts(app)[0]["data"]
    assert [line["name"] for line in lines] == ["as predicted", "rounded to a rating"]
    again = page("accuracy", without_tags, upto="6", folds="3")
    assert "predict best, off by" in texts(again)
    assert list(again.dataframe[0].value["method"][:2]) == ["this model, D = 1", "this model, D = 2"]


def test_the_verdict_is_the_error_on_ratings_that_were_held_out(page, bundled):
    app = page("accuracy")
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
    center = train.values.mean()
    of_items = ((sums + 5 * center) / (counts + 5))[items]
    own = np.bincount(train.users, train.values, train.n_users) + 5 * center
    of_people = (own / (np.bincount(train.users, minlength=train.n_users) + 5))[users]
    film_effects = (sums + 5 * center) / (counts + 5) - center
    left = train.values - center - film_effects[train.items]
    person_effects = np.bincount(train.users, left, train.n_users) / (np.bincount(train.users) + 5)
    both = np.clip(center + film_effects[items] + person_effects[users], 0.5, 5)
    guesses = {"each film's mean": of_items, "each person's mean": of_people, "the mean of all ratings": center}
    guesses["each person's and film's mean together"] = both
    misses = {name: np.abs(guess - ratings.values[hidden]).mean() for name, guess in guesses.items()}
    simple = min(misses, key=misses.get)
    assert simple == "each person's and film's mean together"
    verdict = app.markdown[0].value
    assert f"the model is off by {error:.3f} stars on average" in verdict
    assert f"The best simple guess, {simple}, is off by {misses[simple]:.3f}" in verdict
    assert f"the model is {1 - error / misses[simple]:.0%} closer" in verdict
    assert [line["name"] for line in charts(app)[1]["data"]] == ["ratings it has seen", "ratings held out"]
    assert preset("recommended").fill_sweeps == 2
    assert "The pictures begin after the first two rounds" in texts(app)


def test_no_jargon(page, without_tags):
    text = texts(page("accuracy", without_tags))
    for word in ("half-round", "solved to within", "objective", "e-1"):
        assert word not in text
    assert "points on average" in text


def test_where_nobody_rated_the_verdict_is_about_lists(page, clicks):
    app = page("accuracy", clicks, D=2)
    assert "Ten recommendations of the model bring back" in app.markdown[0].value
    assert "MAE" not in texts(app)
    assert "begin after" not in texts(app)
    assert charts(app)[0]["data"][0]["y"]  # zeros count throughout, so every round compares


@pytest.mark.parametrize(
    ("own", "popular", "said"),
    [(24, 28, "**here the model recommends worse than that.**"), (30, 28, "better"), (28, 28, "no better")],
)
def test_it_is_said_plainly_when_popularity_recommends_better(own, popular, said):
    assert said in compare_with_popular(own, popular)
    assert ("worse" in compare_with_popular(own, popular)) == (own < popular)


class Errors:
    """A curve of these errors by number of kinds, the same on both folds but for a wobble."""

    def __init__(self, errors, wobble=0.0):
        self.curve = Curve({n: self._of(error, wobble * (n % 2)) for n, error in errors.items()})

    @staticmethod
    def _of(error, wobble):
        folds = [
            SimpleNamespace(scores=Scores(miss, 1.3 * miss, miss, miss)) for miss in (error - wobble, error + wobble)
        ]
        return SimpleNamespace(scores=Scores(error, 1.3 * error, error, error), folds=folds)


def test_words_about_the_curve_say_what_its_numbers_say(cinema):
    words = SimpleNamespace(like="like")
    view = SimpleNamespace(model=SimpleNamespace(scale=Scale(0.5, 5, 0.5)), dataset=cinema, words=words)
    close = describe_curve(Errors({1: 0.6725, 3: 0.6684, 4: 0.6681}, 0.001).curve, "mae", view)
    assert "Four stereotypes** predict best, off by 0.668 stars on average, but **three**" in close
    assert "just as close" in close
    assert close.count("0.668") == 1
    assert "To predict, one kind would do: it is off by 0.672, hardly further" in close
    clear = describe_curve(Errors({1: 0.9, 2: 0.7, 3: 0.6}).curve, "rmse", view)
    assert "Three stereotypes** predict best, typically off by 0.780 stars; fewer are clearly further off." in clear
    assert "one kind would do" not in clear


def test_rounding_is_not_said_to_do_what_it_does_not():
    assert "for every method" not in ABOUT_ERRORS


def test_a_cancelled_fit_keeps_what_was_shown(page, cinema):
    app = page("stereotypes", cinema)
    key = store.model_key(cinema, jobs_options(5), 0)
    kept.put("cancelled", ("tester", key), True)
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
    app = page("accuracy", one_user)
    assert "nothing can be held out" in texts(app)
    assert jobs.find(("nothing",)) is None


def test_the_report_says_how_good_the_model_is_once_somebody_looked(page, cinema, monkeypatch):
    made = {}
    monkeypatch.setattr(display, "download_button", lambda label, make, *_, **__: made.update({label: make}))
    page("export", cinema, seed=77)
    assert "not looked at" in made["Report (HTML)"]()
    app = page("accuracy", cinema, seed=77)
    finish(app, "it has not seen, the model is off by")
    (verdict,) = [text.value for text in app.markdown if "it has not seen, the model is off by" in text.value]
    page("export", cinema, seed=77)
    assert plain(verdict).split(":")[0] in unescape(made["Report (HTML)"]())
