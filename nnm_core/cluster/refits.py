"""Fits of the same ratings with other seeds, as tasks of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nnm_core.cluster.elsewhere import Report, run_fits, send_ratings, watch_fit
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Callback, Reporter
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings

if TYPE_CHECKING:
    from distributed import Client


def fit_with_seeds(
    client: Client,
    ratings: Ratings,
    options: FitOptions,
    seeds: Sequence[int],
    side: SideInformation | None,
    callback: Callback | None,
) -> list[Model]:
    """Fit with each of the seeds, every fit a task of its own."""
    reporter = Reporter(callback, options.expected_sweeps * options.starts * options.committee, len(seeds))
    sent = send_ratings(client, ratings)
    return run_fits(client, _fit, [(sent, options, seed, side) for seed in seeds], reporter)


def _fit(ratings: Ratings, options: FitOptions, seed: int, side: SideInformation | None, report: Report) -> Model:
    """Fit from all random starts on a worker."""
    return fit(ratings, options, seed=seed, side=side, n_threads=1, callback=watch_fit(report))
