"""Refits from other seeds: what comes back, and how far it moves."""

import numpy as np
import pytest

from nnm_core import FitCancelled, FitOptions, InputError, fit, preset
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.interpret.compare import fill_comparison, measure_stability, refits, stereotype_distances
from nnm_core.interpret.text.claims import find_claims
from nnm_core.interpret.towers import compute_towers
from tests.fits import fitted
from tests.interpret.compare.test_alignment import permuted


@pytest.fixture(scope="module")
def fits(planted):
    return refits(planted.dataset.ratings, planted.model, 4)


@pytest.fixture(scope="module")
def found(fits, planted):
    return measure_stability(fits, planted.dataset)


def test_refits_skip_the_models_own_seed(planted, fits):
    assert [model.seed for model in fits] == [1, 0, 2, 3, 4]
    assert all(model.options == planted.model.options for model in fits)


def test_the_same_model_twice_is_perfectly_stable(planted):
    twice = measure_stability([planted.model, permuted(planted.model, [2, 0, 1])], planted.dataset)
    assert twice.figures.tolist() == [1, 1, 1]
    assert twice.is_found.mean(axis=0).tolist() == [1, 1, 1]
    np.testing.assert_allclose(twice.likes.low, twice.likes.high, atol=1e-12)
    assert twice.in_words(0) == "Found again in all of 1 fits from other random starts."


def test_planted_stereotypes_are_stable(found):
    assert found.n_fits == 5
    assert (found.figures > 0.8).all()
    assert found.is_found.all()


def test_bands_hold_every_fit(found, fits, planted):
    for model, order in zip(fits, [np.arange(3), *found.matches], strict=True):
        bars = compute_towers(model, planted.dataset)
        for band, values in ((found.likes, bars.likes), (found.relative, bars.relative), (found.taste, bars.taste)):
            assert (band.low - 1e-12 <= values[:, order]).all()
            assert (values[:, order] <= band.high + 1e-12).all()
    assert found.is_firm[0, planted.columns[0]]  # everybody finds the fan of Noir
    one_sign = [(band.low > 0) | (band.high < 0) for band in (found.taste, found.relative)]
    np.testing.assert_array_equal(found.is_firm, one_sign[0] & one_sign[1])


def test_noise_is_not_called_stable(planted):
    """More stereotypes than there are: the superfluous ones do not come back alike."""
    ratings = planted.dataset.ratings
    model = fit(ratings, FitOptions(n_stereotypes=7, fill="none"))
    many = measure_stability(refits(ratings, model, 4), planted.dataset)
    assert many.figures.min() < 0.7
    assert not many.is_found.all()


def test_one_stereotype_is_stable(planted):
    model = fit(planted.dataset.ratings, FitOptions(n_stereotypes=1))
    single = measure_stability(refits(planted.dataset.ratings, model, 2), planted.dataset)
    assert single.figures.tolist() == pytest.approx([1.0])
    assert single.is_found.mean(axis=0).tolist() == [1.0]


def test_generosity_and_bundled_data(bundled, recommended):
    found = measure_stability(refits(bundled.ratings, recommended, 3), bundled)
    assert found.likes.low.shape == (len(bundled.tags.names), 3)
    assert ((found.figures >= 0) & (found.figures <= 1)).all()


def test_unlike_models_are_refused(planted, bundled, recommended):
    with pytest.raises(InputError, match="at least two fits"):
        measure_stability([planted.model], planted.dataset)
    other = fit(planted.dataset.ratings, FitOptions(n_stereotypes=2))
    with pytest.raises(InputError, match="same number of stereotypes"):
        measure_stability([planted.model, other], planted.dataset)
    with pytest.raises(InputError, match="at least 1 more fit"):
        refits(planted.dataset.ratings, planted.model, 0)
    with pytest.raises(InputError, match="same items"):
        stereotype_distances(planted.model, recommended, bundled.ratings)


def test_progress_is_reported_and_can_stop(planted):
    with pytest.raises(FitCancelled):
        refits(planted.dataset.ratings, planted.model, 2, callback=lambda sweep: sweep.number < 3)


def test_what_all_seeds_agree_on_passes_into_words(bundled):
    model = fitted(bundled.ratings, preset("paper", n_stereotypes=5))
    firm = measure_stability(refits(bundled.ratings, model, 4), bundled).is_firm
    said = find_claims(model, bundled, firm=firm)
    named = [(row, claim.stereotype) for claim in said for row in (*claim.likes, *claim.avoids) if row < len(firm)]
    assert named
    assert all(firm[cell] for cell in named)


def test_refits_of_a_distilled_model_know_what_it_knew(planted):
    ratings, side = planted.dataset.ratings, SideInformation.of(planted.dataset)
    model = fit(ratings, preset("accurate", n_stereotypes=3, n_sweeps=12, burn_in=6, n_factors=4), side=side)
    informed, uninformed = refits(ratings, model, 1, side=side)[1], refits(ratings, model, 1)[1]
    np.testing.assert_array_equal(informed.likes, fit(ratings, model.options, seed=1, side=side).likes)
    assert np.abs(informed.likes - uninformed.likes).max() > 1e-6
    with pytest.raises(InputError, match="no fill to compare with"):
        fill_comparison(planted.dataset, model.options)
