"""The item problem of stars mode, against scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution
from nnm_core._kernels.stars import StarItems, star_items


def solve(mixtures, codes, n_answers, shrinkage=0.0, center=None):
    """Answers (n_answers, D) for one item, rated by all users, from a uniform start."""
    n_users, dim = mixtures.shape
    answers = np.full((1, n_answers, dim), 1 / n_answers)
    centers = np.full((1, n_answers), 1 / n_answers) if center is None else center[None]
    ratings = RatingRows(np.array([0, n_users]), np.arange(n_users, dtype=np.int32), codes.astype(np.uint8))
    solution = Solution.starting_at(answers)
    star_items(0, 1, ratings, StarItems(mixtures, dim, shrinkage, centers), solution)
    return answers[0], solution.errors[0], solution.residuals[0]


@pytest.mark.parametrize("seed", range(25))
def test_item_problems_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    n_users, dim, n_answers = int(rng.integers(1, 30)), int(rng.integers(1, 4)), int(rng.integers(2, 6))
    mixtures = rng.dirichlet(np.full(dim, 0.5), n_users)
    codes = rng.integers(n_answers, size=n_users)
    shrinkage = float(rng.choice([0.0, 1.0]))
    center = rng.dirichlet(np.ones(n_answers))
    given = np.eye(n_answers)[codes]

    def objective(flat):
        answers = flat.reshape(n_answers, dim)
        pull = shrinkage * np.square(answers - center[:, None]).sum()
        return np.square(mixtures @ answers.T - given).sum() + pull

    sums = [{"type": "eq", "fun": lambda flat, a=a: flat.reshape(n_answers, dim)[:, a].sum() - 1} for a in range(dim)]
    reference = minimize(
        objective,
        np.full(n_answers * dim, 1 / n_answers),
        bounds=[(0, 1)] * (n_answers * dim),
        constraints=sums,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 300},
    )
    answers, error, residual = solve(mixtures, codes, n_answers, shrinkage, center)
    assert residual <= 1e-7
    assert answers.min() >= 0
    np.testing.assert_allclose(answers.sum(axis=0), 1, atol=1e-12)
    assert objective(answers.ravel()) <= reference.fun + 1e-6
    assert error == pytest.approx(np.square(mixtures @ answers.T - given).sum(), abs=1e-9)


def test_one_stereotype_answers_as_often_as_people_did():
    codes = np.array([0, 0, 1, 4])
    answers, _, _ = solve(np.ones((4, 1)), codes, 5)
    np.testing.assert_allclose(answers[:, 0], [0.5, 0.25, 0, 0, 0.25], atol=1e-8)
