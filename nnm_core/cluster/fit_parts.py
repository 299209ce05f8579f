"""Fit a model to a folder or bucket of parts, on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nnm_core.cluster.alternation import SpreadLikes, SpreadRatings
from nnm_core.cluster.checkpoints import EVERY, Checkpoints
from nnm_core.cluster.spread import RATINGS_PER_PARTITION, LoadedParts, load_parts, prepare
from nnm_core.cluster.tasks import OnCluster, Tasks
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.guessing.hints import NO_HINTS, Hints
from nnm_core.errors import InputError
from nnm_core.fitting.alternation import Momentum
from nnm_core.fitting.committee import average
from nnm_core.fitting.likes import count_fill_sweeps, run_schedule
from nnm_core.fitting.one_start import RatingFacts, check_seed, make_model
from nnm_core.fitting.progress import Callback, Progress, Reporter
from nnm_core.fitting.starts import best_of_starts
from nnm_core.model import Model, like_answers
from nnm_core.options import FitOptions, for_seen_only

if TYPE_CHECKING:
    from distributed import Client


def fit_parts(
    data: str,
    options: FitOptions | None = None,
    *,
    client: Client,
    seed: int = 0,
    hints: Hints = NO_HINTS,
    cleaning: Cleaning | None = None,
    checkpoint: str | None = None,
    resume: bool = False,
    checkpoint_every: int = EVERY,
    ratings_per_partition: int = RATINGS_PER_PARTITION,
    callback: Callback | None = None,
    on_reading: Callable[[float, str], None] = lambda _share, _step: None,
    on_loaded: Callable[[LoadedParts], None] = lambda _loaded: None,
) -> Model:
    """Fit a model to ratings that no process could hold; the model is that of :func:`nnm_core.fit`.

    Parameters
    ----------
    data
        A folder, a bucket or a pattern of paths, whose files are tables with a rating per row: Parquet, CSV or any
        other format that data sets are read from. Workers read them through fsspec (``s3://…``, ``gs://…``, or paths
        that exist on all workers).
    options
        How to fit, in like mode; the paper's Algorithm 1 if not given.
    client
        Of a Dask cluster, see :func:`connect`.
    hints, cleaning
        Which columns hold what, and what becomes of doubtful rows.
    checkpoint, resume, checkpoint_every
        A folder or bucket that all workers share, in which a copy is kept every few sweeps; and whether to go on from
        there. Copies are removed once the model is there.
    ratings_per_partition
        About how many ratings are worked on by one task. The bits of the result depend on it in the last places, but
        not on the number of workers.
    callback
        Called after every sweep; returning ``False`` cancels the fit.
    on_reading, on_loaded
        Called while the parts are read, with the share that is done and the step; and once they are.

    Raises
    ------
    InputError, DataError
        If an argument cannot be used, or a part cannot be read; the message names the part.
    ClusterError
        If the scheduler is lost, or workers die again and again.
    FitCancelled
        If the callback asked for it.
    """
    options = options or FitOptions()
    check_seed(seed)
    _check_options(options)
    if ratings_per_partition < 1:
        raise InputError(f"A partition has at least 1 rating, not {ratings_per_partition}.")
    tasks = OnCluster(client)
    loaded = load_parts(tasks, str(data), hints, cleaning or Cleaning(), ratings_per_partition, on_reading)
    on_loaded(loaded)
    if loaded.is_implicit:
        options = for_seen_only(options)
    checkpoints = None
    if checkpoint is not None:
        facts = (loaded.content_hash, loaded.bounds, options, seed)
        checkpoints = Checkpoints(tasks, str(checkpoint), *facts, every=checkpoint_every)
        if resume:
            checkpoints.check()
        else:
            checkpoints.remove()
    elif resume:
        raise InputError("To resume a fit, name the folder of its checkpoints (--checkpoint).")
    model = fit_spread(tasks, loaded, options, seed=seed, checkpoints=checkpoints, callback=callback)
    if checkpoints is not None:
        checkpoints.remove()
    return model


def fit_spread(
    tasks: Tasks,
    loaded: LoadedParts,
    options: FitOptions,
    *,
    seed: int = 0,
    checkpoints: Checkpoints | None = None,
    callback: Callback | None = None,
) -> Model:
    """Fit a model to ratings that are spread over partitions."""
    ratings = prepare(tasks, loaded, options)
    reporter = Reporter(callback, options.expected_sweeps, options.committee * options.starts)

    def fit_group(member: int, group: Sequence[int], found: Sequence[Model]) -> list[Model]:
        models = []
        for start in group:
            number, place = member * options.starts + start, (member, start)
            progress = Progress(reporter, number)
            models.append(_fit_start(loaded, ratings, options, seed, place, found, progress, checkpoints))
            reporter.end_start(number)
        return models

    weights = ratings.counts / ratings.counts.sum()
    members = [best_of_starts(options, partial(fit_group, member), weights) for member in range(options.committee)]
    return members[0] if len(members) == 1 else replace(average(members), options=options, seed=seed)


def _fit_start(
    loaded: LoadedParts,
    ratings: SpreadRatings,
    options: FitOptions,
    seed: int,
    place: tuple[int, int],
    found: Sequence[Model],
    progress: Progress,
    checkpoints: Checkpoints | None,
) -> Model:
    """Fit from one random start, or from its last checkpoint; ``place``: member of the committee, and start."""
    name = f"member-{place[0]}-start-{place[1]}"
    if checkpoints is not None and (model := checkpoints.model(name)) is not None:
        return model
    n_filled = count_fill_sweeps(options)
    keep = None if checkpoints is None else partial(checkpoints.save, name)
    rng = np.random.default_rng((seed, *place))
    steps = SpreadLikes(ratings, options, in_fill=n_filled > 0, rng=rng, keep=keep)
    progress.begin_stage("like", ratings, n_filled=2 * n_filled)
    momentum = Momentum(steps, options.momentum)
    is_resumed = checkpoints is not None and checkpoints.load(name, steps, momentum, progress)
    if not is_resumed:
        steps.begin(options.n_stereotypes)
    elif steps.in_fill:
        momentum.enabled = options.momentum and n_filled == options.n_sweeps
    in_fill = is_resumed and steps.in_fill
    resumed = momentum if is_resumed else None
    run_schedule(steps, options, progress, found=found, busy=ratings.busy, resumed=resumed, in_fill=in_fill)
    factors = steps.factors()
    about = RatingFacts(
        loaded.user_ids, loaded.item_ids, loaded.scale, loaded.content_hash, np.array([1 - ratings.mean, ratings.mean])
    )
    model = make_model(factors, like_answers(factors.all_likes()), None, about, options, seed, progress)
    if checkpoints is not None and options.starts * options.committee > 1:
        checkpoints.keep_model(name, model)
    return model


def _check_options(options: FitOptions) -> None:
    """Raise InputError for what a fit on partitions cannot do."""
    faults = [
        fault
        for holds, fault in (
            (options.mode == "like", "mode='stars'"),
            (options.method == "alternating", "the preset accurate"),
            (options.anchors is None, "anchors"),
        )
        if not holds
    ]
    if faults:
        raise InputError(f"A fit of parts on a cluster has no {', no '.join(faults)}; fit on one machine for that.")
