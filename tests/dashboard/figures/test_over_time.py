"""The lines of shares over time end where the shares do, and their bands span the sampling errors."""

import numpy as np

from dashboard.figures.over_time import shares_figure
from dashboard.theme import LIGHT, translucent
from nnm_core.interpret.over_time import SharesOverTime


def test_lines_and_bands_are_the_shares_and_their_errors():
    shares, errors = np.array([[0.5, 0.2, 0.1], [0.3, 0.4, 0.1]]), np.full((2, 3), 0.02)
    found = SharesOverTime(
        "year", ("1999", "2001"), ("1999-01-01", "2001-01-01"), np.array([40, 1500]), shares, errors, np.zeros(3)
    )
    figure = shares_figure(found, LIGHT, names=("A", "<b>B</b>", "C"), drawn=[0, 1])
    low, high, _, _, first, second = figure.data
    np.testing.assert_allclose(high.y, shares[:, 0] + 1.96 * 0.02)
    np.testing.assert_allclose(low.y, shares[:, 0] - 1.96 * 0.02)
    assert high.fill == "tonexty"
    np.testing.assert_allclose(second.y, shares[:, 1])
    assert (first.line.color, second.line.color) == (LIGHT.color(0), LIGHT.color(1))
    assert second.name == "&lt;b&gt;B&lt;/b&gt;"
    assert second.customdata[1] == "&lt;b&gt;B&lt;/b&gt;, 2001: 40% ± 4 of 1,500 people"
    assert list(second.x) == ["1999-01-01", "2001-01-01"]  # a year that is left out leaves a gap


def test_of_many_stereotypes_only_those_that_moved_have_bands():
    shares, errors, trends = np.full((2, 6), 0.02), np.full((2, 6), 0.02), np.array([0, 9.0, 0, 0, 0, -9.0])
    found = SharesOverTime("year", ("1999", "2001"), ("1999-01-01", "2001-01-01"), np.ones(2), shares, errors, trends)
    figure = shares_figure(found, LIGHT, names="ABCDEF", drawn=range(6))
    bands, lines = figure.data[:-6], figure.data[-6:]
    assert len(bands) == 4
    assert bands[1].fillcolor == translucent(LIGHT.color(1), 0.18)
    assert min(bands[0].y) == 0  # no share is negative
    assert [line.name for line in lines] == list("ABCDEF")
