"""Traits of people, such as gender or age: one more measurement of the same mixtures, P[trait | stereotype]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution
from nnm_core._kernels.solvers import scratch, solve
from nnm_core._kernels.stars import TOLERANCE, StarItems, star_items
from nnm_core.datasets.dataset import Labels
from nnm_core.errors import InputError
from nnm_core.interpret.audience import shares
from nnm_core.interpret.hierarchy.inclusion import Hierarchy, hierarchy_of
from nnm_core.model import Model
from nnm_core.phrases import distinct
from nnm_core.types import FloatArray, IntArray

_CALLS = 50
"""Calls of the solver at most; each takes up where the one before stopped."""


@dataclass(frozen=True, slots=True, eq=False)
class TraitVectors:
    """How likely each stereotype is to have each value of a trait; arrays are read-only.

    ``values``: such as "female" and "male". ``vectors`` (n_values, n_columns): P[value | stereotype], those of
    generosity included. Where everybody has exactly one value, each column sums to 1.
    ``errors`` (n_values, n_columns): standard errors of the least squares. ``counts`` (n_values,): people who have it;
    ``n_people``: people of whom the trait is known. ``weights`` (n_columns,): shares of the audience.
    """

    trait: str
    values: tuple[str, ...]
    vectors: FloatArray
    errors: FloatArray
    counts: IntArray
    n_people: int
    weights: FloatArray

    def __post_init__(self) -> None:
        for name in ("vectors", "errors", "counts", "weights"):
            getattr(self, name).flags.writeable = False

    @property
    def base_rates(self) -> FloatArray:
        """The share of people with each value among those of whom the trait is known, (n_values,)."""
        return self.counts / max(self.n_people, 1)

    @property
    def relative(self) -> FloatArray:
        """How much likelier each value is for each stereotype than for the audience, (n_values, n_columns)."""
        return self.vectors - self.base_rates[:, None]

    def table(self, names: Iterable[str]) -> pd.DataFrame:
        """One line per value and stereotype; ``names`` of all columns of the model."""
        names = list(names)
        n_values, n_columns = self.vectors.shape
        if len(names) != n_columns:
            raise InputError(f"{len(names)} names for {n_columns} stereotypes.")
        return pd.DataFrame(
            {
                "trait": self.trait,
                "value": np.repeat(np.array(self.values, dtype=object), n_columns),
                "stereotype": np.tile(np.array(names, dtype=object), n_values),
                "probability": self.vectors.ravel(),
                "audience": np.repeat(self.base_rates, n_columns),
                "standard error": self.errors.ravel(),
                "people": np.repeat(self.counts, n_columns),
            }
        )


def trait_vectors(model: Model, labels: Labels, trait: str = "trait") -> TraitVectors:
    """P[value | stereotype] for the values of a trait, by the least squares that fits items.

    A trait of which everybody has at most one value is a question with several answers, and is fitted as stars are: a
    distribution per stereotype. Any other is a list of yes-or-no questions, each fitted as likes are. People of whom
    nothing is known are left out; without any, all probabilities are 0.
    """
    check_same_people(model, labels, trait)
    known = np.diff(labels.member.indptr) > 0
    return TraitVectors(
        trait=trait,
        values=labels.names,
        vectors=fitted_values(model.mixtures, labels.member),
        errors=_standard_errors(model.mixtures[known], labels.counts),
        counts=labels.counts,
        n_people=int(known.sum()),
        weights=shares(model),
    )


def fitted_values(mixtures: FloatArray, member: csr_array) -> FloatArray:
    """P[value | stereotype] of all values, (n_values, n_columns), from who is what mixture and who has which value.

    ``mixtures`` (n_people, n_columns); ``member`` (n_people, n_values), whose empty rows are people who said nothing.
    """
    per_person = np.diff(member.indptr)
    known = per_person > 0
    if not known.any():
        return np.zeros((member.shape[1], mixtures.shape[1]))
    if per_person.max() == 1:
        return _distributions(mixtures[known], member.indices, member.shape[1])
    return _yes_or_no(mixtures[known], member[known].toarray().astype(np.float64))


def trait_hierarchy(
    model: Model, traits: Iterable[tuple[str, Labels]], *, min_people: int = 1, leave_out: Iterable[str] = ()
) -> Hierarchy:
    """The hierarchy of all values of the given traits over the stereotypes of taste, by the machinery of tags.

    ``traits``: pairs of a name and its labels, such as ``dataset.traits.items()``, named as by ``value_names``.
    Rare values are as uncertain as their ``errors`` say: ``screening.ordered_traits`` leaves those out.
    """
    traits = list(traits)
    found = [trait_vectors(model, labels, trait) for trait, labels in traits]
    counts = np.concatenate([np.zeros(0, dtype=np.int64), *(vectors.counts for vectors in found)])
    stacked = np.concatenate([np.zeros((0, model.n_columns)), *(vectors.vectors for vectors in found)])
    enough = np.flatnonzero(counts >= max(min_people, 1))
    names = value_names(traits)
    found_enough = hierarchy_of([names[row] for row in enough], stacked[enough, : model.n_stereotypes], counts[enough])
    return found_enough.without(leave_out)


def value_names(traits: Iterable[tuple[str, Labels]]) -> tuple[str, ...]:
    """All values, trait by trait, no two alike; one that occurs in two traits is told apart by the trait's name."""
    pairs = [(trait, value) for trait, labels in traits for value in labels.names]
    often = Counter(value for _, value in pairs)
    return distinct(value if often[value] == 1 else f"{trait}: {value}" for trait, value in pairs)


