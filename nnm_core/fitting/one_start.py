"""One random start: run the method on the ratings, and make a model of what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nnm_core.errors import InputError
from nnm_core.fitting.alternation import Factors
from nnm_core.fitting.averages import average_answer
from nnm_core.fitting.distilled import distil
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.likes import TIE_BREAK, alternate
from nnm_core.fitting.progress import Progress
from nnm_core.fitting.rating_pattern import RatingPattern
from nnm_core.fitting.stars import alternate_stars
from nnm_core.fitting.workers import Workers
from nnm_core.model import Model, like_answers
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.types import FloatArray


def check_seed(seed: int) -> None:
    """Raise InputError for a seed that cannot be used."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"The seed must be a whole number of at least 0, not {seed!r}.")


def fit_start(
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
    in_order = order == sorted(order)  # then large mixtures need not be copied
    return Model(
        mixtures=factors.mixtures if in_order else factors.mixtures[:, order],
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


def _by_share(factors: Factors) -> list[int]:
    """Return the order of the columns: largest share of the audience first, fixed ones last."""
    n_free = factors.likes.shape[1]
    share = factors.mixtures[:, :n_free].sum(axis=0)
    return [*np.argsort(-share, kind="stable").tolist(), *range(n_free, factors.mixtures.shape[1])]
