"""The two small problems: against an independent solver, and as the fit itself solves them."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nnm_core import InputError, preset
from nnm_core.fitting.recording import record_fit
from nnm_core.fitting.small_problems import SmallProblem


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("on_simplex", [False, True])
def test_solutions_agree_with_scipy(dim, on_simplex):
    rng = np.random.default_rng(dim)
    for _ in range(20):
        problem = SmallProblem(rng.random((8, dim)), rng.random(8), np.full(dim, 1 / dim), on_simplex)
        found = problem.solve()
        rules = [{"type": "eq", "fun": lambda x: x.sum() - 1}] if on_simplex else []
        best = minimize(lambda x, problem: problem.squared_error(x[None])[0], problem.center, (problem,), "SLSQP",
                        bounds=[(0, 1)] * dim, constraints=rules, options={"ftol": 1e-14, "maxiter": 500})  # fmt: skip
        assert problem.squared_error(found[None])[0] == pytest.approx(best.fun, abs=1e-7)
        assert found.min() >= 0
        assert found.max() <= 1 + 1e-12
        assert not on_simplex or found.sum() == pytest.approx(1)


def test_a_row_of_a_fit_is_such_a_problem(small):
    recording = record_fit(small, preset("paper"), seed=1)
    for user in (0, 7, 31):
        mine = small.users == user
        likes, ratings = recording.likes[-1][small.items[mine]], small.scale.to_unit(small.values[mine])
        found = SmallProblem(likes, ratings, np.full(3, 1 / 3), on_simplex=True).solve()
        np.testing.assert_allclose(found, recording.mixtures[-1][user], atol=1e-4)


def test_without_ratings_the_center_is_best():
    nothing = SmallProblem(np.empty((0, 2)), np.empty(0), np.array([0.3, 0.7]), on_simplex=True)
    assert nothing.solve().tolist() == pytest.approx([0.3, 0.7])


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="one rating per partner"):
        SmallProblem(np.ones((3, 2)), np.ones(2), np.ones(2), on_simplex=False)
