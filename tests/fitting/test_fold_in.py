"""New users and items: folding in gives what the fit found, or would have found."""

from dataclasses import replace

import numpy as np
import pytest

from nnm_core import (
    InputError,
    Ratings,
    Scale,
    extend,
    fit,
    fold_in_item,
    fold_in_items,
    fold_in_user,
    fold_in_users,
    predict,
    preset,
)
from tests.planted import planted_ratings

VARIANTS = {
    "paper": preset("paper"),
    "recommended": preset("recommended"),
    "stars": preset("paper", mode="stars", star_sweeps=3),
    "stars with all": preset("recommended", mode="stars", star_sweeps=3),
}


def given_by(ratings: Ratings, user: int) -> dict[str, float]:
    entries = ratings.by_user.of(user)
    return {
        ratings.item_ids[item]: float(ratings.levels[code])
        for item, code in zip(ratings.by_user.partners[entries], ratings.by_user.codes[entries], strict=True)
    }


def given_to(ratings: Ratings, item: int) -> dict[str, float]:
    entries = ratings.by_item.of(item)
    return {
        ratings.user_ids[user]: float(ratings.levels[code])
        for user, code in zip(ratings.by_item.partners[entries], ratings.by_item.codes[entries], strict=True)
    }


@pytest.mark.parametrize("name", VARIANTS)
def test_folding_everyone_in_again_changes_nothing(small, name):
    """The last half-step of a fit was the users': folding them in solves the same problems."""
    model = fit(small, VARIANTS[name])
    folded = fold_in_users(model, small)
    for mixtures in (folded, np.array([fold_in_user(model, given_by(small, u)) for u in range(small.n_users)])):
        np.testing.assert_allclose(mixtures, model.mixtures, atol=1e-5)


@pytest.mark.parametrize("name", VARIANTS)
def test_an_item_is_folded_in_alone_as_in_bulk(small, name):
    model = fit(small, VARIANTS[name])
    answers = fold_in_items(model, small)
    np.testing.assert_allclose(answers.sum(axis=1), 1, atol=1e-12)
    assert answers.min() >= 0
    for item in range(0, small.n_items, 7):
        alone = fold_in_item(model, given_to(small, item))
        np.testing.assert_allclose(alone[:, model.n_stereotypes :], model.answers[item, :, model.n_stereotypes :])
        users = small.by_item.partners[small.by_item.of(item)]
        np.testing.assert_allclose(model.mixtures[users] @ alone.T, model.mixtures[users] @ answers[item].T, atol=1e-5)


@pytest.mark.parametrize("name", VARIANTS)
def test_nobody_and_nothing_fold_in_to_the_average(small, name):
    model = fit(small, VARIANTS[name])
    np.testing.assert_array_equal(fold_in_user(model, {}), model.mean_mixture)
    answers = fold_in_item(model, {})
    np.testing.assert_allclose(answers[:, 0], model.mean_answer, atol=1e-12)


def test_folding_in_predicts_unseen_ratings_of_new_people():
    ratings, *_ = planted_ratings(600, 200, 3, 0.5, seed=8)
    old = ratings.users < 500
    model = fit(ratings.subset(old), preset("recommended"))
    rng = np.random.default_rng(0)
    shown = ~old & (rng.random(len(ratings)) < 0.5)
    newcomers = fold_in_users(model, ratings.subset(shown))
    hidden = ~old & ~shown
    users, items = ratings.users[hidden], ratings.items[hidden]
    expected = ratings.scale.from_unit((newcomers[users] * model.likes[items]).sum(axis=1))
    error = np.abs(ratings.scale.clip(expected) - ratings.values[hidden]).mean()
    average = np.abs(predict(model, users, items) - ratings.values[hidden]).mean()  # the mean mixture for all of them
    assert error < 0.4
    assert error < 0.6 * average


@pytest.mark.parametrize("name", VARIANTS)
def test_extending_keeps_what_was_known_and_adds_the_rest(small, name):
    known = small.subset((small.users < 50) & (small.items < 35))
    anchors = Ratings.from_numbers(
        known.users, known.items, known.values, small.user_ids[:50], small.item_ids[:35], scale=small.scale
    )
    model = fit(anchors, VARIANTS[name])
    larger = extend(model, small)
    np.testing.assert_array_equal(larger.mixtures[:50], model.mixtures)
    np.testing.assert_array_equal(larger.answers[:35], model.answers)
    assert larger.user_ids == small.user_ids
    assert larger.data_hash == small.content_hash
    new = small.users >= 50
    error = np.abs(predict(larger, small.users[new], small.items[new]) - small.values[new]).mean()
    assert error < 0.8 * np.abs(small.values[new] - small.values.mean()).mean()


def test_anchors_predict_about_as_well_as_the_full_fit():
    ratings, *_ = planted_ratings(800, 300, 3, 0.3, seed=9)
    held_out = np.random.default_rng(1).random(len(ratings)) < 0.2
    train = ratings.subset(~held_out)
    options = preset("recommended")
    errors = [
        np.abs(
            predict(fit(train, o), ratings.users[held_out], ratings.items[held_out]) - ratings.values[held_out]
        ).mean()
        for o in (options, replace(options, anchors=(300, 150)))
    ]
    assert errors[1] < errors[0] + 0.03


def test_anchors_larger_than_the_data_change_nothing(small):
    full = fit(small, preset("recommended"))
    anchored = fit(small, preset("recommended", anchors=(10_000, 10_000)))
    np.testing.assert_allclose(anchored.mixtures, full.mixtures, atol=1e-12)


def test_what_does_not_fit_the_model_is_refused(small):
    model = fit(small)
    with pytest.raises(InputError, match="does not know 1 of 2 item ids, the first is 'Alien'.*'0'"):
        fold_in_user(model, {"0": 3, "Alien": 5})
    with pytest.raises(InputError, match="The rating 7 lies outside the model's scale, which goes from 1 to 5"):
        fold_in_user(model, {"0": 7})
    with pytest.raises(InputError, match="nan lies outside"):
        fold_in_user(model, {"0": float("nan")})
    with pytest.raises(InputError, match="does not know 1 of 1 user ids"):
        fold_in_item(model, {"nobody": 3})
    with pytest.raises(InputError, match="must have all of its users and items"):
        extend(model, Ratings.from_arrays(["0", "1"], ["0", "1"], [1, 2], scale=Scale(1, 5)))
