"""Why a rating is predicted: what each stereotype makes of the item, and how much of each somebody is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core.errors import InputError
from nnm_core.model import Model
from nnm_core.phrases import percent, quoted_name, rating_in_words
from nnm_core.types import FloatArray

MOST_NAMED = 3  # stereotypes of taste that are named; the others are added up
LEAST_NAMED = 0.05  # the smallest share that is named
_NOTHING = 1e-9  # shares up to this are rounding errors


@dataclass(frozen=True, slots=True)
class Reason:
    """Why somebody is expected to like an item with the probability ``like``.

    ``answers``: what each of their stereotypes of taste makes of it, in words, the largest share first; empty for
    somebody who is all generosity.
    """

    like: float
    answers: str


def explain(model: Model, mixture: FloatArray, item: int, names: Sequence[str], *, implicit: bool = False) -> Reason:
    """Explain what a person with this mixture (n_columns,) is expected to give to the item in this row.

    ``names`` are those of all columns of the model, see ``stereotype_names``. With ``implicit``, people chose items
    without rating them, and answers are probabilities of choosing.

    >>> explain(model, np.array([0.75, 0.25, 0.0]), 0, ["a", "b", "c"]).answers
    '“a” 1.5, “b” 4.7'
    """
    if mixture.shape != (model.n_columns,) or len(names) != model.n_columns:
        raise InputError(
            f"The model has {model.n_columns} stereotypes; a mixture of shape {mixture.shape} and {len(names)} names "
            "do not fit it."
        )
    if not 0 <= item < model.n_items:
        raise InputError(f"There is no item in row {item}; the model has {model.n_items:,} items.")
    likes = model.likes[item]

    def form(like: float) -> str:
        return percent(like) if implicit else rating_in_words(float(model.scale.from_unit(like)), model.scale)

    tastes = [k for k in _worth_naming(mixture, model.n_fixed) if k < model.n_stereotypes]
    answers = [f"{quoted_name(names[k])} {form(float(likes[k]))}" for k in tastes]
    others = np.setdiff1d(np.arange(model.n_stereotypes), tastes)
    share = float(mixture[others].sum())
    if share > _NOTHING:
        answers.append(f"{'the others' if tastes else 'all'} {form(float(mixture[others] @ likes[others]) / share)}")
    return Reason(float(mixture @ likes), ", ".join(answers))


def describe_mixture(mixture: FloatArray, names: Sequence[str], whose: str = "you", *, n_fixed: int = 0) -> str:
    """Say which stereotypes somebody is made of, the largest first and the last ``n_fixed``, generosity, last.

    >>> describe_mixture(np.array([0.6, 0.2, 0.1, 0.06, 0.04]), "abcde")
    '60% of you is “a”, 20% “b”, 10% “c”, 10% others'
    """
    named = _worth_naming(mixture, n_fixed)
    tastes = [k for k in named if k < len(mixture) - n_fixed]
    others = 1.0 - float(mixture[list(named)].sum())
    parts = [(float(mixture[k]), quoted_name(names[k])) for k in tastes]
    if others > _NOTHING:
        parts.append((others, "others" if tastes else "spread over many stereotypes"))
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
