"""Data sets, fitted models and what is computed from them, shared by all sessions of a server.

A model is named by (content hash of the ratings, options, seed). Data that somebody uploaded are here as well, under a
random key, and are handed out to their owner only.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TypeVar

from dashboard.compute import jobs, sharing
from dashboard.compute.bounded_store import kept
from dashboard.compute.cluster import client_for_long_jobs
from dashboard.compute.jobs import Job, Lane
from dashboard.storage import KeptWork, kept_work
from dashboard.wording import counted, fit_in_words
from nnm_core import FitOptions, Model, fit
from nnm_core.datasets import Dataset, ImportReport, load_dataset
from nnm_core.errors import DataError
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.progress import Sweep
from nnm_core.options import MAX_STEREOTYPES, for_seen_only

PATIENCE = 4.0  # seconds that a page waits for something short before it shows a progress bar instead
# Fits that are expected to take more seconds than this run in the lane for long work, with a progress bar at once
LONG = 3.0
QUICK = 2.0  # fits that are expected to take fewer seconds than this are made before somebody asks for them
STARTS = 8  # random starts, the best of which is shown in the end
IMPROVE_WITHIN = 60.0  # seconds that fitting from several starts may take to be done unasked
OWN = "own-"  # what the keys of uploaded data begin with
ONE_SESSION = "session-"  # what an owner's name begins with who cannot be known again, for want of a cookie
T = TypeVar("T")
PROGRAM = version("nnm-explorer")  # another version may fit another model
_LOOK = 20.0  # seconds between two looks at what other servers removed
_LINGERS = 600.0  # seconds for which a page that was running may still compute something from removed data
_last_look = 0.0
_gone: dict[str, float] = {}  # content hashes that were removed, and when
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A data set and the report of its import; ``owner`` is empty for data that everybody may see.

    ``is_kept``: whether it outlives the server, so that it is gone when another server has removed it.
    """

    dataset: Dataset
    report: ImportReport
    owner: str = ""
    is_kept: bool = False


def named_dataset(name: str, who: str, patience: float | None = None) -> Loaded | Job:
    """Return the data set of that name, which must be on this machine; or the job that is reading it."""

    def work(job: Job) -> Loaded:
        job.report(0.0, "this takes a moment")
        return Loaded(*load_dataset(name))

    wait = PATIENCE if patience is None else patience
    return _kept_or_job("datasets", ("data", name), "Reading the ratings", work, who, wait)


def keep_own(dataset: Dataset, report: ImportReport, owner: str) -> tuple[str, str]:
    """Keep uploaded data for their owner; return the key under which they are found, and what is wrong.

    What is wrong is empty, or says why the data are gone once the server ends.
    """
    key, problem, is_kept = OWN + secrets.token_urlsafe(12), "", False
    if (work := lasting(owner)) is not None:
        try:
            work.keep_dataset(key, owner, dataset, report)
            is_kept = True
        except DataError as error:
            _log.warning("uploaded data could not be kept: %s", error)
            problem = str(error)
    kept.put("uploads", key, Loaded(dataset, report, owner, is_kept))
    return key, problem


def own_dataset(key: str, owner: str) -> Loaded | None:
    """Return uploaded data, for their owner only."""
    found: Loaded | None = kept.get("uploads", key)
    if found is None and (work := lasting(owner)) is not None:
        try:
            again = work.dataset(key, owner)
        except DataError as error:
            _log.warning("kept data could not be read: %s", error)
            return None
        if again is not None:
            found = Loaded(*again, owner, is_kept=True)
            kept.put("uploads", key, found)
    return found if found is not None and found.owner == owner else None


def own_names(owner: str) -> dict[str, str]:
    """Return the names of everything that somebody uploaded by its key, oldest first."""
    none: dict[str, str] = {}
    names = ask_kept(owner, lambda work: {each.key: each.name for each in work.datasets(owner)}, none)
    mine = [(key, loaded) for key, loaded in kept.items("uploads") if loaded.owner == owner]
    return names | {str(key): loaded.dataset.name for key, loaded in mine}


def rename_own(key: str, owner: str, name: str) -> None:
    """Give uploaded data another name; what is shared of them keeps the former one."""
    found = own_dataset(key, owner)
    if found is None:
        return
    if found.is_kept and (work := lasting(owner)) is not None:
        work.rename_dataset(key, owner, name)
    kept.put("uploads", key, replace(found, dataset=replace(found.dataset, name=name)))


def remove_own(key: str, owner: str) -> frozenset[str]:
    """Remove uploaded data and everything computed from them; return the content hashes that nobody has any more.

    What was computed from the same content that somebody else loaded, or that is here by name, stays.
    """
    found = own_dataset(key, owner)
    if (work := lasting(owner)) is not None:
        sharing.forget(work.remove_dataset(key, owner))
    return frozenset() if found is None else _forget(key, found.dataset)


