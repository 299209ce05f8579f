"""The folds of a cross-validation, for any number of options, as tasks of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nnm_core.cluster.elsewhere import run_elsewhere, send_ratings
from nnm_core.errors import FitCancelled
from nnm_core.evaluation.one_fold import FoldResult, FoldTask, run_fold
from nnm_core.ratings import Ratings

if TYPE_CHECKING:
    from distributed import Client


def has_one_task(task: FoldTask) -> bool:
    """Whether a fold is one task: if it has a single start, or its factors have to be scored while they change."""
    return task.options.starts * task.options.committee == 1 or task.per_sweep


def count_workers(client: Client) -> int:
    """Return how many workers the cluster has now."""
    return len(client.scheduler_info(n_workers=-1)["workers"])


def run_folds(
    client: Client,
    ratings: Ratings,
    tasks: Sequence[FoldTask],
    report: Callable[[int, float], bool],
    keep: Callable[[int, FoldResult], None],
) -> None:
    """Run folds as tasks of the cluster.

    ``report(number, share)`` says how far a fold is and returns False to cancel; ``keep`` takes its result.
    """

    def watch(number: int, share: float) -> None:
        if not report(number, share):
            raise FitCancelled("The evaluation was cancelled.")

    def finish(number: int, result: FoldResult) -> None:
        keep(number, result)
        watch(number, 1.0)

    sent = send_ratings(client, ratings)
    calls = [(sent, replace(task, held_out=np.packbits(task.held_out))) for task in tasks]
    run_elsewhere(client, _run_fold, calls, watch, finish)


def _run_fold(ratings: Ratings, task: FoldTask, report: Callable[[float], bool]) -> FoldResult:
    """Run a fold whose mask came as bits."""
    mask = np.unpackbits(task.held_out, count=len(ratings)).astype(np.bool_)
    return run_fold(ratings, replace(task, held_out=mask), 1, report)
