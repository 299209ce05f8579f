"""The record of a running fit: the trace of each stage, reported to a callback that may also cancel the fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from nnm_core.errors import FitCancelled
from nnm_core.model import Trace
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Sweep:
    """A finished sweep of a fit: one pass over all items and all users.

    ``number``: over all members of a committee, all starts and all stages; ``start``: of which it is a part, from 0 on;
    ``stage``: as in ``Trace``; ``is_filled``: unknown ratings count as zeros; ``objective`` after it;
    ``training_error``: root mean squared error over the known ratings, on the rating scale; ``seconds`` since the fit
    began; ``share``: about which part of the whole fit is done. ``expect(users, items)`` returns the probabilities of
    liking that the model expects of these pairs as it stands, (n_pairs,); to be called before the callback returns.
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


Callback = Callable[[Sweep], bool | None]
"""Called after every sweep; returning ``False`` cancels the fit, which then raises ``FitCancelled``."""


class Progress:
    """Records the sweeps of a whole fit and reports each to the callback.

    ``expected_sweeps``: about how many a start takes, for ``Sweep.share``. ``traces`` has one trace per stage of the
    current start; the last one is that of the running stage.
    """

    def __init__(self, callback: Callback | None = None, expected_sweeps: int = 1, n_starts: int = 1) -> None:
        self.traces: list[Trace] = []
        self._callback = callback
        self._expected_sweeps, self._n_starts = expected_sweeps, n_starts
        self._number = self._start = self._in_start = 0
        self._began = time.perf_counter()

    def begin_start(self, start: int) -> None:
        """Begin the fit of a start."""
        self.traces = []
        self._start, self._in_start = start, 0

    def begin_stage(self, stage: str, ratings: Ratings, n_filled: int = 0) -> None:
        """Begin the trace of a stage, of which the first ``n_filled`` objectives count unknown ratings as zeros."""
        self.traces.append(Trace(stage, np.empty(0), n_filled, np.empty(0), np.empty(0), 0.0))
        self._unit, self._n_ratings = ratings.scale.unit_span, len(ratings)

    def end_sweep(
        self,
        objectives: tuple[float, float],
        squared_error: float,
        residual: float,
        movement: float,
        mixtures: FloatArray,
        likes: Callable[[], FloatArray],
    ) -> None:
        """Record a sweep and report it.

        ``objectives`` after its two half-steps; ``squared_error`` over the known ratings, as probabilities;
        ``residual``: the largest optimality residual; ``movement``: how far it moved the model; ``mixtures`` and
        ``likes()``: the model as it stands.
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
        self._number, self._in_start = self._number + 1, self._in_start + 1
        if self._callback is None:
            return
        sweep = Sweep(
            number=self._number,
            start=self._start,
            stage=trace.stage,
            is_filled=len(trace.objectives) < trace.n_filled,
            objective=objectives[-1],
            training_error=error,
            seconds=time.perf_counter() - self._began,
            share=(self._start + min(self._in_start / self._expected_sweeps, 1.0)) / self._n_starts,
            expect=lambda users, items: np.einsum("nk,nk->n", mixtures[users], likes()[items]),
        )
        if self._callback(sweep) is False:
            raise FitCancelled(f"The fit was cancelled after {self._number} iterations.")
