"""How many random starts of a converged fit end in the best optimum, and how far the others are from it.

python benchmarks/one_answer.py --data FOLDER [--starts 8]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from machine import print_machine

from nnm_core import fit, preset
from nnm_core.datasets import load_dataset

DIMENSIONS = (2, 3, 4, 5, 6, 8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with ml-100k and ml-1m in it")
    parser.add_argument("--starts", type=int, default=8)
    arguments = parser.parse_args()
    print_machine("numba", "numpy")
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


if __name__ == "__main__":
    main()
