"""Scales are read from data and map to probabilities as the paper's z/Z does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnm_core import InputError, Scale
from nnm_core.scale import written


@pytest.mark.parametrize(
    ("values", "expected", "lowest_unit"),
    [
        ([1, 2, 3, 4, 5], Scale(1, 5, 1), 1 / 5),
        ([0.5, 5.0, 3.0, 1.0], Scale(0.5, 5, 0.5), 1 / 10),
        ([1, 10, 7, 8], Scale(1, 10, 1), 1 / 10),
        ([0, 1, 1, 0], Scale(0, 1, 1), 0),
        ([-10, 10, 0, 3], Scale(-10, 10, 1), 1 / 21),
        ([0, 2, 5], Scale(0, 5, 1), 1 / 6),
        ([0.1, 0.2, 0.3], Scale(0.1, 0.3, 0.1), 1 / 3),
        ([0, 100, 37, 50], Scale(0, 100, 1), 1 / 101),
    ],
)
def test_evenly_spaced_scales_are_found(values, expected, lowest_unit):
    scale = Scale.infer(values)
    assert (scale.lowest, scale.highest) == (expected.lowest, expected.highest)
    assert scale.step == pytest.approx(expected.step)
    assert scale.lowest_unit == pytest.approx(lowest_unit)
    assert scale.to_unit(scale.highest) == pytest.approx(1.0)


def test_ratings_without_common_step_are_continuous():
    values = np.random.default_rng(0).normal(size=1000)
    scale = Scale.infer(values)
    assert scale.is_continuous
    assert scale.n_levels == 0
    assert scale.to_unit([scale.lowest, scale.highest]).tolist() == [0.0, 1.0]
    assert scale.round(values).tolist() == values.tolist()


@given(
    lowest=st.integers(-20, 20),
    n_levels=st.integers(2, 60),
    step=st.sampled_from([0.1, 0.25, 0.5, 1.0, 2.0, 7.0]),
    data=st.data(),
)
def test_any_even_scale_survives_the_round_trip(lowest, n_levels, step, data):
    levels = lowest + step * np.arange(n_levels)
    inner = data.draw(st.lists(st.sampled_from(levels.tolist()), max_size=30))
    # two neighbours fix the step, the ends fix the range
    scale = Scale.infer([levels[0], levels[1], levels[-1], *inner])
    assert scale.n_levels == n_levels
    np.testing.assert_allclose(scale.levels, levels, atol=1e-9)
    units = [0.0, 1.0] if n_levels == 2 else np.arange(1, n_levels + 1) / n_levels
    np.testing.assert_allclose(scale.to_unit(levels), units, atol=1e-9)
    np.testing.assert_allclose(scale.from_unit(scale.to_unit(levels)), levels, atol=1e-9)
    np.testing.assert_allclose(scale.round(levels + 0.49 * step), levels, atol=1e-9)


def test_clipping_and_rounding_are_separate():
    scale = Scale(1, 5)
    assert scale.clip([0.2, 2.4, 5.7]).tolist() == [1.0, 2.4, 5.0]
    assert scale.round([0.2, 2.4, 2.5, 3.5, 5.7]).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scale.infer([3, 3, 3]), r"Every rating is 3.*scale=Scale\(1, 5\)"),
        (lambda: Scale.infer([]), "no ratings"),
        (lambda: Scale(5, 1), "fewer than two levels"),
        (lambda: Scale(1, 1), "fewer than two levels"),
        (lambda: Scale(1, float("inf")), "finite"),
        (lambda: Scale(1, 5, 3), "do not reach 5"),
        (lambda: Scale(1, 5, -1), "does not fit"),
    ],
)
def test_impossible_scales_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_numbers_are_written_with_a_real_minus():
    assert [written(number) for number in (3.5, -1, 0, -0.0, 1e-9)] == ["3.5", "−1", "0", "0", "0.000000001"]
    assert [written(number, 1) for number in (3.14, -3.14, -0.04)] == ["3.1", "−3.1", "0.0"]


def test_numbers_are_written_out_unless_nobody_could_count_their_zeros():
    assert [written(number) for number in (2.5e-5, 9999.5, 12345.5, -1e6, 1234567, 1e9)] == [
        "0.000025", "9999.5", "12,345.5", "−1,000,000", "1,234,567", "1,000,000,000"
    ]  # fmt: skip
    assert [written(number) for number in (1e300, -2.5e-300, float("inf"))] == ["1e300", "−2.5e−300", "inf"]
    assert [written(number, 2) for number in (1234.5, 123456.789)] == ["1234.50", "123,456.79"]
