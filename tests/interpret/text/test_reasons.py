"""Why: the sum is right, and so is every number in the sentence."""

import re

import numpy as np
import pytest

from nnm_core import FitOptions, InputError, Ratings, Scale, fit, predict
from nnm_core.interpret.text.portraits import stereotype_names
from nnm_core.interpret.text.reasons import describe_mixture, explain
from nnm_core.phrases import percent, rating_in_words

PART = re.compile(r"((?:less than |more than )?\d+)% (?:of you )?is “(.+?)”, who gives it (\d\.\d)")
REST = re.compile(r"the other (.+?%) give it (\d\.\d) on average")
SUM = re.compile(r"Together that is (\S+), on the scale from (\S+) to (\S+)\.$")


def test_the_sum_is_the_prediction(bundled, recommended):
    names = stereotype_names(recommended, bundled)
    rng = np.random.default_rng(0)
    for user, item in zip(rng.integers(0, 671, 60), rng.integers(0, 9000, 60), strict=True):
        reason = explain(recommended, recommended.mixtures[user], int(item), names)
        assert reason.parts.sum() == pytest.approx(reason.like)
        assert reason.rating == pytest.approx(predict(recommended, np.array([user]), np.array([item]))[0])


def test_every_number_in_the_sentence_is_true(bundled, recommended):
    names = stereotype_names(recommended, bundled)
    rng = np.random.default_rng(1)
    for user, item in zip(rng.integers(0, 671, 200).tolist(), rng.integers(0, 9000, 200).tolist(), strict=True):
        mixture, likes = recommended.mixtures[user], recommended.likes[item]
        text = explain(recommended, mixture, item, names).text
        said = []
        for share, name, rating in PART.findall(text):
            k = names.index(name.replace("‘", "“").replace("’", "”"))
            assert abs(mixture[k] - int(share.split()[-1]) / 100) <= (0.01 if "than" in share else 0.005 + 1e-9)
            assert abs(np.clip(5 * likes[k], 0.5, 5) - float(rating)) <= 0.05 + 1e-9
            said.append(k)
        order = [k for k in np.argsort(-mixture[:3], kind="stable").tolist() if mixture[k] > 1e-9]
        expected = [k for k in order[:3] if mixture[k] >= 0.05]
        habits = [k for k in (3, 4) if mixture[k] > 1e-9]
        assert said == (order if expected and len(order) == len(expected) + 1 else expected) + habits
        rest = np.setdiff1d(np.arange(5), said)
        if mixture[rest].sum() > 1e-9:
            average = (mixture[rest] * likes[rest]).sum() / mixture[rest].sum()
            assert abs(np.clip(5 * average, 0.5, 5) - float(REST.search(text)[2])) <= 0.05 + 1e-9
        else:
            assert REST.search(text) is None
        rating, lowest, highest = map(float, SUM.search(text).groups())
        assert abs(rating - np.clip(5 * (mixture @ likes), 0.5, 5)) <= 0.05 + 1e-9
        assert (lowest, highest) == (0.5, 5)


def test_a_single_part_that_is_left_over_is_named(planted):
    reason = explain(planted.model, np.array([0.56, 0.4, 0.04]), 0, ["a", "b", "Skeptic"])
    assert reason.named == (0, 1, 2)
    assert "other" not in reason.text
    assert "4% is “Skeptic”, who gives it" in reason.text


def test_the_mixture_and_the_answers_can_be_told_apart(planted):
    likes = planted.model.likes[0]
    names = ["a", "b", "c"]
    reason = explain(planted.model, np.array([0.5, 0.3, 0.2]), 0, names)
    expected = [rating_in_words(planted.model.scale.from_unit(like), planted.model.scale) for like in likes]
    assert reason.answers == ", ".join(f"“{name}” {rating}" for name, rating in zip(names, expected, strict=True))
    assert describe_mixture(reason.shares, names, "them") == "50% of them is “a”, 30% “b”, 20% “c”"
    small = np.array([0.6, 0.2, 0.1, 0.06, 0.04])
    assert describe_mixture(small, list("abcde")) == "60% of you is “a”, 20% “b”, 10% “c”, 10% others"


def test_habits_are_told_apart_from_tastes(bundled, recommended):
    names = ["a", "Fan of “b”", "c", "Enthusiast", "Skeptic"]
    mixture = np.array([0.2, 0.3, 0.0, 0.4, 0.1])
    told = describe_mixture(mixture, names, n_fixed=2)
    assert told == "30% of you is “Fan of ‘b’”, 20% “a”, 40% “Enthusiast”, 10% “Skeptic”"
    reason = explain(recommended, mixture, 0, names)
    assert re.fullmatch(r"“Fan of ‘b’” \d\.\d, “a” \d\.\d", reason.answers)  # habits give the same to everything
    assert "40% is “Enthusiast”, who gives it 5.0" in reason.text
    assert explain(recommended, np.array([0.0, 0.0, 0.0, 1.0, 0.0]), 0, names).answers == ""


def test_a_pure_person_has_one_reason(planted):
    names = stereotype_names(planted.model, planted.dataset)
    text = explain(planted.model, np.array([0.0, 1.0, 0.0]), 0, names, "Casablanca (1942)").text
    assert text.startswith(f"“Casablanca (1942)”: 100% of you is “{names[1]}”, who gives it")
    assert "other" not in text


def test_a_person_of_many_small_parts():
    """Nobody is worth naming: the sentence still adds up."""
    users, items = np.meshgrid(np.arange(30), np.arange(30))
    rng = np.random.default_rng(0)
    ratings = Ratings.from_arrays(users.ravel(), items.ravel(), rng.integers(1, 6, 900), scale=Scale(1, 5))
    model = fit(ratings, FitOptions(n_stereotypes=25, n_sweeps=2))
    reason = explain(model, np.full(25, 0.04), 0, [f"s{k}" for k in range(25)])
    assert reason.named == ()
    assert reason.text.startswith(f"all of you gives it {5 * model.likes[0].mean():.1f}. Together")


def test_what_does_not_fit_is_refused(planted):
    with pytest.raises(InputError, match="2 names do not fit it"):
        explain(planted.model, np.ones(3) / 3, 0, ["a", "b"])
    with pytest.raises(InputError, match="no item in row 999"):
        explain(planted.model, np.ones(3) / 3, 999, ["a", "b", "c"])


def test_where_nobody_rated_the_reason_is_about_choosing(planted):
    names = stereotype_names(planted.model, planted.dataset)
    reason = explain(planted.model, np.array([0.25, 0.75, 0.0]), 0, names, implicit=True)
    likes = planted.model.likes[0]
    assert f"75% of you is “{names[1]}”, who chooses it with {percent(likes[1])}" in reason.text
    assert reason.text.endswith(f"Together that is {percent(0.25 * likes[0] + 0.75 * likes[1])}.")
    assert "rating" not in reason.text
