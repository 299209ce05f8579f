"""Towers by the numbers in their traces."""

import numpy as np

from dashboard.figures.stereotypes import Bars, tower_figure
from dashboard.theme import DARK, LIGHT

LIKES = np.array([[0.3, 0.6], [0.9, 0.2]])
BARS = Bars(["Drama", "<b>War</b>"], LIKES, np.array([0.5, 0.6]), np.array([[True, True], [False, True]]))


def test_bars_and_ticks_carry_the_numbers():
    bars, ticks = tower_figure(BARS, LIGHT, stereotype=0).data
    assert list(bars.x) == [0.3, 0.9]
    assert list(ticks.x) == [0.5, 0.6]
    assert list(bars.customdata) == ["Drama", "&lt;b&gt;War&lt;/b&gt;"]  # names from files are text, never markup
    assert list(bars.marker.color) == [LIGHT.color(0), "rgba(0, 114, 178, 0.45)"]  # what could be chance is pale


def test_against_the_audience_all_towers_share_one_axis():
    relative = Bars(BARS.labels, LIKES - BARS.audience[:, None], np.zeros(2), BARS.firm)
    figures = [tower_figure(relative, DARK, stereotype=k, relative=True) for k in range(2)]
    assert np.allclose(figures[0].data[0].x, [-0.2, 0.3])
    assert np.allclose(figures[1].data[0].x, [0.1, -0.4])
    assert figures[0].layout.xaxis.range == figures[1].layout.xaxis.range
    low, high = figures[0].layout.xaxis.range
    assert low == -high
    assert high > 0.4  # a bar never touches the edge
    assert len(figures[0].data) == 1
    axis = figures[0].layout.xaxis
    assert list(axis.ticktext) == ["−45", "0", "+45"]
    assert list(axis.tickvals) == [low, 0, high]
    assert axis.title.text == "points vs. audience"


def test_bands_reach_from_the_lowest_to_the_highest():
    bars = Bars(BARS.labels, LIKES, BARS.audience, BARS.firm, LIKES - 0.1, LIKES + 0.05)
    error = tower_figure(bars, LIGHT, stereotype=1).data[0].error_x
    assert np.allclose(error.array, 0.05)
    assert np.allclose(error.arrayminus, 0.1)


def test_the_chosen_bar_has_an_edge():
    edges = tower_figure(BARS, LIGHT, stereotype=0, chosen=1).data[0].marker.line.color
    assert list(edges) == ["rgba(0,0,0,0)", LIGHT.ink]
