"""Items and people that show what a stereotype is."""

import numpy as np
import pytest

from nnm_core import FitOptions, InputError, fit
from nnm_core.interpret.audience import evidence
from nnm_core.interpret.exemplars import distinctive_items, item_taste, widely_known


def test_distinctive_items_set_one_stereotype_apart(bundled, recommended):
    taste = item_taste(recommended, bundled)
    seen: set[int] = set()
    for k in range(3):
        table = distinctive_items(recommended, bundled, k, 10)
        rows = table["row"].tolist()
        assert len(rows) == 10
        assert (recommended.likes[rows, k] >= 0.5).all()
        assert (taste[rows, k] > 0).all()
        assert (taste[rows].argmax(axis=1) == k).all()
        assert not seen & set(rows)
        seen |= set(rows)
        known = widely_known(bundled) & (evidence(recommended, bundled.ratings)[:, k] >= 3)
        candidates = np.flatnonzero(known & (recommended.likes[:, k] >= 0.5) & (taste.argmax(axis=1) == k))
        assert set(candidates[np.argsort(-taste[candidates, k])[:10]]) == set(rows)


def test_item_taste_by_hand(bundled, recommended):
    """Liking minus the audience's, minus the same over all items, times n / (n + 5 D)."""
    likes, counts = recommended.likes[:, :3], bundled.ratings.by_item.counts
    weight = recommended.mixtures[:, :3].sum(axis=0) / recommended.mixtures[:, :3].sum()
    trust = counts / (counts + 15)
    relative = likes - (likes * weight).sum(axis=1)[:, None]
    overall = (trust[:, None] * relative).sum(axis=0) / trust.sum()
    np.testing.assert_allclose(item_taste(recommended, bundled), (relative - overall) * trust[:, None], atol=1e-12)


def test_small_data_have_known_items_too(planted):
    assert widely_known(planted.dataset).any()


def test_one_stereotype_has_nothing_that_sets_it_apart(planted):
    model = fit(planted.dataset.ratings, FitOptions(n_stereotypes=1))
    assert distinctive_items(model, planted.dataset, 0).empty


def test_unknown_stereotypes_are_named(bundled, recommended):
    with pytest.raises(InputError, match="no stereotype number 9"):
        distinctive_items(recommended, bundled, 9)
    with pytest.raises(InputError, match="treat all items alike"):
        distinctive_items(recommended, bundled, 3)
