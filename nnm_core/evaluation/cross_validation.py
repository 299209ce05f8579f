"""Cross-validation: the error on ratings that a model has not seen, for one or several numbers of stereotypes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from nnm_core.errors import InputError
from nnm_core.evaluation.folds import Scores, mean, spread
from nnm_core.evaluation.one_fold import FoldResult, FoldTask, run_fold
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.workers import available_cpus
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The result of a cross-validation."""

    options: FitOptions
    seed: int
    n_ratings: int
    folds: tuple[FoldResult, ...]

    @property
    def scores(self) -> Scores:
        """Mean over the folds."""
        return mean([fold.scores for fold in self.folds])

    @property
    def spread(self) -> Scores:
        """Standard deviation over the folds."""
        return spread([fold.scores for fold in self.folds])

    @property
    def seconds_fit(self) -> float:
        """Mean time of a fit."""
        return float(np.mean([fold.seconds_fit for fold in self.folds]))


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """The progress of an evaluation: ``done`` of ``total`` fits, fractions included, after ``seconds``."""

    done: float
    total: float
    seconds: float

    @property
    def seconds_left(self) -> float:
        """An estimate from the speed so far."""
        return self.seconds / self.done * (self.total - self.done) if self.done > 0 else float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Cross-validations by number of stereotypes, in increasing order."""

    evaluations: dict[int, Evaluation]

    def table(self) -> pd.DataFrame:
        """Return one row per number of stereotypes: the four scores and their standard deviation over the folds."""
        rows = []
        for n_stereotypes, evaluation in self.evaluations.items():
            row: dict[str, float] = {"stereotypes": n_stereotypes}
            for name, score in asdict(evaluation.scores).items():
                row |= {name: score, f"{name}_spread": getattr(evaluation.spread, name)}
            rows.append(row | {"seconds_fit": evaluation.seconds_fit})
        return pd.DataFrame(rows)

    def suggestion(self, measure: Measure = "mae") -> Suggestion:
        """Suggest the smallest number of stereotypes that is as good as the best, within one standard error.

        The standard error is that of the difference fold by fold, since some folds are harder for every model. A single
        stereotype says nothing about an audience and is suggested only where the curve has no other.
        """
        candidates = {n: e for n, e in self.evaluations.items() if n > 1} or self.evaluations
        errors = {n: float(getattr(e.scores, measure)) for n, e in candidates.items()}
        best = min(errors, key=errors.__getitem__)
        for n, evaluation in candidates.items():
            worse, standard_error = _difference(evaluation, self.evaluations[best], measure)
            if worse <= standard_error:
                return Suggestion(n, best, errors[n], errors[best], standard_error, measure)
        raise AssertionError("the best is as good as the best")

    def is_still_improving(self, measure: Measure = "mae") -> bool:
        """Whether the error still falls at the end of the curve: by more than chance, and by more than a 500th."""
        if len(self.evaluations) < 2:
            return False
        *_, previous, last = self.evaluations.values()
        better, standard_error = _difference(previous, last, measure)
        matters = better > max(standard_error, _MATTERS * float(getattr(last.scores, measure)))
        return matters and self.suggestion(measure).best == max(self.evaluations)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A number of stereotypes and why; ``standard_error`` is that of the difference between the two errors."""

    n_stereotypes: int
    best: int
    error: float
    best_error: float
    standard_error: float
    measure: Measure

    @property
    def reason(self) -> str:
        """The reason in words."""
        lowest = f"D = {self.best} has the lowest error ({self.measure.upper()} {self.best_error:.4f})"
        if self.n_stereotypes == self.best:
            return f"{lowest}, and no smaller D comes near it."
        return (
            f"{lowest}, but D = {self.n_stereotypes} is simpler and not clearly worse "
            f"({self.measure.upper()} {self.error:.4f}; the difference is within its standard error of "
            f"{self.standard_error:.4f})."
        )


Measure = Literal["mae", "rmse"]
EvaluationCallback = Callable[[EvaluationProgress], bool | None]
"""Called often, from several threads but never at once; returning ``False`` cancels."""

_MATTERS = 0.002  # a share of the error; a step that lowers it by less is no reason for more stereotypes

PointCallback = Callable[[int, Evaluation], None]
"""Called with a number of stereotypes and its cross-validation, from several threads but never at once."""


def cross_validate(
    ratings: Ratings,
    options: FitOptions,
    folds: Sequence[BoolArray],
    *,
    seed: int = 0,
    side: SideInformation | None = None,
    per_sweep: bool = False,
    n_threads: int | None = None,
    callback: EvaluationCallback | None = None,
    client: Client | None = None,
) -> Evaluation:
    """Fit on what each fold leaves and predict what it holds out; folds run side by side.

    Parameters
    ----------
    folds
        Masks of held-out ratings, see ``random_folds``. Fold number k is fitted with the seed ``seed + k``.
    side
        Side information for the accurate preset.
    per_sweep
        Score the held-out part, and the mean absolute error of the training part, after every sweep as well.
    callback
        Called with the ``EvaluationProgress``; returning False cancels.
    client
        Of a Dask cluster, on which every fold is then a task; or every random start of every fold, if there are
        several and no scores after every sweep are asked for.

    >>> from nnm_core import preset
    >>> cross_validate(ratings, preset("paper"), random_folds(ratings, 3)).scores.mae < 0.8
    True
    """
    _check_folds(ratings, folds)
    tasks = [FoldTask(options, mask, seed + k, side, per_sweep) for k, mask in enumerate(folds)]
    results = _run_tasks(ratings, tasks, n_threads, callback, client)
    return Evaluation(options, seed, len(ratings), tuple(results))


