"""Fit a model to ratings: check the arguments, run the method, and average the members of a committee."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nnm_core.errors import InputError
from nnm_core.fitting.alternation import Factors
from nnm_core.fitting.averages import average_answer
from nnm_core.fitting.distilled import distil
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fold_in import extend
from nnm_core.fitting.likes import TIE_BREAK, alternate, find_pattern
from nnm_core.fitting.progress import Callback, Progress, Reporter
from nnm_core.fitting.rating_pattern import RatingPattern
from nnm_core.fitting.stars import alternate_stars
from nnm_core.fitting.starts import best_start
from nnm_core.fitting.workers import Workers
from nnm_core.model import Model, like_answers
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.types import FloatArray, IntArray

if TYPE_CHECKING:
    from distributed import Client

STARTS_TOGETHER = 4
"""Random starts in a group; those of a group do not know of each other."""


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
        return _fit_parts(ratings, options, seed, callback, client)
    if len(ratings) == 0:
        raise InputError("There are no ratings; a model needs at least one.")
    anchored = ratings if options.anchors is None else _anchor_ratings(ratings, *options.anchors)
    reporter = Reporter(callback, options.expected_sweeps, options.committee * options.starts)
    members = []
    with Workers(n_threads) as workers:
        for member in range(options.committee):
            if client is None:
                model = _fit_starts(anchored, options, (seed, member), side, workers, reporter)
            else:
                model = _fit_elsewhere(client, anchored, options, (seed, member), side, reporter)
            members.append(model if anchored is ratings else extend(model, ratings, n_threads=n_threads))
    if len(members) == 1:
        return members[0]
    return replace(average(members), options=options, seed=seed)


def check_seed(seed: int) -> None:
    """Raise InputError for a seed that cannot be used."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"The seed must be a whole number of at least 0, not {seed!r}.")


