"""One iteration of MovieLens 100K: our solvers beside one call of a generic convex solver per row, as the paper did it.

    python benchmarks/generic_solver.py --data FOLDER

Both start from the same model, solve 1,682 item problems and 943 user problems, and must agree in the objective after
the items (after the users they need not: an item with fewer ratings than stereotypes has many best solutions).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import cvxpy
import numpy as np
from machine import print_machine
from movielens import read_ratings

from nnm_core import fit, preset

D = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with MovieLens 100K in it")
    arguments = parser.parse_args()
    print_machine("cvxpy", "numba", "numpy")
    ratings = read_ratings(arguments.data, "ml-100k")
    ours = (best_time(ratings, 8 + 32) - best_time(ratings, 8)) / 32
    start = fit(ratings, preset("paper", n_stereotypes=D, n_sweeps=8))
    began = time.perf_counter()
    objective = generic_sweep(ratings, start.mixtures)
    theirs = time.perf_counter() - began
    reference = fit(ratings, preset("paper", n_stereotypes=D, n_sweeps=9)).traces[0].objectives[-2]
    print(f"objective after the items of iteration 9: ours {reference:.6f}, generic {objective:.6f}")
    print(f"\n| one iteration of {len(ratings):,} ratings, D = {D} | seconds | times ours |\n|---|---|---|")
    print(f"| NNM, two threads | {ours:.4f} | 1 |")
    print(f"| cvxpy with its default solver, one call per row | {theirs:.1f} | {theirs / ours:,.0f} |")


def best_time(ratings, n_sweeps: int, repeats: int = 20) -> float:
    """The best wall time of a fit of so many iterations."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        fit(ratings, preset("paper", n_stereotypes=D, n_sweeps=n_sweeps), n_threads=2)
        best = min(best, time.perf_counter() - began)
    return best


def generic_sweep(ratings, mixtures) -> float:
    """All items, then all users, one solver call each; returns the objective after the items."""
    targets = ratings.scale.to_unit(ratings.levels)
    likes = np.zeros((ratings.n_items, D))
    x = cvxpy.Variable(D)
    total = 0.0
    for item in range(ratings.n_items):
        entries = ratings.by_item.of(item)
        factors, y = mixtures[ratings.by_item.partners[entries]], targets[ratings.by_item.codes[entries]]
        total += cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(factors @ x - y)), [x >= 0, x <= 1]).solve()
        likes[item] = x.value
    for user in range(ratings.n_users):
        entries = ratings.by_user.of(user)
        factors, y = likes[ratings.by_user.partners[entries]], targets[ratings.by_user.codes[entries]]
        cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(factors @ x - y)), [x >= 0, cvxpy.sum(x) == 1]).solve()
    return total


if __name__ == "__main__":
    main()
