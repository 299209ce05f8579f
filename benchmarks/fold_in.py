"""Whether folding people in again from the ratings that they were fitted to gives their mixtures.

    python benchmarks/fold_in.py --data FOLDER

MovieLens 100K, fold u1. For each model: the mean total variation distance between fitted and folded-in mixtures, and
the held-out MAE with each of them.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from machine import print_machine

from nnm_core import fit, fold_in_users, predict, preset
from nnm_core.datasets import load_dataset
from nnm_core.evaluation import own_folds
from nnm_core.fitting.distilled.features import SideInformation

MODELS = {
    "paper, converged": preset("paper", n_sweeps=600, tol=1e-4, momentum=True),
    "generosity and shrinkage, converged": preset("recommended", kinship=0),
    "recommended": preset("recommended"),
    "committee of 8 recommended": preset("recommended", committee=8),
    "committee of 8, kinship left out": preset("recommended", kinship=0, committee=8),
    "committee of 8, kinship left out, D = 8": preset("recommended", kinship=0, committee=8, n_stereotypes=8),
    "accurate": preset("accurate"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with ml-100k in it")
    arguments = parser.parse_args()
    print_machine("numba", "numpy")
    folder = arguments.data / "ml-100k"
    dataset, _ = load_dataset(folder)
    ratings, side = dataset.ratings, SideInformation.of(dataset)
    held_out = own_folds(folder, ratings)[0]
    train = ratings.subset(~held_out)
    users, items, values = ratings.users[held_out], ratings.items[held_out], ratings.values[held_out]
    rated = train.by_user.counts > 0
    print("\n| model | distance of the mixtures | MAE, fitted | MAE, folded in |\n|---|---|---|---|")
    for name, options in MODELS.items():
        model = fit(train, options, side=side if options.method == "distilled" else None)
        again = fold_in_users(model, train)
        distance = np.abs(again - model.mixtures)[rated].sum(axis=1).mean() / 2
        errors = [np.abs(predict(one, users, items) - values).mean() for one in (model, replace(model, mixtures=again))]
        print(f"| {name} | {distance:.4f} | {errors[0]:.4f} | {errors[1]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
