"""The page Accuracy: one set of numbers for all sentences, curves as jobs, and a cancelled fit."""

from types import SimpleNamespace

import numpy as np
import pytest

from dashboard.components.accuracy import ABOUT_ERRORS, describe_curve, dimensions_for, reaches
from dashboard.components.lists import compare_with_popular
from dashboard.compute import evaluations, jobs, store
from dashboard.compute.bounded_store import kept
from dashboard.compute.evaluations import Experiment
from nnm_core import FitCancelled, Scale, fit, preset
from nnm_core.evaluation import Curve, random_folds
from nnm_core.evaluation.folds import Scores
from nnm_core.evaluation.references import references_for
from nnm_core.evaluation.reproduction import PAPER_TABLE
from nnm_core.prediction import predict
from tests.dashboard.views.conftest import charts, texts


def finish(app):
    """Run the page until nothing is under way and no point of the curve is missing."""
    for _ in range(200):
        running = [job for job in jobs._jobs.values() if job.key[0] in ("curve", "held out") and not job.is_finished]
        for job in running:
            job.wait(120)
        app.run()
        buttons = [button for button in app.button if "about" in button.label or "less than" in button.label]
        if buttons:
            buttons[0].click().run()
        elif not running and "So far" not in texts(app):
            return app
    raise AssertionError(texts(app))


def curve_of(app):
    """The table under the curve, by method."""
    return next(frame.value for frame in app.dataframe if "method" in frame.value).set_index("method")


def test_all_sentences_and_the_curve_come_from_the_same_numbers(page, without_tags):
    app = finish(page("accuracy", without_tags, folds="3"))
    table = curve_of(app)
    own = table[table.index.str.startswith("this model")]
    assert [int(name.rpartition(" ")[2]) for name in own.index] == [1, 2, 3, 4, 5, 6, 7]
    assert f"mean absolute error of {own['mae'].iloc[2]:.3f} points" in texts(app)
    best = own["mae"].iloc[1:].min()
    assert f"({best:.3f})" in texts(app)
    lines = {line["name"]: line for line in charts(app)[0]["data"]}
    np.testing.assert_allclose(lines["as predicted"]["y"], own["mae"])
    np.testing.assert_allclose(lines["rounded to a rating"]["y"], own["mae_rounded"])
    app.segmented_control(key="measure").set_value("rmse").run()
    assert f"root mean squared error of {own['rmse'].iloc[2]:.3f} points" in texts(app)
    assert "mean absolute error of" not in texts(app)
    np.testing.assert_allclose(charts(app)[0]["data"][0]["y"], own["rmse"])
    again = page("accuracy", without_tags, folds="3")
    np.testing.assert_array_equal(curve_of(again)["mae"], table["mae"])


def simple_guesses(train, users, items):
    """What means predict, clipped to the scale; each shrunk to the overall mean as if there were five more ratings."""
    center = train.values.mean()
    counts = np.bincount(train.items, minlength=train.n_items) + 5
    films = np.bincount(train.items, train.values - center, train.n_items) / counts
    people = np.bincount(train.users, minlength=train.n_users) + 5
    alone = np.bincount(train.users, train.values - center, train.n_users) / people
    left = np.bincount(train.users, train.values - center - films[train.items], train.n_users) / people
    return {
        "the mean of all ratings": np.full(len(users), center),
        "each film’s mean": center + films[items],
        "each person’s mean": center + alone[users],
        "each person’s and film’s mean together": center + films[items] + left[users],
    }


def test_the_verdict_is_the_error_on_ratings_that_were_held_out(page, cinema):
    app = finish(page("accuracy", cinema))
    ratings, errors, guesses, seen = cinema.ratings, [], {}, []
    low, high = ratings.scale.lowest, ratings.scale.highest
    for k, hidden in enumerate(random_folds(ratings, 5, 0)):
        train = ratings.subset(~hidden)
        model = fit(train, preset("recommended"), seed=k)
        users, items, truth = ratings.users[hidden], ratings.items[hidden], ratings.values[hidden]
        errors.append(np.abs(np.clip(predict(model, users, items), low, high) - truth).mean())
        seen.append(np.abs(np.clip(predict(model, train.users, train.items), low, high) - train.values).mean())
        for name, guess in simple_guesses(train, users, items).items():
            guesses.setdefault(name, []).append(np.abs(np.clip(guess, low, high) - truth).mean())
    simple = min(guesses, key=lambda name: np.mean(guesses[name]))
    own, other = np.mean(errors), np.mean(guesses[simple])
    verdict = app.markdown[0].value
    assert f"a mean absolute error of {own:.3f} stars" in verdict
    assert f"The best simple guess, {simple}, has {other:.3f}" in verdict
    assert f"the model’s error is {1 - own / other:.0%} lower" in verdict
    trained, held_out = charts(app)[-1]["data"]  # which is about the first fold
    assert [trained["name"], held_out["name"]] == ["ratings it has seen", "ratings held out"]
    assert held_out["y"][-1] == pytest.approx(errors[0], rel=1e-9)
    assert trained["y"][-1] == pytest.approx(seen[0], rel=1e-9)
    assert "mean absolute error" in charts(app)[-1]["layout"]["yaxis"]["title"]["text"]
    app.segmented_control(key="measure").set_value("rmse").run()
    assert "root mean squared error" in charts(app)[-1]["layout"]["yaxis"]["title"]["text"]
    assert charts(app)[-1]["data"][1]["y"][-1] > errors[0]


