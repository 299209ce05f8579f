"""Long work outside a page's thread: with progress, time left and cancel, shared by everybody who asks for the same."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from typing import Any, Literal

from dashboard.compute.bounded_store import kept, mentions
from dashboard.serving import metrics
from dashboard.storage import kept_work
from dashboard.storage.running import Running
from dashboard.streamlit_compat import is_connected
from nnm_core.cluster import ClusterError, while_wanted
from nnm_core.errors import DataError, FitCancelled, NnmError

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Lane = Literal["quick", "long", "better", "background"]
_UNASKED: Collection[Lane] = ("better", "background")  # which wait for everything that somebody asked for
AHEAD = "ahead"  # under this name the server asks for what nobody has asked for yet; it counts as always connected
GRACE = 120.0  # seconds for which a job goes on that no connected session wants: a browser may come back to its session
LOST_CLUSTER = (
    "The cluster that computed this was lost, or had no workers. Try again: where no cluster answers, the server "
    "computes this itself."
)
UNEXPECTED = "Something unexpected happened while computing this. The server's log has the details; try again."
_LOOK = 0.5  # seconds between two checks whether all jobs are still wanted
_REST = 0.4  # seconds after a page has run for which background jobs stay paused: the browser draws meanwhile
_LONGEST_PAUSE = 1.0  # seconds that a background job waits at each of its reports, so that it goes on in the end
_NICENESS = 5  # of background jobs: a third of the time of others; with much more they would starve on a busy machine
_NOTED_EVERY = 30.0  # seconds between two notes in the database that a job goes on
_HASH_LENGTH = 64  # of a SHA-256 in hexadecimal digits
_MOST_FINISHED = 512  # finished jobs that are remembered; their results are kept elsewhere
_log = logging.getLogger(__name__)


class Job:
    """Work that somebody asked for; ``result`` is there once ``state`` is ``"done"``."""

    _future: futures.Future[State]

    def __init__(self, key: Hashable, title: str, work: Callable[[Job], Any], lane: Lane, keep_in: str) -> None:
        self.key, self.title, self.lane, self.keep_in = key, title, lane, keep_in
        self.share, self.step = 0.0, "waiting for its turn"
        self.error = ""
        self._work: Callable[[Job], Any] | None = work
        self._wanted_by: set[str] = set()
        self._alone_since: float | None = None
        self._stop = threading.Event()
        self._began = self._last_noted = time.monotonic()
        self._remembered_for: set[str] = set()

    @property
    def state(self) -> State:
        """How far it has come."""
        future = self._future  # `start` may put another in its place
        if not future.done():
            return "running" if future.running() else "waiting"
        return "cancelled" if future.cancelled() else future.result()

    @property
    def result(self) -> Any:
        """What the work returned; None if it is not done, or was not asked for in a long time."""
        return kept.get(self.keep_in, self.key)

    @property
    def is_finished(self) -> bool:
        """Whether it ended, one way or another."""
        return self._future.done()

    @property
    def seconds_left(self) -> float | None:
        """Seconds that are left at the pace so far; None while that cannot be said."""
        seconds = time.monotonic() - self._began
        if self.state != "running" or self.share < 0.02 or seconds < 0.5:
            return None
        return seconds / self.share * (1.0 - self.share)

    def report(self, share: float, step: str) -> None:
        """Say how far the work is, from 0 to 1; raise FitCancelled if nobody wants it any more. Called by the work."""
        self.share, self.step = min(max(share, 0.0), 1.0), step
        _stop_unwanted()
        note_that_it_runs(self)
        pause = time.monotonic() + _LONGEST_PAUSE
        while self.lane in _UNASKED and _is_drawing() and time.monotonic() < pause and not self._stop.wait(0.01):
            pass
        if self._stop.is_set():
            raise FitCancelled("It was cancelled.")

    def wait(self, seconds: float) -> bool:
        """Wait that long at most; return whether it is finished."""
        with suppress(TimeoutError, futures.CancelledError):
            self._future.result(seconds)
        return self.is_finished

    def _is_still_wanted(self) -> bool:
        """Return whether to go on with work that has nothing to report, such as waiting for a worker of a cluster."""
        _stop_unwanted()
        note_that_it_runs(self)
        return not self._stop.is_set()

    def _run(self) -> State:
        """Do the work, count how long it took, and note in the database that it is over."""
        self._began = time.monotonic()
        state = self._do()
        metrics.JOBS.labels(self.lane, state).observe(time.monotonic() - self._began)
        if state != "cancelled" or not _is_stopping.is_set():  # otherwise it was interrupted
            _note(self, lambda running: running.end(self.key))
        return state

    def _do(self) -> State:
        work, self._work = self._work, None  # so that a finished job holds none of the data that it was about
        try:
            self.report(0.0, "starting")
            with while_wanted(self._is_still_wanted):
                result = work(self) if work is not None else None
            with _lock:
                if not self._stop.is_set():
                    self.share = 1.0
                    kept.put(self.keep_in, self.key, result)
                return "cancelled" if self._stop.is_set() else "done"
        except FitCancelled:
            return "cancelled"
        except ClusterError as error:
            _log.warning("a job of the lane %r lost its cluster: %s", self.lane, error)  # which names an address
            self.error = LOST_CLUSTER
        except NnmError as error:
            self.error = str(error)
        except Exception:  # why: whatever happens must reach the page, which would wait for ever
            if self._stop.is_set():
                return "cancelled"  # what it needed may be gone already, such as thread pools while the server stops
            _log.exception("a job of the lane %r failed", self.lane)  # not its title, which may name a file
            self.error = UNEXPECTED
        return "failed"


def _give_way() -> None:
    """Let everything else go first, on Linux, where a thread has a priority of its own and passes it on."""
    if sys.platform == "linux":
        thread = threading.get_native_id()  # only root may set a priority that is higher than its own
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)


# Quick jobs never wait behind long ones, and what people ask for never behind what is done unasked
_pools: dict[Lane, futures.ThreadPoolExecutor] = {
    "quick": futures.ThreadPoolExecutor(2, "job-quick"),
    "long": futures.ThreadPoolExecutor(1, "job-long"),
    "better": futures.ThreadPoolExecutor(2, "job-better", _give_way),  # names wait for these fits, so no queue here
    "background": futures.ThreadPoolExecutor(1, "job-background", _give_way),
}

_lock = threading.RLock()
_jobs: OrderedDict[Hashable, Job] = OrderedDict()
_last_look = 0.0
_n_drawing, _last_drawn = 0, -_REST
_is_stopping = threading.Event()


def start(
    key: Hashable, title: str, work: Callable[[Job], Any], who: str, lane: Lane = "quick", keep_in: str = "results"
) -> Job:
    """Return the job of a key: the one under way or done, else a new one; ``who``: the session that wants it.

    A background job that is now asked for in another lane goes on there, without pauses.
    """
    with _lock:
        job = find(key)
        if job is None or job.state in ("failed", "cancelled") or job._stop.is_set():
            if _is_stopping.is_set():
                raise FitCancelled("The server is stopping.")
            job = Job(key, title, work, lane, keep_in)
            job._future = _pools[lane].submit(job._run)
            _jobs[key] = job
            finished = [old for old, each in _jobs.items() if each.is_finished]
            for old in finished[: max(len(_jobs) - _MOST_FINISHED, 0)]:
                del _jobs[old]
        elif job.lane in _UNASKED and lane not in _UNASKED:
            job.lane = lane
            if job._future.cancel():  # it has not begun
                job._future = _pools[lane].submit(job._run)
        _jobs.move_to_end(key)
        join(job, who)
        return job


@contextmanager
def drawing() -> Iterator[None]:
    """Pause background jobs while a page runs, and a moment longer."""
    global _n_drawing, _last_drawn
    with _lock:
        _n_drawing += 1
    try:
        yield
    finally:
        with _lock:
            _n_drawing, _last_drawn = _n_drawing - 1, time.monotonic()


def _is_drawing() -> bool:
    return _n_drawing > 0 or time.monotonic() < _last_drawn + _REST


def find(key: Hashable) -> Job | None:
    """Return the job of a key, if there is one; not one that is done and whose result is no longer kept."""
    with _lock:
        job = _jobs.get(key)
        if job is not None and job.state == "done" and not kept.has(job.keep_in, key):
            del _jobs[key]
            return None
        return job


def join(job: Job, who: str) -> None:
    """Note that one more session wants a job."""
    with _lock:
        job._wanted_by.add(who)
        job._alone_since = None


def cancel(job: Job, who: str) -> None:
    """Note that a session does not want a job any more; it stops when no other connected session does."""
    with _lock:
        job._wanted_by.discard(who)
        if not _is_wanted(job):
            _stop(job)


def leave(kind: Hashable, who: str, but: Hashable) -> None:
    """Cancel for a session all jobs whose key begins with ``kind``, except the one of the key ``but``."""
    with _lock:
        for key, job in _jobs.items():
            if isinstance(key, tuple) and key[0] == kind and key != but and who in job._wanted_by:
                cancel(job, who)


def remember(job: Job, owner: str, file: str = "") -> None:
    """Note in the database that an owner waits for a job, so that its page can say so if the server dies meanwhile.

    ``file``: the name of the file that the job imports; what other jobs are about is in their keys.
    """
    work, content = kept_work(), _content_in(job.key)
    with _lock:
        if work is None or not (content or file) or not owner or owner in job._remembered_for:
            return
        job._remembered_for.add(owner)
    with suppress(DataError):
        work.running.begin(owner, job.key, content, file or job.title)
        if job.is_finished:  # by now
            work.running.end(job.key)


def note_that_it_runs(job: Job) -> None:
    """Note in the database that a job goes on; by the job, or by a page where the job has nothing to report."""
    if time.monotonic() > job._last_noted + _NOTED_EVERY:
        job._last_noted = time.monotonic()
        _note(job, lambda running: running.still_runs(job.key))


def _note(job: Job, note: Callable[[Running], None]) -> None:
    """Note something about a job in the database, if the job is there."""
    work = kept_work() if job._remembered_for else None
    if work is not None:
        with suppress(DataError):
            note(work.running)


def _content_in(key: Hashable) -> str:
    """Return the content hash that a key mentions; empty if there is none."""
    if isinstance(key, tuple):
        return next(filter(None, map(_content_in, key)), "")
    return key if isinstance(key, str) and len(key) == _HASH_LENGTH else ""


def keep_from(worker: object, key: Hashable, value: Any) -> bool:
    """Keep what was found on the way by a job, or by anybody else; not by a job that was stopped: its data may be gone.

    Return whether it is kept.
    """
    with _lock:
        if isinstance(worker, Job) and worker._stop.is_set():
            return False
        kept.put("results", key, value)
        return True


def forget(key: Hashable) -> None:
    """Drop a finished job and its result, so that it can be started afresh."""
    with _lock:
        job = _jobs.get(key)
        if job is not None and job.is_finished:
            kept.remove(job.keep_in, key)
            del _jobs[key]


def discard_mentioning(names: Collection[Hashable]) -> None:
    """Stop and drop all jobs whose key mentions one of the names, whoever wants them."""
    with _lock:
        for key in [key for key in _jobs if mentions(key, names)]:
            _stop(_jobs.pop(key))


def failed_for(key: Hashable, who: str) -> Job | None:
    """Return the job of a key if it failed while this session waited for it, until somebody forgets it."""
    with _lock:
        job = _jobs.get(key)
        return job if job is not None and job.state == "failed" and who in job._wanted_by else None


def is_awaited(key: Hashable, who: str) -> bool:
    """Whether the job of a key is under way for a session."""
    with _lock:
        job = _jobs.get(key)
        return job is not None and not job.is_finished and not job._stop.is_set() and who in job._wanted_by


def finish(seconds: float) -> None:
    """Let running jobs that somebody asked for go on for so long, stop all others at once, and those in the end."""
    with _lock:
        running = {job for job in _jobs.values() if job.state == "running" and job.lane not in _UNASKED}
        for job in set(_jobs.values()) - running:
            _stop(job)
    futures.wait([job._future for job in running], seconds)
    stop_all()


def stop_all() -> None:
    """Stop every job and start no more, because the server stops."""
    with _lock:
        _is_stopping.set()
        for job in _jobs.values():
            _stop(job)


# Python waits at its end for the threads of pools, before it calls what `atexit` has; pools themselves use this hook.
getattr(threading, "_register_atexit", atexit.register)(stop_all)


def _stop(job: Job) -> None:
    if not job.is_finished:
        job._stop.set()
        if job._future.cancel():
            job._work = None  # its place in the queue must not hold any data


def _stop_unwanted() -> None:
    """Stop jobs that no connected session has wanted for a while; every job that reports sees to all others too."""
    global _last_look
    with _lock:
        now = time.monotonic()
        if now < _last_look + _LOOK:
            return
        _last_look = now
        for job in [job for job in _jobs.values() if not job.is_finished]:
            if _is_wanted(job):
                job._alone_since = None
            elif job._alone_since is None:
                job._alone_since = now
            elif now > job._alone_since + GRACE:
                _stop(job)
                del _jobs[job.key]  # nobody cancelled it: whoever asks next finds it as if it had never begun


def _is_wanted(job: Job) -> bool:
    return any(who == AHEAD or is_connected(who) for who in job._wanted_by)