def error_curve(
    ratings: Ratings,
    dimensions: Iterable[int],
    options: FitOptions,
    folds: Sequence[BoolArray],
    *,
    seed: int = 0,
    side: SideInformation | None = None,
    known: Curve | None = None,
    callback: EvaluationCallback | None = None,
    on_point: PointCallback | None = None,
    client: Client | None = None,
) -> Curve:
    """Cross-validate every number of stereotypes in ``dimensions``, all folds side by side.

    ``known`` is a curve of the same ratings, options, folds and seed, whose points are kept. ``on_point`` is called
    with each new point as soon as it is there, so that nothing is lost when the rest is cancelled. All else is as in
    ``cross_validate``.

    >>> from nnm_core import preset
    >>> error_curve(ratings, [1, 2, 3, 4], preset("paper"), random_folds(ratings, 3)).suggestion().n_stereotypes
    3
    """
    wanted = sorted(set(dimensions))
    if not wanted:
        raise InputError("A curve needs at least one number of stereotypes.")
    found = {} if known is None else dict(known.evaluations)
    missing = [n for n in wanted if n not in found]
    if known is not None and not missing:
        return known
    _check_folds(ratings, folds)
    options_of = {n: replace(options, n_stereotypes=n) for n in missing}
    tasks = [FoldTask(options_of[n], mask, seed + k, side, False) for n in missing for k, mask in enumerate(folds)]
    done: dict[int, dict[int, FoldResult]] = {n: {} for n in missing}

    def keep(job: int, result: FoldResult) -> None:
        n, k = missing[job // len(folds)], job % len(folds)
        done[n][k] = result
        if len(done[n]) == len(folds):
            found[n] = Evaluation(options_of[n], seed, len(ratings), tuple(done[n][k] for k in range(len(folds))))
            if on_point is not None:
                on_point(n, found[n])

    _run_tasks(ratings, tasks, None, callback, client, keep)
    return Curve({n: found[n] for n in sorted(found)})


def _run_tasks(
    ratings: Ratings,
    tasks: Sequence[FoldTask],
    n_threads: int | None,
    callback: EvaluationCallback | None,
    client: Client | None,
    on_result: Callable[[int, FoldResult], None] = lambda _job, _result: None,
) -> list[FoldResult]:
    """Run folds side by side, here or on a cluster; a single one uses all threads itself.

    ``on_result``: called with the number and the result of each, never at once.
    """
    n_together = n_threads = n_threads or available_cpus()
    of_each = n_threads if len(tasks) == 1 else 1
    done, began = np.zeros(len(tasks)), time.perf_counter()
    lock, cancelled = threading.Lock(), threading.Event()
    results: dict[int, FoldResult] = {}

    def report(job: int, share: float) -> bool:
        with lock:
            done[job] = share
            if callback is not None and not cancelled.is_set():
                progress = EvaluationProgress(float(done.sum()), len(tasks), time.perf_counter() - began)
                if callback(progress) is False:
                    cancelled.set()
            return not cancelled.is_set()

    def keep(job: int, result: FoldResult) -> None:
        with lock:
            results[job] = result
            on_result(job, result)

    def run(job: int) -> None:
        keep(job, run_fold(ratings, tasks[job], of_each, partial(report, job), client))

    if client is not None:
        from nnm_core.cluster import folds as on_cluster  # only now is anything of Dask imported

        if all(map(on_cluster.has_one_task, tasks)):
            on_cluster.run_folds(client, ratings, tasks, report, keep)
            return [results[job] for job in range(len(tasks))]
        n_together = max(on_cluster.count_workers(client), 1)  # each of which waits for the starts of a fold
    with ThreadPoolExecutor(min(n_together, max(len(tasks), 1))) as pool:
        futures = [pool.submit(copy_context().run, run, job) for job in range(len(tasks))]
        try:
            for future in futures:
                future.result()
        except BaseException:
            cancelled.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [results[job] for job in range(len(tasks))]


def _check_folds(ratings: Ratings, folds: Sequence[BoolArray]) -> None:
    if not folds:
        raise InputError("A cross-validation needs at least one fold.")
    for k, held_out in enumerate(folds):
        if held_out.shape != (len(ratings),):
            raise InputError(f"Fold {k + 1} is for {len(held_out):,} ratings and there are {len(ratings):,}.")
        if held_out.all() or not held_out.any():
            raise InputError(f"Fold {k + 1} holds out {int(held_out.sum()):,} of {len(ratings):,} ratings.")


def _difference(one: Evaluation, other: Evaluation, measure: Measure) -> tuple[float, float]:
    """Return how much larger the error of the first is, and the standard error of that over the folds."""
    pairs = zip(one.folds, other.folds, strict=True)
    differences = np.array([getattr(a.scores, measure) - getattr(b.scores, measure) for a, b in pairs])
    if len(differences) < 2:
        return float(differences.mean()), 0.0
    return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences)))
