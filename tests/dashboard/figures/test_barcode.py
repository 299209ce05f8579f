"""The barcode of a hierarchy by the numbers in its traces."""

import numpy as np

from dashboard.figures.hierarchy import MOST_LINES, barcode_figure
from dashboard.theme import DARK, LIGHT
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of

VECTORS = np.array([[0.9, 0.9], [0.8, 0.2], [0.1, 0.7], [0.1, 0.1]])
HIERARCHY = hierarchy_of(["all", "left", "<i>right</i>", "none"], VECTORS)


def test_the_barcode_has_a_stroke_per_birth_or_a_density():
    strokes, line = barcode_figure(HIERARCHY.births, LIGHT, epsilon=0.25).data
    own = ~np.eye(4, dtype=bool)
    assert np.allclose(np.sort(HIERARCHY.births[own]), np.array(strokes.x)[::3])
    assert list(line.x) == [0.25, 0.25]
    many = np.random.default_rng(0).random((60, 60))
    bars = barcode_figure(many, DARK, epsilon=0.5).data[0]
    assert MOST_LINES < 60 * 59
    assert sum(bars.customdata) == 60 * 59
