"""Towers with and without the fill."""

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from nnm_core import FitOptions, InputError, fit, preset
from nnm_core.interpret.compare import compare_towers, fill_comparison
from nnm_core.interpret.towers import tag_vectors
from tests.fits import fitted


def test_figures_agree_with_scipy(bundled):
    found = fill_comparison(bundled, preset("paper", n_stereotypes=3), seed=1)
    for k in range(3):
        a, b = found.first[:, k], found.second[:, k]
        assert found.rank_correlations[k] == pytest.approx(spearmanr(a, b)[0])
        assert found.same_order[k] == pytest.approx((kendalltau(a, b)[0] + 1) / 2)
        assert found.shifts[k] == pytest.approx((a - b).mean())
    assert found.structure_kept == pytest.approx(found.same_order.mean())


def test_the_two_fits_differ_in_the_fill_alone(bundled):
    options = preset("paper", n_stereotypes=2)
    found = fill_comparison(bundled, options)
    with_fill, without = (
        fitted(bundled.ratings, options),
        fit(bundled.ratings, preset("paper", n_stereotypes=2, fill="none")),
    )
    rows = [bundled.tags.names.index(tag) for tag in found.tags]
    np.testing.assert_array_equal(found.first, tag_vectors(with_fill, bundled.tags)[rows])
    np.testing.assert_array_equal(found.second, tag_vectors(without, bundled.tags)[rows][:, found.matches])


def test_a_model_has_its_own_structure(planted):
    found = compare_towers(planted.model, planted.model, planted.dataset)
    assert found.structure_kept == 1
    assert found.rank_correlations.tolist() == pytest.approx([1, 1, 1])
    assert found.shifts.tolist() == [0, 0, 0]


def test_filling_throughout_lowers_every_bar(planted):
    found = fill_comparison(planted.dataset, FitOptions(n_stereotypes=2), throughout=True)
    assert (found.shifts < -0.1).all()


def test_generosity_is_set_aside_where_the_fill_never_ends(planted):
    found = fill_comparison(planted.dataset, preset("recommended"), throughout=True)
    assert found.first.shape[1] == 3


def test_without_enough_tags_there_is_no_order(planted):
    found = compare_towers(planted.model, planted.model, planted.dataset, min_items=1000)
    assert found.tags == ()
    assert found.structure_kept == 1
    assert np.isnan(found.rank_correlations).all()


def test_nothing_to_compare_is_refused(planted):
    with pytest.raises(InputError, match="no fill to compare with"):
        fill_comparison(planted.dataset, FitOptions(fill="none"))
    with pytest.raises(InputError, match="same number of stereotypes"):
        compare_towers(planted.model, fit(planted.dataset.ratings, FitOptions(n_stereotypes=2)), planted.dataset)
