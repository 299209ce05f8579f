"""What every session of a server shares: data sets, fitted models and what was computed from them, all bounded.

A model is named by (content hash of the ratings, options, seed). Data that somebody uploaded are here as well, under a
random key, and are handed out to their owner only.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from dashboard.compute import jobs
from dashboard.compute.jobs import Job
from dashboard.wording import counted
from nnm_core import FitOptions, Model, fit
from nnm_core.datasets import Dataset, ImportReport, load_dataset
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.options import MAX_STEREOTYPES, for_seen_only

PATIENCE = 4.0
"""Seconds that a page waits for something short before it shows a progress bar instead."""

LONG = 3.0
"""Fits that are expected to take more seconds than this run in the lane for long work, with a progress bar at once."""

AHEAD = 0.5
"""Fits that are expected to take fewer seconds than this are made before somebody asks for them."""

OWN = "own-"
"""What the keys of uploaded data begin with."""

T = TypeVar("T")


class Shelf:
    """A bounded store for all sessions; what was not asked for longest leaves first."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes, self._bytes = most, most_bytes, 0
        self._lock = threading.RLock()
        self._things: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """What lies there, None if nothing does."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def put(self, key: Hashable, thing: Any) -> None:
        """Keep it, and let go of what has become too much; the newest always stays."""
        size = size_of(thing)
        with self._lock:
            self._bytes += size - self._things.pop(key, (None, 0))[1]
            self._things[key] = (thing, size)
            while len(self._things) > 1 and (len(self._things) > self._most or self._bytes > self._most_bytes):
                self._bytes -= self._things.popitem(last=False)[1][1]

    def remove(self, key: Hashable) -> None:
        """Let go of it."""
        with self._lock:
            self._bytes -= self._things.pop(key, (None, 0))[1]

    def items(self) -> list[tuple[Hashable, Any]]:
        """Everything, what was asked for longest ago first."""
        with self._lock:
            return [(key, thing) for key, (thing, _) in self._things.items()]

    def __len__(self) -> int:
        return len(self._things)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A data set and the report of its import; ``owner`` is empty for data that everybody may see."""

    dataset: Dataset
    report: ImportReport
    owner: str = ""


_datasets = Shelf(8, 2 * 2**30)
_own = Shelf(24, 2 * 2**30)
_models = Shelf(96, 2 * 2**30)
_derived = Shelf(512, 512 * 2**20)


def named_dataset(name: str, who: str, patience: float | None = None) -> Loaded | Job:
    """The data set of that name, which must be on this machine; or the job that is reading it."""
    found: Loaded | None = _datasets.get(name)
    if found is not None:
        return found

    def work(job: Job) -> Loaded:
        job.report(0.0, "this takes a moment")
        loaded = Loaded(*load_dataset(name))
        _datasets.put(name, loaded)
        return loaded

    job = jobs.start(("data", name), "Reading the ratings", work, who)
    return job.result if _is_done(job, PATIENCE if patience is None else patience) else job


def keep_own(dataset: Dataset, report: ImportReport, owner: str) -> str:
    """Keep uploaded data for their owner; the key under which they are found."""
    key = OWN + secrets.token_urlsafe(12)
    _own.put(key, Loaded(dataset, report, owner))
    return key


def own_dataset(key: str, owner: str) -> Loaded | None:
    """Uploaded data, for their owner only."""
    found: Loaded | None = _own.get(key)
    return found if found is not None and secrets.compare_digest(found.owner, owner) else None


def own_datasets(owner: str) -> dict[str, Loaded]:
    """Everything that somebody uploaded, oldest first."""
    return {str(key): loaded for key, loaded in _own.items() if secrets.compare_digest(loaded.owner, owner)}


def forget_own(key: str, owner: str) -> None:
    """Remove uploaded data from the server."""
    if own_dataset(key, owner) is not None:
        _own.remove(key)


def known_dataset(key: str, owner: str) -> Loaded | None:
    """A data set that is there already, uploaded data for their owner only."""
    if key.startswith(OWN):
        return own_dataset(key, owner)
    found: Loaded | None = _datasets.get(key)
    return found


def model_key(dataset: Dataset, options: FitOptions, seed: int) -> tuple[Hashable, ...]:
    """What names a fit; where a fit makes use of tags and traits, they are part of the name."""
    options = _suited(dataset, options)
    content = dataset.content_hash if options.method == "distilled" else dataset.ratings.content_hash
    return (content, options, seed)


