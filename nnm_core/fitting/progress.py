"""The record of a running fit: the trace of each stage, reported to a callback that may also cancel the fit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from nnm_core.errors import FitCancelled
from nnm_core.model import Trace
from nnm_core.scale import Scale
from nnm_core.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Copies of the factors around one sweep; ``likes`` were updated first, from ``mixtures_before``.

    ``mixtures_before``, ``mixtures`` (n_users, n_columns); ``likes`` (n_items, n_columns).
    """

    mixtures_before: FloatArray
    likes: FloatArray
    mixtures: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class CurrentModel:
    """The factors of a running fit, as ``Sweep`` offers them; see there."""

    expect: Callable[[IntArray, IntArray], FloatArray]
    snapshot: Callable[[], Snapshot]

    @classmethod
    def in_memory(
        cls, mixtures: FloatArray, likes: Callable[[], FloatArray], mixtures_before: FloatArray | None = None
    ) -> CurrentModel:
        """Return factors that are arrays; ``mixtures_before``: those before the sweep, where they are at hand."""
        before = mixtures if mixtures_before is None else mixtures_before
        return cls(
            lambda users, items: np.einsum("nk,nk->n", mixtures[users], likes()[items]),
            lambda: Snapshot(before.copy(), likes().copy(), mixtures.copy()),
        )


class HasScale(Protocol):
    """Ratings, as far as a trace needs them: their number and their scale."""

    @property
    def scale(self) -> Scale:
        """The rating scale."""

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Sweep:
    """A finished sweep of a fit: one pass over all items and all users.

    ``number``: over all members of a committee, all starts and all stages; ``start``: of which it is a part, from 0 on;
    ``stage``: as in ``Trace``; ``is_filled``: unknown ratings count as zeros; ``objective`` after it;
    ``training_error``: root mean squared error over the known ratings, on the rating scale; ``seconds`` since the fit
    began; ``share``: about which part of the whole fit is done. ``expect(users, items)`` returns the probabilities of
    liking that the model expects of these pairs as it stands, (n_pairs,), and ``snapshot()`` copies of the factors;
    both are to be called before the callback returns.
    """

    number: int
    start: int
    stage: str
    is_filled: bool
    objective: float
    training_error: float
    seconds: float
    share: float
    expect: Callable[[IntArray, IntArray], FloatArray] = field(repr=False, compare=False)
    snapshot: Callable[[], Snapshot] = field(repr=False, compare=False)


Callback = Callable[[Sweep], bool | None]
"""Called after every sweep; returning ``False`` cancels the fit, which then raises ``FitCancelled``."""


class Reporter:
    """Reports the sweeps of all starts of a fit to the callback, one at a time.

    ``expected_sweeps``: about how many a start takes, for ``Sweep.share``.
    """

    def __init__(self, callback: Callback | None = None, expected_sweeps: int = 1, n_starts: int = 1) -> None:
        self._callback, self._expected_sweeps = callback, expected_sweeps
        self._done = np.zeros(n_starts)
        self._number = 0
        self._lock = threading.Lock()
        self._began = time.perf_counter()

    def report(self, start: int, make_sweep: Callable[[int, float, float], Sweep], n_sweeps: int = 1) -> None:
        """Call the callback with ``make_sweep(number, seconds, share)``; raise ``FitCancelled`` if it says so.

        ``n_sweeps``: how many were made since the last report of this start.
        """
        with self._lock:
            self._number += n_sweeps
            self._done[start] = min(self._done[start] + n_sweeps / self._expected_sweeps, 1.0)
            if self._callback is None:
                return
            sweep = make_sweep(self._number, time.perf_counter() - self._began, float(self._done.mean()))
            if self._callback(sweep) is False:
                raise FitCancelled(f"The fit was cancelled after {self._number} iterations.")

    def end_start(self, start: int) -> None:
        """Count a start as done, however few sweeps it took."""
        self._done[start] = 1.0


class Progress:
    """Records the sweeps of one start: one trace per stage, the last one being that of the running stage."""

    def __init__(self, reporter: Reporter | None = None, start: int = 0) -> None:
        self.traces: list[Trace] = []
        self._reporter, self._start = reporter or Reporter(), start

    def begin_stage(self, stage: str, ratings: HasScale, n_filled: int = 0) -> None:
        """Begin the trace of a stage, of which the first ``n_filled`` objectives count unknown ratings as zeros."""
        self.traces.append(Trace(stage, np.empty(0), n_filled, np.empty(0), np.empty(0), 0.0))
        self._unit, self._n_ratings = ratings.scale.unit_span, len(ratings)

    def end_sweep(
        self,
        objectives: tuple[float, float],
        squared_error: float,
        residual: float,
        movement: float,
        current: CurrentModel,
    ) -> None:
        """Record a sweep and report it.

        ``objectives`` after its two half-steps; ``squared_error`` over the known ratings, as probabilities;
        ``residual``: the largest optimality residual; ``movement``: how far it moved the model; ``current``: the model
        as it stands.
        """
        trace = self.traces[-1]
        error = self._unit * float(np.sqrt(squared_error / self._n_ratings))
        self.traces[-1] = replace(
            trace,
            objectives=np.append(trace.objectives, objectives),
            training_errors=np.append(trace.training_errors, error),
            movements=np.append(trace.movements, movement),
            residual=residual,
        )
        self._reporter.report(
            self._start,
            lambda number, seconds, share: Sweep(
                number=number,
                start=self._start,
                stage=trace.stage,
                is_filled=len(trace.objectives) < trace.n_filled,
                objective=objectives[-1],
                training_error=error,
                seconds=seconds,
                share=share,
                expect=current.expect,
                snapshot=current.snapshot,
            ),
        )