@pytest.mark.parametrize("chosen", range(1, 33))
def test_the_curve_includes_the_chosen_number_and_four_more(chosen):
    for reach in reaches(chosen):
        dimensions = dimensions_for(chosen, reach)
        assert chosen in dimensions
        assert dimensions[-1] == reach >= chosen + 4
        assert dimensions[0] == 1
        assert len(dimensions) <= 15


def test_what_takes_longer_than_ten_seconds_waits_for_one_button(page, cinema, monkeypatch):
    monkeypatch.setattr(Experiment, "expected_seconds", lambda self, dimensions: 11.0)
    app = page("accuracy", cinema, seed=5)
    assert [button.label for button in app.button if "about" in button.label] == [
        "Test on held-out ratings, about 11 s"
    ]
    assert not [job for job in jobs._jobs.values() if job.key[0] in ("curve", "held out") and job.key[-2:] == (5, 5)]
    app = finish(app)
    assert "On ratings it has not seen" in texts(app)
    assert len(charts(app)[0]["data"][0]["x"]) == 7


def test_what_is_quick_starts_by_itself(page, cinema, monkeypatch):
    monkeypatch.setattr(Experiment, "expected_seconds", lambda self, dimensions: 9.0)
    app = page("accuracy", cinema, seed=6)
    assert "On ratings it has not seen" in texts(app)
    assert not [button for button in app.button if "about" in button.label]
    (curve,) = [job for key, job in jobs._jobs.items() if key[0] == "curve" and key[4:5] == (6,)]
    assert curve.wait(120)
    assert len(charts(app.run())[0]["data"][0]["x"]) == 7


class Impatient:
    """Somebody who cancels at the first report after a point is there, and counts the fits asked for."""

    def __init__(self, experiment, dimensions):
        self.experiment, self.dimensions, self.totals = experiment, dimensions, set()

    def report(self, share, step):
        assert 0 <= share <= 1
        self.totals.add(step.rpartition(" of ")[2])
        if len(self.experiment.known(self.dimensions).evaluations) > 2:
            raise FitCancelled("enough")


def test_points_are_kept_when_the_curve_is_cancelled_or_extended(without_tags):
    model = fit(without_tags.ratings, preset("recommended", n_stereotypes=2), seed=31)
    experiment = Experiment.of(without_tags, model, 3)
    impatient = Impatient(experiment, (1, 2, 3, 4))
    with pytest.raises(FitCancelled):
        evaluations.evaluate_curve(experiment, (1, 2, 3, 4), impatient)
    kept_points = experiment.known((1, 2, 3, 4)).evaluations
    assert 3 <= len(kept_points) < 4
    calm = SimpleNamespace(report=lambda share, step: steps.append(step))
    steps = []
    longer = evaluations.evaluate_curve(experiment, (1, 2, 3, 4, 5), calm)
    assert {step.rpartition(" of ")[2] for step in steps} == {f"{3 * (5 - len(kept_points))} fits"}
    assert all(longer.evaluations[n] is point for n, point in kept_points.items())
    assert longer.evaluations[5].scores != longer.evaluations[4].scores


# Processor seconds of a fit to four fifths of the bundled data, on one thread, by the number of stereotypes
CONVERGED = {1: 0.15, 2: 0.41, 3: 0.88, 4: 1.02, 5: 1.53, 6: 1.71, 7: 2.18, 8: 3.67, 10: 4.9, 12: 7.69, 16: 13.81}
SIXTEEN = {1: 0.08, 2: 0.09, 3: 0.09, 4: 0.16, 5: 0.15, 6: 0.19, 7: 0.22, 8: 0.25, 10: 0.33, 12: 0.45, 16: 0.68}