def average(models: Sequence[Model]) -> Model:
    """Combine models of the same ratings into one, with their stereotypes side by side; it predicts their mean.

    Parameters
    ----------
    models
        Models of the same ratings, mode and generosity; their numbers of stereotypes may differ. Stereotypes of
        generosity, which are the same in all, are merged.

    Raises
    ------
    InputError
        If the models cannot be combined.

    Examples
    --------
    >>> from nnm_core import Ratings, average, fit, preset
    >>> ratings = Ratings.from_arrays([1, 1, 2], [1, 2, 2], [5, 1, 4])
    >>> average([fit(ratings, preset("recommended", n_stereotypes=n)) for n in (2, 3)]).names
    ('1', '2', '3', '4', '5', 'enthusiast', 'skeptic')
    """
    first = models[0]
    for model in models[1:]:
        if (model.data_hash, model.options.mode, model.n_fixed) != (
            first.data_hash,
            first.options.mode,
            first.n_fixed,
        ):
            raise InputError("Only models of the same ratings, mode and generosity can form a committee.")
    share = 1.0 / len(models)
    free = [model.n_stereotypes for model in models]
    precision = np.zeros((sum(free) + first.n_fixed,) * 2)
    for k, model in enumerate(models):
        # The committee's pull is the mean of its members', whose own mixtures are K times their part of the whole.
        where = np.r_[sum(free[:k]) : sum(free[: k + 1]), sum(free) : len(precision)]
        stretch = np.r_[np.full(free[k], len(models)), np.ones(model.n_fixed)]
        precision[np.ix_(where, where)] += share * model.mixture_precision * np.outer(stretch, stretch)
    return replace(
        first,
        mixtures=_side_by_side([model.mixtures * share for model in models], free),
        mean_mixture=_side_by_side([model.mean_mixture[None] * share for model in models], free)[0],
        mixture_precision=precision,
        answers=np.concatenate(
            [model.answers[:, :, : model.n_stereotypes] for model in models] + [first.answers[:, :, free[0] :]], axis=2
        ),
        traces=tuple(trace for model in models for trace in model.traces),
        options=replace(first.options, committee=len(models)),
        given_names=None,
    )


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

    def fit_start(start: int, workers: Workers, found: Sequence[Model]) -> Model:
        number = seed[1] * options.starts + start
        progress = Progress(reporter, number)
        model = fit_one(ratings, options, (*seed, start), side, workers, progress, pattern, found)
        reporter.end_start(number)
        return model

    if options.starts == 1:
        return fit_start(0, workers, ())
    with ExitStack() as stack:
        n_side_by_side = min(workers.n_threads, STARTS_TOGETHER)
        pool = stack.enter_context(ThreadPoolExecutor(n_side_by_side))
        shared = stack.enter_context(Workers(workers.n_threads // n_side_by_side))

        def fit_group(group: Sequence[int], found: Sequence[Model]) -> list[Model]:
            if len(group) == 1:
                return [fit_start(group[0], workers, found)]
            return list(pool.map(lambda start: fit_start(start, shared, found), group))

        return best_of_starts(options, fit_group, ratings.by_item.counts / len(ratings))


def _fit_parts(
    data: str | os.PathLike[str],
    options: FitOptions,
    seed: int,
    callback: Callback | None,
    client: Client | None,
) -> Model:
    """Fit a folder of parts on a cluster; only then is anything of Dask imported."""
    if client is None:
        raise InputError(f"Read the ratings first, with load_dataset({str(data)!r}), or give the client of a cluster.")
    from nnm_core.cluster import fit_parts

    return fit_parts(str(data), options, client=client, seed=seed, callback=callback)


def _fit_elsewhere(
    client: Client,
    ratings: Ratings,
    options: FitOptions,
    seed: tuple[int, int],
    side: SideInformation | None,
    reporter: Reporter,
) -> Model:
    """Fit on a cluster; only then is anything of Dask imported."""
    from nnm_core.cluster.elsewhere import fit_elsewhere

    return fit_elsewhere(client, ratings, options, seed, side, reporter)


def best_of_starts(
    options: FitOptions, fit_group: Callable[[Sequence[int], Sequence[Model]], list[Model]], item_weights: FloatArray
) -> Model:
    """Return the best of several random starts, with the atlas of all.

    ``fit_group(starts, found)`` fits some starts, each of which may compare itself with the models ``found`` so far.
    The first start runs alone, the others in groups that do not know of each other, so that the result does not depend
    on how many run side by side.
    """
    models: list[Model] = []
    bounds = [0, *range(1, options.starts, STARTS_TOGETHER), options.starts]
    for first, last in pairwise(bounds):
        models += fit_group(range(first, last), tuple(models) if options.mode == "like" else ())
    return models[0] if len(models) == 1 else best_start(models, item_weights)


def fit_one(
    ratings: Ratings,
    options: FitOptions,
    seed: tuple[int, int, int],
    side: SideInformation | None,
    workers: Workers,
    progress: Progress,
    pattern: RatingPattern | None = None,
    found: Sequence[Model] = (),
) -> Model:
    """Fit from one random start; ``seed``: of the fit, the member of the committee and the start."""
    rng = np.random.default_rng(seed)
    precision = None
    if options.method == "distilled":
        factors, precision = distil(ratings, options, side, rng, workers, progress)
    else:
        factors = alternate(ratings, options, rng, workers, progress, pattern=pattern, found=found)
    if options.mode == "stars":
        answers = alternate_stars(ratings, options, factors, workers, progress)
    else:
        answers = like_answers(factors.all_likes())
    about = RatingFacts(
        ratings.user_ids, ratings.item_ids, ratings.scale, ratings.content_hash, average_answer(ratings, options.mode)
    )
    return make_model(factors, answers, precision, about, options, seed[0], progress)


class RatingFacts(NamedTuple):
    """What a model says of the ratings that it was fitted to."""

    user_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    scale: Scale
    content_hash: str
    mean_answer: FloatArray


def make_model(
    factors: Factors,
    answers: FloatArray,
    precision: FloatArray | None,
    about: RatingFacts,
    options: FitOptions,
    seed: int,
    progress: Progress,
) -> Model:
    """Return the model of fitted factors; ``precision``: of the mixtures, by the shrinkage if not given."""
    order = _by_share(factors)
    if precision is None:
        precision = max(options.shrinkage, TIE_BREAK) * np.eye(len(order))
    return Model(
        mixtures=factors.mixtures[:, order],
        answers=answers[:, :, order],
        mean_mixture=factors.mean_mixture[order],
        mixture_precision=precision[np.ix_(order, order)],
        mean_answer=about.mean_answer,
        user_ids=about.user_ids,
        item_ids=about.item_ids,
        scale=about.scale,
        n_fixed=len(factors.fixed),
        options=replace(options, committee=1),
        seed=seed,
        data_hash=about.content_hash,
        traces=tuple(progress.traces),
    )


def _anchor_ratings(ratings: Ratings, n_users: int, n_items: int) -> Ratings:
    """Return the ratings that the ``n_users`` most active users gave the ``n_items`` most popular items."""
    users, items = _most(ratings.by_user.counts, n_users), _most(ratings.by_item.counts, n_items)
    user_place, item_place = np.full(ratings.n_users, -1), np.full(ratings.n_items, -1)
    user_place[users], item_place[items] = np.arange(len(users)), np.arange(len(items))
    rows, columns = user_place[ratings.users], item_place[ratings.items]
    both = (rows >= 0) & (columns >= 0)
    return Ratings.from_numbers(
        rows[both],
        columns[both],
        ratings.values[both],
        [ratings.user_ids[k] for k in users],
        [ratings.item_ids[k] for k in items],
        scale=ratings.scale,
    )


def _most(counts: IntArray, n: int) -> IntArray:
    """Return the rows with the largest counts, in increasing order."""
    return np.sort(np.argsort(-counts, kind="stable")[:n])


def _by_share(factors: Factors) -> list[int]:
    """Return the order of the columns: largest share of the audience first, fixed ones last."""
    n_free = factors.likes.shape[1]
    share = factors.mixtures[:, :n_free].sum(axis=0)
    return [*np.argsort(-share, kind="stable").tolist(), *range(n_free, factors.mixtures.shape[1])]


def _side_by_side(mixtures: list[FloatArray], free: list[int]) -> FloatArray:
    """Put free columns side by side and add fixed ones up."""
    fixed = sum(mixture[:, n:] for mixture, n in zip(mixtures, free, strict=True))
    return np.hstack([mixture[:, :n] for mixture, n in zip(mixtures, free, strict=True)] + [fixed])
