"""Kill workers of a cluster at random times, and see whether the fit ends in the same model, bit by bit.

    python benchmarks/cluster_faults.py [--runs 20] [--ratings 200000]

Each run kills two worker processes with SIGKILL: one at a random time while parts are read and users divided, and one
after a random sweep, which may be while a checkpoint is written.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from cluster import write_parts

from nnm_core import preset
from nnm_core.cluster import connect, fit_parts

OPTIONS = preset("recommended", n_stereotypes=4, n_sweeps=20, tol=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--ratings", type=int, default=200_000)
    parsed = parser.parse_args()
    rng, n_same = np.random.default_rng(0), 0
    with tempfile.TemporaryDirectory() as name, connect("local:2") as client:
        parts = Path(name) / "parts"
        parts.mkdir()
        write_parts(parts, parsed.ratings, 500, shuffled=True)
        how: dict[str, Any] = {"client": client, "ratings_per_partition": parsed.ratings // 6}
        fit_parts(str(parts), OPTIONS, **how)  # loads what is compiled
        began = time.perf_counter()
        loaded: list[float] = []
        calm = fit_parts(str(parts), OPTIONS, on_loaded=lambda _: loaded.append(time.perf_counter()), **how)
        reading = loaded[0] - began
        print(f"undisturbed: read in {reading:.1f} s, all {time.perf_counter() - began:.1f} s", flush=True)
        for run in range(parsed.runs):
            before, after, delay = rng.uniform(0, reading), int(rng.integers(1, 20)), rng.uniform(0, 0.3)
            early = threading.Timer(before, kill, (client, int(rng.integers(2))))
            late = threading.Timer(delay, kill, (client, int(rng.integers(2))))
            began = time.perf_counter()
            early.start()
            model = fit_parts(
                str(parts),
                OPTIONS,
                checkpoint=f"{name}/kept" if run % 2 else None,
                callback=lambda sweep, when=after, timer=late: timer.start() if sweep.number == when else None,
                **how,
            )
            took = time.perf_counter() - began
            late.join()
            same = np.array_equal(model.mixtures, calm.mixtures) and np.array_equal(model.answers, calm.answers)
            n_same += same
            print(
                f"run {run + 1}: killed {before:.1f} s after the beginning and {delay:.2f} s after sweep {after}, "
                f"{'with' if run % 2 else 'without'} checkpoints: {took:.1f} s, "
                f"{'the same' if same else 'ANOTHER'} model",
                flush=True,
            )
    print(f"{n_same} of {parsed.runs} runs ended in the same model, bit by bit")


def kill(client: Any, number: int) -> None:
    """Kill a worker process, or the other one if that is being started again."""
    processes = [nanny.process for nanny in client.cluster.workers.values()]
    alive = [process.pid for process in processes if process is not None and process.is_alive()]
    if alive:
        os.kill(alive[number % len(alive)], signal.SIGKILL)


if __name__ == "__main__":
    main()
