"""What a fit on a cluster costs: per rating, user, item and byte, on workers of this machine.

    python benchmarks/cluster.py costs --ratings 1e6 4e6 --per-user 20 100
    python benchmarks/cluster.py run --ratings 1e6 --workers 1 2   wall-clock time on worker processes
    python benchmarks/cluster.py run --ratings 1e8 --workers 2 --memory 2GiB

``costs`` runs the tasks one after the other in this process and measures its own processor time, which other programs
on the machine disturb little, and the bytes of results. ``run`` measures what people wait for, and says how busy the
machine was. ``cluster_simulation.py`` says what follows from both for larger clusters.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from nnm_core import FitOptions, preset
from nnm_core.cluster import connect, fit_parts
from nnm_core.cluster.fit_parts import fit_spread
from nnm_core.cluster.spread import load_parts
from nnm_core.cluster.tasks import InProcess
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.guessing.hints import NO_HINTS

RATINGS_PER_USER = 100
PART = 2_000_000
DIM = 8
OPTIONS = preset("recommended", n_stereotypes=DIM, n_sweeps=12, tol=0.0)


def write_parts(
    folder: Path, n_ratings: int, n_items: int, *, shuffled: bool = False, per_user: int = RATINGS_PER_USER
) -> None:
    """Invent ratings part by part: nobody holds all of them. Users stay in one part unless ``shuffled``."""
    n_parts = -(-n_ratings // PART)
    rng = np.random.default_rng(0)
    likes = rng.beta(0.8, 0.8, (n_items, DIM))
    popularity = rng.zipf(1.3, n_items).clip(max=1000).astype(float) + 5
    chance = np.cumsum(popularity / popularity.sum())
    n_users = n_ratings // per_user
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


def show_costs(n_ratings: int, n_items: int, per_user: int, folder: Path) -> list[float]:
    """Print what the tasks of one fit cost; return its size, and the seconds of each kind in an iteration."""
    for warm in (True, False):  # the first round compiles
        place = folder / ("warm" if warm else "parts")
        place.mkdir()
        write_parts(place, 50_000 if warm else n_ratings, n_items, per_user=per_user)
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
    of_sweep = {name: tasks.seconds[name] / solves for name in SWEEP}
    print(f"  an iteration takes {sum(of_sweep.values()):.3f} processor seconds")
    return [n_ratings, len(loaded.partitions) * n_items, n_users, n_items, *of_sweep.values()]


def show_rates(measured: list[list[float]]) -> None:
    """Print what a rating, a user and an item cost, by least squares over what was measured of several sizes."""
    sizes, seconds = np.array(measured)[:, :4], dict(zip(SWEEP, np.array(measured).T[4:], strict=True))
    rates = {}
    for names, task, size in ((("sum", "row"), "nnm-sum-items", 1), (("rating", "user"), "nnm-solve-users", 2)):
        found = np.linalg.lstsq(sizes[:, [0, size]], seconds[task], rcond=None)[0]
        rates |= dict(zip(names, found, strict=True))
    for name, task, size in (
        ("report", "nnm-report", 2),
        ("extrapolate", "nnm-extrapolate-items", 3),
        ("item", "nnm-solve-items", 3),
        ("join", "nnm-join-items", 3),
    ):
        rates[name] = seconds[task].sum() / sizes[:, size].sum()
    print("\n" + ", ".join(f"{name} {1e9 * rate:.2f} ns" for name, rate in rates.items()))


SWEEP = (
    "nnm-extrapolate-items",
    "nnm-sum-items",
    "nnm-solve-items",
    "nnm-join-items",
    "nnm-solve-users",
    "nnm-report",
)


def run(n_ratings: int, n_items: int, n_workers: int, memory: str, folder: Path, shuffled: bool) -> None:
    """Print how long a fit takes on worker processes, and how much memory they used at most."""
    place = folder / f"{n_ratings}-{shuffled}"
    if not place.exists():
        place.mkdir()
        write_parts(place, n_ratings, n_items, shuffled=shuffled)
    times: list[float] = []
    with connect(f"local:{n_workers}", memory=memory) as client:
        client.run(_warm)
        began = time.time()
        loaded: list[float] = []
        steps: list[tuple[float, str]] = []
        with distributed.get_task_stream(client) as stream:
            fit_parts(
                str(place),
                OPTIONS,
                client=client,
                callback=lambda _: times.append(time.time()),
                on_reading=lambda _, step: steps.append((time.time(), step)),
                on_loaded=lambda _: loaded.append(time.time()),
                checkpoint=str(folder / "kept") if n_ratings > 2e7 else None,
            )
        whole = time.time() - began
        of_a_task = measure_tasks(client)
        peaks = client.run(_peak).values()
    a_sweep, ends = np.median(np.diff(times)[3:]), [*(at for at, _ in steps[1:]), loaded[0]]
    reading = ", ".join(f"{step} {end - at:.1f} s" for (at, step), end in zip(steps, ends, strict=True))
    print(
        f"{n_ratings:>13,} ratings, {n_workers} workers: read {loaded[0] - began:.1f} s ({reading}), prepared "
        f"{times[0] - loaded[0]:.1f} s, an iteration {a_sweep:.3f} s, all {whole:.1f} s; at most "
        f"{max(peaks) / 2**20:.0f} MiB in a worker; load {os.getloadavg()[0]:.1f}\n{'':>15}"
        + ", ".join(f"{name} {value:.2e}" for name, value in of_a_task.items())
        + f"\n{'':>15}"
        + ", ".join(f"{name} {value:.3f} s" for name, value in in_tasks(stream.data, times[3], times[-1]).items()),
        flush=True,
    )


def in_tasks(stream: list[dict[str, Any]], first: float, last: float) -> dict[str, float]:
    """Return the seconds of an iteration that workers spent on each kind of task between two times."""
    seconds: dict[str, float] = defaultdict(float)
    for task in stream:
        for part in task["startstops"]:
            if first <= part["start"] < last:
                kind = part["action"] if part["action"] != "compute" else str(task["key"]).rsplit("-", 2)[0]
                seconds[kind] += part["stop"] - part["start"]
    n_sweeps = sum(
        str(task["key"]).startswith("nnm-join") for task in stream if task["startstops"][0]["start"] >= first
    )
    return {kind: seconds[kind] / max(n_sweeps, 1) for kind in (*SWEEP, "transfer")}


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
        for size in (10, 8_000_000) * 7:
            array = client.submit(np.ones, size, workers=[workers[0]], pure=False)
            client.submit(len, array, workers=[workers[0]], pure=False).result()
            began = time.perf_counter()
            client.submit(len, array, workers=[workers[1]], pure=False).result()
            seconds.append(time.perf_counter() - began)
        found["link"] = 8 * 8_000_000 / float(np.median(seconds[1::2]) - np.median(seconds[::2]))
    return found


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _warm() -> None:
    """Load what is compiled."""
    from nnm_core import Ratings, fit

    fit(Ratings.from_arrays([1, 1, 2], [1, 2, 2], [5, 1, 4]), FitOptions())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("costs", "run"))
    parser.add_argument("--ratings", type=float, nargs="+", default=[1e6])
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--memory", default="auto", help="of a worker, such as 2GiB")
    parser.add_argument(
        "--per-user", type=int, nargs="+", default=[RATINGS_PER_USER], help="ratings of each user, for costs"
    )
    parser.add_argument("--shuffled", action="store_true", help="the ratings of a user are in all parts")
    parser.add_argument("--folder", type=Path, help="where parts are kept (default: a temporary one)")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=parsed.folder) as name:
        measured = []
        for n_ratings in map(int, parsed.ratings):
            if parsed.what == "costs":
                for per_user in parsed.per_user:
                    with tempfile.TemporaryDirectory(dir=name) as own:
                        measured.append(show_costs(n_ratings, parsed.items, per_user, Path(own)))
                continue
            for n_workers in parsed.workers:
                run(n_ratings, parsed.items, n_workers, parsed.memory, Path(name), parsed.shuffled)
        if len(measured) > 2:
            show_rates(measured)


if __name__ == "__main__":
    main()
