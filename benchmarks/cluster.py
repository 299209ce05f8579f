"""What a fit on a cluster costs: per rating, user, item and byte, on workers of this machine, and more of it on paper.

    python benchmarks/cluster.py costs --ratings 1e6 4e6 1e7       processor seconds and bytes of every kind of task
    python benchmarks/cluster.py run --ratings 1e6 --workers 1 2   wall-clock time on worker processes
    python benchmarks/cluster.py run --ratings 1e8 --workers 2 --memory 2GiB
    python benchmarks/cluster.py simulate                          1 and 10 billion ratings on 16 and 64 machines

``costs`` runs the tasks one after the other in this process and measures its own processor time, which other programs
on the machine disturb little. ``run`` measures what people wait for, and says how busy the machine was. ``simulate``
schedules the tasks of one sweep with the costs of ``COSTS`` and ``TASK``, and first repeats what ``run`` measured.
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
from nnm_core.cluster.alternation import item_blocks
from nnm_core.cluster.fit_parts import fit_spread
from nnm_core.cluster.spread import FEWEST_PARTITIONS, RATINGS_PER_PARTITION, load_parts
from nnm_core.cluster.tasks import FAN_IN, InProcess
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.guessing.hints import NO_HINTS

RATINGS_PER_USER = 100
PART = 2_000_000
DIM = 8
OPTIONS = preset("recommended", n_stereotypes=DIM, n_sweeps=12, tol=0.0)

# Measured by `costs` on 1 and 4 million ratings, 100 of each user, D = 8 and generosity: processor seconds to sum up a
# rating (extrapolation and report included), plus each item of a partition; to solve the users of a rating, to report
# on them, to solve and join an item.
COSTS = {"sum": 15.4e-9, "row": 0.26e-6, "users": 49e-9, "report": 1e-9, "item": 1.9e-6, "join": 0.14e-6}
# Assumed; `run` measures them on a machine: what a task takes of the scheduler and of its worker, the time from the end
# of a task until another that needs it begins on top of that, and bytes a second from one worker to another.
TASK = {"scheduler": 1e-3, "worker": 1e-3, "hop": 2e-3, "link": 1e9}
MEMORY_SPEED = 5e9  # bytes a second that a core adds
# Seconds of a sweep that `run` measured, by ratings and workers, when a sweep had twice as many tasks
MEASURED = {(1e6, 1): 0.34, (1e6, 2): 0.32, (4e6, 1): 0.62, (4e6, 2): 0.48, (1e7, 1): 0.92, (1e7, 2): 0.66}


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
    simple = _simple(n_ratings, n_items, len(loaded.partitions))
    print(f"  a sweep takes {total / solves:.3f} processor seconds, {simple:.3f} by the costs of the simulation")


def _simple(n_ratings: int, n_items: int, n_partitions: int) -> float:
    """Return the processor seconds of a sweep by the costs that the simulation uses."""
    of_ratings, of_items = COSTS["sum"] + COSTS["users"] + COSTS["report"], COSTS["item"] + COSTS["join"]
    return n_ratings * of_ratings + n_items * (of_items + n_partitions * COSTS["row"])


_ONCE = ("nnm-to-users", "nnm-to-items", "nnm-known-error", "nnm-orthonormal")  # not part of every sweep
SWEEP = ("nnm-sum-items", "nnm-solve-users", "nnm-solve-items", "nnm-join-items", "nnm-report")


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
        of_a_task = measure_tasks(client)
        peaks = client.run(_peak).values()
    a_sweep = np.median(np.diff(times)[3:])
    print(
        f"{n_ratings:>13,} ratings, {n_workers} workers: read {loaded[0] - began:.1f} s, prepared "
        f"{times[0] - loaded[0]:.1f} s, a sweep {a_sweep:.3f} s, all {whole:.1f} s; at most "
        f"{max(peaks) / 2**20:.0f} MiB in a worker; load {os.getloadavg()[0]:.1f}\n{'':>15}"
        + ", ".join(f"{name} {value:.2e}" for name, value in of_a_task.items()),
        flush=True,
    )


def measure_tasks(client: Any, n: int = 500) -> dict[str, float]:
    """Return what an empty task costs, as `TASK` has it; scheduler and client are this process."""
    workers = list(client.scheduler_info()["workers"])
    client.gather(client.map(abs, range(n), pure=False))  # once, to be warm
    here, there = time.process_time(), sum(client.run(time.process_time).values())
    client.gather(client.map(abs, range(n), pure=False))
    found = {"scheduler": (time.process_time() - here) / n}
    found["worker"] = (sum(client.run(time.process_time).values()) - there) / n
    began, link = time.perf_counter(), client.submit(abs, 1, pure=False)
    for _ in range(100):
        link = client.submit(abs, link, pure=False)
    link.result()
    found["hop"] = max((time.perf_counter() - began) / 100 - found["scheduler"] - found["worker"], 0.0)
    if len(workers) > 1:
        seconds = []
        for size in (10, 2_000_000) * 5:
            array = client.submit(np.ones, size, workers=[workers[0]], pure=False)
            array.result(timeout=60) if size == 10 else client.submit(len, array, workers=[workers[0]]).result()
            began = time.perf_counter()
            client.submit(len, array, workers=[workers[1]], pure=False).result()
            seconds.append(time.perf_counter() - began)
        found["link"] = 8 * (2_000_000 - 10) / (np.median(seconds[1::2]) - np.median(seconds[::2]))
    return found


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _warm() -> None:
    """Load what is compiled."""
    from nnm_core import Ratings, fit

    fit(Ratings.from_arrays([1, 1, 2], [1, 2, 2], [5, 1, 4]), FitOptions())


class SimulatedCluster:
    """Machines with so many workers, of one thread each, and links of so many bytes a second each way.

    Tasks go to the worker that is free first. Results lie anywhere; one that another machine needs waits for the links
    of both. The scheduler hands out one task at a time. ``cores``: that workers, scheduler and client share, if they
    are few; else each of them has its own.
    """

    def __init__(self, machines: int, workers: int, link: float, cores: int = 0) -> None:
        self.machines, self.n_workers, self.link = machines, machines * workers, link
        self._workers = [0.0] * self.n_workers
        self._cores = [0.0] * (cores or self.n_workers + 1)
        self._outward, self._inward = [0.0] * machines, [0.0] * machines
        self._scheduler, self.n_tasks, self._rng = 0.0, 0, np.random.default_rng(0)

    def _work(self, seconds: float, at: float) -> float:
        """Use a core for so long, from ``at`` on or later; return when that is done."""
        end = max(heapq.heappop(self._cores), at) + seconds
        heapq.heappush(self._cores, end)
        return end

    def run(self, durations: list[float], ready: list[float]) -> list[float]:
        """Run tasks that become ready at these times; return when each ends."""
        ends = []
        for duration, at in sorted(zip(durations, ready, strict=True), key=lambda task: task[1]):
            self._scheduler = self._work(TASK["scheduler"], max(self._scheduler, at))
            begin = max(heapq.heappop(self._workers), self._scheduler + TASK["hop"])
            end = self._work(TASK["worker"] + duration, begin)
            heapq.heappush(self._workers, end)
            ends.append(end)
        self.n_tasks += len(ends)
        return ends

    def send(self, size: float, ends: list[float]) -> float:
        """Send results that are there at these times to one worker; return when it has all of them."""
        if self.machines == 1:  # those that it has already stay where they are
            return max(ends) + size * len(ends) * (1 - 1 / self.n_workers) / self.link
        there = int(self._rng.integers(self.machines))
        arrived = max(ends)
        for at in sorted(ends):
            here = int(self._rng.integers(self.machines))
            if here != there:
                self._outward[here] = max(at, self._outward[here]) + size / self.link
                self._inward[there] = max(at, self._inward[there]) + size / self.link
                arrived = max(arrived, self._outward[here], self._inward[there])
        return arrived


def simulate_sweep(
    n_ratings: float,
    n_items: int,
    machines: int,
    workers: int,
    link: float,
    per_partition: float = RATINGS_PER_PARTITION,
    cores: int = 0,
) -> dict[str, float]:
    """Return the seconds of one sweep and of its parts, and the bytes that it moves and holds."""
    n_partitions = max(round(n_ratings / per_partition), FEWEST_PARTITIONS)
    each, n_sums = n_ratings / n_partitions, DIM * (DIM + 1) / 2 + DIM + 1
    blocks = item_blocks(n_items, DIM)
    block_items, item_bytes = n_items / len(blocks), 8 * n_items * DIM * 2
    cluster = SimulatedCluster(machines, workers, link, cores)

    n_sum_tasks, block_bytes = n_partitions * len(blocks), 8 * block_items * n_sums
    summed = COSTS["sum"] * each / len(blocks) + COSTS["row"] * block_items
    sums = cluster.run([summed] * n_sum_tasks, [0.0] * n_sum_tasks)
    after_sums, solved = max(sums), []
    for block in range(len(blocks)):
        level = sums[block * n_partitions : (block + 1) * n_partitions]
        while len(level) > FAN_IN:
            groups = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
            ready = [cluster.send(block_bytes, group) for group in groups]
            level = cluster.run([block_bytes * len(group) / MEMORY_SPEED for group in groups], ready)
        seconds = block_bytes * len(level) / MEMORY_SPEED + COSTS["item"] * block_items
        solved += cluster.run([seconds], [cluster.send(block_bytes, level)])
    joined = cluster.run([COSTS["join"] * n_items], [max(solved)])[0]
    # Workers pass the items on: after each round twice as many have them.
    everywhere = joined + float(np.ceil(np.log2(cluster.n_workers))) * item_bytes / link
    users = cluster.run([COSTS["users"] * each] * n_partitions, [everywhere] * n_partitions)
    reports = cluster.run([COSTS["report"] * each] * n_partitions, users)
    while len(reports) > FAN_IN:
        groups = [reports[k : k + FAN_IN] for k in range(0, len(reports), FAN_IN)]
        reports = cluster.run([0.0] * len(groups), [max(group) for group in groups])
    sum_bytes = 8 * n_items * n_sums
    return {
        "sweep": max(reports) + 2 * TASK["hop"],  # until the client knows, and has asked for the next
        "sums": after_sums,
        "tree and items": joined - after_sums,
        "send items": everywhere - joined,
        "users": max(reports) - everywhere,
        "tasks": float(cluster.n_tasks),
        "moved": sum_bytes * n_partitions + item_bytes * cluster.n_workers,
        "memory": (n_ratings * 10 + sum_bytes * n_partitions) / machines + item_bytes * workers,  # all sums at once
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
    for (n_ratings, workers), measured in MEASURED.items():
        found = simulate_sweep(n_ratings, 20_000, 1, workers, TASK["link"], cores=2)["sweep"]
        print(
            f"{n_ratings:>15,.0f} ratings, {workers} workers on two cores: a sweep {found:.2f} s, measured "
            f"{measured:.2f} s, {found / measured - 1:+.0%}"
        )
    for n_items in (100_000, 1_000_000):
        for n_ratings in (1e9, 1e10):
            for machines in (16, 64):
                found = simulate_sweep(n_ratings, n_items, machines, 16, min(1.25e9, TASK["link"]), per_partition)
                names = ("sums", "tree and items", "send items", "users")
                print(
                    f"{n_ratings:>15,.0f} ratings, {n_items:,} items, {machines} machines: "
                    f"a sweep {found['sweep']:.1f} s ({', '.join(f'{name} {found[name]:.2f}' for name in names)}); "
                    f"{found['tasks']:,.0f} tasks, {found['moved'] / 1e9:.0f} GB moved, "
                    f"{found['memory'] / 2**30:.1f} GiB a machine"
                )


if __name__ == "__main__":
    main()
