"""Fold new users and items into a fitted model: the online half of the paper's two-phase procedure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nnm_core._kernels.grouping import RatingRows, row_sums
from nnm_core._kernels.half_step import Solution, half_step, least_squares
from nnm_core._kernels.solvers import scratch, solve
from nnm_core._kernels.stars import StarItems, star_items, star_user_problem, star_users
from nnm_core.errors import InputError
from nnm_core.fitting.averages import answer_counts, damped_answers
from nnm_core.fitting.likes import TIE_BREAK
from nnm_core.fitting.workers import Workers
from nnm_core.model import Model, like_answers
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale, written
from nnm_core.types import BoolArray, FloatArray, IntArray


def fold_in_user(model: Model, given: Mapping[str, float]) -> FloatArray:
    """Return the mixture that the fit would have found for a new user, with the items as they are.

    Parameters
    ----------
    model
        A fitted model.
    given
        The ratings of the user by item id; without any, the result is the mean mixture.

    Returns
    -------
    Array of shape (n_columns,).

    Raises
    ------
    InputError
        If the model does not know an item, or a rating lies outside its scale.

    Examples
    --------
    >>> from nnm_core import Ratings, fit, fold_in_user, preset
    >>> ratings = Ratings.from_arrays(["ann", "ann", "bob", "bob"], ["Alien", "Heat"] * 2, [5, 1, 1, 5])
    >>> model = fit(ratings, preset("paper", n_stereotypes=2), seed=1)
    >>> fold_in_user(model, {"Alien": 3, "Heat": 3}).round(3).tolist()
    [0.5, 0.5]
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
    """Return the answers, (n_answers, n_columns), of a new item that got these ratings; {user id: rating}."""
    if not given:
        return np.asarray(_item_centers(model, np.zeros((1, model.n_answers)))[0])
    ratings = Ratings.from_arrays(list(given), ["new"] * len(given), list(given.values()), scale=model.scale)
    return np.asarray(fold_in_items(model, ratings, n_threads=1)[0])


def fold_in_users(model: Model, ratings: Ratings, *, n_threads: int | None = None) -> FloatArray:
    """Return the mixtures, (n_users, n_columns), of the users in ``ratings``; the model must know all of its items."""
    by_user = _against(ratings.by_user, model.item_rows(ratings.item_ids))
    solution = Solution.starting_at(np.tile(model.mean_mixture, (ratings.n_users, 1)))
    precision, center = model.mixture_precision, model.mean_mixture
    with Workers(n_threads) as workers:
        if model.options.mode == "like":
            targets = model.scale.to_unit(_checked(ratings.levels, model.scale))
            problem = least_squares(targets, model.likes, precision, center[None], on_simplex=True)
            workers.run(half_step, by_user.starts, by_user, problem, solution)
        else:
            by_user = _with_answers(by_user, ratings.levels, model.scale)
            workers.run(
                star_users, by_user.starts, by_user, star_user_problem(model.answers, precision, center), solution
            )
    return solution.x


def fold_in_items(model: Model, ratings: Ratings, *, n_threads: int | None = None) -> FloatArray:
    """Return the answers, (n_items, n_answers, n_columns), of the items in ``ratings``, whose users the model knows."""
    by_item = _against(ratings.by_item, model.user_rows(ratings.user_ids))
    values = _checked(ratings.levels, model.scale)
    with Workers(n_threads) as workers:
        if model.options.mode == "like":
            return _fold_in_likes(model, by_item, model.scale.to_unit(values), workers)
        return _fold_in_stars(model, _with_answers(by_item, values, model.scale), workers)


def extend(model: Model, ratings: Ratings, *, n_threads: int | None = None) -> Model:
    """Return the model with all users and items of ``ratings``: what it knows stays, the rest is folded in.

    New users are folded in against the items that the model knows, then new items against all users, and then the new
    users once more, against all items.

    Parameters
    ----------
    model
        A fitted model.
    ratings
        Ratings that have all of the model's users and items among theirs.
    n_threads
        One per available processor if not given.

    Raises
    ------
    InputError
        If a user or an item of the model is missing, or the scales differ.
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


def _fold_in_likes(model: Model, by_item: RatingRows, targets: FloatArray, workers: Workers) -> FloatArray:
    n_free = model.n_stereotypes
    fixed = model.likes[:1, n_free:]
    sums = row_sums(by_item, targets)
    centers = _item_centers(model, np.column_stack([by_item.counts - sums, sums]))[:, 1, :n_free]
    problem = least_squares(
        targets,
        model.mixtures[:, :n_free],
        max(model.options.shrinkage, TIE_BREAK) * np.eye(n_free),
        centers,
        explained=(model.mixtures[:, n_free:] * fixed).sum(axis=1),
        on_simplex=False,
    )
    solution = Solution.starting_at(np.array(centers, order="C"))
    workers.run(half_step, by_item.starts, by_item, problem, solution)
    return like_answers(np.hstack([solution.x, np.tile(fixed, (by_item.n_rows, 1))]))


def _fold_in_stars(model: Model, by_item: RatingRows, workers: Workers) -> FloatArray:
    solution = Solution.starting_at(_item_centers(model, answer_counts(by_item, model.n_answers)))
    centers = solution.x[:, :, 0].copy()
    problem = StarItems(model.mixtures, model.n_stereotypes, float(model.options.shrinkage), centers)
    workers.run(star_items, by_item.starts, by_item, problem, solution)
    return solution.x


def _item_centers(model: Model, counts: FloatArray | IntArray) -> FloatArray:
    """Return answers that all stereotypes of taste share: damped ``counts`` (n_items, n_answers) of answers."""
    answers = np.repeat(damped_answers(counts, model.mean_answer)[:, :, None], model.n_columns, axis=2)
    answers[:, :, model.n_stereotypes :] = model.answers[:1, :, model.n_stereotypes :]
    return answers


def _against(ratings: RatingRows, rows: IntArray) -> RatingRows:
    """Return the same entries with partners as rows of the model."""
    return ratings._replace(partners=rows.astype(np.int32)[ratings.partners]).read_only()


def _with_answers(ratings: RatingRows, levels: FloatArray, scale: Scale) -> RatingRows:
    """Return the same entries with codes that are answers of the model."""
    return ratings._replace(codes=_codes(levels, scale)[ratings.codes]).read_only()


def _known(ids: tuple[str, ...], index: Mapping[str, int]) -> IntArray:
    """Return the row of each id in the model, -1 where it is new; every id of the model must be there."""
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
    """Return the position of each rating among the scale's levels."""
    return np.rint((_checked(values, scale) - scale.lowest) / scale.step).astype(np.uint8)
