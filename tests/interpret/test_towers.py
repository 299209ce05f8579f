"""Towers say what is in the arrays, and few ratings cannot make a tag look extreme."""

import numpy as np
import pytest

from nnm_core import FitOptions, InputError, Ratings, Scale, fit, preset
from nnm_core.datasets import Dataset, Labels
from nnm_core.interpret.audience import evidence, shares, taste_shares
from nnm_core.interpret.towers import compute_towers, generosity, tag_vectors
from tests.fits import fitted
from tests.interpret.planted import HIGH, LIKED_BY, LOW


def test_plain_bars_are_the_papers_means(recommended, bundled):
    bars = compute_towers(recommended, bundled)
    member = bundled.tags.member.toarray()
    for k in (0, 5, len(bars.tags) - 1):
        expected = recommended.likes[member[:, k]].mean(axis=0)[:3]
        np.testing.assert_allclose(bars.plain[k], expected, atol=1e-12)
    np.testing.assert_array_equal(bars.plain, tag_vectors(recommended, bundled.tags))


def test_damped_bars_by_hand():
    """Two items of 4 and 1 ratings, D = 1: weights 4/9 and 1/6, and two average items are added."""
    ratings = Ratings.from_arrays(
        ["a", "b", "c", "d", "a"], ["x", "x", "x", "x", "y"], [5, 5, 5, 5, 1], scale=Scale(1, 5)
    )
    dataset = Dataset("d", ratings, ("X", "Y"), Labels.from_pairs(np.array([1]), np.array([0]), ["low"], 2))
    model = fit(ratings, FitOptions(n_stereotypes=1, fill="none"))
    np.testing.assert_allclose(model.likes[:, 0], [1.0, 0.2])
    bars = compute_towers(model, dataset)
    level = (4 / 9 * 1.0 + 1 / 6 * 0.2) / (4 / 9 + 1 / 6)
    assert bars.levels[0] == pytest.approx(level)
    assert bars.likes[0, 0] == pytest.approx((1 / 6 * 0.2 + 2 * level) / (1 / 6 + 2))
    assert bars.plain[0, 0] == pytest.approx(0.2)
    assert not bars.is_supported[0]


def test_relative_and_taste_cancel_over_the_audience(recommended, bundled):
    bars = compute_towers(recommended, bundled)
    weights = recommended.mixtures.mean(axis=0)[:3]
    np.testing.assert_allclose(bars.relative @ (weights / weights.sum()), 0, atol=1e-12)
    np.testing.assert_allclose(bars.taste @ (weights / weights.sum()), 0, atol=1e-12)
    np.testing.assert_allclose(bars.likes - bars.relative, bars.audience[:, None] * np.ones(3))


def test_planted_towers_are_found(planted):
    bars = compute_towers(planted.model, planted.dataset)
    for tag, liked_by in LIKED_BY.items():
        expected = [HIGH if k in liked_by else LOW for k in range(3)]
        assert np.abs(bars.plain[bars.row(tag), planted.columns] - expected).max() < 0.08
    clear = bars.is_clear[:, planted.columns]
    assert clear[bars.row("Noir"), 0]
    assert clear[bars.row("Kids"), 1]
    assert bars.taste[bars.row("Noir"), planted.columns[0]] > 0.25
    assert not clear[bars.row("Dice")].any()


def test_a_rare_tag_does_not_look_extreme(bundled):
    """An item with one top rating: in the plain mean its tag is liked by all, in the damped one it is average."""
    counts = bundled.ratings.by_item.counts
    model = fitted(bundled.ratings, preset("paper", n_stereotypes=2))
    once = np.flatnonzero((counts == 1) & (model.likes.min(axis=1) > 0.99))[:1]
    assert len(once)
    tags = Labels.from_pairs(once, np.zeros(1, dtype=int), ["rare"], bundled.ratings.n_items)
    bars = compute_towers(model, bundled, tags)
    assert bars.plain.min() > 0.99
    assert np.abs(bars.likes - bars.levels).max() < 0.03
    assert not bars.is_supported[0]
    assert not bars.is_clear.any()


def test_more_ratings_draw_less(bundled, recommended):
    """A tag of one item keeps w / (w + 2) of the item's distance to the average, where w = n / (n + 5 D)."""
    counts = bundled.ratings.by_item.counts
    rows = np.array([int(np.flatnonzero(counts == n)[0]) for n in (1, 10, 60, 200)])
    tags = Labels.from_pairs(rows, np.arange(4), list("abcd"), bundled.ratings.n_items)
    bars = compute_towers(recommended, bundled, tags)
    weight = counts[rows] / (counts[rows] + 15)
    kept = (bars.likes - bars.levels) / (bars.plain - bars.levels)
    np.testing.assert_allclose(kept, np.repeat((weight / (weight + 2))[:, None], 3, axis=1))
    assert (np.diff(kept[:, 0]) > 0).all()


def test_evidence_counts_every_rating_once(bundled, recommended):
    found = evidence(recommended, bundled.ratings)
    np.testing.assert_allclose(found.sum(axis=1), bundled.ratings.by_item.counts)
    raters = bundled.ratings.by_item.partners[bundled.ratings.by_item.of(7)]
    np.testing.assert_allclose(found[7], recommended.mixtures[raters].sum(axis=0))
    bars = compute_towers(recommended, bundled)
    assert (bars.evidence.sum(axis=1) <= bars.n_ratings + 1e-6).all()


