"""Long work outside a page's thread: with progress, time left and cancel, shared by everybody who asks for the same."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from dashboard.streamlit_compat import is_connected
from nnm_core.errors import FitCancelled, NnmError
from nnm_core.fitting.progress import Sweep

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Lane = Literal["quick", "long"]

AT_ONCE: dict[Lane, int] = {"quick": 2, "long": 1}
"""Jobs that compute at the same time; quick ones never wait behind long ones."""

KEPT = 48
"""Finished jobs whose results are kept."""

AHEAD = "ahead"
"""Under this name the server asks for what nobody has asked for yet; it is always here."""

GRACE = 120.0
"""Seconds for which a job goes on that nobody who is here wants: as long as a browser may come back to its session."""

_LOOK = 0.5
"""Seconds between two looks of a waiting job at whether it is still wanted."""

UNEXPECTED = "Something unexpected happened while computing this. The server's log has the details; try again."

_log = logging.getLogger(__name__)


class Job:
    """Work that somebody asked for; ``result`` is there once ``state`` is ``"done"``."""

    def __init__(self, key: Hashable, title: str, work: Callable[[Job], Any], lane: Lane) -> None:
        self.key, self.title, self.lane = key, title, lane
        self.state: State = "waiting"
        self.share, self.step = 0.0, "waiting for its turn"
        self.result: Any = None
        self.error = ""
        self._work = work
        self._wanted_by: set[str] = set()
        self._alone_since: float | None = None
        self._stop = threading.Event()
        self._finished = threading.Event()
        self._began = time.monotonic()

    @property
    def is_finished(self) -> bool:
        """Whether it ended, one way or another."""
        return self._finished.is_set()

    @property
    def seconds(self) -> float:
        """Since it began to compute."""
        return time.monotonic() - self._began

    @property
    def seconds_left(self) -> float | None:
        """What is left at the pace so far; None while that cannot be said."""
        if self.state != "running" or self.share < 0.02 or self.seconds < 0.5:
            return None
        return self.seconds / self.share * (1.0 - self.share)

    def report(self, share: float, step: str) -> None:
        """Called by the work: how far it is, from 0 to 1. Raises FitCancelled when nobody wants it any more."""
        self.share, self.step = min(max(share, 0.0), 1.0), step
        _go_on(self)

    def sweeps(self, first: float = 0.0, last: float = 1.0) -> Callable[[Sweep], bool | None]:
        """A callback for a fit that makes up the part from ``first`` to ``last`` of the work."""

        def callback(sweep: Sweep) -> bool:
            share = first + (last - first) * sweep.number / sweep.n_sweeps
            self.report(share, f"round {sweep.number} of {sweep.n_sweeps}")
            return True

        return callback

    def wait(self, seconds: float) -> bool:
        """Wait that long at most; whether it is finished then."""
        return self._finished.wait(seconds)

    def _run(self) -> None:
        try:
            with _turn(self):
                self._began = time.monotonic()
                self.report(0.0, "starting")
                self.state = "running"
                self.result = self._work(self)
                self.state, self.share = "done", 1.0
        except FitCancelled:
            self.state = "cancelled"
        except NnmError as error:
            self.state, self.error = "failed", str(error)
        except Exception as error:  # why: a thread's end must reach the page, which would wait for ever
            if isinstance(error, RuntimeError) and "shutdown" in str(error):
                self.state = "cancelled"  # the server stops: pools of threads take no more work, and no page waits
            else:
                _log.exception("the job %r failed", self.title)
                self.state, self.error = "failed", UNEXPECTED
        finally:
            self._finished.set()


_turns = {lane: threading.BoundedSemaphore(n) for lane, n in AT_ONCE.items()}
_lock = threading.Lock()
_jobs: OrderedDict[Hashable, Job] = OrderedDict()


def start(key: Hashable, title: str, work: Callable[[Job], Any], who: str, lane: Lane = "quick") -> Job:
    """The job of that key: the one under way or done, else a new one; ``who`` is somebody more who wants it."""
    with _lock:
        job = _jobs.get(key)
        if job is not None and job.state not in ("failed", "cancelled") and not job._stop.is_set():
            _jobs.move_to_end(key)
            _want(job, who)
            return job
        job = _jobs[key] = Job(key, title, work, lane)
        _want(job, who)
        _forget_old()
    threading.Thread(target=job._run, name=f"job-{lane}", daemon=True).start()
    return job


def find(key: Hashable) -> Job | None:
    """The job of that key, if there is one."""
    with _lock:
        return _jobs.get(key)


def join(job: Job, who: str) -> None:
    """``who`` wants it as well."""
    with _lock:
        _want(job, who)


def all_at_rest() -> bool:
    """Whether nothing is computed and nobody waits."""
    with _lock:
        return all(job.is_finished for job in _jobs.values())


def cancel(job: Job, who: str) -> None:
    """``who`` does not want it any more; it stops when nobody else who is here does."""
    with _lock:
        job._wanted_by.discard(who)
        if not _is_wanted(job):
            job._stop.set()


def leave(kind: Hashable, who: str, but: Hashable) -> None:
    """``who`` wants no job whose key begins with ``kind`` any more, but for the one of that key."""
    with _lock:
        left = [job for key, job in _jobs.items() if isinstance(key, tuple) and key[0] == kind and key != but]
    for job in left:
        if who in job._wanted_by and not job.is_finished:
            cancel(job, who)


def forget(key: Hashable) -> None:
    """Drop a finished job, so that it can be started afresh."""
    with _lock:
        job = _jobs.get(key)
        if job is not None and job.is_finished:
            del _jobs[key]


def _forget_old() -> None:
    finished = [key for key, job in _jobs.items() if job.is_finished]
    for key in finished[: max(len(_jobs) - KEPT, 0)]:
        del _jobs[key]


@contextmanager
def _turn(job: Job) -> Iterator[None]:
    """Begins when the job may compute, and lets the next one compute when it ends."""
    turns = _turns[job.lane]
    while not turns.acquire(timeout=_LOOK):
        _go_on(job)
    try:
        yield
    finally:
        turns.release()


def _go_on(job: Job) -> None:
    """Raise FitCancelled if the job was cancelled, or if nobody who is here has wanted it for a while."""
    with _lock:
        if _is_wanted(job):
            job._alone_since = None
        elif job._alone_since is None:
            job._alone_since = time.monotonic()
        elif time.monotonic() - job._alone_since > GRACE:
            job._stop.set()
            if _jobs.get(job.key) is job:
                del _jobs[job.key]  # nobody cancelled it: whoever comes next finds it as if it had never begun
        if job._stop.is_set():
            raise FitCancelled("It was cancelled.")


def _want(job: Job, who: str) -> None:
    job._wanted_by.add(who)
    job._alone_since = None


def _is_wanted(job: Job) -> bool:
    return any(who == AHEAD or is_connected(who) for who in job._wanted_by)
