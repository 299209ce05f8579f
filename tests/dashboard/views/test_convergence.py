"""Whether a fit has converged, on the page Accuracy: which error is shown, and what the curve says."""

from types import SimpleNamespace

import numpy as np

from dashboard.components.convergence import draw_convergence, iterations_gone_on_from
from dashboard.theme import LIGHT
from nnm_core import fit, preset
from nnm_core.model import Trace


def test_only_the_error_that_was_asked_for_is_shown(cinema):
    view = SimpleNamespace(model=fit(cinema.ratings, preset("paper", n_stereotypes=2)), dataset=cinema, look=LIGHT)
    assert list(draw_convergence(view, None, "mae")) == ["Sum of squared errors"]
    title = draw_convergence(view, None, "rmse")["Error"].layout.yaxis.title.text
    assert "RMSE" in title


def test_a_fit_that_went_on_from_a_better_place_says_where():
    still, moving = [1e-5] * 5, [0.01] * 3
    movements = np.array([0.0, *moving, *still, *moving, *still])
    trace = Trace("like", np.arange(34.0), 2, np.zeros(17), movements, 0.0)
    model = SimpleNamespace(traces=(trace,), options=SimpleNamespace(tol=1e-4))
    assert iterations_gone_on_from(model) == [9]
    once = Trace("like", np.arange(18.0), 2, np.zeros(9), movements[:9], 0.0)
    assert iterations_gone_on_from(SimpleNamespace(traces=(once,), options=model.options)) == []