def test_generosity_is_shown_as_what_it_is(recommended, bundled, planted):
    enthusiast, skeptic = generosity(recommended)
    assert (enthusiast.name, enthusiast.rating, enthusiast.like) == ("enthusiast", 5.0, 1.0)
    assert (skeptic.name, skeptic.rating, skeptic.like) == ("skeptic", 0.5, 0.1)
    assert enthusiast.share == pytest.approx(recommended.mixtures[:, 3].mean())
    assert compute_towers(recommended, bundled).likes.shape[1] == 3  # and not as flat towers
    assert generosity(planted.model) == ()
    assert shares(recommended).sum() == pytest.approx(1)
    assert taste_shares(recommended).sum() == pytest.approx(1)


def test_the_table_has_a_line_per_bar(recommended, bundled):
    bars = compute_towers(recommended, bundled)
    table = bars.table("abc")
    assert len(table) == len(bars.tags) * 3
    line = table[(table["tag"] == "Drama") & (table["stereotype"] == "b")].iloc[0]
    assert line["likes (damped)"] == bars.likes[bars.row("Drama"), 1]
    assert line["items"] == bundled.tags.counts[bars.row("Drama")]
    with pytest.raises(InputError, match="2 names for 3"):
        bars.table("ab")


def test_no_tags_and_tags_without_items(bundled, recommended):
    none = compute_towers(recommended, bundled, Labels.none(bundled.ratings.n_items))
    assert none.likes.shape == (0, 3)
    assert none.is_clear.shape == (0, 3)
    empty = Labels.from_pairs(np.array([], int), np.array([], int), ["ghost"], bundled.ratings.n_items)
    bars = compute_towers(recommended, bundled, empty)
    assert np.isnan(bars.plain).all()
    np.testing.assert_allclose(bars.likes[0], bars.levels)


def test_foreign_data_are_refused(bundled, recommended, planted):
    with pytest.raises(InputError, match="do not have the same people and items"):
        compute_towers(recommended, planted.dataset)
    with pytest.raises(InputError, match="given for 7 of"):
        compute_towers(recommended, bundled, Labels.none(7))
    with pytest.raises(InputError, match="no tag 'Dramaa'"):
        compute_towers(recommended, bundled).row("Dramaa")


def test_chance_is_seldom_called_clear(planted):
    """Tags that are attached at random: in 60 such sets of 10 tags, about 3 hold any bar that is called clear."""
    rng = np.random.default_rng(3)
    n_items, fooled = planted.dataset.ratings.n_items, 0
    for _ in range(60):
        rows, columns = np.nonzero(rng.random((n_items, 10)) < 0.2)
        tags = Labels.from_pairs(rows, columns, list("abcdefghij"), n_items)
        fooled += compute_towers(planted.model, planted.dataset, tags).is_clear.any()
    assert fooled <= 8


def test_stars_mode_speaks_of_expected_ratings(planted):
    model = fit(planted.dataset.ratings, FitOptions(n_stereotypes=3, mode="stars", n_sweeps=8, star_sweeps=4))
    bars = compute_towers(model, planted.dataset)
    member = planted.dataset.tags.member.toarray()[:, 0]
    values = np.arange(1, 6) / 5
    np.testing.assert_allclose(bars.plain[0], np.einsum("izk,z->k", model.answers[member], values) / member.sum())


def test_every_item_counts_alike_as_the_paper_defines_it(recommended, bundled):
    bars = compute_towers(recommended, bundled, weighting="alike")
    np.testing.assert_allclose(bars.likes, tag_vectors(recommended, bundled.tags))
    np.testing.assert_allclose(bars.levels, recommended.likes[:, :3].mean(axis=0))
    weights = recommended.mixtures.mean(axis=0)[:3]
    np.testing.assert_allclose(bars.relative @ (weights / weights.sum()), 0, atol=1e-12)
    damped = compute_towers(recommended, bundled)
    np.testing.assert_array_equal(bars.plain, damped.plain)
    assert np.abs(bars.likes - damped.likes).max() > 0.02
    assert {"likes (every item alike)", "taste (every item alike)"} < set(bars.table("abc").columns)
    assert {"likes (damped)", "likes (every item alike)"} < set(damped.table("abc").columns)


def test_chance_is_seldom_called_clear_where_every_item_counts_alike(planted):
    rng = np.random.default_rng(4)
    n_items, fooled = planted.dataset.ratings.n_items, 0
    for _ in range(60):
        rows, columns = np.nonzero(rng.random((n_items, 10)) < 0.2)
        tags = Labels.from_pairs(rows, columns, list("abcdefghij"), n_items)
        fooled += compute_towers(planted.model, planted.dataset, tags, weighting="alike").is_clear.any()
    assert fooled <= 8
    assert compute_towers(planted.model, planted.dataset, weighting="alike").is_clear[:5].any(axis=1).all()


def test_a_tag_without_items_is_average_however_items_count(bundled, recommended):
    empty = Labels.from_pairs(np.array([], int), np.array([], int), ["ghost"], bundled.ratings.n_items)
    bars = compute_towers(recommended, bundled, empty, weighting="alike")
    np.testing.assert_allclose(bars.likes[0], bars.levels)
    assert np.isnan(bars.plain).all()
