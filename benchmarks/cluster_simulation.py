"""How long an iteration takes on larger clusters, on paper: its tasks are scheduled with what they cost when measured.

    python benchmarks/cluster_simulation.py [--partition 16e6]

It first repeats what ``python benchmarks/cluster.py run`` measured on two cores, and says how far off it is; then come
1 and 10 billion ratings on 16 and 64 machines.
"""

from __future__ import annotations

import argparse
import heapq

import numpy as np
from cluster import DIM

from nnm_core.cluster.alternation import item_blocks
from nnm_core.cluster.spread import FEWEST_PARTITIONS, RATINGS_PER_PARTITION
from nnm_core.cluster.tasks import FAN_IN

# Measured by `cluster.py costs`: processor seconds to sum up a rating, and each item of a partition besides; to solve
# the users of a rating, and to report on them; to extrapolate, solve and join an item.
COSTS = {"sum": 0.0, "row": 0.0, "users": 0.0, "report": 0.0, "extrapolate": 0.0, "item": 0.0, "join": 0.0}
# Measured by `cluster.py run`: seconds that a task takes of the scheduler and of its worker, seconds from the end of a
# task until another that needs it begins on top of that, and bytes a second from one worker to another.
TASK = {"scheduler": 0.5e-3, "worker": 0.8e-3, "hop": 4.5e-3, "link": 1e9}
MEMORY_SPEED = 5e9  # assumed: bytes a second that a core adds
# Measured by `cluster.py run`: seconds of an iteration, by ratings and workers
MEASURED: dict[tuple[float, int], float] = {}
CORES = 2  # that workers, scheduler and client shared then


class SimulatedCluster:
    """Machines with so many workers, of one thread each, and links of so many bytes a second each way.

    A task goes to the worker that has what it needs or, if that does not matter, to the one that is free first. The
    scheduler hands out one task at a time. ``cores``: that workers, scheduler and client share, if they are few; else
    each of them has its own.
    """

    def __init__(self, machines: int, workers: int, link: float, cores: int = 0) -> None:
        self.machines, self.n_workers, self.link, self.n_tasks = machines, machines * workers, link, 0
        self._free = [0.0] * self.n_workers
        self._cores = [0.0] * (cores or self.n_workers + 1)
        self._outward, self._inward = [0.0] * machines, [0.0] * machines
        self._scheduler = 0.0

    def _work(self, seconds: float, at: float) -> float:
        """Use a core for so long, from ``at`` on or later; return when that is done."""
        end = max(heapq.heappop(self._cores), at) + seconds
        heapq.heappush(self._cores, end)
        return end

    def run(self, tasks: list[tuple[float, float, int | None]]) -> list[tuple[float, int]]:
        """Run tasks of (duration, when it is ready, its worker if that matters); return when and where each ends."""
        ends: list[tuple[float, int]] = [(0.0, 0)] * len(tasks)
        for number in sorted(range(len(tasks)), key=lambda k: tasks[k][1]):
            duration, ready, worker = tasks[number]
            self._scheduler = self._work(TASK["scheduler"], max(self._scheduler, ready))
            place = int(np.argmin(self._free)) if worker is None else worker
            begin = max(self._free[place], self._scheduler + TASK["hop"])
            self._free[place] = self._work(TASK["worker"] + duration, begin)
            ends[number] = (self._free[place], place)
        self.n_tasks += len(tasks)
        return ends

    def send(self, size: float, results: list[tuple[float, int]], worker: int) -> float:
        """Send results, which are there at these times on these workers, to one worker; return when it has all."""
        arrived = max(at for at, _ in results)
        there = worker % self.machines
        for at, source in sorted(results):
            here = source % self.machines
            if self.machines == 1:  # from one process to another, one after the other
                arrived += size / self.link * (source != worker)
            elif here != there:
                begin = max(at, self._outward[here], self._inward[there])
                self._outward[here] = self._inward[there] = begin + size / self.link
                arrived = max(arrived, self._inward[there])
        return arrived


