"""The two small problems, against scipy on thousands of random and degenerate cases."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from nnm_core._kernels.solvers import scratch, solve

RESIDUAL = 1e-9


def box_residual(gram, linear, x):
    """The optimality residual, computed apart from the solver: the slope that is left in each coordinate."""
    gradient, curvature = gram @ x - linear, np.diag(gram)
    slope = np.where(x <= 0, np.minimum(gradient, 0), np.where(x >= 1, np.maximum(gradient, 0), gradient))
    used = curvature > 0
    return (np.abs(slope[used]) / np.sqrt(curvature[used] * curvature.max())).max() if used.any() else 0.0


def simplex_residual(gram, linear, x):
    gradient = gram @ x - linear
    scale = np.diag(gram).max()
    return (gradient[x > 0].max() - gradient.min()) / scale if scale > 0 else 0.0


def problems(dim, n_problems, seed):
    """Factors (n, dim) and targets (n,), many of them degenerate."""
    rng = np.random.default_rng([dim, seed])
    for number in range(n_problems):
        kind = number % 8
        n = int(rng.integers(0, 2 * dim + 3)) if kind < 5 else int(rng.integers(10, 200))
        factors = rng.dirichlet(np.full(dim, 0.3), n) if kind % 2 else rng.random((n, dim))
        if kind == 2 and n:
            factors[:, rng.integers(dim)] = 0.0  # a stereotype nobody has
        if kind == 4 and n and dim > 1:
            factors[:, 0] = factors[:, 1]  # two that nobody can tell apart
        if kind == 6:
            factors[:] = factors[:1]  # everyone the same
        if kind == 7:
            factors *= 10.0 ** rng.integers(-6, 3, dim)  # columns of very different size
        yield factors, rng.random(n) * 1.5 - 0.25


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 8, 16])
def test_box_problems_agree_with_scipy(dim):
    work = scratch(dim)
    for factors, targets in problems(dim, 600, seed=1):
        gram, linear = factors.T @ factors, factors.T @ targets
        x = np.random.default_rng(len(targets)).random(dim)
        residual = solve(gram, linear, x, False, work)
        assert x.min() >= 0
        assert x.max() <= 1
        assert residual <= RESIDUAL
        assert box_residual(gram, linear, x) <= 10 * RESIDUAL
        if len(targets):
            reference = np.clip(lsq_linear(factors, targets, (0, 1), method="bvls", tol=1e-12).x, 0, 1)
            ours, theirs = (np.square(factors @ z - targets).sum() for z in (x, reference))
            assert ours <= theirs + 1e-8 * (1 + theirs)


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 8, 16])
def test_simplex_problems_are_optimal(dim):
    work = scratch(dim)
    for factors, targets in problems(dim, 1500, seed=2):
        gram, linear = factors.T @ factors, factors.T @ targets
        x = np.random.default_rng(len(targets)).dirichlet(np.ones(dim))
        residual = solve(gram, linear, x, True, work)
        assert x.min() >= 0
        assert x.sum() == pytest.approx(1, abs=1e-12)
        assert residual <= RESIDUAL
        assert simplex_residual(gram, linear, x) <= 10 * RESIDUAL


@pytest.mark.parametrize("dim", [2, 3, 5, 8])
def test_simplex_problems_agree_with_scipy(dim):
    work = scratch(dim)
    for factors, targets in problems(dim, 160, seed=3):
        gram, linear = factors.T @ factors, factors.T @ targets

        def objective(x, gram=gram, linear=linear):
            return 0.5 * x @ gram @ x - linear @ x

        reference = minimize(
            objective,
            np.full(dim, 1 / dim),
            jac=lambda x, gram=gram, linear=linear: gram @ x - linear,
            bounds=[(0, 1)] * dim,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        x = np.full(dim, 1 / dim)
        solve(gram, linear, x, True, work)
        feasible = np.clip(reference.x, 0, 1)
        feasible /= feasible.sum()
        assert objective(x) <= objective(feasible) + 1e-8 * (1 + abs(objective(feasible)))


@pytest.mark.parametrize("dim", [2, 4, 9])
def test_the_start_does_not_matter_where_the_solution_is_unique(dim):
    rng = np.random.default_rng(dim)
    work = scratch(dim)
    for _ in range(200):
        factors, targets = rng.random((4 * dim, dim)), rng.random(4 * dim)
        gram, linear = factors.T @ factors, factors.T @ targets
        for on_simplex, starts in (
            (False, rng.random((3, dim))),
            (True, np.vstack([rng.dirichlet(np.ones(dim), 2), np.eye(dim)[:1]])),
        ):
            solutions = starts.copy()
            for x in solutions:
                solve(gram, linear, x, on_simplex, work)
            np.testing.assert_allclose(solutions, np.broadcast_to(solutions[0], solutions.shape), atol=1e-7)


def test_a_problem_without_data_leaves_the_start():
    x = np.array([0.2, 0.8])
    assert solve(np.zeros((2, 2)), np.zeros(2), x, False, scratch(2)) == 0
    assert solve(np.zeros((2, 2)), np.zeros(2), x, True, scratch(2)) == 0
    assert x.tolist() == [0.2, 0.8]
