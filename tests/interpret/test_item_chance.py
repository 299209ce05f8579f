"""Towers of items: what could be chance is called so, and what was planted is found."""

import numpy as np
import pytest

from nnm_core import Ratings, Scale, fit, preset
from nnm_core.datasets import Dataset, Labels
from nnm_core.interpret.audience import taste_shares
from nnm_core.interpret.item_chance import ItemChance, measure_item_chance
from nnm_core.options import for_seen_only


def random_ratings(seed: int) -> Dataset:
    """Ratings that depend on nothing but chance, without tags."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(250 * 120, 6000, replace=False)
    users, items = (cells // 120).astype(str), (cells % 120).astype(str)
    ratings = Ratings.from_arrays(users, items, rng.integers(1, 6, 6000).astype(float), scale=Scale(1, 5))
    return Dataset("chance", ratings, ratings.item_ids, Labels.none(ratings.n_items))


@pytest.mark.parametrize("name", ["recommended", "paper"])
def test_random_ratings_show_nothing(name):
    """Tested at 5%, few of 20 random data sets may show anything; and errors are as large as they are said to be."""
    fooled, spread = 0, []
    for seed in range(20):
        dataset = random_ratings(seed)
        model = fit(dataset.ratings, preset(name, n_stereotypes=(2, 3, 6)[seed % 3]))
        found = measure_item_chance(model, dataset)
        fooled += found.is_clear.any()
        spread.append(np.std(found.taste / found.errors))
    assert fooled <= 4  # more have a chance of less than 1%
    assert np.mean(spread) == pytest.approx(1, abs=0.1)


def test_planted_items_are_found(planted):
    """Thirty items each that one planted stereotype likes, that another likes, and that two of them like."""
    model = planted.model
    clear = measure_item_chance(model, planted.dataset).is_clear[:, planted.columns]
    truth = planted.likes - (planted.likes @ taste_shares(model)[planted.columns])[:, None]
    truth -= truth.mean(axis=0)
    large = np.abs(truth) > 0.2
    assert large.sum() > 100
    assert clear[large].mean() > 0.97
    assert clear[:30, 0].all()
    assert clear[30:60, 1].all()
    found = measure_item_chance(model, planted.dataset)
    sure = found.is_clear[:, planted.columns] & (np.abs(truth) > 0.03)
    assert (np.sign(found.taste[:, planted.columns]) == np.sign(truth))[sure].mean() > 0.98
    assert np.abs(found.taste[:, planted.columns] - truth).mean() < 0.04


def test_nobody_is_found_among_people_who_differ_in_generosity_alone():
    rng = np.random.default_rng(5)
    generous, good = rng.normal(0, 0.8, 300), rng.normal(3, 0.8, 100)
    users, items = np.nonzero(rng.random((300, 100)) < 0.3)
    scale = Scale(1, 5)
    values = scale.round(scale.clip(generous[users] + good[items] + rng.normal(0, 0.5, len(users))))
    ratings = Ratings.from_arrays(users.astype(str), items.astype(str), values, scale=scale)
    dataset = Dataset("generous", ratings, ratings.item_ids, Labels.none(ratings.n_items))
    found = measure_item_chance(fit(ratings, preset("recommended")), dataset)
    assert found.is_clear.mean() < 0.05


def test_choices_are_compared_with_what_was_not_chosen():
    """Two groups that choose from two halves of a catalogue; a third part is chosen by both alike."""
    rng = np.random.default_rng(6)
    chance = np.full((200, 60), 0.05)
    chance[:100, :20] = chance[100:, 20:40] = 0.5
    chance[:, 40:] = 0.3
    users, items = np.nonzero(rng.random(chance.shape) < chance)
    ratings = Ratings.from_numbers(users, items, np.ones(len(users)), [str(k) for k in range(200)],
                                   [f"{k:02}" for k in range(60)], scale=Scale(0, 1))  # fmt: skip
    dataset = Dataset("choices", ratings, ratings.item_ids, Labels.none(60), implicit=True)
    model = fit(ratings, for_seen_only(preset("recommended", n_stereotypes=2)))
    clear = measure_item_chance(model, dataset).is_clear
    assert clear[:40].any(axis=1).mean() > 0.9
    assert clear[40:].any(axis=1).mean() <= 0.2


def test_clear_places_are_those_of_benjamini_and_hochberg():
    """Of four two-sided chances 0.002, 0.03, 0.036 and 0.9 the first three pass at 5%; one leans the other way."""
    taste = np.array([[3.09, -2.17], [2.097, 0.126]])
    found = ItemChance(np.array([1, 3]), 4, np.array([[1.0, 1.0], [1.0, 1.0]]), taste, np.ones((2, 2)), np.full(2, 1e9))
    np.testing.assert_array_equal(found.is_clear, [[False, False], [True, False], [False, False], [True, False]])


def test_one_stereotype_is_set_apart_by_nothing(planted):
    model = fit(planted.dataset.ratings, preset("paper", n_stereotypes=1))
    assert not measure_item_chance(model, planted.dataset).is_clear.any()
