"""Towers by the numbers in their traces."""

import numpy as np

from dashboard.figures.towers import tower_figure


def test_bars_and_ticks_carry_the_numbers():
    figure = tower_figure(["Drama", "<b>War</b>"], np.array([0.3, 0.9]), np.array([0.5, 0.6]), "#123456")
    bars, ticks = figure.data
    assert list(bars.x) == [0.3, 0.9]
    assert list(ticks.x) == [0.5, 0.6]
    assert list(bars.y) == ["Drama", "&lt;b&gt;War&lt;/b&gt;"]  # names from files are text, never markup
    assert bars.marker.color == "#123456"
    assert figure.layout.xaxis.range == (0, 1)