def forget_removed() -> None:
    """Let go of what another server removed or renamed meanwhile; at most once in a while."""
    global _last_look
    work, now = kept_work(), time.monotonic()
    if now < _last_look + _LOOK:
        return
    _last_look = now
    for content_hash, when in list(_gone.items()):
        if now > when + _LINGERS:
            _gone.pop(content_hash, None)
    _forget_all_about(frozenset(_gone))
    if work is None:
        return
    with suppress(DataError):
        for key, loaded in kept.items("uploads"):
            name = work.dataset_name(str(key), loaded.owner) if loaded.is_kept else loaded.dataset.name
            if name is None:
                _forget(str(key), loaded.dataset)
            elif name != loaded.dataset.name:
                kept.put("uploads", key, replace(loaded, dataset=replace(loaded.dataset, name=name)))
        sharing.forget([key[0] for key, _ in kept.items("shared") if work.shares.get(key[0]) is None])  # type: ignore[index]


def _forget(key: str, dataset: Dataset) -> frozenset[str]:
    """Let go of data in memory, with all that was computed from what nobody else has; return its content hashes."""
    kept.remove("uploads", key)
    gone = _forget_all_about(_hashes(dataset))
    _gone.update(dict.fromkeys(gone, time.monotonic()))
    return gone


def _forget_all_about(hashes: frozenset[str]) -> frozenset[str]:
    """Let go of all that was computed from data with these content hashes, unless somebody has them; return which."""
    others = [loaded.dataset for place in ("uploads", "datasets", "shared") for _, loaded in kept.items(place)]
    gone = hashes.difference(*map(_hashes, others))
    jobs.discard_mentioning(gone)
    kept.remove_mentioning(gone)
    return gone


def keep_names(owner: str, key: tuple[Hashable, ...], names: Sequence[str]) -> None:
    """Keep the names that an owner gave to the stereotypes of the model of that key, which the link has as well."""
    ask_kept(owner, lambda work: work.keep_names(owner, key, str(key[1]), names), None)


def kept_names(owner: str, key: tuple[Hashable, ...]) -> tuple[str, ...]:
    """Return the names that an owner gave to the stereotypes of the model of that key, nothing if there are none."""
    return ask_kept(owner, lambda work: work.names(owner, key), ())


def ask_kept(owner: str, ask: Callable[[KeptWork], T], otherwise: T) -> T:
    """Return what ``ask`` finds where things of this owner outlive the server, or the default where it cannot."""
    work = lasting(owner)
    with suppress(DataError):
        return otherwise if work is None else ask(work)
    return otherwise


def lasting(owner: str) -> KeptWork | None:
    """Return where things of this owner outlive the server; None if nowhere, or if nobody could ask for them again."""
    return None if not owner or owner.startswith(ONE_SESSION) else kept_work()


def _hashes(dataset: Dataset) -> frozenset[str]:
    return frozenset((dataset.content_hash, dataset.ratings.content_hash))


def known_dataset(key: str, owner: str) -> Loaded | None:
    """Return a data set that is there already: uploaded data for their owner only, shared data while they are."""
    if key.startswith(OWN):
        return own_dataset(key, owner)
    if key.startswith(sharing.SHARED):
        shared = sharing.content_of(key)
        return None if shared is None else Loaded(shared.dataset, shared.report)
    found: Loaded | None = kept.get("datasets", ("data", key))
    return found


def model_key(dataset: Dataset, options: FitOptions, seed: int, whole: str = "") -> tuple[Hashable, ...]:
    """Return what names a fit, and its job; where a fit uses tags and traits, they are part of it.

    ``whole``: the content hash of the data set that this one is a part of, so that both are removed together.
    """
    options = _suited(dataset, options)
    content = dataset.content_hash if options.uses_side_information else dataset.ratings.content_hash
    return ("fit", content, options, seed, *([whole] if whole else []))


