"""Ratings out of a model, and their reasons."""

import numpy as np
import pytest

from nnm_core import InputError, contributions, fit, predict, predict_distribution, preset, top_n


@pytest.fixture(scope="module")
def like(small):
    return fit(small, preset("recommended"))


@pytest.fixture(scope="module")
def stars(small):
    return fit(small, preset("recommended", mode="stars"))


def test_the_expected_rating_is_the_inner_product_on_the_scale(like, small):
    users, items = np.arange(20), np.arange(20)
    expected = [5 * like.mixtures[k] @ like.likes[k] for k in range(20)]
    np.testing.assert_allclose(predict(like, users, items), np.clip(expected, 1, 5))
    assert predict(like, np.array([], dtype=int), np.array([], dtype=int)).shape == (0,)


def test_predictions_are_clipped_to_the_scale(small):
    model = fit(small, preset("paper", n_sweeps=2))  # filled only: expects ratings near zero
    predicted = predict(model, small.users, small.items)
    assert predicted.min() == 1.0


def test_a_star_model_predicts_a_distribution(stars, small):
    probabilities = predict_distribution(stars, small.users, small.items)
    assert probabilities.shape == (len(small), 5)
    assert probabilities.min() >= 0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-9)
    levels = np.arange(1, 6)
    np.testing.assert_allclose(predict(stars, small.users, small.items), probabilities @ levels, atol=1e-9)
    likely = predict(stars, small.users, small.items, "most likely")
    np.testing.assert_array_equal(likely, levels[probabilities.argmax(axis=1)])
    median = predict(stars, small.users, small.items, "median").astype(int)
    below = np.array([p[: m - 1].sum() for p, m in zip(probabilities, median, strict=True)])
    upto = np.array([p[:m].sum() for p, m in zip(probabilities, median, strict=True)])
    assert (below < 0.5).all()
    assert (upto >= 0.5 - 1e-9).all()


def test_reasons_add_up_to_the_prediction(like):
    for recommendation in top_n(like, like.mixtures[3], 15):
        total = recommendation.contributions.sum()
        assert np.clip(total, 1, 5) == pytest.approx(recommendation.rating)
        assert recommendation.rating == pytest.approx(predict(like, np.array([3]), np.array([recommendation.item]))[0])
    np.testing.assert_allclose(
        contributions(like, like.mixtures[3], np.array([5])).sum(), 5 * like.mixtures[3] @ like.likes[5]
    )


def test_the_best_items_come_first_and_rated_ones_not_at_all(like, small):
    rated = small.by_user.partners[small.by_user.of(3)]
    best = top_n(like, like.mixtures[3], 10, exclude=rated)
    assert not {r.item for r in best} & set(rated.tolist())
    values = [r.rating for r in best]
    assert values == sorted(values, reverse=True)
    others = sorted(set(range(small.n_items)) - set(rated.tolist()) - {r.item for r in best})
    assert predict(like, np.full(len(others), 3), np.array(others)).max() <= values[-1] + 1e-12
    assert len(top_n(like, like.mixtures[3], 1000, exclude=rated)) == small.n_items - len(rated)
    assert top_n(like, like.mixtures[3], 5, exclude=np.arange(small.n_items)) == []


def test_bad_requests_are_refused(like):
    with pytest.raises(InputError, match="as many users as items, not 2 and 1"):
        predict(like, np.array([0, 1]), np.array([0]))
    with pytest.raises(InputError, match="A user row lies outside the model, which has 60 users"):
        predict(like, np.array([60]), np.array([0]))
    with pytest.raises(InputError, match="An item row lies outside the model, which has 40 items"):
        predict(like, np.array([0]), np.array([-1]))
    with pytest.raises(InputError, match="like mode predicts the mean only"):
        predict(like, np.array([0]), np.array([0]), "median")
    with pytest.raises(InputError, match="not by 'mode'"):
        predict(like, np.array([0]), np.array([0]), "mode")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least 1, not 0"):
        top_n(like, like.mixtures[0], 0)
    with pytest.raises(InputError, match=r"shape \(3,\) where the model needs \(5,\)"):
        top_n(like, np.ones(3) / 3)
