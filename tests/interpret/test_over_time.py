"""Shares over the years: a drift that was planted is found, and times that are shuffled say nothing."""

from dataclasses import replace

import numpy as np
import pytest

from nnm_core import fit, preset
from nnm_core.datasets import Dataset, Labels
from nnm_core.datasets.times import NO_DAY
from nnm_core.interpret.over_time import joined, shares_over_time
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale

N_PEOPLE, N_ITEMS, N_YEARS = 600, 60, 6
FIRST = 10_957  # 1 January 2000


@pytest.fixture(scope="module")
def drifting():
    """People of two tastes; of those who join in a later year, more have the second. Most rate for two years."""
    rng = np.random.default_rng(5)
    year = np.arange(N_PEOPLE) * N_YEARS // N_PEOPLE
    second = rng.random(N_PEOPLE) < 0.2 + 0.12 * year
    likes = np.where(np.arange(N_ITEMS)[None, :] < N_ITEMS // 2, ~second[:, None], second[:, None])
    users, items = np.nonzero(rng.random((N_PEOPLE, N_ITEMS)) < 0.5)
    values = np.where(rng.random(len(users)) < 0.85, likes[users, items], ~likes[users, items]) * 4.0 + 1.0
    ids = [[f"{what}{k:03d}" for k in range(n)] for what, n in (("p", N_PEOPLE), ("i", N_ITEMS))]
    ratings = Ratings.from_numbers(users, items, values, *ids, scale=Scale(1, 5))
    days = FIRST + 365 * year[ratings.users] + rng.integers(0, 700, len(ratings))
    dataset = Dataset("drift", ratings, tuple(ids[1]), Labels.none(N_ITEMS), days=days.astype(np.int32))
    return dataset, fit(ratings, preset("recommended", n_stereotypes=2)), second


def test_a_planted_drift_is_found(drifting):
    dataset, model, second = drifting
    found = shares_over_time(model, dataset)
    assert found.unit == "year"
    assert found.periods == tuple(str(year) for year in range(2000, 2007))
    assert found.starts == tuple(f"{year}-01-01" for year in range(2000, 2007))
    grew = int(model.mixtures[second, :2].mean(axis=0).argmax())
    assert found.moved.tolist() == [True, True]
    assert found.trends[grew] > 5
    sentence = found.in_words(("A", "B"))
    low, high = found.shares[[0, -1], grew]
    assert f"“{'AB'[grew]}” grew from {low:.0%} to {high:.0%}" in sentence
    assert f"“{'AB'[1 - grew]}” shrank from" in sentence
    assert sentence.startswith("From 2000 to 2006, ")


def test_shares_and_their_errors_are_those_of_the_people_who_rated_then(drifting):
    dataset, model, _ = drifting
    found = shares_over_time(model, dataset)
    dates = dataset.days.astype("datetime64[D]").astype(str)
    for row, period in enumerate(found.periods):
        people = sorted({int(u) for u, date in zip(dataset.ratings.users, dates, strict=True) if date[:4] == period})
        mixtures = model.mixtures[people, :2]
        assert found.n_people[row] == len(people)
        np.testing.assert_allclose(found.shares[row], mixtures.mean(axis=0))
        np.testing.assert_allclose(found.errors[row], mixtures.std(axis=0, ddof=1) / np.sqrt(len(people)))


def test_shuffled_times_say_nothing(drifting):
    """Everybody keeps their times together, but times go to other people: of 200 shuffles about 5% may say anything."""
    dataset, model, _ = drifting
    rng, said, trends = np.random.default_rng(0), 0, []
    for _ in range(200):
        other = replace(model, mixtures=model.mixtures[rng.permutation(N_PEOPLE)])
        found = shares_over_time(other, dataset)
        said += bool(found.in_words(("A", "B")))
        trends.append(found.trends)
    assert said <= 20
    assert np.std(trends) == pytest.approx(1.0, abs=0.15)  # the standard deviation is the right one


def test_ratings_that_are_shuffled_among_all_days_say_nothing(drifting):
    dataset, model, _ = drifting
    days = np.random.default_rng(1).permutation(dataset.days)
    assert shares_over_time(model, replace(dataset, days=days)).in_words(("A", "B")) == ""


def test_short_spans_are_compared_by_quarters_and_unknown_times_are_passed_over(drifting):
    dataset, model, _ = drifting
    days = (FIRST + (dataset.days - FIRST) // 6).astype(np.int32)
    days[::7] = NO_DAY
    found = shares_over_time(model, replace(dataset, days=days))
    assert found.unit == "quarter"
    assert found.periods[:2] == ("Q1 2000", "Q2 2000")
    assert found.starts[:2] == ("2000-01-01", "2000-04-01")
    assert found.moved.all()
    assert shares_over_time(model, replace(dataset, days=np.full_like(days, NO_DAY))) is None
    assert shares_over_time(model, replace(dataset, days=np.full_like(days, FIRST))) is None
    assert shares_over_time(model, replace(dataset, days=None)) is None


def test_people_join_with_their_first_rating(drifting):
    dataset, _, _ = drifting
    days = dataset.days.copy()
    days[dataset.ratings.users == 3] = NO_DAY
    first = joined(replace(dataset, days=days))
    assert first[3] == NO_DAY
    for user in (0, 200, 599):
        assert first[user] == dataset.days[dataset.ratings.users == user].min()


def test_the_bundled_people(bundled, recommended):
    found = shares_over_time(recommended, bundled)
    assert found.unit == "year"
    assert (found.periods[0], found.periods[-1]) == ("1996", "2016")
    assert (found.n_people >= 20).all()
    assert found.shares.sum(axis=1).max() <= 1
