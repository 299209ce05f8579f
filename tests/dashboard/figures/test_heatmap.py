"""All stereotypes in one picture, by the numbers in its traces."""

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.stereotypes import Bars, heatmap_figure
from dashboard.theme import DARK, LIGHT

LIKES = np.array([[0.1, -0.3, 0.2], [-0.05, 0.0, 0.25]])
FIRM = np.array([[True, False, True], [False, False, True]])
BARS = Bars(["Drama", "<b>War</b>"], LIKES, np.zeros(2), FIRM)
NAMES = ["Ann", "Bob <i>", "A name that is much too long for two lines of it"]


def test_every_place_has_its_number_and_what_could_be_chance_is_pale():
    full, pale, *_ = heatmap_figure(BARS, LIGHT, names=NAMES, relative=True).data
    np.testing.assert_allclose(np.array(full.z, dtype=float), np.where(FIRM, LIKES, np.nan).T)
    np.testing.assert_allclose(np.array(pale.z, dtype=float), np.where(FIRM, np.nan, LIKES).T)
    assert pale.opacity < 0.5
    assert full.opacity == 1
    assert full.zmin == -full.zmax == -0.35
    assert [shade for _, shade in full.colorscale] == [LIGHT.colors[1], LIGHT.paper, LIGHT.colors[0]]


def test_points_to_pick_lead_to_stereotype_and_tag():
    points = heatmap_figure(BARS, DARK, names=NAMES, relative=True).data[-1]
    assert [list(place) for place in points.customdata] == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
    assert list(points.x) == [0, 1] * 3
    assert list(points.y) == [0, 0, 1, 1, 2, 2]
    assert points.hovertext[2] == "Bob &lt;i&gt;<br>Drama: −30 points vs. audience"


def test_names_are_text_and_the_chosen_one_is_bold():
    layout = heatmap_figure(BARS, LIGHT, names=NAMES, relative=True, chosen=1).layout
    ann, bob, long = layout.yaxis.ticktext
    assert (ann, bob) == ("Ann", "<b>Bob &lt;i&gt;</b>")
    assert long.count("<br>") == 1
    assert long.endswith("…")
    assert [(note.text, note.hovertext) for note in layout.annotations] == [(long, NAMES[2])]
    assert list(layout.xaxis.ticktext) == ["Drama", "&lt;b&gt;War&lt;/b&gt;"]
    assert list(layout.yaxis.range) == [2.5, -0.5]  # the first on top
    assert [shape.fillcolor for shape in layout.shapes] == [LIGHT.color(k) for k in range(3)]


def test_absolute_values_run_from_nothing_to_all():
    figure = heatmap_figure(Bars(BARS.labels, np.abs(LIKES), np.zeros(2), FIRM), LIGHT, names=NAMES, like="choose")
    assert (figure.data[0].zmin, figure.data[0].zmax) == (0, 1)
    assert figure.data[-1].hovertext[0] == "Ann<br>Drama: chooses 10% of them"
    go.Figure(figure.to_plotly_json())  # which validates it


def test_many_rows_are_low():
    many = Bars(["Drama"], np.zeros((1, 24)), np.zeros(1), np.ones((1, 24), dtype=bool))
    figure = heatmap_figure(many, LIGHT, names=[f"Stereotype {k}" for k in range(24)], relative=True)
    assert figure.layout.height < 700


def test_what_stands_out_is_said_of_one_stereotype_and_of_all():
    assert BARS.ends_in_words(1, relative=True) == "most <b>War</b> (0), least Drama (−30) points vs. audience"
    assert BARS.ends_in_words(2, relative=False) == "most <b>War</b> (25%), least Drama (20%)"
    assert BARS.widest_in_words(NAMES, relative=True) == (
        f"Drama, from Bob <i> (−30) to {NAMES[2]} (+20) points vs. audience"
    )
