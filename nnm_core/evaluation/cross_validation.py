"""Cross-validation: how well a model predicts ratings that it has not seen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from nnm_core.errors import InputError
from nnm_core.evaluation.folds import Scores, mean, spread
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Sweep
from nnm_core.fitting.workers import available_cpus
from nnm_core.options import FitOptions
from nnm_core.prediction import predict
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FoldResult:
    """The scores of one fold.

    ``sweeps``: held-out scores after each sweep. ``training_errors`` (n_sweeps,): RMSE on the training part.
    ``n_unseen_users``, ``n_unseen_items``: held-out ratings whose user or item has none in the training part, which are
    predicted from the average. ``seconds_fit``: of the fit alone.
    """

    scores: Scores
    sweeps: tuple[Scores, ...]
    training_errors: FloatArray
    n_unseen_users: int
    n_unseen_items: int
    seconds_fit: float


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
class Progress:
    """The progress of an evaluation: ``done`` of ``total`` fits, fractions included, after ``seconds``."""

    done: float
    total: float
    seconds: float

    @property
    def seconds_left(self) -> float:
        """An estimate from the speed so far."""
        return self.seconds / self.done * (self.total - self.done) if self.done > 0 else float("inf")


EvaluationCallback = Callable[[Progress], bool | None]
"""Called often, from several threads but never at once; returning ``False`` cancels."""


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
) -> Evaluation:
    """Fit on what each fold leaves and predict what it holds out; folds run side by side.

    Parameters
    ----------
    folds
        Masks of held-out ratings, see ``random_folds``. Fold number k is fitted with the seed ``seed + k``.
    side
        Side information for the accurate preset.
    per_sweep
        Score the held-out part after every sweep as well.
    callback
        Called with the ``Progress``; returning False cancels.

    >>> from nnm_core import preset
    >>> cross_validate(ratings, preset("paper"), random_folds(ratings, 3)).scores.mae < 0.8
    True
    """
    return cross_validate_all(ratings, [options], folds, seed, side, per_sweep, n_threads, callback)[0]


def cross_validate_all(
    ratings: Ratings,
    all_options: Sequence[FitOptions],
    folds: Sequence[BoolArray],
    seed: int,
    side: SideInformation | None,
    per_sweep: bool,
    n_threads: int | None,
    callback: EvaluationCallback | None,
) -> list[Evaluation]:
    """Cross-validate each of several options, with all folds side by side; a single fit uses all threads itself."""
    _check_folds(ratings, folds)
    jobs = [(options, k) for options in all_options for k in range(len(folds))]
    n_threads = n_threads or available_cpus()
    tracker = _Tracker(callback, len(jobs))

    def run(job: int) -> FoldResult:
        options, k = jobs[job]
        threads = n_threads if len(jobs) == 1 else 1
        return _run_fold(ratings, options, folds[k], seed + k, side, per_sweep, threads, tracker.of(job))

    with ThreadPoolExecutor(min(n_threads, len(jobs))) as pool:
        futures = [pool.submit(run, job) for job in range(len(jobs))]
        try:
            results = [future.result() for future in futures]
        except BaseException:
            tracker.cancel()
            pool.shutdown(cancel_futures=True)
            raise
    own = [tuple(results[begin : begin + len(folds)]) for begin in range(0, len(jobs), len(folds))]
    return [Evaluation(options, seed, len(ratings), part) for options, part in zip(all_options, own, strict=True)]


def _run_fold(
    ratings: Ratings,
    options: FitOptions,
    held_out: BoolArray,
    seed: int,
    side: SideInformation | None,
    per_sweep: bool,
    n_threads: int,
    report: Callable[[float], bool],
) -> FoldResult:
    train = ratings.subset(~held_out)
    users, items, truth = ratings.users[held_out], ratings.items[held_out], ratings.values[held_out]
    sweeps: list[Scores] = []
    errors: list[float] = []

    def watch(sweep: Sweep) -> bool:
        errors.append(sweep.training_error)
        if per_sweep:
            sweeps.append(Scores.of(ratings.scale.from_unit(sweep.expect(users, items)), truth, ratings.scale))
        return report(sweep.number / sweep.n_sweeps)

    began = time.perf_counter()
    model = fit(train, options, seed=seed, side=side, n_threads=n_threads, callback=watch)
    seconds = time.perf_counter() - began
    return FoldResult(
        scores=Scores.of(predict(model, users, items), truth, ratings.scale),
        sweeps=tuple(sweeps),
        training_errors=np.array(errors),
        n_unseen_users=int((train.by_user.counts[users] == 0).sum()),
        n_unseen_items=int((train.by_item.counts[items] == 0).sum()),
        seconds_fit=seconds,
    )


def _check_folds(ratings: Ratings, folds: Sequence[BoolArray]) -> None:
    if not folds:
        raise InputError("A cross-validation needs at least one fold.")
    for k, held_out in enumerate(folds):
        if held_out.shape != (len(ratings),):
            raise InputError(f"Fold {k + 1} is for {len(held_out):,} ratings and there are {len(ratings):,}.")
        if held_out.all() or not held_out.any():
            raise InputError(f"Fold {k + 1} holds out {int(held_out.sum()):,} of {len(ratings):,} ratings.")


class _Tracker:
    """Adds up the progress of fits that run at once."""

    def __init__(self, callback: EvaluationCallback | None, n_jobs: int) -> None:
        self._callback, self._n_jobs = callback, n_jobs
        self._done: dict[int, float] = {}
        self._lock = threading.Lock()
        self._cancelled = False
        self._began = time.perf_counter()

    def of(self, job: int) -> Callable[[float], bool]:
        """Return a function that takes the share of this job that is done, and returns whether to go on."""

        def report(share: float) -> bool:
            with self._lock:
                self._done[job] = share
                if self._callback is not None and not self._cancelled:
                    progress = Progress(sum(self._done.values()), self._n_jobs, time.perf_counter() - self._began)
                    self._cancelled = self._callback(progress) is False
                return not self._cancelled

        return report

    def cancel(self) -> None:
        """Stop running jobs at their next report."""
        self._cancelled = True
