"""Top-N quality on MovieLens 1M: recall@10, nDCG@10 and coverage of models, popularity and PureSVD.

    python benchmarks/ranking.py --data FOLDER

A fifth of the ratings is held out; a person's favourites are the held-out ratings of five stars. Lists leave out what
the person has rated in the training part.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from machine import print_machine
from movielens import read_ratings

from nnm_core import fit, preset
from nnm_core.evaluation import random_folds
from nnm_core.evaluation.ranking import by_model, by_popularity, by_pure_svd, favourites, rank


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with MovieLens 1M in it")
    arguments = parser.parse_args()
    print_machine("numpy", "scipy")
    ratings = read_ratings(arguments.data)
    held_out = random_folds(ratings, 5)[0]
    train, wanted = ratings.subset(~held_out), favourites(ratings, held_out)
    filled = preset("paper", n_stereotypes=32, fill_sweeps=16)
    methods = {
        "popularity": by_popularity(train),
        "PureSVD, 50 factors": by_pure_svd(train, 50),
        "NNM, preset paper, D = 8": by_model(fit(train, preset("paper", n_stereotypes=8))),
        "NNM, preset recommended, D = 8": by_model(fit(train, preset("recommended", n_stereotypes=8))),
        "NNM, filled throughout, D = 32": by_model(fit(train, filled)),
    }
    print("\n| MovieLens 1M | recall@10 | nDCG@10 | coverage |\n|---|---|---|---|")
    for name, score in methods.items():
        found = rank(score, train, wanted)
        print(f"| {name} | {found.recall:.3f} | {found.ndcg:.3f} | {found.coverage:.1%} |", flush=True)
    print(f"\n{found.n_people:,} people with a held-out favourite")


if __name__ == "__main__":
    main()
