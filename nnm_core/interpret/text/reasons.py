"""Why: a prediction as a sum over stereotypes, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.phrases import percent, quoted, quoted_name, rating_in_words
from nnm_core.scale import written
from nnm_core.types import FloatArray

MOST_NAMED = 3
"""Stereotypes of taste that a reason names, beside habits; the others are added up."""

LEAST_NAMED = 0.05
"""Shares below this are not named."""


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """Why somebody is expected to give an item a rating.

    ``shares`` (n_columns,) of the person; ``likes`` (n_columns,), what each stereotype makes of the item;
    ``parts`` (n_columns,), their products, which sum to ``like``, the probability of liking; ``rating``: the same on
    the scale. ``named``: the stereotypes that the words name, the largest part first, habits last. ``answers``: what
    each of those of taste makes of the item, in words, since habits make the same of everything; empty for somebody who
    is all habit. ``text``: the whole reason.
    """

    item: int
    shares: FloatArray
    likes: FloatArray
    parts: FloatArray
    like: float
    rating: float
    named: tuple[int, ...]
    answers: str
    text: str


def explain(
    model: Model, mixture: FloatArray, item: int, names: Sequence[str], title: str = "", *, implicit: bool = False
) -> Reason:
    """The reason for what a person with this mixture (n_columns,) is expected to give to the item in this row.

    ``names``: of all columns, such as ``stereotype_names`` finds them. ``implicit``: nobody rated, so the words are
    about choosing.
    """
    if mixture.shape != (model.n_columns,) or len(names) != model.n_columns:
        raise InputError(
            f"The model has {model.n_columns} stereotypes; a mixture of shape {mixture.shape} and {len(names)} names "
            "do not fit it."
        )
    if not 0 <= item < model.n_items:
        raise InputError(f"There is no item in row {item}; the model has {model.n_items:,} items.")
    likes = model.likes[item]
    parts = mixture * likes
    like = float(parts.sum())
    rating = float(model.scale.clip(model.scale.from_unit(like)))
    named = _worth_naming(mixture, model.n_fixed)
    return Reason(
        item=item,
        shares=np.array(mixture),
        likes=likes,
        parts=parts,
        like=like,
        rating=rating,
        named=named,
        answers=_answers(model, mixture[: model.n_stereotypes], likes, named, names, implicit),
        text=_text(model, mixture, likes, like, named, names, title, implicit),
    )


def parts_in_words(mixture: FloatArray, names: Sequence[str], whose: str = "you", *, n_fixed: int = 0) -> str:
    """Of what somebody is made, with the stereotypes that a reason names: "60% of you is “a”, 30% “b”, 10% others".

    ``n_fixed``: how many of the columns, the last ones, are habits and not tastes.
    """
    named = _worth_naming(mixture, n_fixed)
    tastes = [k for k in named if k < len(mixture) - n_fixed]
    others = 1.0 - float(mixture[list(named)].sum())
    parts = [f"{percent(float(mixture[k]))} {quoted_name(names[k])}" for k in tastes]
    if others > 1e-9:
        parts.append(f"{percent(others)} {'others' if tastes else 'of many kinds'}")
    parts += [f"{percent(float(mixture[k]))} {quoted_name(names[k])}" for k in named[len(tastes) :]]
    return ", ".join([parts[0].replace("% ", f"% of {whose} is ", 1), *parts[1:]])


def _worth_naming(mixture: FloatArray, n_fixed: int) -> tuple[int, ...]:
    """The largest tastes, a single one that is left over as well, and then the habits that somebody has."""
    n_tastes = len(mixture) - n_fixed
    order = [int(k) for k in np.argsort(-mixture[:n_tastes], kind="stable") if mixture[k] > 1e-9]
    named = [k for k in order[:MOST_NAMED] if mixture[k] >= LEAST_NAMED]
    habits = [k for k in range(n_tastes, len(mixture)) if mixture[k] > 1e-9]
    return (*(order if named and len(order) == len(named) + 1 else named), *habits)


def _answers(
    model: Model,
    tastes: FloatArray,
    likes: FloatArray,
    named: tuple[int, ...],
    names: Sequence[str],
    implicit: bool,
) -> str:
    """What each of the named tastes, and the others together, make of an item; ``tastes``: their shares."""

    def form(like: float) -> str:
        return percent(like) if implicit else rating_in_words(float(model.scale.from_unit(like)), model.scale)

    shown = [k for k in named if k < len(tastes)]
    pieces = [f"{quoted_name(names[k])} {form(float(likes[k]))}" for k in shown]
    rest = np.setdiff1d(np.arange(len(tastes)), shown)
    share = float(tastes[rest].sum())
    if share > 1e-9:
        pieces.append(f"{'the others' if shown else 'all'} {form(float(tastes[rest] @ likes[rest]) / share)}")
    return ", ".join(pieces)


def _text(
    model: Model,
    mixture: FloatArray,
    likes: FloatArray,
    like: float,
    named: tuple[int, ...],
    names: Sequence[str],
    title: str,
    implicit: bool,
) -> str:
    scale = model.scale

    def form(like: float) -> str:
        return percent(like) if implicit else rating_in_words(float(scale.from_unit(like)), scale)

    of_you = ["of you "] + [""] * len(named)
    gives = "chooses it with" if implicit else "gives it"
    pieces = [
        f"{percent(float(mixture[k]))} {whose}is {quoted_name(names[k])}, who {gives} {form(float(likes[k]))}"
        for k, whose in zip(named, of_you, strict=False)
    ]
    rest = np.setdiff1d(np.arange(len(mixture)), named)
    share = float(mixture[rest].sum())
    if share > 1e-9:
        mean = float(mixture[rest] @ likes[rest]) / share
        pieces.append(
            f"the other {percent(share)} {gives.replace('s ', ' ', 1)} {form(mean)} on average"
            if named
            else f"all of you {gives} {form(mean)}"
        )
    about = f"{quoted(title)}: " if title else ""
    where = "" if implicit else f", on the scale from {written(scale.lowest)} to {written(scale.highest)}"
    return f"{about}{'; '.join(pieces)}. Together that is {form(like)}{where}."
