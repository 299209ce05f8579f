"""The error curve by the numbers in its traces."""

import pandas as pd

from dashboard.figures.accuracy import ReferenceLine, error_curve_figure
from dashboard.theme import LIGHT

TABLE = pd.DataFrame(
    {
        "stereotypes": [1, 2],
        "mae": [0.7, 0.6],
        "mae_spread": [0.01, 0.02],
        "mae_rounded": [0.65, 0.55],
        "mae_rounded_spread": [0.03, 0.04],
    }
)


def test_the_curve_shows_raw_and_rounded_with_their_spread():
    figure = error_curve_figure(TABLE, LIGHT, unit="stars", chosen=2, dimensions=(1, 2, 3, 6))
    assert figure.layout.yaxis.title.text == "mean absolute error in stars (MAE)"
    raw, rounded = figure.data
    assert list(raw.y) == [0.7, 0.6]
    assert list(rounded.error_y.array) == [0.03, 0.04]
    assert list(raw.marker.size) == [9, 14]
    assert list(figure.layout.xaxis.tickvals) == [1, 2, 3, 6]  # points that are still to come have room
    assert figure.layout.xaxis.range[1] > 6


def test_you_are_here_stands_at_the_chosen_point_alone():
    (note,) = error_curve_figure(TABLE, LIGHT, unit="stars", chosen=2).layout.annotations
    assert (note.x, note.y, note.text) == (2, 0.6, "<b>you are here</b>")
    assert not error_curve_figure(TABLE, LIGHT, unit="stars", chosen=3).layout.annotations


def test_stored_results_are_marked_and_close_lines_share_a_label():
    lines = [ReferenceLine("means", 0.75), ReferenceLine("A", 0.62, True), ReferenceLine("B <i>", 0.623, True)]
    figure = error_curve_figure(TABLE, LIGHT, unit="stars", references=lines)
    assert [note.text for note in figure.layout.annotations] == ["A 0.620* · B &lt;i&gt; 0.623*", "means 0.750"]
    assert [(shape.y0, shape.line.dash) for shape in figure.layout.shapes] == [
        (0.62, "dash"),
        (0.623, "dash"),
        (0.75, "dot"),
    ]