@pytest.mark.parametrize(("name", "seconds"), [("recommended", CONVERGED), ("paper", SIXTEEN)])
@pytest.mark.parametrize("chosen", [3, 4, 6, 12])
def test_the_time_of_a_curve_is_told_within_a_factor_of_one_and_a_half(cinema, name, seconds, chosen):
    model = SimpleNamespace(options=preset(name, n_stereotypes=chosen), seed=chosen)
    experiment = Experiment.of(cinema, model, 5)
    experiment.note_pace(None, 5 * seconds[chosen] / 2, [chosen])  # on two processors
    others = [n for n in dimensions_for(chosen, chosen + 4) if n != chosen]
    took = 5 * sum(seconds[n] for n in others) / 2
    assert took / 1.5 < experiment.expected_seconds(others) < took * 1.5


def test_the_paper_preset_is_said_to_stop_early(page, cinema):
    assert "**No: the paper’s method stops early**, after 16 iterations" in texts(page("accuracy", cinema, fit="paper"))
    assert "**Yes**, after" in texts(page("accuracy", cinema))


def test_stored_results_are_those_of_their_data_set_alone(bundled, cinema, ml_100k):
    assert references_for(cinema.ratings) == ()
    assert references_for(ml_100k.ratings.subset(np.arange(len(ml_100k.ratings)) > 0)) == ()
    published = {one.name: (one.mae, one.rmse) for one in references_for(ml_100k.ratings) if one.is_rounded}
    assert published == {"the paper, D = 3": PAPER_TABLE["ml-100k"][-1]}
    assert not any(one.is_rounded for one in references_for(bundled.ratings))
    assert references_for(bundled.ratings)


def test_no_jargon(page, without_tags):
    text = texts(page("accuracy", without_tags))
    for word in ("half-round", "solved to within", "objective", "e-1"):
        assert word not in text
    assert "mean absolute error of" in text


def test_where_nobody_rated_the_verdict_is_about_lists(page, clicks):
    app = page("accuracy", clicks, D=2)
    assert "Ten recommendations of the model bring back" in app.markdown[0].value
    assert "MAE" not in texts(app)
    assert "leave out the first" not in texts(app)
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
    assert "**Four** stereotypes predict best (0.668), but **three** are simpler" in close
    assert "just as good" in close
    assert close.count("0.668") == 1
    assert "To predict, even one stereotype would do (0.672)" in close
    clear = describe_curve(Errors({1: 0.9, 2: 0.7, 3: 0.6, 4: 0.61}).curve, "rmse", view)
    assert clear == "**Three** stereotypes predict best (0.780); fewer are clearly worse."
    hardly = describe_curve(Errors({2: 0.7, 3: 0.604, 4: 0.6, 5: 0.61}).curve, "mae", view)
    assert hardly == "**Four** stereotypes predict best (0.600), but the error with **three** is hardly higher (0.604)."
    same = describe_curve(Errors({2: 0.6004, 3: 0.6002, 4: 0.6}).curve, "mae", view)
    assert (
        same
        == "**Four** stereotypes predict best (0.600), but **two** are simpler and, to the digits shown, just as good."
    )
    falling = describe_curve(Errors({2: 0.7, 8: 0.65, 10: 0.6}).curve, "mae", view)
    assert falling == "**The error is still improving at 10 stereotypes**, the end of the curve (0.600)."
    hidden = describe_curve(Errors({2: 0.7, 3: 0.6, 4: 0.5995}).curve, "mae", view)
    assert "still improving" not in hidden  # by less than anybody would notice
    rising = describe_curve(Errors({2: 0.7, 3: 0.6}).curve, "mae", view, is_complete=False)
    assert rising == "So far, the error falls up to 3 stereotypes (0.600)."
    partial = describe_curve(Errors({2: 0.7, 3: 0.6, 4: 0.61}).curve, "mae", view, is_complete=False)
    assert partial == "So far: **three** stereotypes predict best (0.600); fewer are clearly worse."


def test_rounding_is_not_said_to_do_what_it_does_not():
    assert "for every method" not in ABOUT_ERRORS


def test_a_cancelled_fit_keeps_what_was_shown(page, cinema):
    app = page("stereotypes", cinema)
    key = store.model_key(cinema, jobs_options(4), 0)
    kept.put("cancelled", ("tester", key), True)
    app.slider(key="D").set_value(4).run()
    assert not app.exception
    assert "This fit was cancelled" in texts(app)
    assert "Below is what was shown before" in texts(app)
    assert len(charts(app)) == 3
    next(button for button in app.button if button.label == "Fit it after all").click().run()
    assert len(charts(app)) == 4


def jobs_options(n_stereotypes):
    return preset("recommended", n_stereotypes=n_stereotypes)


def test_small_data_say_that_nothing_can_be_held_out(page, one_user):
    app = page("accuracy", one_user)
    assert "nothing can be held out" in texts(app)
    assert jobs.find(("nothing",)) is None
