"""Ratings as people write them, and in bins."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nnm_core.datasets.cleaning import bin_ratings

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(st.lists(st.floats(-1000, 1000, allow_nan=False), min_size=2, max_size=50), st.integers(2, 20))
def test_bins_keep_the_order_and_meet_both_ends(values: list[float], n_bins: int) -> None:
    array = np.array(values)
    levels, _ = bin_ratings(array, n_bins)
    assert set(levels) <= set(range(1, n_bins + 1))
    assert (np.diff(levels[np.argsort(array, kind="stable")]) >= 0).all()
    if array.max() - array.min() > 1e-6:
        assert (levels.min(), levels.max()) == (1, n_bins)
