"""Cross-validation: the error on ratings that a model has not seen, for one or several numbers of stereotypes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from nnm_core.errors import InputError
from nnm_core.evaluation.folds import Scores, mean, spread
from nnm_core.evaluation.one_fold import FoldResult, run_fold
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
        Of a Dask cluster, on which every fold is then a task.

    >>> from nnm_core import preset
    >>> cross_validate(ratings, preset("paper"), random_folds(ratings, 3)).scores.mae < 0.8
    True
    """
    return _cross_validate_all(ratings, [options], folds, seed, side, per_sweep, n_threads, callback, None, client)[0]


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
    if missing:
        all_options = [replace(options, n_stereotypes=n) for n in missing]
        new = _cross_validate_all(ratings, all_options, folds, seed, side, False, None, callback, on_point, client)
        found |= dict(zip(missing, new, strict=True))
    return Curve({n: found[n] for n in sorted(found)})


def _cross_validate_all(
    ratings: Ratings,
    all_options: Sequence[FitOptions],
    folds: Sequence[BoolArray],
    seed: int,
    side: SideInformation | None,
    per_sweep: bool,
    n_threads: int | None,
    callback: EvaluationCallback | None,
    on_point: PointCallback | None,
    client: Client | None,
) -> list[Evaluation]:
    """Cross-validate each of several options, with all folds side by side; a single fit uses all threads itself."""
    _check_folds(ratings, folds)
    jobs = [(options, k) for options in all_options for k in range(len(folds))]
    n_threads = n_threads or available_cpus()
    done, began = np.zeros(len(jobs)), time.perf_counter()
    lock, cancelled = threading.Lock(), threading.Event()
    results: dict[int, FoldResult] = {}

    def evaluation_of(number: int) -> Evaluation:
        own = range(number * len(folds), (number + 1) * len(folds))
        return Evaluation(all_options[number], seed, len(ratings), tuple(results[job] for job in own))

    def report(job: int, share: float) -> bool:
        with lock:
            done[job] = share
            if callback is not None and not cancelled.is_set():
                progress = EvaluationProgress(float(done.sum()), len(jobs), time.perf_counter() - began)
                if callback(progress) is False:
                    cancelled.set()
            return not cancelled.is_set()

    def keep(job: int, result: FoldResult) -> None:
        with lock:
            results[job] = result
            number = job // len(folds)
            if on_point is not None and all(number * len(folds) + other in results for other in range(len(folds))):
                on_point(jobs[job][0].n_stereotypes, evaluation_of(number))

    def run(job: int) -> None:
        options, k = jobs[job]
        threads = n_threads if len(jobs) == 1 else 1
        watch = partial(report, job)
        keep(job, run_fold(ratings, options, folds[k], seed + k, side, per_sweep, threads, watch))

    if client is not None:
        from nnm_core.cluster.folds import run_folds  # only now is anything of Dask imported

        run_folds(client, ratings, jobs, folds, seed, side, per_sweep, report, keep)
        return [evaluation_of(number) for number in range(len(all_options))]
    with ThreadPoolExecutor(min(n_threads, len(jobs))) as pool:
        futures = [pool.submit(run, job) for job in range(len(jobs))]
        try:
            for future in futures:
                future.result()
        except BaseException:
            cancelled.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [evaluation_of(number) for number in range(len(all_options))]


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
