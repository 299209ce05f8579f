"""The two small problems, against scipy on thousands of random and degenerate cases."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from nnm_core._kernels.gram import empty_gram
from nnm_core._kernels.lanes import empty_lanes, put_row, solve_lanes, take_row
from nnm_core._kernels.solvers import scratch, solve
from nnm_core._kernels.vectors import LANES

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


@pytest.mark.parametrize("on_simplex", [False, True])
@pytest.mark.parametrize("dim", [1, 2, 3, 5, 8, 11])
def test_lanes_solve_as_the_plain_solver_does(dim, on_simplex):
    rng, lanes, plain = np.random.default_rng(dim), empty_lanes(dim), 1e-8 * np.eye(dim)
    rows = list(problems(dim, 400, seed=4))
    for first in range(0, len(rows), LANES - 1):  # one lane is left over, and has an earlier problem
        group = rows[first : first + LANES - 1]
        for lane, (factors, targets) in enumerate(group):
            start, center = rng.dirichlet(np.ones(dim)), rng.dirichlet(np.ones(dim))
            put_row(lanes, lane, sums(factors, targets), np.empty(0), plain, center, start)
            group[lane] = (factors, targets, start.copy(), center)
        solve_lanes(lanes, len(group), dim, plain, on_simplex)
        for lane, (factors, targets, x, center) in enumerate(group):
            gram, linear = factors.T @ factors + plain, factors.T @ targets + plain @ center
            found = np.empty(dim)
            error, residual = take_row(lanes, lane, found)
            solve(gram, linear, x, on_simplex, scratch(dim))
            ours, theirs = (0.5 * z @ gram @ z - linear @ z for z in (found, x))
            assert ours == pytest.approx(theirs, abs=1e-9 * (1 + np.abs(gram).max()))
            assert residual <= RESIDUAL
            check = simplex_residual if on_simplex else box_residual
            assert check(gram, linear, found) <= 10 * RESIDUAL
            assert found.min() >= 0
            assert found.sum() == pytest.approx(1, abs=1e-12) if on_simplex else found.max() <= 1
            assert error == pytest.approx(
                np.square(factors @ found - targets).sum(), abs=1e-9 * (1 + targets @ targets)
            )


def test_a_lane_does_not_depend_on_the_others():
    rng, dim = np.random.default_rng(5), 6
    for on_simplex in (False, True):
        rows = [(factors, targets, rng.dirichlet(np.ones(dim))) for factors, targets in problems(dim, 200, seed=5)]
        alone, together = (np.empty((len(rows), dim)) for _ in range(2))
        for found, size in ((alone, 1), (together, LANES)):
            lanes = empty_lanes(dim)
            for first in range(0, len(rows), size):
                group = rows[first : first + size]
                for lane, (factors, targets, start) in enumerate(group):
                    put_row(lanes, lane, sums(factors, targets), np.empty(0), 1e-8 * np.eye(dim), start, start)
                solve_lanes(lanes, len(group), dim, 1e-8 * np.eye(dim), on_simplex)
                for lane in range(len(group)):
                    take_row(lanes, lane, found[first + lane])
        np.testing.assert_array_equal(alone, together)


def test_factors_that_end_in_the_same_numbers_are_summed_without_them():
    rng = np.random.default_rng(6)
    free, fixed, targets = rng.random((30, 4)), np.array([1.0, 0.2]), rng.random(30)
    whole = np.hstack([free, np.tile(fixed, (30, 1))])
    solutions = []
    for factors, rest in ((free, fixed), (whole, np.empty(0))):
        lanes, found = empty_lanes(6), np.empty(6)
        put_row(lanes, 2, sums(factors, targets), rest, np.eye(6), np.full(6, 1 / 6), np.full(6, 1 / 6))
        solve_lanes(lanes, 3, 6, np.eye(6), True)
        solutions.append([*take_row(lanes, 2, found), *found])
    np.testing.assert_allclose(*solutions, atol=1e-12)


def sums(factors, targets):
    """The sums that ``put_row`` takes, by plain algebra."""
    dim = factors.shape[1]
    gram, sides = empty_gram(dim), np.array([np.ones(len(targets)), targets])
    gram[:dim, :dim] = np.triu(factors.T @ factors)
    gram[-2:, :dim], gram[-2:, -2:] = sides @ factors, sides @ sides.T
    return gram
