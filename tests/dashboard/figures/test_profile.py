"""The pictures of a data set by the numbers in their traces."""

import numpy as np
import pytest

from dashboard.figures.profile import curve_figure, ratings_figure, tags_figure
from dashboard.theme import LIGHT
from dashboard.wording import FILMS


def test_the_profile_counts():
    bars = ratings_figure(np.array([1, 3]), LIGHT, levels=np.array([1.0, 2.0])).data[0]
    assert list(bars.y) == [0.25, 0.75]
    many = ratings_figure(np.ones(1000, dtype=int), LIGHT, levels=np.arange(1000.0)).data[0]
    assert sum(many.customdata) == 1000
    line = curve_figure(np.array([3, 0, 9, 1]), LIGHT, rows="people", words=FILMS).data[0]
    assert list(line.y) == [9, 3, 1]
    many = curve_figure(np.array([4000, 30, 7]), LIGHT, rows="people", words=FILMS).layout
    assert [list(axis.tickvals) for axis in (many.xaxis, many.yaxis)] == [[1, 2], [10, 100, 1000]]
    assert list(tags_figure(np.array([5, 2]), LIGHT, names=["a", "b"]).data[0].x) == [5, 2]


def test_no_axis_line_strikes_through_the_number_of_a_bar():
    assert tags_figure(np.array([5, 2]), LIGHT, names=["a", "b"]).layout.yaxis.zeroline is False


@pytest.mark.parametrize(("counts", "ticks"), [([18, 18, 18], [18]), ([12, 15, 18], [12, 18]), ([1, 1], [1])])
def test_equally_active_people_have_numbers_at_their_axis(counts, ticks):
    figure = curve_figure(np.array(counts), LIGHT, rows="people", words=FILMS)
    assert list(figure.layout.yaxis.tickvals) == ticks
