"""The tables of docs/evaluation.md: errors on ratings that a model has not seen.

    python benchmarks/accuracy.py --data FOLDER [--only ml-100k bundled ml-1m] [--slow]

MovieLens 100K on GroupLens's own folds u1-u5 (and u1 alone), the bundled data and MovieLens 1M on five random folds.
``--slow`` adds the rows that take more than a few minutes.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from machine import print_machine

from nnm_core import FitOptions, preset
from nnm_core.datasets import Dataset, load_dataset
from nnm_core.evaluation import cross_validate, own_folds, random_folds, single_split
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.types import BoolArray

CONVERGED = {"n_sweeps": 600, "tol": 1e-4, "momentum": True}
ML_1M = {"n_sweeps": 80, "burn_in": 20, "n_factors": 24}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with ml-100k and ml-1m in it")
    parser.add_argument("--only", nargs="+", default=["ml-100k", "bundled", "ml-1m"])
    parser.add_argument("--slow", action="store_true", help="rows that take more than a few minutes, too")
    arguments = parser.parse_args()
    print_machine("numba", "numpy")
    tables = {"ml-100k": movielens_100k, "bundled": bundled, "ml-1m": movielens_1m}
    for name in arguments.only:
        folder = arguments.data / name
        dataset, _ = load_dataset(name if name == "bundled" else folder)
        print(f"\n| {name} | MAE | RMSE | rounded MAE | rounded RMSE |\n|---|---|---|---|---|")
        tables[name](dataset, folder, arguments.slow)


def movielens_100k(dataset: Dataset, folder: Path, slow: bool) -> None:
    folds = own_folds(folder, dataset.ratings)
    show("paper, D=3", dataset, preset("paper"), folds)
    show("paper, converged, D=3", dataset, preset("paper", **CONVERGED), folds)
    show("generosity and a shrinkage of 1, D=3", dataset, without_kinship(3), folds)
    show("recommended, D=3", dataset, preset("recommended"), folds)
    show("recommended, best of 8 starts, D=3", dataset, preset("recommended", starts=8), folds)
    show("recommended, D=6", dataset, preset("recommended", n_stereotypes=6), folds)
    members = preset("recommended", n_stereotypes=6, committee=8)
    show("committee of 8 converged fits, D=6", dataset, members, folds)
    early = replace(members, n_sweeps=16, tol=0.0, momentum=False)
    show("committee of 8 fits of 16 iterations, D=6", dataset, early, folds)
    for n in (16, 32):
        options = preset("accurate", n_stereotypes=n)
        show(f"accurate, D={n}, no side information", dataset, options, folds, side=False, u1=True)
        show(f"accurate, D={n}", dataset, options, folds, u1=True)
    if slow:
        show("accurate, D=32, two chains", dataset, preset("accurate", n_stereotypes=32, n_chains=2), folds, u1=True)
        show("committee of 32, D=6", dataset, preset("recommended", n_stereotypes=6, committee=32), folds)


def bundled(dataset: Dataset, _: Path, __: bool) -> None:
    folds = random_folds(dataset.ratings, 5)
    show("paper, D=3", dataset, preset("paper"), folds)
    show("paper, converged, D=3", dataset, preset("paper", **CONVERGED), folds)
    show("generosity and a shrinkage of 1, D=3", dataset, without_kinship(3), folds)
    show("recommended, D=3", dataset, preset("recommended"), folds)
    show("accurate, D=16", dataset, preset("accurate"), folds)


def movielens_1m(dataset: Dataset, _: Path, slow: bool) -> None:
    folds = random_folds(dataset.ratings, 5)
    show("paper, D=8", dataset, preset("paper", n_stereotypes=8), folds)
    show("paper, converged, D=8", dataset, preset("paper", n_stereotypes=8, **CONVERGED), folds)
    show("generosity and a shrinkage of 1, D=8", dataset, without_kinship(8), folds)
    for n in (8, 16):
        show(f"recommended, D={n}", dataset, preset("recommended", n_stereotypes=n), folds)
        show(f"recommended, D={n}, first fold", dataset, preset("recommended", n_stereotypes=n), folds[:1])
    for anchors in ((2000, 2000), (1000, 1000)):
        options = preset("recommended", n_stereotypes=8, anchors=anchors)
        show(f"recommended, D=8, {anchors[0]:,} anchors", dataset, options, folds)
    if slow:
        split = single_split(dataset.ratings, 0.2)
        show("committee of 12, 80/20, D=16", dataset, preset("recommended", n_stereotypes=16, committee=12), split)
        for n in (16, 32, 64):
            show(f"accurate, 80/20, D={n}", dataset, preset("accurate", n_stereotypes=n, **ML_1M), split)
        split = single_split(dataset.ratings, 0.1)
        show("accurate, 90/10, D=64", dataset, preset("accurate", n_stereotypes=64, **ML_1M), split)
        show(
            "accurate, 90/10, D=64, no side", dataset, preset("accurate", n_stereotypes=64, **ML_1M), split, side=False
        )


def without_kinship(n_stereotypes: int) -> FitOptions:
    """Generosity and a shrinkage of 1 alone, after 16 iterations."""
    return preset("paper", n_stereotypes=n_stereotypes, generosity=True, shrinkage=1.0)


def show(
    name: str, dataset: Dataset, options: FitOptions, folds: list[BoolArray], side: bool = True, u1: bool = False
) -> None:
    """Print a row with the mean over the folds, and one with the first fold alone if ``u1``."""
    known = SideInformation.of(dataset) if side and options.method == "distilled" else None
    found = cross_validate(dataset.ratings, options, folds, side=known)
    rows = {name: found.scores} | ({f"{name}, u1 alone": found.folds[0].scores} if u1 else {})
    for label, s in rows.items():
        print(f"| {label} | {s.mae:.4f} | {s.rmse:.4f} | {s.mae_rounded:.4f} | {s.rmse_rounded:.4f} |", flush=True)


if __name__ == "__main__":
    main()