def simulate(
    n_ratings: float, n_items: int, cluster: SimulatedCluster, per_partition: float = RATINGS_PER_PARTITION
) -> dict[str, float]:
    """Return the seconds of an iteration and of its parts, and the bytes that it moves and holds."""
    n_partitions, n_workers = max(round(n_ratings / per_partition), FEWEST_PARTITIONS), cluster.n_workers
    each, n_sums = n_ratings / n_partitions, DIM * (DIM + 1) / 2 + DIM + 1
    homes = [number % n_workers for number in range(n_partitions)]
    blocks = len(item_blocks(n_items, DIM))
    block_items, item_bytes = n_items / blocks, 8 * n_items * DIM * 2
    block_bytes = 8 * block_items * n_sums

    extrapolated = cluster.run([(COSTS["extrapolate"] * n_items, 0.0, None)])[0]
    summed = COSTS["sum"] * each / blocks + COSTS["row"] * block_items
    sums = cluster.run([(summed, 0.0, home) for _ in range(blocks) for home in homes])
    solved = []
    for block in range(blocks):
        level = sums[block * n_partitions : (block + 1) * n_partitions]
        while len(level) > FAN_IN:
            groups = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
            adding = [
                (block_bytes * len(group) / MEMORY_SPEED, cluster.send(block_bytes, group, group[0][1]), group[0][1])
                for group in groups
            ]
            level = cluster.run(adding)
        here, seconds = level[0][1], block_bytes * len(level) / MEMORY_SPEED + COSTS["item"] * block_items
        ready = max(cluster.send(block_bytes, level, here), cluster.send(item_bytes, [extrapolated], here))
        solved += cluster.run([(seconds, ready, here)])
    here = solved[0][1]
    joined = cluster.run([(COSTS["join"] * n_items, cluster.send(item_bytes / blocks / 2, solved, here), here)])[0][0]
    # Workers pass the items on: after each round twice as many have them.
    rounds = np.ceil(np.log2(np.arange(n_workers) + 1.0))
    there = joined + rounds * item_bytes / cluster.link
    users = cluster.run([(COSTS["users"] * each, float(there[(home - here) % n_workers]), home) for home in homes])
    reports = cluster.run([(COSTS["report"] * each, end, home) for end, home in users])
    while len(reports) > FAN_IN:
        groups = [reports[k : k + FAN_IN] for k in range(0, len(reports), FAN_IN)]
        reports = cluster.run([(0.0, max(group)[0], group[0][1]) for group in groups])
    after_sums, end = max(sums)[0], max(reports)[0]
    sum_bytes = 8 * n_items * n_sums
    return {
        "sweep": end + TASK["hop"],  # until the client knows
        "sums": after_sums,
        "tree and items": joined - after_sums,
        "send items": float(there.max()) - joined,
        "users": end - float(there.max()),
        "tasks": float(cluster.n_tasks),
        "moved": sum_bytes * n_partitions + item_bytes * n_workers,
        "memory": (n_ratings * 10 + sum_bytes * n_partitions + item_bytes * n_workers) / cluster.machines,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partition", type=float, nargs="+", default=[4e6, 16e6, 64e6], help="ratings in a partition")
    parser.add_argument("--workers", type=int, default=16, help="of each machine, with a core of its own")
    parser.add_argument("--link", type=float, default=1e9, help="bytes a second between machines, each way")
    parsed = parser.parse_args()
    for (n_ratings, workers), measured in MEASURED.items():
        found = simulate(n_ratings, 20_000, SimulatedCluster(1, workers, TASK["link"], CORES))["sweep"]
        print(
            f"{n_ratings:>15,.0f} ratings, {workers} workers on {CORES} cores: an iteration {found:.3f} s, measured "
            f"{measured:.3f} s, {found / measured - 1:+.0%}"
        )
    for n_items in (100_000, 1_000_000):
        for n_ratings in (1e9, 1e10):
            for machines in (16, 64):
                for size in parsed.partition:
                    cluster = SimulatedCluster(machines, parsed.workers, parsed.link)
                    found = simulate(n_ratings, n_items, cluster, size)
                    names = ("sums", "tree and items", "send items", "users")
                    print(
                        f"{n_ratings:>15,.0f} ratings, {n_items:,} items, {machines} machines, partitions of "
                        f"{size / 1e6:.0f}M: an iteration {found['sweep']:.1f} s "
                        f"({', '.join(f'{name} {found[name]:.2f}' for name in names)}); "
                        f"{found['tasks']:,.0f} tasks, {found['moved'] / 1e9:.0f} GB moved, "
                        f"{found['memory'] / 2**30:.1f} GiB a machine"
                    )


if __name__ == "__main__":
    main()
