"""What a fit on a cluster costs: per rating, user, item and byte, on workers of this machine, and more of it on paper.

    python benchmarks/cluster.py costs --ratings 1e6 4e6 1e7       processor seconds and bytes of every kind of task
    python benchmarks/cluster.py run --ratings 1e6 --workers 1 2   wall-clock time on worker processes
    python benchmarks/cluster.py run --ratings 1e8 --workers 2 --memory 2GiB
    python benchmarks/cluster.py simulate                          1 and 10 billion ratings on 16 and 64 machines

``costs`` runs the tasks one after the other in this process and measures its own processor time, which other programs
on the machine disturb little. ``run`` measures what people wait for, and says how busy the machine was. ``simulate``
schedules the tasks of one sweep with the costs of ``COSTS``, and first repeats what ``run`` measured.
"""

from __future__ import annotations

import argparse
import heapq
import os
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from nnm_core import FitOptions, preset
from nnm_core.cluster import connect, fit_parts
from nnm_core.cluster.fit_parts import fit_spread
from nnm_core.cluster.spread import RATINGS_PER_PARTITION, load_parts
from nnm_core.cluster.tasks import FAN_IN, InProcess
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.guessing.hints import NO_HINTS

RATINGS_PER_USER = 100
PART = 2_000_000
DIM = 8
OPTIONS = preset("recommended", n_stereotypes=DIM, n_sweeps=12, tol=0.0)

# Measured by `costs` on 10 million ratings, 100 of each user, D = 8 and generosity; and `task` by `run`: processor
# seconds to sum up a rating, to solve the users of a rating (with report and extrapolation), to solve and join an item.
COSTS = {"sum": 12.7e-9, "users": 45.7e-9, "item": 1.6e-6, "join": 0.07e-6, "task": 1e-3}
MEMORY_SPEED = 5e9  # bytes a second that a core adds or copies


