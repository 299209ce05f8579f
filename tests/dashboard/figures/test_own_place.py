"""One's own dot among the audience."""

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.taste import own_place_figure
from dashboard.theme import LIGHT

TASTES = np.random.default_rng(0).dirichlet([1, 1, 1], 2000)
NAMES = ("Ann", "<b>Bob</b>", "Cleo")


def place(own):
    dot = own_place_figure(np.array(own), TASTES, LIGHT, names=NAMES).data[-1]
    return dot.x[0], dot.y[0]


def test_the_dot_lies_in_the_corner_of_who_is_all_of_one_kind():
    assert place([1.0, 0, 0]) == (0.0, 0.0)
    assert place([0, 1.0, 0]) == (1.0, 0.0)
    np.testing.assert_allclose(place([0, 0, 1.0]), (0.5, np.sqrt(3) / 2))
    np.testing.assert_allclose(place([1 / 3, 1 / 3, 1 / 3]), (0.5, np.sqrt(3) / 6))


def test_the_audience_is_drawn_evenly_selected_and_names_are_text():
    figure = own_place_figure(np.array([0.2, 0.3, 0.5]), TASTES, LIGHT, names=NAMES)
    assert len(figure.data[1].x) == 600
    assert [note.text for note in figure.layout.annotations] == ["Ann", "&lt;b&gt;Bob&lt;/b&gt;", "Cleo"]
    assert figure.layout.yaxis.scaleanchor == "x"  # sides of equal length
    go.Figure(figure.to_plotly_json())  # which validates it
