"""How long an iteration takes on larger clusters, on paper: its tasks are scheduled with what they cost when measured.

    python benchmarks/cluster_simulation.py [--partition 16e6]

It first repeats what ``python benchmarks/cluster.py run`` measured on two cores, and says how far off it is; then come
1 and 10 billion ratings on 16 and 64 machines.
"""

from __future__ import annotations

import argparse
import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cluster import DIM, RATINGS_PER_USER

from nnm_core.cluster.alternation import item_blocks
from nnm_core.cluster.spread import FEWEST_PARTITIONS, RATINGS_PER_PARTITION
from nnm_core.cluster.tasks import FAN_IN

# Measured by `cluster.py costs`: processor seconds to sum up a rating, and each item of a partition besides; to solve a
# user, each rating and besides; to report on a user; to extrapolate, solve and join an item.
COSTS = {
    "sum": 4.8e-9,
    "row": 235e-9,
    "rating": 12.6e-9,
    "user": 0.0,
    "report": 21e-9,
    "extrapolate": 26e-9,
    "item": 420e-9,
    "join": 44e-9,
}
# Measured by `cluster.py run`: seconds that a task takes of the scheduler and of its worker, seconds from the end of a
# task until another that needs it begins on top of that, and bytes a second from one worker to another.
TASK = {"scheduler": 0.53e-3, "worker": 0.77e-3, "hop": 4.5e-3, "link": 2.8e9}
MEMORY_SPEED = 5e9  # assumed: bytes a second that a core adds
# Bytes that workers hold: of a user three states of D + 2 numbers, 24 of the rating pattern, and an id; and a process
OF_A_USER, OF_A_WORKER = 8 * (3 * (DIM + 2) + 24) + 72, 200 * 2**20
# Measured by `cluster.py run`: seconds of an iteration, by ratings and workers
MEASURED: dict[tuple[float, int], float] = {
    (1e6, 1): 0.082,
    (1e6, 2): 0.087,
    (1e6, 4): 0.088,
    (4e6, 1): 0.128,
    (4e6, 2): 0.105,
    (4e6, 4): 0.121,
    (1e7, 1): 0.239,
    (1e7, 2): 0.159,
    (1e7, 4): 0.170,
}
CORES = 2  # that workers, scheduler and client shared then


@dataclass(slots=True)
class Task:
    """A task: processor seconds, bytes of its result, what it needs, and its worker, if only one will do.

    ``on``: since when its result is on a worker; ``near``: and on a machine.
    """

    seconds: float
    size: float = 0.0
    needs: Sequence[Task] = ()
    home: int | None = None
    end: float = 0.0
    n_missing: int = 0
    needed_by: list[Task] = field(default_factory=list)
    on: dict[int, float] = field(default_factory=dict)
    near: dict[int, float] = field(default_factory=dict)


class Cluster:
    """Machines with so many workers, of one thread each, and links of so many bytes a second each way.

    The scheduler hands out one task at a time. It goes to its home or to a worker that has something of what it needs,
    the least busy one, which then fetches the rest. ``cores``: that workers, scheduler and client share, if they are
    few; else each of them has its own.
    """

    def __init__(self, machines: int, workers: int, link: float, cores: int = 0) -> None:
        self.machines, self.n_workers, self.link = machines, machines * workers, link
        self._free, self._cores = [0.0] * self.n_workers, [0.0] * (cores or self.n_workers + 1)
        self._outward, self._inward = [0.0] * machines, [0.0] * machines

    def run(self, tasks: Sequence[Task]) -> None:
        """Run tasks, those that are ready first; each then knows when it ended."""
        for task in tasks:
            task.n_missing = len(task.needs)
            for other in task.needs:
                other.needed_by.append(task)
        waiting = [(0.0, number, task) for number, task in enumerate(tasks) if not task.n_missing]
        scheduler, n_ready = 0.0, len(tasks)
        while waiting:
            ready, _, task = heapq.heappop(waiting)
            scheduler = self._work(TASK["scheduler"], max(scheduler, ready))
            worker = self._least_busy(task) if task.home is None else task.home
            told = scheduler + TASK["hop"]
            arrived = max((self._fetch(other, worker, told) for other in task.needs), default=told)
            task.end = self._work(TASK["worker"] + task.seconds, max(self._free[worker], arrived))
            self._free[worker] = task.on[worker] = task.near[worker % self.machines] = task.end
            for other in task.needed_by:
                other.n_missing -= 1
                if not other.n_missing:
                    n_ready += 1
                    heapq.heappush(waiting, (max(each.end for each in other.needs), n_ready, other))

    def _least_busy(self, task: Task) -> int:
        having = {next(iter(other.on)) for other in task.needs} or range(self.n_workers)
        return min(having, key=lambda worker: max(self._free[worker], self._inward[worker % self.machines]))

    def _work(self, seconds: float, at: float) -> float:
        """Use a core for so long, from ``at`` on or later; return when that is done."""
        end = max(heapq.heappop(self._cores), at) + seconds
        heapq.heappush(self._cores, end)
        return end

    def _fetch(self, task: Task, worker: int, at: float) -> float:
        """Return when a worker that asks for the result of a task has it; from then on others may fetch it there."""
        if worker not in task.on:
            here = worker % self.machines
            if here in task.near:  # from another process of the machine
                task.on[worker] = self._work(task.size / TASK["link"], max(at, task.near[here]))
            else:
                source = min(task.near, key=lambda machine: max(self._outward[machine], task.near[machine]))
                self._outward[source] = max(at, task.near[source], self._outward[source]) + task.size / self.link
                self._inward[here] = max(at, self._inward[here]) + task.size / self.link
                task.near[here] = task.on[worker] = max(self._outward[source], self._inward[here])
        return task.on[worker]


