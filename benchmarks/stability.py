"""What depends on the random start: after 16 iterations, and converged.

    python benchmarks/stability.py --data FOLDER [--only ml-100k bundled ml-1m] [--dimensions 2 3 8]

A fit and five refits from other seeds: the stability of each stereotype (1: the same in every refit) and the number of
bars of towers on which all six agree in sign. ``names.py`` measures what holds in another half of the people.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

from machine import print_machine

from nnm_core import FitOptions, fit, preset
from nnm_core.datasets import Dataset, load_dataset
from nnm_core.interpret.compare import measure_stability, refits

CONVERGED = {"n_sweeps": 600, "tol": 1e-4, "momentum": True}
STOPPED_EARLY = {"n_sweeps": 16, "tol": 0.0, "momentum": False}
N_REFITS = 5


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


def both_ways(name: str, n_stereotypes: int) -> list[FitOptions]:
    """The preset after 16 iterations, and converged."""
    return [preset(name, n_stereotypes=n_stereotypes, **rule) for rule in (STOPPED_EARLY, CONVERGED)]


def over_seeds(dataset: Dataset, options: FitOptions) -> str:
    """Stability of each stereotype, and how many of all bars are firm."""
    stability = measure_stability(refits(dataset.ratings, fit(dataset.ratings, options), N_REFITS), dataset)
    figures = " ".join(f"{value:.2f}" for value in stability.figures)
    return f"{figures} | {stability.is_firm.sum()} of {stability.is_firm.size}"


if __name__ == "__main__":
    main()
