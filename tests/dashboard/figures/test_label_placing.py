"""Names beside points: within the picture, on no other name, and on points only where they must be."""

import numpy as np
import pytest

from dashboard.figures.drawing import LabelPlacer, Screen, box_at, boxes_around

EMPTY = np.empty((0, 4))
SIZE = (30, 10)


@pytest.mark.parametrize(
    ("side", "box"), [((1, 0), (50, 80, 45, 55)), ((-1, 0), (20, 50, 45, 55)), ((0, -1), (35, 65, 40, 50))]
)
def test_a_text_stands_on_its_side_of_the_point(side, box):
    assert box_at(50, 50, SIZE, side) == box


def test_no_name_is_cut_or_lies_on_another():
    placer = LabelPlacer([Screen(0, 100, 0, EMPTY)])
    right, left = [box_at(90, 50, SIZE, (1, 0))], [box_at(90, 50, SIZE, (-1, 0))]
    assert placer.place([right, left]) == 1
    assert placer.place([right, left]) is None
    assert placer.place([[box_at(90, 60, SIZE, (-1, 0))]]) == 0  # it touches the other and does not lie on it


def test_a_place_must_be_free_on_every_screen():
    phone, desk = Screen(0, 60, 0, EMPTY), Screen(0, 200, 0, EMPTY)
    wide = [box_at(40, 20, SIZE, (1, 0)), box_at(120, 20, SIZE, (1, 0))]
    narrow = [box_at(40, 20, SIZE, (-1, 0)), box_at(120, 20, SIZE, (-1, 0))]
    assert LabelPlacer([phone, desk]).place([wide, narrow]) == 1


def test_points_are_covered_only_where_a_name_is_required_and_then_as_few_as_possible():
    points = boxes_around(np.array([[60.0, 50], [70, 50], [30, 50]]), 4)
    places = [[box_at(50, 50, SIZE, (1, 0))], [box_at(50, 50, SIZE, (-1, 0))]]
    assert LabelPlacer([Screen(0, 100, 0, points)]).place(places) is None
    assert LabelPlacer([Screen(0, 100, 0, points)]).place(places, required=True) == 1
