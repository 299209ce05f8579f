"""The fitted model and the trace of its fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nnm_core.atlas import Atlas
from nnm_core.errors import InputError
from nnm_core.options import FitOptions
from nnm_core.scale import Scale
from nnm_core.types import FloatArray

FIXED_NAMES = ("enthusiast", "skeptic")
"""The stereotypes of generosity, in the order of their columns."""

CONSTRAINT_TOLERANCE = 1e-9

LONGEST_NAME = 80
"""Characters in a name that somebody gives to a stereotype."""

CONVERGED = 1e-4
"""An alternation has converged when each of its last ``STEADY_SWEEPS`` sweeps moved the model by less than this."""

STEADY_SWEEPS = 5


Ending = Literal["converged", "fixed", "out of iterations"]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The record of one stage of a fit, which shows whether it converged.

    ``stage``: ``"like"``, ``"stars"``, ``"relaxed"`` (a sampler, which does not converge) or ``"projection"``.
    ``objectives`` (2 · n_sweeps,): after each half-step, items first (users first in a projection); the first
    ``n_filled`` of them count unknown ratings as zeros and do not compare with the rest.
    ``training_errors`` (n_sweeps,): root mean squared error over the known ratings, on the rating scale.
    ``movements`` (n_sweeps,): how far each sweep moved the stereotype that changed most, from 0 to 1: the mean change
    of its probabilities of liking, popular items counting more.
    ``residual``: the largest optimality residual of any row's problem in the last sweep.
    """

    stage: str
    objectives: FloatArray
    n_filled: int
    training_errors: FloatArray
    movements: FloatArray
    residual: float

    @property
    def shown_from(self) -> int:
        """How many of ``objectives`` do not compare with the last; none where zeros count throughout."""
        return self.n_filled if self.n_filled < len(self.objectives) else 0

    @property
    def movement(self) -> float:
        """How far the last sweep moved the model."""
        return float(self.movements[-1]) if len(self.movements) else 1.0

    def is_steady(self, tol: float) -> bool:
        """Whether each of the last few sweeps moved the model by less than ``tol``."""
        comparable = self.movements[self.shown_from // 2 :]
        return len(comparable) >= STEADY_SWEEPS and bool((comparable[-STEADY_SWEEPS:] < tol).all())

    @property
    def converged(self) -> bool:
        """Whether running on would hardly change the model; a sampler is averaged and has no end of its own."""
        return self.stage == "relaxed" or self.is_steady(CONVERGED)


@dataclass(frozen=True, eq=False)
class Model:
    """A normalized nonnegative model; arrays are read-only and satisfy the paper's constraints.

    ``mixtures`` (n_users, n_columns): rows on the simplex.
    ``answers`` (n_items, n_answers, n_columns): per stereotype, a distribution over the answers, which are
    dislike and like in like mode and the levels of the scale in stars mode.
    ``mean_mixture`` (n_columns,), ``mixture_precision`` (n_columns, n_columns): where, and how strongly, people with
    few ratings are drawn; ``mean_answer`` (n_answers,): the same for items.
    ``n_fixed``: how many of the last columns are stereotypes of generosity, 0 or 2.
    ``given_names``: what somebody calls the stereotypes of taste, one per stereotype; an empty one leaves the name to
    the program, and ``None`` leaves all of them.
    ``atlas``: what several starts found; ``None`` for a fit from a single start.

    Examples
    --------
    >>> from nnm_core import Ratings, fit
    >>> model = fit(Ratings.from_arrays(["ann", "ann", "bob"], ["Alien", "Heat", "Heat"], [5, 1, 4]))
    >>> model.n_users, model.n_items, model.n_stereotypes
    (2, 2, 3)
    >>> model.item_rows(["Heat"]).tolist()
    [1]
    """

    mixtures: FloatArray
    answers: FloatArray
    mean_mixture: FloatArray
    mixture_precision: FloatArray
    mean_answer: FloatArray
    user_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    scale: Scale
    n_fixed: int
    options: FitOptions
    seed: int
    data_hash: str
    traces: tuple[Trace, ...] = field(default=())
    given_names: tuple[str, ...] | None = None
    atlas: Atlas | None = None

    def __post_init__(self) -> None:
        for name in ("mixtures", "answers", "mean_mixture", "mixture_precision", "mean_answer"):
            object.__setattr__(self, name, _read_only(getattr(self, name)))
        _check_shapes(self)
        _check_given_names(self)
        _check_distributions("The mixtures of users", self.mixtures, self.user_ids)
        _check_distributions("The answers to items", np.moveaxis(self.answers, 1, 2), self.item_ids)
        _check_distributions("The mean mixture", self.mean_mixture[None], ("all",))
        _check_distributions("The mean answer", self.mean_answer[None], ("all",))

    @property
    def n_users(self) -> int:
        """How many users the model knows."""
        return len(self.user_ids)

    @property
    def n_items(self) -> int:
        """How many items the model knows."""
        return len(self.item_ids)

    @property
    def n_columns(self) -> int:
        """How many stereotypes there are, those of generosity included."""
        return int(self.mixtures.shape[1])

    @property
    def n_stereotypes(self) -> int:
        """How many stereotypes of taste there are, without those of generosity."""
        return self.n_columns - self.n_fixed

    @property
    def n_answers(self) -> int:
        """How many answers an item's question has."""
        return int(self.answers.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        """A plain name per column: "1" to "D", then the stereotypes of generosity."""
        free = tuple(str(number + 1) for number in range(self.n_stereotypes))
        return free + FIXED_NAMES[: self.n_fixed]

    @property
    def converged(self) -> bool:
        """Whether every stage of the fit converged."""
        return all(trace.converged for trace in self.traces)

    @property
    def ending(self) -> Ending:
        """Why the fit ended; ``"fixed"`` is a fit that was to do all its iterations and did not converge in them."""
        if self.converged:
            return "converged"
        return "fixed" if self.options.tol == 0 else "out of iterations"

    @property
    def answer_values(self) -> FloatArray:
        """What each answer says as a probability of liking, (n_answers,)."""
        if self.options.mode == "like":
            return np.array([0.0, 1.0])
        return self.scale.to_unit(self.scale.levels)

    @cached_property
    def likes(self) -> FloatArray:
        """The expected rating of each item by each stereotype as a probability of liking, (n_items, n_columns)."""
        if self.options.mode == "like":
            return _read_only(self.answers[:, 1, :])
        return _read_only(np.einsum("izk,z->ik", self.answers, self.answer_values))

    def user_rows(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows of the users with these ids, in their order."""
        return _rows(self.user_index, ids, "user")

    def item_rows(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows of the items with these ids, in their order."""
        return _rows(self.item_index, ids, "item")

    @cached_property
    def user_index(self) -> dict[str, int]:
        """The row of each user id."""
        return {name: row for row, name in enumerate(self.user_ids)}

    @cached_property
    def item_index(self) -> dict[str, int]:
        """The row of each item id."""
        return {name: row for row, name in enumerate(self.item_ids)}


def _rows(index: dict[str, int], ids: Iterable[str], kind: str) -> NDArray[np.int64]:
    wanted = [str(name) for name in ids]
    unknown = [name for name in wanted if name not in index]
    if unknown:
        known = next(iter(index), "none")
        raise InputError(
            f"The model does not know {len(unknown):,} of {len(wanted):,} {kind} ids, the first is {unknown[0]!r} "
            f"(an id that it knows: {known!r}); use the ids of the ratings it was fitted to."
        )
    return np.array([index[name] for name in wanted], dtype=np.int64)


def like_answers(likes: FloatArray) -> FloatArray:
    """Return the answers dislike and like, (n_items, 2, n_columns), for ``likes`` (n_items, n_columns)."""
    return np.stack([1.0 - likes, likes], axis=1)


def fixed_likes(scale: Scale) -> FloatArray:
    """Return the probabilities that the enthusiast and the skeptic like anything, (2,)."""
    return np.array([1.0, scale.lowest_unit])


def _read_only(array: FloatArray) -> FloatArray:
    """Return the array itself if it is read-only, else a read-only copy."""
    array = np.asarray(array, dtype=np.float64)
    if array.flags.writeable or not array.flags.c_contiguous:
        array = array.copy(order="C")
        array.flags.writeable = False
    return array


def _check_shapes(model: Model) -> None:
    mixtures, answers = model.mixtures.shape, model.answers.shape
    if len(mixtures) != 2 or len(answers) != 3 or mixtures[1] != answers[2] or mixtures[1] < 1 or answers[1] < 2:
        raise InputError(f"Mixtures of shape {mixtures} and answers of shape {answers} do not make a model.")
    columns = mixtures[1]
    expected: dict[str, tuple[NDArray[np.float64], tuple[int, ...]]] = {
        "mixtures": (model.mixtures, (len(model.user_ids), columns)),
        "answers": (model.answers, (len(model.item_ids), answers[1], columns)),
        "mean_mixture": (model.mean_mixture, (columns,)),
        "mixture_precision": (model.mixture_precision, (columns, columns)),
        "mean_answer": (model.mean_answer, (answers[1],)),
    }
    for name, (array, shape) in expected.items():
        if array.shape != shape:
            raise InputError(f"{name} has the shape {array.shape} where the model needs {shape}.")
    if model.n_fixed not in (0, len(FIXED_NAMES)) or model.n_fixed >= columns:
        raise InputError(f"{model.n_fixed} of {columns} columns cannot be stereotypes of generosity.")
    if not np.isfinite(model.mixture_precision).all():
        raise InputError("The precision of the mixtures has entries that are not finite.")


def _check_given_names(model: Model) -> None:
    names = model.given_names
    if names is None:
        return
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        raise InputError("Given names must be a tuple of texts, one per stereotype.")
    if len(names) != model.n_stereotypes:
        raise InputError(f"{len(names)} names for {model.n_stereotypes} stereotypes; give one each, or an empty one.")
    faults = [
        f"{name[:LONGEST_NAME]!r} {fault}"
        for name in names
        for fault, holds in (
            (f"has more than {LONGEST_NAME} characters", len(name) > LONGEST_NAME),
            ("has characters that cannot be printed", not name.isprintable()),
            ("begins or ends with a space", name != name.strip()),
            ("belongs to a stereotype of generosity", name.casefold() in FIXED_NAMES),
            ("is given twice", name != "" and [other.casefold() for other in names].count(name.casefold()) > 1),
        )
        if holds
    ]
    if faults:
        raise InputError("These names cannot be used: " + "; ".join(dict.fromkeys(faults)) + ".")


def _check_distributions(what: str, rows: FloatArray, ids: Sequence[str]) -> None:
    """Raise InputError unless rows are probabilities that sum to 1 along the last axis; ``ids`` name the first."""
    wrong = ~(rows.min(axis=-1) >= 0.0) | ~(np.abs(rows.sum(axis=-1) - 1.0) <= CONSTRAINT_TOLERANCE)
    if wrong.any():
        first = int(np.argwhere(wrong)[0][0])
        raise InputError(
            f"{what} must be probabilities that add up to 1; the first that are not belong to {ids[first]!r}."
        )