def model(
    dataset: Dataset,
    options: FitOptions,
    seed: int,
    who: str,
    patience: float | None = None,
    unasked: Lane | None = None,
    whole: str = "",
    prepare: Callable[[Model, Job], None] = lambda *_: None,
) -> Model | Job:
    """Return the model of a data set with these options, or the job that is fitting it.

    ``unasked``: the lane of a fit that nobody asked for. ``prepare``: computes what is first shown of the model, as
    part of the job.
    """
    options = _suited(dataset, options)
    key, is_long = model_key(dataset, options, seed, whole), expected_seconds(dataset, options) > LONG

    def work(job: Job) -> Model:
        job.report(0.0, "preparing")
        before = kept_work() if is_long else None
        found = None if before is None else before.model((*key, PROGRAM))
        if found is not None:
            prepare(found, job)
            return found
        side = side_information(dataset, options)
        times: list[float] = []

        def on_sweep(sweep: Sweep) -> None:
            times.append(time.monotonic())
            job.report(sweep.share, f"iteration {sweep.number}")

        client = client_for_long_jobs() if is_long else None
        model = fit(dataset.ratings, options, seed=seed, side=side, callback=on_sweep, client=client)
        # From the first iteration on, since before it the first fit of a server loads what is compiled
        jobs.keep_from(job, ("seconds", key), times[-1] - times[0] if times else 0.0)
        if before is not None:
            title = fit_in_words(options, seed)
            with suppress(DataError):  # it can be fitted again
                before.keep_model((*key, PROGRAM), str(key[1]), model, title, named=is_named(dataset))
        prepare(model, job)
        return model

    lane: Lane = unasked or ("long" if is_long else "quick")
    what = f"Fitting {counted(options.n_stereotypes, 'stereotype')}"
    what += f" from {options.starts} random starts" if options.starts > 1 else ""
    wait = patience if patience is not None else 0.3 if lane == "long" else PATIENCE
    return _kept_or_job("models", key, what, work, who, wait, lane)


def is_named(dataset: Dataset) -> bool:
    """Whether these are data that everybody can open by name."""
    return any(loaded.dataset is dataset for _, loaded in kept.items("datasets"))


def _kept_or_job(
    compartment: str, key: Hashable, title: str, work: Callable[[Job], T], who: str, wait: float, lane: Lane = "quick"
) -> T | Job:
    """Return what is kept under a key, or the job that makes it if that takes longer than ``wait`` seconds.

    A job that failed for this session is returned until it is forgotten: it would fail again and again unseen.
    """
    found: T | Job | None = kept.get(compartment, key)
    if found is None:
        job = jobs.failed_for(key, who) or jobs.start(key, title, work, who, lane, compartment)
        job.wait(wait)
        found = kept.get(compartment, key, job)
    return found


def known_model(key: tuple[Hashable, ...]) -> Model | None:
    """Return a model that is there already."""
    found: Model | None = kept.get("models", key)
    return found


def improved(dataset: Dataset, options: FitOptions) -> FitOptions | None:
    """Return the options of the fit from several starts that replaces a first one, None if it would take too long."""
    options = _suited(dataset, options)
    several = replace(options, starts=STARTS) if options.method == "alternating" and options.momentum else options
    is_worth_it = several.starts > options.starts and expected_seconds(dataset, several) < IMPROVE_WITHIN
    return several if is_worth_it else None


def neighbours(options: FitOptions) -> list[FitOptions]:
    """Return the fits that one step of D would ask for, the larger one first."""
    steps = [options.n_stereotypes + 1, options.n_stereotypes - 1]
    return [replace(options, n_stereotypes=n) for n in steps if 1 <= n <= MAX_STEREOTYPES]


def quick_neighbours(dataset: Dataset, options: FitOptions, seed: int) -> list[FitOptions]:
    """Return those of the neighbours that are quick and not there yet."""
    near = [each for each in neighbours(options) if expected_seconds(dataset, each) < QUICK]
    return [each for each in near if known_model(model_key(dataset, each, seed)) is None]


def _suited(dataset: Dataset, options: FitOptions) -> FitOptions:
    """Return the options as they can be applied to the data: where nobody rated, what was not chosen counts as zero."""
    return for_seen_only(options) if dataset.implicit else options


def side_information(dataset: Dataset, options: FitOptions) -> SideInformation | None:
    """Return what a fit may know besides the ratings: traits, tags and decades, where the method makes use of them."""
    return SideInformation.of(dataset) if options.uses_side_information else None


def expected_seconds(dataset: Dataset, options: FitOptions) -> float:
    """Return about how many seconds a fit takes here, within a factor of a few."""
    if options.method == "distilled":
        return 5.0 + 4e-7 * len(dataset.ratings) * options.n_sweeps * options.n_chains * options.committee
    sweeps = options.expected_sweeps * (4 if options.mode == "stars" else 1) * options.starts
    per_sweep = 1e-6 * len(dataset.ratings) * (0.05 + 0.004 * float(options.n_stereotypes) ** 1.5)
    return float(0.1 + sweeps * per_sweep * options.committee)


def derived(key: Hashable, compute: Callable[[], T]) -> T:
    """Return what was computed before under this key, or compute it now; once, if several ask at the same time."""
    return kept.get_or_compute("results", key, compute)
