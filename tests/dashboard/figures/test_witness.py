"""The picture of why an inclusion holds."""

import numpy as np
import pytest

from dashboard.figures.hierarchy import witness_figure
from dashboard.theme import LIGHT
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of

VECTORS = np.array([[0.9, 0.9], [0.8, 0.2], [0.1, 0.7], [0.1, 0.1]])
HIERARCHY = hierarchy_of(["all", "left", "<i>right</i>", "none"], VECTORS)


def test_the_witness_adds_up_to_the_birth():
    witness = HIERARCHY.witness("left", "all")
    inside, outside = witness_figure(witness, LIGHT, names=["a", "b"]).data
    assert sum(outside.x) == pytest.approx(witness.birth)
    assert sum(inside.x) + sum(outside.x) == pytest.approx(1)
