"""How often the best of eight starts finds a planted model, and where that ends.

    python benchmarks/planted.py [--draws 20]

Ratings from 1 to 5 are drawn from a known model with noise. A draw counts as found if every stereotype of the fit
differs from the planted one that it is matched with by less than 0.15 on average; strangers are about 0.38 apart. In
brackets: in how many draws the first start alone finds it.
"""

from __future__ import annotations

import argparse

import numpy as np
from machine import print_machine
from scipy.optimize import linear_sum_assignment

from nnm_core import Model, Ratings, Scale, fit, preset

SIZES = {3: (250, 100), 5: (350, 130), 8: (600, 200)}
SETTINGS = [(0.4, 0.35), (0.8, 0.35), (1.2, 0.35), (0.4, 0.2), (0.4, 0.1)]
FOUND = 0.15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    arguments = parser.parse_args()
    print_machine("numba", "numpy")
    print(f"\n| noise, stars | share rated | {' | '.join(f'D = {n}' for n in SIZES)} |\n|---|---|---|---|---|")
    for noise, density in SETTINGS:
        cells = [measure(n, noise, density, arguments.draws) for n in SIZES]
        print(f"| {noise} | {density:.0%} | {' | '.join(cells)} |", flush=True)


def measure(n_stereotypes: int, noise: float, density: float, n_draws: int) -> str:
    """In how many draws the best of eight starts, and the first start, find the planted model."""
    options = preset("recommended", n_stereotypes=n_stereotypes, generosity=False)
    found, first = 0, 0
    for seed in range(n_draws):
        ratings, likes = plant(*SIZES[n_stereotypes], n_stereotypes, noise, density, seed)
        found += distance(fit(ratings, options, starts=8), likes) < FOUND
        first += distance(fit(ratings, options), likes) < FOUND
    return f"{found} ({first})"


def plant(n_users: int, n_items: int, n_stereotypes: int, noise: float, density: float, seed: int):
    """Ratings drawn from a random model, and its likes."""
    rng, scale = np.random.default_rng(seed), Scale(1, 5)
    mixtures = rng.dirichlet(np.full(n_stereotypes, 0.4), n_users)
    likes = rng.beta(0.6, 0.6, (n_items, n_stereotypes))
    users, items = np.nonzero(rng.random((n_users, n_items)) < density)
    expected = scale.from_unit((mixtures[users] * likes[items]).sum(axis=1)) + noise * rng.standard_normal(len(users))
    user_ids, item_ids = ([str(k) for k in range(n)] for n in (n_users, n_items))
    return Ratings.from_numbers(users, items, scale.round(expected), user_ids, item_ids, scale=scale), likes


def distance(model: Model, likes: np.ndarray) -> float:
    """The largest mean difference between a stereotype of the model and the planted one that it is matched with."""
    between = np.abs(model.likes[:, None, :] - likes[:, :, None]).mean(axis=0)
    return float(between[linear_sum_assignment(between)].max())


if __name__ == "__main__":
    main()
