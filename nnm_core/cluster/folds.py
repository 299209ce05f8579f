"""The folds of a cross-validation, for any number of options, as tasks of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nnm_core.cluster.elsewhere import run_elsewhere, send_ratings
from nnm_core.errors import FitCancelled
from nnm_core.evaluation.one_fold import FoldResult, run_fold
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray

if TYPE_CHECKING:
    from distributed import Client


def run_folds(
    client: Client,
    ratings: Ratings,
    jobs: Sequence[tuple[FitOptions, int]],
    folds: Sequence[BoolArray],
    seed: int,
    side: SideInformation | None,
    per_sweep: bool,
    report: Callable[[int, float], bool],
    keep: Callable[[int, FoldResult], None],
) -> None:
    """Run jobs, each of which is a fold by its number and the options it is fitted with, as tasks.

    ``report(job, share)`` says how far a job is and returns False to cancel; ``keep`` takes its result.
    """

    def watch(job: int, share: float) -> None:
        if not report(job, share):
            raise FitCancelled("The evaluation was cancelled.")

    def finish(job: int, result: FoldResult) -> None:
        keep(job, result)
        watch(job, 1.0)

    sent = send_ratings(client, ratings)
    calls = [(sent, options, np.packbits(folds[k]), seed + k, side, per_sweep) for options, k in jobs]
    run_elsewhere(client, _run_fold, calls, watch, finish)


def _run_fold(
    ratings: Ratings,
    options: FitOptions,
    held_out: NDArray[np.uint8],
    seed: int,
    side: SideInformation | None,
    per_sweep: bool,
    report: Callable[[float], bool],
) -> FoldResult:
    """Run a fold whose mask came as bits."""
    mask = np.unpackbits(held_out, count=len(ratings)).astype(np.bool_)
    return run_fold(ratings, options, mask, seed, side, per_sweep, 1, report)
