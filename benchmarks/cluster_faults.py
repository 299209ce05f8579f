"""Kill workers of a cluster at random times, and see whether the fit ends in the same model, bit by bit.

    python benchmarks/cluster_faults.py [--runs 20] [--ratings 200000]

Each run kills two worker processes with SIGKILL, at random times over the length of an undisturbed fit: while parts are
read, while users are divided, in the rating pattern, in sweeps and while checkpoints are written.
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
        calm = fit_parts(str(parts), OPTIONS, **how)
        length = time.perf_counter() - began
        print(f"undisturbed: {length:.1f} s", flush=True)
        for run in range(parsed.runs):
            times = np.sort(rng.uniform(0, length, size=2))
            killer = threading.Thread(target=kill, args=(client, times, rng.integers(2, size=2).tolist()))
            began, phases = time.perf_counter(), []
            killer.start()
            model = fit_parts(
                str(parts),
                OPTIONS,
                checkpoint=f"{name}/kept" if run % 2 else None,
                callback=lambda _sweep, seen=phases: seen.append(time.perf_counter()),
                **how,
            )
            took = time.perf_counter() - began
            killer.join()
            same = np.array_equal(model.mixtures, calm.mixtures) and np.array_equal(model.answers, calm.answers)
            n_same += same
            done = [sum(at < began + when for at in phases) for when in times]
            print(
                f"run {run + 1}: killed at {times[0]:.1f} and {times[1]:.1f} s, after {done[0]} and {done[1]} sweeps, "
                f"{'with' if run % 2 else 'without'} checkpoints: {took:.1f} s, "
                f"{'the same' if same else 'ANOTHER'} model",
                flush=True,
            )
    print(f"{n_same} of {parsed.runs} runs ended in the same model, bit by bit")


def kill(client: Any, times: np.ndarray, which: list[int]) -> None:
    """Kill a worker process at each of the times."""
    began = time.perf_counter()
    for at, number in zip(times, which, strict=True):
        time.sleep(max(began + at - time.perf_counter(), 0.0))
        process = list(client.cluster.workers.values())[number].process
        if process is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
