"""Why: the sum is right, and so is every number in the words."""

import re

import numpy as np
import pytest

from nnm_core import FitOptions, InputError, Ratings, Scale, fit, predict
from nnm_core.interpret.text.portraits import stereotype_names
from nnm_core.interpret.text.reasons import describe_mixture, explain
from nnm_core.phrases import percent, rating_in_words

ANSWER = re.compile(r"“(.+?)” (\d\.\d)")
OTHERS = re.compile(r"(?:the others|all) (\d\.\d)$")


def test_the_sum_is_the_prediction(bundled, recommended):
    names = stereotype_names(recommended, bundled)
    rng = np.random.default_rng(0)
    for user, item in zip(rng.integers(0, 671, 60), rng.integers(0, 9000, 60), strict=True):
        reason = explain(recommended, recommended.mixtures[user], int(item), names)
        rating = recommended.scale.clip(recommended.scale.from_unit(reason.like))
        assert rating == pytest.approx(predict(recommended, np.array([user]), np.array([item]))[0])


def test_every_number_in_the_answers_is_true(bundled, recommended):
    names = stereotype_names(recommended, bundled)
    rng = np.random.default_rng(1)
    for user, item in zip(rng.integers(0, 671, 200).tolist(), rng.integers(0, 9000, 200).tolist(), strict=True):
        mixture, likes = recommended.mixtures[user], recommended.likes[item]
        text = explain(recommended, mixture, item, names).answers
        said = []
        for name, rating in ANSWER.findall(text):
            k = names.index(name.replace("‘", "“").replace("’", "”"))
            assert abs(np.clip(5 * likes[k], 0.5, 5) - float(rating)) <= 0.05 + 1e-9
            said.append(k)
        order = [k for k in np.argsort(-mixture[:3], kind="stable").tolist() if mixture[k] > 1e-9]
        expected = [k for k in order[:3] if mixture[k] >= 0.05]
        assert said == (order if expected and len(order) == len(expected) + 1 else expected)
        rest = np.setdiff1d(np.arange(3), said)
        if mixture[rest].sum() > 1e-9:
            average = (mixture[rest] * likes[rest]).sum() / mixture[rest].sum()
            assert abs(np.clip(5 * average, 0.5, 5) - float(OTHERS.search(text)[1])) <= 0.05 + 1e-9
        else:
            assert OTHERS.search(text) is None


def test_a_single_part_that_is_left_over_is_named(planted):
    mixture, names = np.array([0.56, 0.4, 0.04]), ["a", "b", "Skeptic"]
    answers = explain(planted.model, mixture, 0, names).answers
    assert [name for name, _ in ANSWER.findall(answers)] == names
    assert "other" not in answers
    assert describe_mixture(mixture, names).endswith("4% “Skeptic”")


def test_the_mixture_and_the_answers_can_be_told_apart(planted):
    likes = planted.model.likes[0]
    names, mixture = ["a", "b", "c"], np.array([0.5, 0.3, 0.2])
    reason = explain(planted.model, mixture, 0, names)
    expected = [rating_in_words(planted.model.scale.from_unit(like), planted.model.scale) for like in likes]
    assert reason.answers == ", ".join(f"“{name}” {rating}" for name, rating in zip(names, expected, strict=True))
    assert describe_mixture(mixture, names, "them") == "50% of them is “a”, 30% “b”, 20% “c”"
    small = np.array([0.6, 0.2, 0.1, 0.06, 0.04])
    assert describe_mixture(small, list("abcde")) == "60% of you is “a”, 20% “b”, 10% “c”, 10% others"


def test_habits_are_told_apart_from_tastes(bundled, recommended):
    names = ["a", "Fan of “b”", "c", "Enthusiast", "Skeptic"]
    mixture = np.array([0.2, 0.3, 0.0, 0.4, 0.1])
    told = describe_mixture(mixture, names, n_fixed=2)
    assert told == "30% of you is “Fan of ‘b’”, 20% “a”, 40% “Enthusiast”, 10% “Skeptic”"
    reason = explain(recommended, mixture, 0, names)
    assert re.fullmatch(r"“Fan of ‘b’” \d\.\d, “a” \d\.\d", reason.answers)  # habits give the same to everything
    assert explain(recommended, np.array([0.0, 0.0, 0.0, 1.0, 0.0]), 0, names).answers == ""


def test_a_pure_person_has_one_reason(planted):
    names = stereotype_names(planted.model, planted.dataset)
    answers = explain(planted.model, np.array([0.0, 1.0, 0.0]), 0, names).answers
    assert [name for name, _ in ANSWER.findall(answers)] == [names[1]]
    assert "other" not in answers


def test_a_person_of_many_small_parts():
    """Nobody is worth naming: what is said still adds up."""
    users, items = np.meshgrid(np.arange(30), np.arange(30))
    rng = np.random.default_rng(0)
    ratings = Ratings.from_arrays(users.ravel(), items.ravel(), rng.integers(1, 6, 900), scale=Scale(1, 5))
    model = fit(ratings, FitOptions(n_stereotypes=25, n_sweeps=2))
    names = [f"s{k}" for k in range(25)]
    assert explain(model, np.full(25, 0.04), 0, names).answers == f"all {5 * model.likes[0].mean():.1f}"
    assert describe_mixture(np.full(25, 0.04), names) == "100% of you is spread over many stereotypes"


def test_what_does_not_fit_is_refused(planted):
    with pytest.raises(InputError, match="2 names do not fit it"):
        explain(planted.model, np.ones(3) / 3, 0, ["a", "b"])
    with pytest.raises(InputError, match="no item in row 999"):
        explain(planted.model, np.ones(3) / 3, 999, ["a", "b", "c"])


def test_where_nobody_rated_the_reason_is_about_choosing(planted):
    names = stereotype_names(planted.model, planted.dataset)
    reason = explain(planted.model, np.array([0.25, 0.75, 0.0]), 0, names, implicit=True)
    likes = planted.model.likes[0]
    assert reason.answers == f"“{names[1]}” {percent(likes[1])}, “{names[0]}” {percent(likes[0])}"
    assert reason.like == pytest.approx(0.25 * likes[0] + 0.75 * likes[1])
