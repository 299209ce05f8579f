"""A fit beside Spark's ALS: the same ratings from the same Parquet parts, on the same cores, in one run.

    pip install pyspark    (and a Java of version 17 or newer)
    python benchmarks/spark.py [--ratings 1e7] [--cores 2]

Both read the parts, then run 12 iterations with 8 factors. Spark runs in local mode, with one process for all cores;
ours on one worker process per core, and once more in this process without a cluster.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path

import pyarrow.dataset as pads
from cluster import DIM, OPTIONS, write_parts
from machine import print_machine

N_ITERATIONS = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ratings", type=float, default=1e7)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--cores", type=int, default=2)
    arguments = parser.parse_args()
    print_machine("pyspark", "distributed", "numba")
    print("\n| | read, s | fit, s | an iteration, s | peak memory, GB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write_parts(Path(folder), int(arguments.ratings), arguments.items)
        for name, measure in (("NNM, one process", in_process), ("NNM, workers", on_workers), ("Spark's ALS", spark)):
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:  # memory is of this method only
                read, fitted, iteration, memory = alone.submit(measure, folder, arguments.cores).result()
            print(f"| {name} | {read:.1f} | {fitted:.1f} | {iteration:.2f} | {memory / 1e9:.2f} |", flush=True)


def in_process(folder: str, cores: int) -> tuple[float, float, float, float]:
    """Read all parts as one data set, and fit it with as many threads."""
    from nnm_core import Ratings, fit

    _warm()
    began = time.perf_counter()
    table = pads.dataset(folder).to_table()
    columns = (table[name].to_numpy() for name in ("user", "item", "rating"))
    ratings = Ratings.from_arrays(*columns, duplicates="last")
    del table
    read, times = time.perf_counter(), []
    fit(ratings, OPTIONS, n_threads=cores, callback=lambda _: times.append(time.perf_counter()))
    return read - began, time.perf_counter() - read, _median_step(times), _peak(resource.RUSAGE_SELF)


def on_workers(folder: str, cores: int) -> tuple[float, float, float, float]:
    """Fit the parts on one worker process per core."""
    from nnm_core.cluster import connect, fit_parts

    with connect(f"local:{cores}") as client:
        client.run(_warm)
        times: list[float] = []
        loaded: list[float] = []
        began = time.perf_counter()
        fit_parts(
            folder,
            OPTIONS,
            client=client,
            callback=lambda _: times.append(time.perf_counter()),
            on_loaded=lambda _: loaded.append(time.perf_counter()),
        )
        ended = time.perf_counter()
        memory = sum(client.run(_peak, resource.RUSAGE_SELF).values())
    return loaded[0] - began, ended - loaded[0], _median_step(times), memory


def spark(folder: str, cores: int) -> tuple[float, float, float, float]:
    """Fit the parts with Spark's ALS in local mode; an iteration takes the difference of 12 and 2, divided by 10."""
    from pyspark.ml.recommendation import ALS
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.driver.memory", "8g")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.range(1000).count()  # it has started by then
    began = time.perf_counter()
    ratings = session.read.parquet(folder).selectExpr("int(user) user", "int(item) item", "float(rating) rating")
    ratings = ratings.cache()
    ratings.count()
    read = time.perf_counter()
    seconds = []
    for n_iterations in (2, 2, N_ITERATIONS):  # the first time Java compiles
        start = time.perf_counter()
        ALS(rank=DIM, maxIter=n_iterations, userCol="user", itemCol="item", ratingCol="rating", seed=0).fit(ratings)
        seconds.append(time.perf_counter() - start)
    java = session.sparkContext._gateway.proc.pid
    status = Path(f"/proc/{java}/status").read_text().split()
    memory = 1024 * int(status[status.index("VmHWM:") + 1])
    session.stop()
    return read - began, seconds[2], (seconds[2] - seconds[1]) / (N_ITERATIONS - 2), memory


def _warm() -> None:
    """Load what is compiled."""
    from nnm_core import Ratings, fit

    fit(Ratings.from_arrays([1, 1, 2], [1, 2, 2], [5, 1, 4]), OPTIONS)


def _median_step(times: list[float]) -> float:
    steps = sorted(after - before for before, after in pairwise(times))
    return steps[len(steps) // 2]


def _peak(whose: int) -> int:
    return 1024 * resource.getrusage(whose).ru_maxrss


if __name__ == "__main__":
    main()
