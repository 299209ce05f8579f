"""Long work outside a page's thread: with progress, time left and cancel, shared by everybody who asks for the same."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Literal

from nnm_core.errors import FitCancelled, NnmError
from nnm_core.progress import Sweep

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Lane = Literal["quick", "long"]

AT_ONCE: dict[Lane, int] = {"quick": 2, "long": 1}
"""Jobs that compute at the same time; quick ones never wait behind long ones."""

KEPT = 48
"""Finished jobs whose results are kept."""

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
        if self._stop.is_set():
            raise FitCancelled("It was cancelled.")

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
        with _turns[self.lane]:
            self._began = time.monotonic()
            try:
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
            job._wanted_by.add(who)
            return job
        job = _jobs[key] = Job(key, title, work, lane)
        job._wanted_by.add(who)
        _forget_old()
    threading.Thread(target=job._run, name=f"job-{lane}", daemon=True).start()
    return job


def find(key: Hashable) -> Job | None:
    """The job of that key, if there is one."""
    with _lock:
        return _jobs.get(key)


def all_at_rest() -> bool:
    """Whether nothing is computed and nobody waits."""
    with _lock:
        return all(job.is_finished for job in _jobs.values())


def cancel(job: Job, who: str) -> None:
    """``who`` does not want it any more; it stops when nobody else does."""
    with _lock:
        job._wanted_by.discard(who)
        if not job._wanted_by:
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