def check_same_people(model: Model, labels: Labels, trait: str) -> None:
    """Refuse a trait of other people than those of the model."""
    if labels.member.shape[0] != model.n_users:
        raise InputError(
            f"The trait {trait!r} is given for {labels.member.shape[0]:,} of the model's {model.n_users:,} people."
        )


def _distributions(mixtures: FloatArray, values: IntArray, n_values: int) -> FloatArray:
    """One distribution over the values per stereotype, (n_values, n_columns)."""
    base = np.bincount(values, minlength=n_values) / len(values)
    solution = Solution.starting_at(np.repeat(base[None, :, None], mixtures.shape[1], axis=2))
    starts, people = np.array([0, len(mixtures)], dtype=np.int64), np.arange(len(mixtures), dtype=np.int32)
    codes: IntArray = values.astype(np.uint8) if n_values <= 2**8 else values.astype(np.uint32)
    ratings, problem = RatingRows(starts, people, codes), StarItems(mixtures, mixtures.shape[1], 0.0, base[None])
    for _ in range(_CALLS):
        star_items(0, 1, ratings.read_only(), problem, solution)
        if solution.residuals[0] <= TOLERANCE:
            break
    return np.asarray(solution.x[0])


def _yes_or_no(mixtures: FloatArray, has: FloatArray) -> FloatArray:
    """Each value's probability per stereotype, (n_values, n_columns), from who ``has`` it (n_people, n_values)."""
    gram, targets = mixtures.T @ mixtures, has.T @ mixtures
    vectors = np.repeat(has.mean(axis=0)[:, None], mixtures.shape[1], axis=1)
    for vector, target in zip(vectors, targets, strict=True):
        solve(gram, target, vector, False, scratch(mixtures.shape[1]))
    return vectors


def _standard_errors(mixtures: FloatArray, counts: IntArray) -> FloatArray:
    """Standard errors of least squares without bounds, at most 1, (n_values, n_columns)."""
    n_people = max(len(mixtures), 1)
    rates = counts / n_people
    spread = np.sqrt(np.maximum(np.diag(np.linalg.pinv(mixtures.T @ mixtures)), 0.0))
    return np.asarray(np.minimum(np.sqrt(rates * (1.0 - rates))[:, None] * spread, 1.0))
