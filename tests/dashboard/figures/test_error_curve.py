"""The error curve by the numbers in its traces."""

import pandas as pd

from dashboard.figures.accuracy import error_curve_figure
from dashboard.theme import LIGHT


def test_the_curve_shows_raw_and_rounded_with_their_spread():
    table = pd.DataFrame(
        {
            "stereotypes": [1, 2],
            "mae": [0.7, 0.6],
            "mae_spread": [0.01, 0.02],
            "mae_rounded": [0.65, 0.55],
            "mae_rounded_spread": [0.03, 0.04],
        }
    )
    figure = error_curve_figure(table, LIGHT, unit="stars", chosen=2, peers={"user means": 0.75})
    assert figure.layout.yaxis.title.text == "average miss in stars (MAE)"
    raw, rounded = figure.data
    assert list(raw.y) == [0.7, 0.6]
    assert list(rounded.error_y.array) == [0.03, 0.04]
    assert list(raw.marker.size) == [9, 15]
