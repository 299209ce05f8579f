"""How time and memory grow with the data: invented ratings in MovieLens' shape, from 1 to 32 million.

    python benchmarks/growth.py [--millions 1 4 16 32]

Each size runs in a process of its own, which invents the ratings, fits, and reports the peak of its resident memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from machine import print_machine

D = 8
SHAPES = {1: (6_040, 3_706), 4: (25_000, 12_000), 16: (110_000, 45_000), 32: (201_000, 88_000)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=int, nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one)))
        return
    print_machine("numba", "numpy")
    print(
        "\n| ratings | users | items | fit, s | ns per rating and iteration | ratio | peak resident, GB |\n"
        "|---|---|---|---|---|---|---|"
    )
    smallest = None
    for millions in arguments.millions:
        command = [sys.executable, __file__, "--one", str(millions)]
        row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
        cost = row["seconds"] / row["ratings"] / 16 * 1e9
        smallest = smallest or cost
        print(
            f"| {row['ratings']:,} | {row['users']:,} | {row['items']:,} | {row['seconds']:.2f} | {cost:.1f} | "
            f"{cost / smallest:.2f} | {row['gigabytes']:.2f} |",
            flush=True,
        )


def measure(millions: int) -> dict[str, float]:
    """Seconds of the best of three fits, and the peak of resident memory from the indexed ratings on."""
    from nnm_core import Ratings, fit, preset
    from nnm_core.datasets.synthetic import invent

    n_users, n_items = SHAPES[millions]
    invented = invent(n_users, n_items, millions * 1_000_000)
    peak = Peak()
    ratings: Ratings = invented.ratings()
    del invented
    options = preset("paper", n_stereotypes=D)
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        fit(ratings, options, n_threads=2)
        best = min(best, time.perf_counter() - began)
    return {
        "ratings": len(ratings),
        "users": n_users,
        "items": n_items,
        "seconds": best,
        "gigabytes": peak.stop() / 1e9,
    }


class Peak:
    """Watches resident memory, a hundred times a second, until it is stopped."""

    def __init__(self) -> None:
        self._largest = 0
        self._running = True
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while self._running:
            self._largest = max(self._largest, resident_bytes())
            time.sleep(0.01)

    def stop(self) -> int:
        self._running = False
        self._thread.join()
        return self._largest


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


if __name__ == "__main__":
    main()