def simulate(
    n_ratings: float, n_items: int, cluster: Cluster, per_partition: float = RATINGS_PER_PARTITION
) -> dict[str, float]:
    """Return the seconds of an iteration and of its parts, and the bytes that it moves and holds."""
    n_partitions, n_blocks = max(round(n_ratings / per_partition), FEWEST_PARTITIONS), len(item_blocks(n_items, DIM))
    each, n_sums = n_ratings / n_partitions, DIM * (DIM + 1) / 2 + DIM + 1
    each_users = each / RATINGS_PER_USER
    homes = [number % cluster.n_workers for number in range(n_partitions)]
    block_items, item_bytes = n_items / n_blocks, 8 * n_items * DIM * 2
    block_bytes = 8 * block_items * n_sums
    n_users, tasks = n_ratings / RATINGS_PER_USER, list[Task]()

    def add(*what: Any) -> Task:
        tasks.append(Task(*what))
        return tasks[-1]

    def reduced(level: list[Task], seconds: float, size: float) -> list[Task]:
        while len(level) > FAN_IN:
            groups = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
            level = [add(seconds * len(group), size, group) for group in groups]
        return level

    extrapolated = add(COSTS["extrapolate"] * n_items, item_bytes)
    summing, adding = COSTS["sum"] * each / n_blocks + COSTS["row"] * block_items, block_bytes / MEMORY_SPEED
    sums = [[add(summing, block_bytes, (), home) for home in homes] for _ in range(n_blocks)]
    solved = []
    for level in sums:
        needs = reduced(level, adding, block_bytes)
        seconds = adding * len(needs) + COSTS["item"] * block_items
        solved.append(add(seconds, item_bytes / 2 / n_blocks, [*needs, extrapolated]))
    joined = add(COSTS["join"] * n_items, item_bytes, solved)
    solving, reporting = COSTS["rating"] * each + COSTS["user"] * each_users, COSTS["report"] * each_users
    users = [add(solving, 0.0, [joined], home) for home in homes]
    reports = [add(reporting, 0.0, [user], user.home) for user in users]
    reduced(reports, 0.0, 0.0)
    cluster.run(tasks)
    sum_bytes = block_bytes * n_blocks
    after_sums = max(task.end for level in sums for task in level)
    return {
        "iteration": max(task.end for task in tasks) + TASK["hop"],  # until the client knows
        "sums": after_sums,
        "adding up and items": joined.end - after_sums,
        "users": max(task.end for task in tasks) - joined.end,
        "tasks": float(len(tasks)),
        "moved": sum_bytes * n_partitions + item_bytes * cluster.n_workers,
        "memory": (n_ratings * 10 + n_users * OF_A_USER + sum_bytes * n_partitions) / cluster.machines
        + cluster.n_workers / cluster.machines * (OF_A_WORKER + 3 * item_bytes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partition", type=float, nargs="+", default=[4e6, 16e6, 64e6], help="ratings in a partition")
    parser.add_argument("--workers", type=int, default=16, help="of each machine, with a core of its own")
    parser.add_argument("--link", type=float, default=1e9, help="bytes a second between machines, each way")
    parsed = parser.parse_args()
    for (n_ratings, workers), measured in MEASURED.items():
        found = simulate(n_ratings, 20_000, Cluster(1, workers, TASK["link"], CORES))["iteration"]
        print(
            f"{n_ratings:>15,.0f} ratings, {workers} workers on {CORES} cores: an iteration {found:.3f} s, measured "
            f"{measured:.3f} s, {found / measured - 1:+.0%}"
        )
    for n_items in (100_000, 1_000_000):
        for n_ratings in (1e9, 1e10):
            for machines in (16, 64):
                for size in parsed.partition:
                    cluster = Cluster(machines, parsed.workers, parsed.link)
                    found = simulate(n_ratings, n_items, cluster, size)
                    names = ("sums", "adding up and items", "users")
                    print(
                        f"{n_ratings:>15,.0f} ratings, {n_items:,} items, {machines} machines, partitions of "
                        f"{size / 1e6:.0f}M: an iteration {found['iteration']:.1f} s "
                        f"({', '.join(f'{name} {found[name]:.2f}' for name in names)}); "
                        f"{found['tasks']:,.0f} tasks, {found['moved'] / 1e9:.0f} GB moved, "
                        f"{found['memory'] / 2**30:.1f} GiB a machine"
                    )


if __name__ == "__main__":
    main()
