"""Total variation between people and between items."""

import numpy as np
import pytest

from nnm_core import FitOptions, InputError, fit
from nnm_core.interpret.audience import (
    enough_in_common,
    item_distances,
    nearest_items,
    nearest_people,
    people_distances,
)


def test_people_by_hand(planted):
    p, q = planted.model.mixtures[0], planted.model.mixtures[7]
    by_hand = max(abs(sum(p[k] - q[k] for k in event)) for event in [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
    assert people_distances(planted.model, p)[7] == pytest.approx(by_hand)
    pure = np.array([1.0, 0, 0])
    assert people_distances(planted.model, pure).max() <= 1 + 1e-12


def test_people_obey_the_axioms(planted):
    mixtures = planted.model.mixtures[:30]
    all_pairs = np.array([people_distances(planted.model, mixture)[:30] for mixture in mixtures])
    np.testing.assert_allclose(all_pairs, all_pairs.T)
    assert (np.diag(all_pairs) == 0).all()
    assert (all_pairs[:, None, :] <= all_pairs[:, :, None] + all_pairs[None] + 1e-12).all()


def test_items_in_like_mode_are_differences_in_liking(planted):
    model = planted.model
    share = model.mixtures.mean(axis=0)
    expected = (np.abs(model.likes - model.likes[5]) * share).sum(axis=1)
    np.testing.assert_allclose(item_distances(model, 5), expected, atol=1e-12)


def test_items_in_stars_mode_compare_whole_distributions(planted):
    model = fit(planted.dataset.ratings, FitOptions(n_stereotypes=2, mode="stars", star_sweeps=2))
    share = model.mixtures.mean(axis=0)
    a, b = model.answers[0], model.answers[40]
    expected = sum(share[k] * np.maximum(a[:, k] - b[:, k], 0).sum() for k in range(2))
    assert item_distances(model, 0)[40] == pytest.approx(expected)


def test_nearest_people_and_items(planted):
    people = nearest_people(planted.model, 3, 6)
    distances = people_distances(planted.model, planted.model.mixtures[3])
    assert 3 not in people["row"].tolist()
    np.testing.assert_array_equal(people["distance"], np.sort(np.delete(distances, 3))[:6])
    items = nearest_items(planted.model, planted.dataset, 0, 20)
    assert (items["row"] < 30).mean() > 0.9  # others of its planted tag
    assert items["title"].iloc[0] == planted.dataset.titles[items["row"].iloc[0]]


def test_items_with_few_raters_in_common_are_left_out(bundled, recommended):
    ratings = bundled.ratings
    raters = [set(ratings.users[ratings.items == item].tolist()) for item in range(ratings.n_items)]
    for title, enough in (("Forrest Gump (1994)", 69), ("Toy Story (1995)", 50)):
        item = bundled.titles.index(title)
        near = nearest_items(recommended, bundled, item, 8)
        assert enough_in_common(len(raters[item])) == enough  # a fifth of 341 and of 247, rounded up
        assert near["common"].tolist() == [len(raters[item] & raters[row]) for row in near["row"]]
        assert near["common"].min() >= enough
    assert "Letters from Iwo Jima (2006)" not in near["title"].tolist()
    few = nearest_items(recommended, bundled, 0, 30, min_common=100)
    assert few["common"].min() >= 100
    distances = item_distances(recommended, 0)
    allowed = [row for row in range(ratings.n_items) if row and len(raters[0] & raters[row]) >= 100]
    assert few["row"].tolist() == sorted(allowed, key=lambda row: distances[row])[:30]


def test_unknown_rows_are_refused(planted):
    with pytest.raises(InputError, match="no user in row 400"):
        nearest_people(planted.model, 400)
    with pytest.raises(InputError, match="no item in row -1"):
        item_distances(planted.model, -1)
    with pytest.raises(InputError, match="shape"):
        people_distances(planted.model, np.ones(2))
