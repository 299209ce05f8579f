"""How long one fit takes, beside LensKit, implicit and Surprise, on the same ratings in the same run.

    python benchmarks/fit_peers.py --data FOLDER [--repeats 5] [--slow]

Every library gets the MovieLens 1M ratings in its own input format, ready made, the same number of factors and
iterations and two threads where it has any; the clock runs around the fit alone. The best of several alternating runs
counts, since other work on the machine can only slow a run down. ``--slow`` adds SVD++, which takes minutes.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="2", LK_NUM_THREADS="2")

import numpy as np
from machine import print_machine
from movielens import read_ratings

from nnm_core import fit, preset

D, SWEEPS = 8, 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with MovieLens 1M in it")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--slow", action="store_true", help="SVD++ too")
    arguments = parser.parse_args()
    print_machine("lenskit", "implicit", "scikit-surprise", "numba", "numpy", "torch")
    ratings = read_ratings(arguments.data)
    fast = {
        f"NNM, preset paper, {SWEEPS} iterations": lambda: fit(
            ratings, preset("paper", n_stereotypes=D, n_sweeps=SWEEPS), n_threads=2
        ),
        f"NNM, preset recommended, {SWEEPS} iterations": lambda: fit(
            ratings, preset("recommended", n_stereotypes=D, n_sweeps=SWEEPS), n_threads=2
        ),
        f"LensKit BiasedMF (ALS), {SWEEPS} iterations": lenskit_als(ratings),
        f"implicit ALS, {SWEEPS} iterations": implicit_als(ratings),
    }
    seconds = race(fast, arguments.repeats)
    slow = {"Surprise SVD, 20 epochs": surprise_sgd(ratings, "SVD")}
    if arguments.slow:
        slow["Surprise SVD++, 20 epochs"] = surprise_sgd(ratings, "SVDpp")
    seconds |= race(slow, 1, warm_up=False)
    ours = next(iter(seconds.values()))
    print(f"\n| fit of {len(ratings):,} ratings, D = {D} | seconds | times ours |\n|---|---|---|")
    for name, value in seconds.items():
        print(f"| {name} | {value:.3g} | {value / ours:.1f} |")


def race(runs: dict[str, Callable[[], object]], repeats: int, warm_up: bool = True) -> dict[str, float]:
    """The best time of each, the runs taking turns."""
    best = dict.fromkeys(runs, float("inf"))
    for turn in range(repeats + warm_up):
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            if turn >= warm_up:
                best[name] = min(best[name], time.perf_counter() - began)
    return best


def lenskit_als(ratings):
    import pandas as pd
    import torch
    from lenskit.als import BiasedMFScorer
    from lenskit.data import from_interactions_df

    torch.set_num_threads(2)
    frame = pd.DataFrame({"user_id": ratings.users, "item_id": ratings.items, "rating": ratings.values})
    data = from_interactions_df(frame)
    return lambda: BiasedMFScorer(features=D, epochs=SWEEPS).train(data)


def implicit_als(ratings):
    from implicit.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    matrix = csr_matrix((ratings.values.astype(np.float32), (ratings.users, ratings.items)))
    return lambda: AlternatingLeastSquares(
        factors=D, iterations=SWEEPS, num_threads=2, use_gpu=False, random_state=0
    ).fit(matrix, show_progress=False)


def surprise_sgd(ratings, algorithm: str):
    import pandas as pd
    import surprise

    frame = pd.DataFrame({"user": ratings.users, "item": ratings.items, "rating": ratings.values})
    reader = surprise.Reader(rating_scale=(ratings.scale.lowest, ratings.scale.highest))
    train = surprise.Dataset.load_from_df(frame, reader).build_full_trainset()
    return lambda: getattr(surprise, algorithm)(n_factors=D, n_epochs=20).fit(train)


if __name__ == "__main__":
    main()