def write_parts(folder: Path, n_ratings: int, n_items: int, *, shuffled: bool = False) -> None:
    """Invent ratings part by part: nobody holds all of them. Users stay in one part unless ``shuffled``."""
    n_parts = -(-n_ratings // PART)
    rng = np.random.default_rng(0)
    likes = rng.beta(0.8, 0.8, (n_items, DIM))
    popularity = rng.zipf(1.3, n_items).clip(max=1000).astype(float) + 5
    chance = np.cumsum(popularity / popularity.sum())
    n_users = n_ratings // RATINGS_PER_USER
    for number in range(n_parts):
        own = np.random.default_rng([1, number])
        size = min(PART, n_ratings - number * PART)
        first, last = (0, n_users) if shuffled else (number * n_users // n_parts, (number + 1) * n_users // n_parts)
        users = own.integers(first, last, size=size)
        items = np.minimum(np.searchsorted(chance, own.random(size)), n_items - 1)
        taste = (users * 2654435761 % 2**32 % DIM).astype(int)
        values = np.clip(np.rint(5 * likes[items, taste] + own.normal(0, 0.6, size)), 1, 5)
        table = pa.table({"user": users, "item": items, "rating": values.astype(np.float32)})
        pq.write_table(table, folder / f"part-{number:05d}.parquet")


class Timed(InProcess):
    """Runs tasks at once, and keeps the processor time and the size of the result of each kind."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self.sizes: dict[str, int] = defaultdict(int)

    def submit(self, name: str, function: Any, *arguments: Any) -> Any:
        began = time.process_time()
        result = function(*arguments)
        name = name.partition(":")[0]
        self.seconds[name] += time.process_time() - began
        self.calls[name] += 1
        if isinstance(result, np.ndarray):
            self.sizes[name] += result.nbytes
        return result


def show_costs(n_ratings: int, n_items: int, folder: Path) -> None:
    """Print what the tasks of one fit cost."""
    for warm in (True, False):  # the first round compiles
        place = folder / ("warm" if warm else "parts")
        place.mkdir()
        write_parts(place, 50_000 if warm else n_ratings, n_items)
        tasks = Timed()
        loaded = load_parts(tasks, str(place), NO_HINTS, Cleaning())
        read = dict(tasks.seconds)
        fit_spread(tasks, loaded, OPTIONS)
    n_users, n_items = len(loaded.user_ids), len(loaded.item_ids)
    print(
        f"\n{n_ratings:,} ratings, {n_users:,} users, {n_items:,} items, {len(loaded.partitions)} partitions, D = {DIM}"
    )
    print(f"reading: {sum(read.values()) / n_ratings * 1e9:.0f} ns a rating")
    solves = tasks.calls["nnm-solve-items"]
    for name in sorted(tasks.seconds, key=tasks.seconds.get, reverse=True):  # type: ignore[arg-type]
        if name in read:
            continue
        seconds, calls = tasks.seconds[name], tasks.calls[name]
        rate = f"{seconds / solves / n_ratings * 1e9:8.2f} ns a rating and sweep" if name in SWEEP else " " * 30
        size = f"{tasks.sizes[name] / calls / 1e6:8.2f} MB each" if tasks.sizes[name] else ""
        print(f"  {name:<24}{calls:6} calls {seconds:8.3f} s {rate} {size}")
    total = sum(seconds for name, seconds in tasks.seconds.items() if name not in read and name not in _ONCE)
    simple = _simple(n_ratings, n_items)
    print(f"  a sweep takes {total / solves:.3f} processor seconds, {simple:.3f} by the costs of the simulation")


def _simple(n_ratings: int, n_items: int) -> float:
    """Return the processor seconds of a sweep by the costs that the simulation uses."""
    return n_ratings * (COSTS["sum"] + COSTS["users"]) + n_items * (COSTS["item"] + COSTS["join"])


_ONCE = ("nnm-to-users", "nnm-to-items", "nnm-known-error", "nnm-orthonormal")  # not part of every sweep
SWEEP = ("nnm-sum-items", "nnm-solve-users", "nnm-solve-items", "nnm-join-items", "nnm-report", "nnm-extrapolate")


def run(n_ratings: int, n_items: int, n_workers: int, memory: str, folder: Path, shuffled: bool) -> None:
    """Print how long a fit takes on worker processes, and how much memory they used at most."""
    place = folder / f"{n_ratings}-{shuffled}"
    if not place.exists():
        place.mkdir()
        write_parts(place, n_ratings, n_items, shuffled=shuffled)
    times: list[float] = []
    with connect(f"local:{n_workers}", memory=memory) as client:
        client.run(_warm)
        began = time.perf_counter()
        loaded: list[float] = []
        fit_parts(
            str(place),
            OPTIONS,
            client=client,
            callback=lambda _: times.append(time.perf_counter()),
            on_loaded=lambda _: loaded.append(time.perf_counter()),
            checkpoint=str(folder / "kept") if n_ratings > 2e7 else None,
        )
        whole = time.perf_counter() - began
        a_task = _seconds_of_a_task(client)
        peaks = client.run(_peak).values()
    a_sweep = np.median(np.diff(times)[3:])
    print(
        f"{n_ratings:>13,} ratings, {n_workers} workers: read {loaded[0] - began:.1f} s, prepared "
        f"{times[0] - loaded[0]:.1f} s, a sweep {a_sweep:.3f} s, all {whole:.1f} s; at most "
        f"{max(peaks) / 2**20:.0f} MiB in a worker; {a_task * 1e3:.2f} ms an empty task; load "
        f"{os.getloadavg()[0]:.1f}",
        flush=True,
    )


def _seconds_of_a_task(client: Any) -> float:
    """Return how long the scheduler takes to hand out a task that does nothing."""
    began = time.perf_counter()
    client.gather(client.map(abs, range(2000), pure=False))
    return (time.perf_counter() - began) / 2000


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _warm() -> None:
    """Load what is compiled."""
    from nnm_core import Ratings, fit

    fit(Ratings.from_arrays([1, 1, 2], [1, 2, 2], [5, 1, 4]), FitOptions())


class SimulatedCluster:
    """Machines with so many cores, and links of so many bytes a second each way.

    Tasks go to the core that is free first; a result that another machine needs waits for the links of both. The
    scheduler hands out one task at a time.
    """

    def __init__(self, machines: int, cores: int, bandwidth: float) -> None:
        self.machines, self.bandwidth = machines, bandwidth
        self._free, self._link, self._scheduler = [0.0] * (machines * cores), [0.0] * machines, 0.0

    def run(self, durations: list[float], ready: list[float]) -> list[float]:
        """Run tasks that become ready at these times; return when each ends."""
        ends = []
        for duration, at in zip(durations, ready, strict=True):
            self._scheduler += COSTS["task"]
            end = max(heapq.heappop(self._free), at, self._scheduler) + duration
            heapq.heappush(self._free, end)
            ends.append(end)
        return ends

    def send(self, size: float, at: float, number: int) -> float:
        """Send one result, and return when it is there; on one machine that costs a copy of memory."""
        if self.machines == 1:
            return at + size / MEMORY_SPEED
        here, there = number % self.machines, (number // FAN_IN) % self.machines
        self._link[here] = self._link[there] = max(at, self._link[here], self._link[there]) + size / self.bandwidth
        return self._link[here]


def simulate_sweep(
    n_ratings: float,
    n_items: int,
    machines: int,
    cores: int,
    bandwidth: float,
    per_partition: float = RATINGS_PER_PARTITION,
) -> dict[str, float]:
    """Return the seconds of one sweep and of its parts, and the bytes that it moves and holds."""
    n_partitions = max(round(n_ratings / per_partition), 4)
    each = n_ratings / n_partitions
    sum_bytes, item_bytes = 8 * n_items * (DIM * (DIM + 1) / 2 + DIM + 1), 8 * n_items * DIM * 2
    cluster = SimulatedCluster(machines, cores, bandwidth)

    sums = cluster.run([COSTS["sum"] * each] * n_partitions, [0.0] * n_partitions)
    level, after_sums = sums, max(sums)
    while len(level) > 1:
        groups = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
        ready = []
        for g, group in enumerate(groups):
            arrivals = [cluster.send(sum_bytes, end, FAN_IN * g + k) for k, end in enumerate(group)]
            ready.append(max(arrivals))
        level = cluster.run([sum_bytes * len(group) / MEMORY_SPEED for group in groups], ready)
    after_tree = level[0]
    blocks = max(int(sum_bytes // (16 * 2**20)), 1)
    solved = cluster.run([COSTS["item"] * n_items / blocks] * blocks, [after_tree] * blocks)
    joined = cluster.run([COSTS["join"] * n_items], [max(solved)])[0]
    # Workers pass the items on: after each round twice as many machines have them.
    rounds, speed = (np.log2(machines), bandwidth) if machines > 1 else (1, MEMORY_SPEED)
    everywhere = joined + rounds * item_bytes / speed
    solve = COSTS["users"] * each
    done = cluster.run([solve] * n_partitions, [everywhere] * n_partitions)
    return {
        "sweep": max(done) + 8 * COSTS["task"],
        "sums": after_sums,
        "tree": after_tree - after_sums,
        "items": joined - after_tree,
        "send items": everywhere - joined,
        "users": max(done) - everywhere,
        "moved": sum_bytes * n_partitions + item_bytes * machines,
        "memory": (n_ratings * 10 + sum_bytes * n_partitions) / machines + item_bytes,  # all sums at once
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("costs", "run", "simulate"))
    parser.add_argument("--ratings", type=float, nargs="+", default=[1e6])
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--memory", default="auto", help="of a worker, such as 2GiB")
    parser.add_argument(
        "--partition", type=float, default=RATINGS_PER_PARTITION, help="ratings in a partition, simulated"
    )
    parser.add_argument("--shuffled", action="store_true", help="the ratings of a user are in all parts")
    parser.add_argument("--folder", type=Path, help="where parts are kept (default: a temporary one)")
    parsed = parser.parse_args()
    if parsed.what == "simulate":
        show_simulation(parsed.partition)
        return
    with tempfile.TemporaryDirectory(dir=parsed.folder) as name:
        for n_ratings in map(int, parsed.ratings):
            if parsed.what == "costs":
                with tempfile.TemporaryDirectory(dir=name) as own:
                    show_costs(n_ratings, parsed.items, Path(own))
                continue
            for n_workers in parsed.workers:
                run(n_ratings, parsed.items, n_workers, parsed.memory, Path(name), parsed.shuffled)


def show_simulation(per_partition: float) -> None:
    """Print the measured cases again, then the large ones."""
    for n_ratings, workers in ((1e6, 1), (1e6, 2), (4e6, 1), (4e6, 2), (1e7, 1), (1e7, 2)):
        found = simulate_sweep(n_ratings, 20_000, 1, workers, 1e9)
        print(f"{n_ratings:>15,.0f} ratings, 1 machine, {workers} cores: a sweep {found['sweep']:.3f} s")
    for n_items in (100_000, 1_000_000):
        for n_ratings in (1e9, 1e10):
            for machines in (16, 64):
                found = simulate_sweep(n_ratings, n_items, machines, 16, 1.25e9, per_partition)
                names = ("sums", "tree", "items", "send items", "users")
                print(
                    f"{n_ratings:>15,.0f} ratings, {n_items:,} items, {machines} machines: "
                    f"a sweep {found['sweep']:.1f} s ({', '.join(f'{name} {found[name]:.2f}' for name in names)}); "
                    f"{found['moved'] / 1e9:.0f} GB moved, {found['memory'] / 2**30:.1f} GiB a machine"
                )


if __name__ == "__main__":
    main()
