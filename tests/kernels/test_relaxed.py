"""The draws of the relaxed model against numpy's linear algebra."""

import numpy as np
import pytest

from nnm_core._kernels.gram import partner_rows
from nnm_core._kernels.half_step import Solution
from nnm_core._kernels.relaxed import NormalRows, draw_rows
from nnm_core._kernels.vectors import LANES
from tests.planted import planted_ratings


@pytest.mark.parametrize("n_fixed", [0, 2])
@pytest.mark.parametrize("on_plane", [False, True])
@pytest.mark.parametrize("n_factors", [1, 4, LANES, 19])
def test_a_draw_is_mean_plus_noise_by_the_precision(n_factors, on_plane, n_fixed):
    """Of any number of rows, also where the last lanes are not full; some rows have no ratings."""
    n_users, n_items, dim = 5 * LANES + 3, 30, n_factors + n_fixed
    rng = np.random.default_rng(dim)
    ratings = planted_ratings(n_users=n_users, n_items=n_items, n_stereotypes=2, density=0.2, seed=1)[0]
    factors, fixed = rng.random((n_items, n_factors)), rng.random(n_fixed)
    weights, row_weights = rng.random(n_items) + 0.5, rng.random(n_users) + 0.5
    explained, targets = rng.random(n_items), ratings.scale.to_unit(ratings.levels)
    root = rng.standard_normal((dim, dim))
    precision, pull, noise = (
        root @ root.T + np.eye(dim),
        rng.random((n_users, dim)),
        rng.standard_normal((n_users, dim)),
    )
    roots = np.sqrt(weights)
    given = NormalRows(
        targets=targets,
        factors=partner_rows(factors * roots[:, None]),
        fixed=fixed,
        explained=explained * roots,
        roots=roots,
        row_weights=row_weights,
        precision=precision,
        pull=pull,
        noise=noise,
        on_plane=on_plane,
    )
    solution = Solution.starting_at(np.zeros((n_users, dim)))
    rows = ratings.by_user
    for first, last in ((0, 7), (7, n_users)):  # as two threads would
        draw_rows(first, last, rows, given, solution)
    for row in range(n_users):
        mine = slice(rows.starts[row], rows.starts[row + 1])
        partners = rows.partners[mine]
        y = targets[rows.codes[mine]] - explained[partners]
        f = np.hstack([factors[partners], np.tile(fixed, (len(partners), 1))])
        whole = row_weights[row] * (f.T * weights[partners]) @ f + precision
        lower = np.linalg.cholesky(whole)
        mean = np.linalg.solve(whole, row_weights[row] * (f.T * weights[partners]) @ y + pull[row])
        x = mean + np.linalg.solve(lower.T, noise[row])
        if on_plane:
            across = np.linalg.solve(whole, np.ones(dim))
            x -= (x.sum() - 1) / across.sum() * across
        assert solution.x[row] == pytest.approx(x, abs=1e-9)
        assert solution.errors[row] == pytest.approx(weights[partners] @ (y - f @ x) ** 2, abs=1e-9)