def model(dataset: Dataset, options: FitOptions, seed: int, who: str, patience: float | None = None) -> Model | Job:
    """The model of a data set with these options, or the job that is fitting it."""
    options = _suited(dataset, options)
    key = model_key(dataset, options, seed)
    found: Model | None = _models.get(key)
    if found is not None:
        return found

    def work(job: Job) -> Model:
        job.report(0.0, "preparing")
        fitted = fit(
            dataset.ratings, options, seed=seed, side=side_information(dataset, options), callback=job.sweeps()
        )
        _models.put(key, fitted)
        return fitted

    long = expected_seconds(dataset, options) > LONG
    title = f"Fitting {counted(options.n_stereotypes, 'kind')} of taste"
    job = jobs.start(("fit", *key), title, work, who, "long" if long else "quick")
    wait = patience if patience is not None else 0.3 if long else PATIENCE
    return job.result if _is_done(job, wait) else job


def neighbours(options: FitOptions) -> list[FitOptions]:
    """The fits that one step of D would ask for, the larger one first."""
    steps = [options.n_stereotypes + 1, options.n_stereotypes - 1]
    return [replace(options, n_stereotypes=n) for n in steps if 1 <= n <= MAX_STEREOTYPES]


def quick_neighbours(dataset: Dataset, options: FitOptions, seed: int) -> list[FitOptions]:
    """Those of the neighbours that are quick and not there yet."""
    near = [each for each in neighbours(options) if expected_seconds(dataset, each) < AHEAD]
    return [each for each in near if _models.get(model_key(dataset, each, seed)) is None]


def when_at_rest(errands: Sequence[Callable[[], None]]) -> None:
    """Do something ahead, one after the other, while nobody waits for anything else."""

    def work() -> None:
        for errand in errands:
            if jobs.all_at_rest():
                errand()

    if errands:
        timer = threading.Timer(AHEAD, work)  # the browser draws meanwhile, perhaps on the same processors
        timer.daemon = True
        timer.start()


def _suited(dataset: Dataset, options: FitOptions) -> FitOptions:
    """The options as they can be applied to the data: where nobody rated, what was not chosen counts as zero."""
    return for_seen_only(options) if dataset.implicit else options


def side_information(dataset: Dataset, options: FitOptions) -> SideInformation | None:
    """What a fit may know besides the ratings: traits, tags and decades, where the method makes use of them."""
    return SideInformation.of(dataset) if options.method == "distilled" else None


def known_model(key: tuple[Hashable, ...]) -> Model | None:
    """A model that is there already."""
    found: Model | None = _models.get(key)
    return found


def expected_seconds(dataset: Dataset, options: FitOptions) -> float:
    """About how long a fit takes here, within a factor of a few."""
    if options.method == "distilled":
        return 5.0 + 4e-7 * len(dataset.ratings) * options.n_sweeps * options.n_chains * options.committee
    sweeps = options.n_sweeps + (4 * options.star_sweeps if options.mode == "stars" else 0)
    per_sweep = 1e-6 * len(dataset.ratings) * (0.05 + 0.004 * float(options.n_stereotypes) ** 1.5)
    return float(0.1 + sweeps * per_sweep * options.committee)


def derived(key: Hashable, compute: Callable[[], T]) -> T:
    """What was computed before under this key, or is computed now."""
    found = _derived.get(key)
    if found is None:
        found = compute()
        _derived.put(key, found)
    return found  # type: ignore[no-any-return]


def size_of(thing: Any) -> int:
    """About how many bytes something takes: its arrays, and those of its parts."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes + 100
    if isinstance(thing, csr_array):
        return int(thing.data.nbytes + thing.indices.nbytes + thing.indptr.nbytes)
    if isinstance(thing, (tuple, list)):
        return 100 + (sum(map(size_of, thing)) if len(thing) < 1000 else 80 * len(thing))
    if isinstance(thing, dict):
        return 100 + (sum(map(size_of, thing.values())) if len(thing) < 1000 else 150 * len(thing))
    if is_dataclass(thing):
        return 200 + sum(size_of(getattr(thing, part.name)) for part in fields(thing))
    return 200


def _is_done(job: Job, seconds: float) -> bool:
    """Whether a job has a result within that time."""
    return job.wait(seconds) and job.state == "done"
