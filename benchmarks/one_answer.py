"""How many random starts of a converged fit end in the best optimum, and how far the others are from it.

python benchmarks/one_answer.py --data FOLDER [--starts 8] [--people]

``--people`` asks instead whether the people at hand prefer the best optimum: the best of two starts each, from eight
seeds, and by how many standard errors over people each fits worse than the best of them (Vuong's test, with the
likes as they are). Below about 2, another sample of people could as well prefer the other optimum.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from machine import print_machine
from scipy.optimize import linear_sum_assignment

from nnm_core import Model, Ratings, fit, preset
from nnm_core.datasets import load_dataset
from nnm_core.interpret.compare import stereotype_distances

DIMENSIONS = (2, 3, 4, 5, 6, 8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with ml-100k and ml-1m in it")
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--people", action="store_true")
    arguments = parser.parse_args()
    print_machine("numba", "numpy")
    if arguments.people:
        ask_people(load_dataset("bundled")[0].ratings)
        return
    print("| data | D | in the best optimum | found by starts | other optima: excess, distance, starts | seconds |")
    print("|---|---|---|---|---|---|")
    for source in (arguments.data / "ml-100k", "bundled", arguments.data / "ml-1m"):
        dataset, _ = load_dataset(source)
        fit(dataset.ratings, preset("recommended", n_sweeps=4))  # compiles what is left to compile
        for dimension in DIMENSIONS:
            began = time.perf_counter()
            model = fit(dataset.ratings, preset("recommended", n_stereotypes=dimension), starts=arguments.starts)
            seconds = time.perf_counter() - began
            atlas = model.atlas
            others = "; ".join(
                f"{optimum.excess:.4%}, {optimum.distances.max():.2f}, {optimum.n_starts}" for optimum in atlas.others
            )
            found_by = "/".join(map(str, atlas.found_by))
            best = f"{atlas.n_best} of {atlas.n_starts}"
            print(f"| {dataset.name} | {dimension} | {best} | {found_by} | {others} | {seconds:.1f} |", flush=True)


def ask_people(ratings: Ratings) -> None:
    """Print for each optimum how much worse it is than the best, how far from it, and how surely for these people."""
    print("| D | excess | distances of the stereotypes | standard errors over people |\n|---|---|---|---|")
    for dimension in (4, 5, 6, 8):
        options = preset("recommended", n_stereotypes=dimension, starts=2)
        models = sorted((fit(ratings, options, seed=seed) for seed in range(8)), key=objective)
        best, errors = models[0], squared_errors(models[0], ratings)
        for other in models[1:]:
            between = stereotype_distances(best, other, ratings)
            distances = between[linear_sum_assignment(between)]
            if distances.max() > 0.01:
                spread = float((squared_errors(other, ratings) - errors).std()) * np.sqrt(ratings.n_users)
                excess, apart = objective(other) - objective(best), " ".join(f"{one:.2f}" for one in sorted(distances))
                print(f"| {dimension} | {excess / objective(best):.2%} | {apart} | {excess / spread:.1f} |", flush=True)


def objective(model: Model) -> float:
    return float(model.traces[-1].objectives[-1])


def squared_errors(model: Model, ratings: Ratings) -> np.ndarray:
    """The squared error of each person, as probabilities of liking."""
    predicted = (model.mixtures[ratings.users] * model.likes[ratings.items]).sum(axis=1)
    errors = np.square(predicted - ratings.scale.to_unit(ratings.values))
    return np.bincount(ratings.users, weights=errors, minlength=ratings.n_users)


if __name__ == "__main__":
    main()
