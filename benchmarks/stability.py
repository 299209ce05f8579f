"""What depends on the random start and on the people: after 16 iterations, and converged.

    python benchmarks/stability.py --data FOLDER [--only ml-100k bundled ml-1m] [--dimensions 2 3 8]

First table: a fit and five refits from other seeds. It gives the stability of each stereotype (1: the same in every
refit) and the number of bars of towers on which all six agree in sign. Second table: the people are split at random
into halves, one half is put into words, and the matching stereotypes of the other half are asked whether they lean the
same way. In brackets, only the tags on which four refits of the first half agree.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from machine import print_machine

from nnm_core import FitOptions, fit, preset
from nnm_core.datasets import Dataset, load_dataset
from nnm_core.interpret.compare import match_stereotypes, measure_stability, refits, stereotype_distances
from nnm_core.interpret.text.claims import find_claims
from nnm_core.interpret.towers import compute_towers

CONVERGED = {"n_sweeps": 600, "tol": 1e-4, "momentum": True}
STOPPED_EARLY = {"n_sweeps": 16, "tol": 0.0, "momentum": False}
N_REFITS, N_SPLITS, N_REFITS_OF_A_HALF = 5, 3, 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with ml-100k and ml-1m in it")
    parser.add_argument("--only", nargs="+", default=["ml-100k", "bundled", "ml-1m"])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[2, 3, 8])
    arguments = parser.parse_args()
    cases = list(product(("paper", "recommended"), arguments.dimensions))
    print_machine("numba", "numpy")
    for name in arguments.only:
        dataset, _ = load_dataset(name if name == "bundled" else arguments.data / name)
        print(f"\n| {name} | D | 16 iterations: stability | firm bars | converged: stability | firm bars |")
        print("|---|---|---|---|---|---|")
        for preset_name, n in cases:
            cells = [over_seeds(dataset, options) for options in both_ways(preset_name, n)]
            print(f"| {preset_name} | {n} | {' | '.join(cells)} |", flush=True)
        print(f"\n| {name}, halves of the people | D | 16 iterations: same way (firm) | converged: same way (firm) |")
        print("|---|---|---|---|")
        for preset_name, n in cases:
            cells = [over_halves(dataset, options) for options in both_ways(preset_name, n)]
            print(f"| {preset_name} | {n} | {' | '.join(cells)} |", flush=True)


def both_ways(name: str, n_stereotypes: int) -> list[FitOptions]:
    """The preset after 16 iterations, and converged."""
    return [preset(name, n_stereotypes=n_stereotypes, **rule) for rule in (STOPPED_EARLY, CONVERGED)]


def over_seeds(dataset: Dataset, options: FitOptions) -> str:
    """Stability of each stereotype, and how many of all bars are firm."""
    stability = measure_stability(refits(dataset.ratings, fit(dataset.ratings, options), N_REFITS), dataset)
    figures = " ".join(f"{value:.2f}" for value in stability.figures)
    return f"{figures} | {stability.is_firm.sum()} of {stability.is_firm.size}"


def over_halves(dataset: Dataset, options: FitOptions) -> str:
    """How many of the named tags lean the same way in the other half, and how many of the firm ones."""
    held, is_firm = [], []
    for seed in range(N_SPLITS):
        mask = np.random.default_rng(seed).random(dataset.ratings.n_users) < 0.5
        first, second = of_people(dataset, mask), of_people(dataset, ~mask)
        model, other = (fit(part.ratings, options) for part in (first, second))
        firm = measure_stability(refits(first.ratings, model, N_REFITS_OF_A_HALF), first).is_firm
        matches = match_stereotypes(stereotype_distances(model, other, dataset.ratings))
        taste = compute_towers(other, second).taste
        for claim in find_claims(model, first):
            for sign, tags in ((1, claim.likes), (-1, claim.avoids)):
                held += [sign * taste[tag, matches[claim.stereotype]] > 0 for tag in tags]
                is_firm += [firm[tag, claim.stereotype] for tag in tags]
    among_firm = [holds for holds, sure in zip(held, is_firm, strict=True) if sure]
    return f"{sum(held)} of {len(held)} ({sum(among_firm)} of {len(among_firm)})"


def of_people(dataset: Dataset, mask: np.ndarray) -> Dataset:
    """The data set with the ratings of these people alone."""
    return replace(dataset, ratings=dataset.ratings.subset(mask[dataset.ratings.users]))


if __name__ == "__main__":
    main()
