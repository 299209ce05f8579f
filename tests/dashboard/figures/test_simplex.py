"""The map of people: everybody in place, and names that can be read."""

import numpy as np
import pytest

from dashboard.figures.people import MOST_POINTS, NOT_KNOWN, OTHERS, Audience, corners, sample, simplex_figure
from dashboard.theme import LIGHT


def audience(tastes):
    n = tastes.shape[1]
    ids = [str(k) for k in range(len(tastes))]
    return Audience(ids, tastes, tastes.argmax(axis=1), [f"kind {k}" for k in range(n)], LIGHT.colors[:n])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_pure_people_lie_in_their_corners(n):
    figure = simplex_figure(audience(np.eye(n)), LIGHT, names=[f"k{k}" for k in range(n)])
    places = corners(np.eye(n))
    drawn = {
        int(row): (x, y)
        for trace in figure.data
        if trace.customdata is not None
        for row, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }
    for k in range(n):
        assert drawn[k][0] == pytest.approx(places[k, 0])
        if n > 2:
            assert drawn[k][1] == pytest.approx(places[k, 1])


@pytest.mark.parametrize("across", [248, 300])
def test_names_of_corners_lie_neither_on_one_another_nor_on_corners(across):
    names = [f"Hard to please, less so with number {k}" for k in range(7)]
    tastes = np.random.default_rng(2).dirichlet(np.full(7, 0.3), 300)
    people = Audience([str(k) for k in range(300)], tastes, np.zeros(300, dtype=int), ["all"], LIGHT.traits)
    figure = simplex_figure(people, LIGHT, names=names)
    boxes = [(across * x - 8, across * x + 8, -across * y - 8, -across * y + 8) for x, y in corners(tastes)]
    for note in figure.layout.annotations:
        lines = note.text.split("<br>")
        wide, high = 6.5 * max(map(len, lines)), 17 * len(lines)
        left = across * note.x + note.xshift - {"left": 0, "center": wide / 2, "right": wide}[note.xanchor]
        top = -across * note.y - note.yshift - {"top": 0, "middle": high / 2, "bottom": high}[note.yanchor]
        boxes.append((left, left + wide, top, top + high))
        assert -0.22 * across <= left < left + wide <= 1.22 * across
        for other in boxes[:-1]:
            one = boxes[-1]
            assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
    beside = {note.text.replace("<br>", " ") for note in figure.layout.annotations}
    in_legend = {trace.name for trace in figure.data if trace.showlegend is not False}
    assert beside
    assert {name for name in names if name not in beside} == in_legend - {"all"}


def test_all_sides_of_a_triangle_are_equally_long():
    places = corners(np.eye(3))
    sides = [np.linalg.norm(places[a] - places[b]) for a, b in ((0, 1), (1, 2), (2, 0))]
    np.testing.assert_allclose(sides, 1.0)
    layout = simplex_figure(audience(np.eye(3)), LIGHT, names=list("abc")).layout
    assert layout.yaxis.scaleanchor == "x"  # a unit has as many pixels up as across
    assert layout.yaxis.scaleratio in (None, 1)
    assert simplex_figure(audience(np.eye(2)), LIGHT, names=list("ab")).layout.yaxis.scaleanchor is None


def test_above_three_stereotypes_shades_count_everybody():
    tastes = np.random.default_rng(1).dirichlet(np.full(5, 0.4), 700)
    shades = simplex_figure(audience(tastes), LIGHT, names=list("abcde")).data[0]
    assert shades.type == "heatmap"
    assert (np.array(shades.z) ** 2).sum() == pytest.approx(700)
    assert simplex_figure(audience(tastes[:, :3]), LIGHT, names=list("abc")).data[0].type == "scatter"


def test_a_part_of_the_people_between_some_of_the_stereotypes():
    rows = np.array([4, 9, 11])
    people = Audience(["e", "j", "l"], np.eye(3), np.arange(3), list("xyz"), ["#111"] * 3, rows, [1, 3, 4])
    figure = simplex_figure(people, LIGHT, names=list("bde"), chosen=9)
    clickable = [row for trace in figure.data if trace.customdata is not None for row in trace.customdata]
    assert clickable == [4, 9, 11]
    diamonds = next(trace for trace in figure.data if trace.name == "stereotypes")
    assert list(diamonds.marker.color) == [LIGHT.color(k) for k in (1, 3, 4)]
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == tuple(corners(np.eye(3))[1])  # the ring around row 9
    assert len(simplex_figure(people, LIGHT, names=list("bde"), chosen=5).data) == len(figure.data) - 1


def test_on_a_line_names_stand_above_the_people():
    figure = simplex_figure(audience(np.tile(np.eye(2), (50, 1))), LIGHT, names=["one kind", "another kind"])
    highest = max(max(trace.y) for trace in figure.data if trace.customdata is not None)
    low, high = figure.layout.yaxis.range
    assert low < 0.35
    assert highest < high
    assert [note.text for note in figure.layout.annotations] == ["one kind", "another kind"]
    assert all(note.y >= highest and note.yanchor == "bottom" for note in figure.layout.annotations)


def test_a_name_with_room_beside_its_corner_is_not_cut():
    names = ["Fan of “American Psycho (2000)”", "Film-Noir and Musical fan", "IMAX fan"]
    figure = simplex_figure(audience(np.eye(3)), LIGHT, names=names)
    assert [note.text.replace("<br>", " ") for note in figure.layout.annotations] == names


def test_values_without_a_colour_are_not_called_unknown():
    tastes = np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    people = Audience(list("abcdef"), tastes, np.array([0, 1, OTHERS, NOT_KNOWN, OTHERS, 0]), ["x", "y"], LIGHT.traits)
    drawn = {trace.name: trace for trace in simplex_figure(people, LIGHT, names=list("abc")).data[1:-1]}
    assert {name: list(trace.customdata) for name, trace in drawn.items()} == {
        "other values": [2, 4],
        "not known": [3],
        "x": [0, 5],
        "y": [1],
    }
    assert drawn["other values"].marker.symbol != drawn["not known"].marker.symbol
    assert drawn["x"].legendrank < drawn["other values"].legendrank


def test_a_crowd_is_a_density_with_a_sample():
    tastes = np.random.default_rng(0).dirichlet([1, 1, 1], 200_000)
    figure = simplex_figure(audience(tastes), LIGHT, names=list("abc"), chosen=77_777)
    assert (np.array(figure.data[0].z) ** 2).sum() == pytest.approx(200_000)
    points = sum(len(trace.customdata) for trace in figure.data if trace.customdata is not None)
    assert MOST_POINTS <= points <= MOST_POINTS + 1
    assert 77_777 in sample(200_000, [77_777])
