"""Whether a fit has converged, on the page Accuracy: which error is shown, and what the curve says."""

from types import SimpleNamespace

import numpy as np

from dashboard.components.convergence import about_convergence, draw_convergence, iterations_gone_on_from
from dashboard.theme import LIGHT
from nnm_core import fit, preset
from nnm_core.model import Trace


def test_only_the_error_that_was_asked_for_is_shown(cinema):
    view = SimpleNamespace(model=fit(cinema.ratings, preset("paper", n_stereotypes=2)), dataset=cinema, look=LIGHT)
    assert list(draw_convergence(view, None, "mae")) == ["Sum of squared errors"]
    title = draw_convergence(view, None, "rmse")["Error"].layout.yaxis.title.text
    assert "RMSE" in title


def test_only_the_last_stage_is_drawn_for_sums_of_different_things_do_not_compare(cinema):
    words = SimpleNamespace(item="film")
    for method, options, name, said in (
        ("recommended", {"mode": "stars"}, "Sum of squared errors", "a fit that predicts one number"),
        ("accurate", {}, "Squared distance", "all pairs of a person and a film"),
    ):
        model = fit(cinema.ratings, preset(method, n_stereotypes=2, **options))
        view = SimpleNamespace(model=model, dataset=cinema, look=LIGHT, words=words)
        figure = draw_convergence(view, None, "rmse")[name]
        assert len(model.traces) > len(figure.data) == 1
        assert figure.layout.yaxis.title.text == name.lower()
        assert said in about_convergence(view, None)


def test_a_fit_that_went_on_from_a_better_place_says_where():
    still, moving = [1e-5] * 5, [0.01] * 3
    movements = np.array([0.0, *moving, *still, *moving, *still])
    trace = Trace("like", np.arange(34.0), 2, np.zeros(17), movements, 0.0)
    model = SimpleNamespace(traces=(trace,), options=SimpleNamespace(tol=1e-4))
    assert iterations_gone_on_from(model) == [9]
    once = Trace("like", np.arange(18.0), 2, np.zeros(9), movements[:9], 0.0)
    assert iterations_gone_on_from(SimpleNamespace(traces=(once,), options=model.options)) == []
