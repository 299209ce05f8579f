"""Fit a model to ratings: check the arguments, and fit every random start of every member, here or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nnm_core.errors import InputError
from nnm_core.fitting.committee import average
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fold_in import extend
from nnm_core.fitting.likes import find_pattern
from nnm_core.fitting.one_start import check_seed, fit_start
from nnm_core.fitting.progress import Callback, Progress, Reporter
from nnm_core.fitting.starts import STARTS_TOGETHER, best_of_starts
from nnm_core.fitting.workers import Workers
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import IntArray

if TYPE_CHECKING:
    from distributed import Client


def fit(
    ratings: Ratings | str | os.PathLike[str],
    options: FitOptions | None = None,
    *,
    seed: int = 0,
    side: SideInformation | None = None,
    starts: int | None = None,
    n_threads: int | None = None,
    callback: Callback | None = None,
    client: Client | None = None,
) -> Model:
    """Fit a model to ratings; the same ratings, options and seed give the same bits for any number of threads.

    Parameters
    ----------
    ratings
        At least one rating; with a ``client`` also the path or address of a folder of parts.
    options
        How to fit; the paper's Algorithm 1 if not given. See :func:`preset` for better ones.
    seed
        Of the random start, a whole number of at least 0.
    side
        What else is known about users and items; used by the distilled method.
    n_threads
        One per available processor if not given.
    callback
        Called after every sweep; returning ``False`` cancels the fit.
    client
        Of a Dask cluster, on which the fit then runs: every random start and every member of a committee is a task.
        Parts are fitted as :func:`nnm_core.cluster.fit_parts` does, which has more options.

    Raises
    ------
    InputError
        If an argument cannot be used.
    FitCancelled
        If the callback asked for it.

    Examples
    --------
    >>> from nnm_core import Ratings, fit, predict, preset
    >>> ratings = Ratings.from_arrays(["ann", "ann", "bob"], ["Alien", "Heat", "Heat"], [5, 1, 4])
    >>> model = fit(ratings, preset("paper", n_stereotypes=2))
    >>> model.mixtures.sum(axis=1).round(6).tolist()
    [1.0, 1.0]
    >>> predict(model, ratings.users, ratings.items).round(2).tolist()
    [5.0, 1.0, 4.0]
    """
    options = options or FitOptions()
    options = options if starts is None else replace(options, starts=starts)
    check_seed(seed)
    if not isinstance(ratings, Ratings):
        data = str(ratings)
        if client is None:
            raise InputError(f"Read the ratings first, with load_dataset({data!r}), or give the client of a cluster.")
        from nnm_core.cluster import fit_parts  # which imports Dask, as only a fit on a cluster does

        return fit_parts(data, options, client=client, seed=seed, callback=callback)
    if len(ratings) == 0:
        raise InputError("There are no ratings; a model needs at least one.")
    anchored = ratings
    if options.anchors is not None:
        n_users, n_items = options.anchors
        anchored = ratings.among(_most(ratings.by_user.counts, n_users), _most(ratings.by_item.counts, n_items))
    reporter = Reporter(callback, options.expected_sweeps, options.committee * options.starts)
    members = []
    with Workers(n_threads) as workers:
        for member in range(options.committee):
            if client is None:
                model = _fit_starts(anchored, options, (seed, member), side, workers, reporter)
            else:
                from nnm_core.cluster.elsewhere import fit_elsewhere

                model = fit_elsewhere(client, anchored, options, (seed, member), side, reporter)
            members.append(model if anchored is ratings else extend(model, ratings, n_threads=n_threads))
    if len(members) == 1:
        return members[0]
    return replace(average(members), options=options, seed=seed)


def _fit_starts(
    ratings: Ratings,
    options: FitOptions,
    seed: tuple[int, int],
    side: SideInformation | None,
    workers: Workers,
    reporter: Reporter,
) -> Model:
    """Fit from as many random starts as the options say and return the best, with the atlas of all."""
    pattern = None if options.method == "distilled" else find_pattern(ratings, options, workers)

    def run(start: int, workers: Workers, found: Sequence[Model]) -> Model:
        number = seed[1] * options.starts + start
        progress = Progress(reporter, number)
        model = fit_start(ratings, options, (*seed, start), side, workers, progress, pattern, found)
        reporter.end_start(number)
        return model

    if options.starts == 1:
        return run(0, workers, ())
    with ExitStack() as stack:
        n_side_by_side = min(workers.n_threads, STARTS_TOGETHER)
        pool = stack.enter_context(ThreadPoolExecutor(n_side_by_side))
        shared = stack.enter_context(Workers(workers.n_threads // n_side_by_side))

        def fit_group(group: Sequence[int], found: Sequence[Model]) -> list[Model]:
            if len(group) == 1:
                return [run(group[0], workers, found)]
            return list(pool.map(lambda start: run(start, shared, found), group))

        return best_of_starts(options, fit_group, ratings.by_item.counts / len(ratings))


def _most(counts: IntArray, n: int) -> IntArray:
    """Return the rows with the largest counts, in increasing order."""
    return np.sort(np.argsort(-counts, kind="stable")[:n])
