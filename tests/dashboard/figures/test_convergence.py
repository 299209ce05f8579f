"""Convergence by the numbers in its traces."""

import numpy as np

from dashboard.figures.accuracy import errors_figure, objective_figure
from dashboard.theme import LIGHT
from nnm_core.model import Trace


def test_convergence_leaves_the_fill_out():
    trace = Trace("like", np.array([90.0, 80, 9, 8, 7, 6]), 2, np.array([3.0, 1.0, 0.9]), np.zeros(3), 1e-12)
    line = objective_figure([trace], LIGHT).data[0]
    assert list(line.x) == [2, 3]
    assert list(line.y) == [8, 6]
    throughout = Trace("like", np.array([4.0, 3, 2, 1]), 4, np.array([3.0, 1.0]), np.zeros(2), 1e-12)
    assert list(objective_figure([throughout], LIGHT).data[0].y) == [3, 1]
    seen, held_out = errors_figure(
        trace.training_errors, LIGHT, held_out=np.array([3.1, 1.2, 1.1]), unit="stars", skipped=1
    ).data
    assert list(seen.x) == [2, 3]
    assert list(held_out.y) == [1.2, 1.1]
