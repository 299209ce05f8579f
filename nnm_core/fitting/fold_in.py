"""New users and new items against a fitted model: the online half of the paper's two-phase procedure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nnm_core._kernels.gram import partner_rows
from nnm_core._kernels.half_step import half_step
from nnm_core._kernels.solvers import scratch, solve
from nnm_core._kernels.stars import star_items, star_users
from nnm_core.errors import InputError
from nnm_core.fitting.alternating import PSEUDO_RATINGS, TIE_BREAK
from nnm_core.fitting.workers import Workers
from nnm_core.model import Model, like_answers
from nnm_core.ratings import Ratings, Side
from nnm_core.scale import Scale, written
from nnm_core.types import BoolArray, FloatArray, IntArray


def fold_in_user(model: Model, given: Mapping[str, float]) -> FloatArray:
    """The mixture, (n_columns,), of a person who gave these items these ratings; {item id: rating}.

    It is what the fit would have found for this person with the items as they are. Without ratings it is the average
    mixture.
    """
    if not given:
        return np.array(model.mean_mixture, dtype=np.float64)
    items = model.item_rows(given)
    values = _checked(np.fromiter(given.values(), dtype=np.float64, count=len(given)), model.scale)
    precision, center = model.mixture_precision, model.mean_mixture
    if model.options.mode == "like":
        likes = model.likes[items]
        gram, target = likes.T @ likes, likes.T @ model.scale.to_unit(values)
    else:
        answers = model.answers[items]
        gram = np.einsum("iza,izb->ab", answers, answers)
        target = answers[np.arange(len(items)), _codes(values, model.scale)].sum(axis=0)
    mixture = np.array(center, dtype=np.float64)
    solve(gram + precision, target + precision @ center, mixture, True, scratch(model.n_columns))
    return mixture


def fold_in_item(model: Model, given: Mapping[str, float]) -> FloatArray:
    """The answers, (n_answers, n_columns), of an item that got these ratings; {user id: rating}."""
    if not given:
        return np.asarray(_item_centers(model, np.zeros((1, model.n_answers)))[0])
    ratings = Ratings.from_arrays(list(given), ["new"] * len(given), list(given.values()), scale=model.scale)
    return np.asarray(fold_in_items(model, ratings, n_threads=1)[0])


def fold_in_users(model: Model, ratings: Ratings, *, n_threads: int | None = None) -> FloatArray:
    """The mixtures, (n_users, n_columns), of the people in ``ratings``; the model must know all of its items."""
    side = _against(ratings.by_user, model.item_rows(ratings.item_ids))
    mixtures = np.tile(model.mean_mixture, (ratings.n_users, 1))
    unused, residuals = np.empty(ratings.n_users), np.empty(ratings.n_users)
    with Workers(n_threads) as workers:
        if model.options.mode == "like":
            workers.run(
                half_step,
                side.starts,
                side.partners,
                side.codes,
                model.scale.to_unit(_checked(ratings.levels, model.scale)),
                partner_rows(model.likes),
                np.zeros(model.n_items),
                np.empty((0, 0)),
                model.mixture_precision,
                model.mean_mixture[None],
                True,
                mixtures,
                unused,
                residuals,
            )
        else:
            workers.run(
                star_users,
                side.starts,
                side.partners,
                _codes(ratings.levels, model.scale)[side.codes],
                model.answers,
                np.einsum("iza,izb->iab", model.answers, model.answers),
                model.mixture_precision,
                model.mean_mixture,
                mixtures,
                unused,
                residuals,
            )
    return mixtures


def fold_in_items(model: Model, ratings: Ratings, *, n_threads: int | None = None) -> FloatArray:
    """The answers, (n_items, n_answers, n_columns), of the items in ``ratings``; the model must know all its users."""
    side = _against(ratings.by_item, model.user_rows(ratings.user_ids))
    values = _checked(ratings.levels, model.scale)
    with Workers(n_threads) as workers:
        if model.options.mode == "like":
            return _fold_in_likes(model, side, model.scale.to_unit(values), workers)
        return _fold_in_stars(model, side, _codes(values, model.scale)[side.codes], workers)


def extend(model: Model, ratings: Ratings, *, n_threads: int | None = None) -> Model:
    """The model with everyone and everything in ``ratings``: what it knows stays, the rest is folded in.

    New users are folded in against the items that the model knows, then new items against all users, and then the new
    users once more, against all items.
    """
    old_users, old_items = _known(ratings.user_ids, model.user_index), _known(ratings.item_ids, model.item_index)
    shell = replace(
        model,
        mixtures=_place(old_users, model.mixtures, model.mean_mixture),
        answers=_place(old_items, model.answers, _item_centers(model, np.zeros((1, model.n_answers)))[0]),
        user_ids=ratings.user_ids,
        item_ids=ratings.item_ids,
        data_hash=ratings.content_hash,
    )
    new_users, new_items = old_users < 0, old_items < 0
    by_known_items = ratings.subset(~new_items[ratings.items])
    shell = _with_users(shell, new_users, fold_in_users(shell, by_known_items, n_threads=n_threads))
    answers = shell.answers.copy()
    answers[new_items] = fold_in_items(shell, ratings, n_threads=n_threads)[new_items]
    shell = replace(shell, answers=answers)
    return _with_users(shell, new_users, fold_in_users(shell, ratings, n_threads=n_threads))


def _fold_in_likes(model: Model, side: Side, targets: FloatArray, workers: Workers) -> FloatArray:
    n_items, n_free = len(side.starts) - 1, model.n_stereotypes
    fixed = model.likes[:1, n_free:]
    sums = np.bincount(side.rows, weights=targets[side.codes], minlength=n_items)
    centers = _item_centers(model, np.column_stack([side.counts - sums, sums]))[:, 1, :n_free]
    likes = np.ascontiguousarray(centers)
    workers.run(
        half_step,
        side.starts,
        side.partners,
        side.codes,
        targets,
        partner_rows(model.mixtures[:, :n_free]),
        (model.mixtures[:, n_free:] * fixed).sum(axis=1),
        np.empty((0, 0)),
        max(model.options.shrinkage, TIE_BREAK) * np.eye(n_free),
        centers.copy(),
        False,
        likes,
        np.empty(n_items),
        np.empty(n_items),
    )
    return like_answers(np.hstack([likes, np.tile(fixed, (n_items, 1))]))


def _fold_in_stars(model: Model, side: Side, codes: IntArray, workers: Workers) -> FloatArray:
    n_items, n_answers = len(side.starts) - 1, model.n_answers
    cells = side.rows.astype(np.int64) * n_answers + codes
    counts = np.bincount(cells, minlength=n_items * n_answers).reshape(n_items, n_answers)
    answers = _item_centers(model, counts.astype(np.float64))
    workers.run(
        star_items,
        side.starts,
        side.partners,
        codes,
        model.mixtures,
        model.n_stereotypes,
        float(model.options.shrinkage),
        answers[:, :, 0].copy(),
        answers,
        np.empty(n_items),
        np.empty(n_items),
    )
    return answers


def _item_centers(model: Model, counts: FloatArray) -> FloatArray:
    """Answers of items that all stereotypes of taste see alike: damped ``counts`` (n_items, n_answers) of answers."""
    damped = counts + PSEUDO_RATINGS * model.mean_answer
    answers = np.repeat((damped / damped.sum(axis=1, keepdims=True))[:, :, None], model.n_columns, axis=2)
    answers[:, :, model.n_stereotypes :] = model.answers[:1, :, model.n_stereotypes :]
    return answers


def _against(side: Side, rows: IntArray) -> Side:
    """The same entries with partners as rows of the model."""
    return Side(side.starts, rows.astype(np.int32)[side.partners], side.codes)


def _known(ids: tuple[str, ...], index: Mapping[str, int]) -> IntArray:
    """The row of each id in the model, -1 where it is new; every id of the model must be there."""
    rows = np.array([index.get(name, -1) for name in ids], dtype=np.int64)
    if (rows >= 0).sum() != len(index):
        raise InputError("The ratings that extend a model must have all of its users and items among theirs.")
    return rows


def _place(rows: IntArray, known: FloatArray, default: FloatArray) -> FloatArray:
    placed = known[np.maximum(rows, 0)]
    placed[rows < 0] = default
    return placed


def _with_users(model: Model, new: BoolArray, mixtures: FloatArray) -> Model:
    return replace(model, mixtures=np.where(new[:, None], mixtures, model.mixtures))


def _checked(values: FloatArray, scale: Scale) -> FloatArray:
    slack = 1e-6 * scale.span
    wrong = ~((values >= scale.lowest - slack) & (values <= scale.highest + slack))
    if wrong.any():
        raise InputError(
            f"The rating {written(values[wrong][0])} lies outside the model's scale, "
            f"which goes from {written(scale.lowest)} to {written(scale.highest)}."
        )
    return values


def _codes(values: FloatArray, scale: Scale) -> IntArray:
    """The position of each rating among the scale's levels."""
    return np.rint((_checked(values, scale) - scale.lowest) / scale.step).astype(np.uint8)
