"""Why a rating is predicted: a sum over stereotypes, in numbers and in words."""

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
"""Stereotypes of taste that a reason names; the others are added up."""

LEAST_NAMED = 0.05
"""The smallest share that is named."""

_NOTHING = 1e-9
"""Shares up to this are rounding errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """Why somebody is expected to give an item a rating.

    ``shares`` (n_columns,) of the person; ``likes`` (n_columns,), what each stereotype makes of the item;
    ``parts`` (n_columns,), their products, which sum to ``like``, the probability of liking; ``rating``: the same on
    the scale. ``named``: the stereotypes that the text names, the largest share first, those of generosity last.
    ``answers``: what each of those of taste makes of the item, in words; empty for somebody who is all generosity.
    ``text``: the whole reason.
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
    """Explain what a person with this mixture is expected to give to the item in this row.

    Parameters
    ----------
    mixture : array of shape (n_columns,)
    names
        Of all columns of the model, such as ``stereotype_names`` finds them.
    title
        Of the item; the text begins with it.
    implicit
        Whether people chose items without rating them; the text is then about choosing.

    Examples
    --------
    >>> print(explain(model, np.array([0.75, 0.25, 0.0]), 0, ["a", "b", "c"]).text)
    75% of you is “a”, who gives it 1.5; 25% is “b”, who gives it 4.7. Together that is 2.3, on the scale from 1 to 5.
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
    named = _worth_naming(mixture, model.n_fixed)

    def form(like: float) -> str:
        return percent(like) if implicit else rating_in_words(float(model.scale.from_unit(like)), model.scale)

    tastes = [k for k in named if k < model.n_stereotypes]
    answers = [f"{quoted_name(names[k])} {form(float(likes[k]))}" for k in tastes]
    share, mean = _others(mixture[: model.n_stereotypes], likes, tastes)
    if share > _NOTHING:
        answers.append(f"{'the others' if tastes else 'all'} {form(mean)}")

    gives, give = ("chooses it with", "choose it with") if implicit else ("gives it", "give it")
    said = [
        f"{percent(float(mixture[k]))} {'' if place else 'of you '}is {quoted_name(names[k])}, "
        f"who {gives} {form(float(likes[k]))}"
        for place, k in enumerate(named)
    ]
    share, mean = _others(mixture, likes, named)
    if share > _NOTHING and named:
        said.append(f"the other {percent(share)} {give} {form(mean)} on average")
    elif share > _NOTHING:
        said.append(f"all of you {gives} {form(mean)}")
    lowest, highest = written(model.scale.lowest), written(model.scale.highest)
    where = "" if implicit else f", on the scale from {lowest} to {highest}"
    return Reason(
        item=item,
        shares=np.array(mixture),
        likes=likes,
        parts=parts,
        like=like,
        rating=float(model.scale.clip(model.scale.from_unit(like))),
        named=named,
        answers=", ".join(answers),
        text=f"{f'{quoted(title)}: ' if title else ''}{'; '.join(said)}. Together that is {form(like)}{where}.",
    )


def describe_mixture(mixture: FloatArray, names: Sequence[str], whose: str = "you", *, n_fixed: int = 0) -> str:
    """Say which stereotypes somebody is made of, the largest first and generosity last.

    Parameters
    ----------
    whose
        Whom the sentence is about, as in "60% of you is".
    n_fixed
        How many of the columns, the last ones, are generosity.

    Examples
    --------
    >>> describe_mixture(np.array([0.6, 0.2, 0.1, 0.06, 0.04]), "abcde")
    '60% of you is “a”, 20% “b”, 10% “c”, 10% others'
    """
    named = _worth_naming(mixture, n_fixed)
    tastes = [k for k in named if k < len(mixture) - n_fixed]
    others = 1.0 - float(mixture[list(named)].sum())
    parts = [(float(mixture[k]), quoted_name(names[k])) for k in tastes]
    if others > _NOTHING:
        parts.append((others, "others" if tastes else "of many kinds"))
    parts += [(float(mixture[k]), quoted_name(names[k])) for k in named[len(tastes) :]]
    (share, first), *rest = parts
    return ", ".join([f"{percent(share)} of {whose} is {first}", *(f"{percent(share)} {what}" for share, what in rest)])


def _worth_naming(mixture: FloatArray, n_fixed: int) -> tuple[int, ...]:
    """Return the largest tastes, including a single one that would be left over, and then those of generosity."""
    n_tastes = len(mixture) - n_fixed
    order = [int(k) for k in np.argsort(-mixture[:n_tastes], kind="stable") if mixture[k] > _NOTHING]
    named = [k for k in order[:MOST_NAMED] if mixture[k] >= LEAST_NAMED]
    fixed = [k for k in range(n_tastes, len(mixture)) if mixture[k] > _NOTHING]
    return (*(order if named and len(order) == len(named) + 1 else named), *fixed)


def _others(shares: FloatArray, likes: FloatArray, named: Sequence[int]) -> tuple[float, float]:
    """Return the share of the columns that are not named, and their mean liking."""
    rest = np.setdiff1d(np.arange(len(shares)), named)
    share = float(shares[rest].sum())
    return share, float(shares[rest] @ likes[rest]) / share if share > _NOTHING else 0.0
