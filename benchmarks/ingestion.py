"""How long an import takes beside a plain ``pandas.read_csv`` of the same rows, and how much memory 32 million need.

    python benchmarks/ingestion.py                  ML-1M's ratings.dat, and a million rows with text as ids
    python benchmarks/ingestion.py --rows 32000000  a file of that size as well, in a process of its own

Both sides are timed in turn in the same run; the best of several rounds counts, and so do the medians.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from nnm_core.datasets import load_dataset
from nnm_core.datasets.synthetic import invent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=0, help="also import a file of so many rows")
    parser.add_argument("--import-only", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.import_only:
        import_once(options.import_only)
        return
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.csv"
        write_text_ids(texts, 1_000_000)
        load_dataset(texts)  # compiled code is loaded once per process, not once per file
        movielens = Path(os.environ.get("NNM_DATA", "../shared/data")) / "ml-1m" / "ratings.dat"
        if movielens.is_file():
            plain = lambda: pd.read_csv(movielens, sep=":", header=None, usecols=[0, 2, 4, 6], engine="c")  # noqa: E731
            compare("ML-1M ratings.dat", plain, lambda: load_dataset(movielens), options.rounds)
        else:
            print(f"{movielens} is not here: set NNM_DATA to compare on ML-1M")
        compare(
            "1M rows, text ids", lambda: pd.read_csv(texts, engine="c"), lambda: load_dataset(texts), options.rounds
        )
        for n_people, n_questions in ((20_000, 50), (20, 99_999)):
            survey = Path(folder) / "survey.csv"
            write_survey(survey, n_people, n_questions)
            began, used = time.perf_counter(), time.process_time()
            load_dataset(survey)
            wall, processor = time.perf_counter() - began, time.process_time() - used
            print(
                f"Survey of {n_questions:,} questions to {n_people:,} people: {wall:.2f} s, processor {processor:.2f} s"
            )
        if options.rows:
            large = Path(folder) / "large.csv"
            write_numbered(large, options.rows)
            command = [sys.executable, __file__, "--import-only", str(large)]
            subprocess.run(command, check=True)


def compare(name: str, plain: Callable[[], object], ours: Callable[[], object], rounds: int) -> None:
    for what, clock in (("wall", time.perf_counter), ("processor", time.process_time)):
        times: dict[str, list[float]] = {"plain": [], "ours": []}
        for _ in range(rounds):
            for side, run in (("plain", plain), ("ours", ours)):
                begin = clock()
                run()
                times[side].append(clock() - begin)
        best = {side: min(seconds) for side, seconds in times.items()}
        median = {side: statistics.median(seconds) for side, seconds in times.items()}
        print(
            f"{name}, {what} time: pandas {best['plain']:.3f} s, import {best['ours']:.3f} s, "
            f"ratio {best['ours'] / best['plain']:.2f} (of the medians {median['ours'] / median['plain']:.2f})"
        )


def import_once(path: Path) -> None:
    begin = time.perf_counter()
    dataset, _ = load_dataset(path)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{len(dataset.ratings):,} rows ({path.stat().st_size / 1e6:,.0f} MB): {seconds:.1f} s, peak {peak:.2f} GiB")


def write_text_ids(path: Path, n_rows: int) -> None:
    """Ids as in Amazon's files."""
    invented = invent(60_000, 20_000, n_rows, seed=1)
    frame = pd.DataFrame(
        {
            "user": [f"A{user * 7919 + 10**12:013d}" for user in invented.users.tolist()],
            "item": [f"B{item * 104729 % 10**9:09d}" for item in invented.items.tolist()],
            "rating": invented.values.astype(int),
            "timestamp": np.random.default_rng(2).integers(10**9, 2 * 10**9, n_rows),
        }
    )
    frame.sample(frac=1, random_state=3).to_csv(path, index=False)


def write_survey(path: Path, n_people: int, n_questions: int) -> None:
    """A row per person with a gender and answers from 1 to 5."""
    answers = np.random.default_rng(5).integers(1, 6, (n_people, n_questions))
    names = ["gender", *(f"Q{k}" for k in range(n_questions))]
    rows = ("FM"[k % 2] + "," + ",".join(map(str, row)) for k, row in enumerate(answers.tolist()))
    path.write_text("\n".join([",".join(names), *rows]) + "\n")


def write_numbered(path: Path, n_rows: int) -> None:
    """A file like MovieLens 32M's ratings.csv."""
    invented = invent(max(n_rows // 160, 100), max(n_rows // 400, 1000), n_rows, seed=4)
    step = 2_000_000
    for begin in range(0, n_rows, step):
        rows = slice(begin, begin + step)
        frame = pd.DataFrame(
            {
                "userId": invented.users[rows] + 1,
                "movieId": invented.items[rows] + 1,
                "rating": invented.values[rows].astype(float),
                "timestamp": 1_000_000_000 + np.arange(begin, min(begin + step, n_rows)),
            }
        )
        frame.to_csv(path, index=False, header=begin == 0, mode="a")


if __name__ == "__main__":
    main()
