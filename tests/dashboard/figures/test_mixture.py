"""A mixture as one bar, and legends below pictures."""

import numpy as np
import pytest

from dashboard.figures.items import distribution_figure
from dashboard.figures.people import mixture_figure
from dashboard.theme import LIGHT


def test_a_mixture_is_one_bar_of_all_parts():
    parts = mixture_figure(np.array([0.5, 0.3, 0.15, 0.05]), LIGHT, names=list("abcd"), n_stereotypes=2).data
    assert [part.x[0] for part in parts] == [0.5, 0.3, 0.15, 0.05]
    assert [part.marker.color for part in parts[:2]] == [LIGHT.color(0), LIGHT.color(1)]
    assert [part.text for part in parts] == ["50%", "30%", "15%", ""]
    habits = [(part.marker.color, part.marker.pattern.shape) for part in parts[2:]]
    assert len({color for color, _ in habits}) == len({shape for _, shape in habits}) == 2


@pytest.mark.parametrize("n", [1, 3, 12])
def test_legends_below_have_a_row_for_every_name_and_no_void(n):
    names = [f"Hard to please, less so with number {k}" for k in range(n)]
    one = mixture_figure(np.full(n, 1 / n), LIGHT, names=names, n_stereotypes=n).layout
    assert one.legend.orientation == "v"
    assert one.height - one.margin.b == 60
    assert 19 * n <= one.margin.b <= 19 * n + 20
    stars = distribution_figure(np.full((5, n), 0.2), LIGHT, levels=np.arange(1.0, 6), names=names).layout
    assert stars.legend.orientation == "v"
    assert stars.legend.y == 0
    assert stars.height - stars.margin.b > 250
