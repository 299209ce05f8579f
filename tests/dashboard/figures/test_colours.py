"""Colours of stereotypes mean stereotypes alone."""

import numpy as np
import pandas as pd

from dashboard.figures.accuracy import error_curve_figure, errors_figure
from dashboard.figures.profile import curve_figure
from dashboard.theme import LIGHT
from dashboard.wording import FILMS


def test_colours_of_stereotypes_mean_stereotypes_alone():
    table = pd.DataFrame({"stereotypes": [1, 2], "mae": [0.7, 0.6], "mae_rounded": [0.6, 0.5]})
    table = table.assign(mae_spread=0.01, mae_rounded_spread=0.01)
    figures = [
        error_curve_figure(table, LIGHT, unit="stars"),
        errors_figure(np.array([0.9, 0.8]), LIGHT, held_out=np.array([1.0, 0.9]), unit="stars"),
        curve_figure(np.array([3, 1]), LIGHT, rows="people", words=FILMS),
    ]
    used = {line.line.color for figure in figures for line in figure.data}
    assert used == {LIGHT.accent, LIGHT.muted}
    assert not used & set(LIGHT.colors)
