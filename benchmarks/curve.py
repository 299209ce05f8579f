"""The whole curve of error against D, beside one fit of one peer.

    python benchmarks/curve.py --data FOLDER

D = 1 … 10 on MovieLens 100K, five folds, 16 iterations, fits and scores included; and one SVD++ fit by
scikit-surprise with the paper's settings on one of these folds.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from machine import print_machine
from movielens import read_ratings

from nnm_core import fit, preset
from nnm_core.evaluation import error_curve, random_folds
from nnm_core.evaluation.peers import evaluate_peer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with MovieLens 100K in it")
    arguments = parser.parse_args()
    print_machine("scikit-surprise", "numba", "numpy")
    ratings = read_ratings(arguments.data, "ml-100k")
    folds = random_folds(ratings, 5)
    fit(ratings)  # compiles, if nobody did before
    began = time.perf_counter()
    curve = error_curve(ratings, range(1, 11), preset("paper"), folds)
    ours = time.perf_counter() - began
    theirs = evaluate_peer("SVD++", ratings, folds[:1]).seconds_fit
    print(f"\nsuggested: {curve.suggestion().reason}")
    print("\n| MovieLens 100K | seconds | times ours |\n|---|---|---|")
    print(f"| NNM: 50 fits, D = 1 … 10, five folds, with scores | {ours:.2f} | 1 |")
    print(f"| one SVD++ fit on one fold | {theirs:.1f} | {theirs / ours:.1f} |")


if __name__ == "__main__":
    main()
