"""How long a converged model takes, beside LensKit's and implicit's ALS, on the same ratings in the same run.

    python benchmarks/converged_peers.py --data FOLDER [--repeats 3] [--profile]

Every library runs until its training objective changes by less than 1e-4 (relative) in an iteration. A first run finds
out how many iterations that takes; the clock then runs around a fit of just so many, without looking at the objective.
Ours is timed a second time with its own rule, which waits until the model has stopped moving. The best of several
alternating runs counts. On a busy machine compare the processor seconds, which add up over the threads: other work
hardly changes them. ``--profile`` adds where our time goes, on one thread; the aim is a quarter of the fastest peer.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="2", LK_NUM_THREADS="2")

import numpy as np
from machine import print_machine
from movielens import read_ratings

from nnm_core import Ratings, fit, preset

SMALL_CHANGE = 1e-4
MOST = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with MovieLens 1M in it")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="where our time goes")
    arguments = parser.parse_args()
    print_machine("lenskit", "implicit", "numba", "numpy")
    ratings = read_ratings(arguments.data)
    for n_factors in (3, 8):
        compare(ratings, n_factors, arguments.repeats)
        if arguments.profile:
            profile(ratings, n_factors)


def compare(ratings: Ratings, n_factors: int, repeats: int) -> None:
    """Print a table of all libraries for one number of factors."""
    runs: dict[str, Callable[[], object]] = {}
    counts: dict[str, int] = {}
    for name, library in {"NNM, preset paper": ours_paper, "NNM, preset recommended": ours}.items():
        counts[name], runs[name] = library(ratings, n_factors)
    options = preset("recommended", n_stereotypes=n_factors)
    whole = "NNM, preset recommended, until the model stops moving"
    runs[whole] = lambda: fit(ratings, options, n_threads=2)
    counts[whole] = len(fit(ratings, options).traces[0].movements)
    peers = {"LensKit BiasedMF (ALS)": lenskit_als, "implicit ALS": implicit_als}
    for name, library in peers.items():
        counts[name], runs[name] = library(ratings, n_factors)
    print(f"\niterations until converged, D = {n_factors}: {counts}", flush=True)
    seconds = race(runs, repeats)
    fastest = np.min([seconds[name] for name in peers], axis=0)
    print(
        f"\n| converged, {len(ratings):,} ratings, D = {n_factors} | iterations | seconds | of the fastest peer",
        end=" ",
    )
    print("| processor seconds | of the fastest peer |\n|---|---|---|---|---|---|")
    for name, (wall, processor) in seconds.items():
        shares = wall / fastest[0], processor / fastest[1]
        print(
            f"| {name} | {counts[name]} | {wall:.2f} | {shares[0]:.2f} | {processor:.2f} | {shares[1]:.2f} |",
            flush=True,
        )


def race(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, tuple[float, float]]:
    """The best wall time and the best processor time of each after a warm-up, the runs taking turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for turn in range(repeats + 1):
        for name, run in runs.items():
            wall, processor = time.perf_counter(), time.process_time()
            run()
            if turn:
                times[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return {name: (min(wall for wall, _ in some), min(used for _, used in some)) for name, some in times.items()}


def first_small_change(objectives: Iterator[float]) -> int:
    """After how many iterations the objective has changed by less than 1e-4; -1 if it never does."""
    for n, (before, after) in enumerate(pairwise(objectives), start=2):
        if abs(before - after) < SMALL_CHANGE * abs(before):
            return n
    return -1


def ours(ratings: Ratings, n_factors: int, name: str = "recommended") -> tuple[int, Callable[[], object]]:
    rule = {"n_sweeps": MOST, "tol": 1e-4, "momentum": True}
    (trace,) = fit(ratings, preset(name, n_stereotypes=n_factors, **rule)).traces
    after_fill = trace.objectives[trace.n_filled + 1 :: 2]
    n = trace.n_filled // 2 + first_small_change(iter(after_fill.tolist()))
    options = preset(name, n_stereotypes=n_factors, n_sweeps=n, tol=0.0, momentum=True)
    return n, lambda: fit(ratings, options, n_threads=2)


def ours_paper(ratings: Ratings, n_factors: int) -> tuple[int, Callable[[], object]]:
    return ours(ratings, n_factors, "paper")


def lenskit_als(ratings: Ratings, n_factors: int) -> tuple[int, Callable[[], object]]:
    import pandas as pd
    from lenskit.als import BiasedMFScorer
    from lenskit.data import from_interactions_df
    from lenskit.training import TrainingOptions

    frame = pd.DataFrame({"user_id": ratings.users, "item_id": ratings.items, "rating": ratings.values})
    data = from_interactions_df(frame)

    def objectives() -> Iterator[float]:
        scorer = BiasedMFScorer(features=n_factors, epochs=MOST)
        trainer = scorer.create_trainer(data, TrainingOptions(rng=0))
        matrix = trainer.prepare_matrix(data)
        rows, columns, values = matrix.row, matrix.col, matrix.data
        n_of_row, n_of_column = (
            np.bincount(part, minlength=n) for part, n in zip((rows, columns), matrix.shape, strict=True)
        )
        for _ in range(MOST):
            trainer.train_epoch()
            users, items = scorer.user_embeddings, scorer.item_embeddings
            error = np.square(values - np.einsum("nk,nk->n", users[rows], items[columns])).sum()
            pull = n_of_row @ np.square(users).sum(axis=1) + n_of_column @ np.square(items).sum(axis=1)
            yield float(error + scorer.config.user_reg * pull)

    n = first_small_change(objectives())
    return n, lambda: BiasedMFScorer(features=n_factors, epochs=n).train(data, TrainingOptions(rng=0))


def implicit_als(ratings: Ratings, n_factors: int) -> tuple[int, Callable[[], object]]:
    from implicit.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    matrix = csr_matrix((ratings.values.astype(np.float32), (ratings.users, ratings.items)))
    settings = {"factors": n_factors, "num_threads": 2, "use_gpu": False, "random_state": 0}
    model = AlternatingLeastSquares(**settings, iterations=1, calculate_training_loss=True)

    def objectives() -> Iterator[float]:
        losses: list[float] = []
        for _ in range(MOST):  # each call goes on from the factors of the last
            model.fit(matrix, show_progress=False, callback=lambda _, __, loss: losses.append(float(loss)))
            yield losses[-1]

    n = first_small_change(objectives())
    return n, lambda: AlternatingLeastSquares(**settings, iterations=n).fit(matrix, show_progress=False)


def profile(ratings: Ratings, n_factors: int) -> None:
    """Print the functions of our own in which a converged fit spends its time, on one thread."""
    options = preset("recommended", n_stereotypes=n_factors)
    with cProfile.Profile(time.process_time) as profiler:
        fit(ratings, options, n_threads=1)
    print(f"\nwhere the time of NNM goes, D = {n_factors}, one thread")
    pstats.Stats(profiler).sort_stats("tottime").print_stats(14)


if __name__ == "__main__":
    main()
