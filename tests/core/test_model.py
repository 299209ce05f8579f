"""A model cannot be made wrong, or changed."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from nnm_core import InputError, fit, preset


@pytest.fixture(scope="module")
def model(small):
    return fit(small, preset("recommended"))


def test_a_model_is_frozen(model):
    with pytest.raises(FrozenInstanceError):
        model.seed = 5
    for array in (model.mixtures, model.answers, model.likes, model.mean_mixture):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_making_a_model_does_not_lock_the_callers_arrays(model):
    mine = model.mixtures.copy()
    replace(model, mixtures=mine)
    mine[0] = 0


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda m: {"mixtures": m.mixtures * 1.001}, "mixtures of users must be probabilities.*belong to '0'"),
        (lambda m: {"mixtures": np.where(np.arange(60)[:, None] == 4, np.nan, m.mixtures)}, "belong to '4'"),
        (lambda m: {"answers": m.answers - 0.5}, "answers to items must be probabilities"),
        (lambda m: {"mixtures": m.mixtures[:, :4]}, "do not make a model"),
        (lambda m: {"user_ids": m.user_ids[1:]}, r"mixtures has the shape \(60, 5\) where the model needs \(59, 5\)"),
        (lambda m: {"mean_mixture": np.ones(5)}, "mean mixture must be probabilities"),
        (lambda m: {"n_fixed": 5}, "5 of 5 columns cannot be stereotypes of generosity"),
        (lambda m: {"mixture_precision": np.full((5, 5), np.inf)}, "not finite"),
    ],
)
def test_what_breaks_the_constraints_is_refused(model, spoil, message):
    with pytest.raises(InputError, match=message):
        replace(model, **spoil(model))


def test_a_model_says_where_it_comes_from(model, small):
    assert model.data_hash == small.content_hash
    assert model.options == preset("recommended")
    assert model.seed == 0
    assert model.names == ("1", "2", "3", "enthusiast", "skeptic")
    assert model.answer_values.tolist() == [0.0, 1.0]
    assert model.user_rows(["3", "1"]).tolist() == [small.user_index["3"], small.user_index["1"]]
