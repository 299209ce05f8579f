"""Traits of people, such as gender or age: P[value | stereotype], and shares among the people of a stereotype."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy.sparse import csr_array

from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution
from nnm_core._kernels.solvers import scratch, solve
from nnm_core._kernels.stars import TOLERANCE, StarItems, star_items
from nnm_core.datasets.dataset import Labels
from nnm_core.errors import InputError
from nnm_core.interpret.towers import CHANCE
from nnm_core.model import Model
from nnm_core.types import FloatArray, IntArray

_CALLS = 50  # of the solver at most; each continues where the one before stopped


@dataclass(frozen=True, slots=True, eq=False)
class TraitShares:
    """Shares of people with each value of a trait, among those of whom it is known; arrays are read-only.

    ``shares`` (n_values, n_stereotypes): everybody counts by how much of the stereotype they are. ``audience``
    (n_values,): everybody counts alike. ``surprise`` (n_values, n_stereotypes): the difference in standard deviations
    of what it would be if the values were dealt to people at random.
    """

    shares: FloatArray
    audience: FloatArray
    surprise: FloatArray

    def __post_init__(self) -> None:
        for array in (self.shares, self.audience, self.surprise):
            array.flags.writeable = False

    def clearest(self) -> tuple[int, int] | None:
        """Return the value and the stereotype that differ most from the audience, or None if that could be chance.

        Values dealt to people at random are taken for more with a probability of ``CHANCE`` at most (Bonferroni).
        """
        if not self.surprise.size:
            return None
        value, stereotype = np.unravel_index(int(np.abs(self.surprise).argmax()), self.surprise.shape)
        enough = NormalDist().inv_cdf(1 - CHANCE / (2 * self.surprise.size))
        return (int(value), int(stereotype)) if abs(self.surprise[value, stereotype]) > enough else None


def trait_vectors(model: Model, labels: Labels, trait: str = "trait") -> FloatArray:
    """Estimate P[value | stereotype] of a trait by the least squares that fits items, (n_values, n_columns).

    If everybody has at most one value, the values are the answers to one question, fitted as a distribution per
    stereotype. Otherwise each value is a yes-or-no question. People without a value are left out. ``trait`` is what
    error messages call the trait.

    >>> trait_vectors(model, dataset.traits["nearest stereotype"])[0].round(2)
    array([1., 0., 0.])
    """
    check_same_people(model, labels, trait)
    return fitted_values(model.mixtures, labels.member)


def trait_shares(model: Model, labels: Labels, trait: str = "trait") -> TraitShares:
    """Compute the share of people with each value of a trait, per stereotype; 0 where the trait of nobody is known.

    >>> trait_shares(model, dataset.traits["nearest stereotype"]).clearest()
    (0, 0)
    """
    check_same_people(model, labels, trait)
    known = np.diff(labels.member.indptr) > 0
    n_people = max(int(known.sum()), 1)
    parts = model.mixtures[known, : model.n_stereotypes]
    weights = parts.sum(axis=0)
    shares = np.asarray(labels.member[known].T.astype(np.float64) @ parts) / np.maximum(weights, 1e-12)
    audience = labels.counts / n_people
    # The more unequal the parts are, the more the shares vary when values are dealt to people at random.
    unequal = np.sqrt(n_people * parts.var(axis=0)) if len(parts) else np.zeros(parts.shape[1])
    spread = np.sqrt(audience * (1 - audience))[:, None] * unequal / np.maximum(weights, 1e-12)
    apart = shares - audience[:, None]
    return TraitShares(shares, audience, np.where(spread > 1e-9, apart / np.maximum(spread, 1e-9), 0.0))


def fitted_values(mixtures: FloatArray, member: csr_array) -> FloatArray:
    """Return P[value | stereotype], (n_values, n_columns).

    ``mixtures`` (n_people, n_columns); ``member`` (n_people, n_values), whose empty rows are people without a value.
    """
    per_person = np.diff(member.indptr)
    known = per_person > 0
    if not known.any():
        return np.zeros((member.shape[1], mixtures.shape[1]))
    if per_person.max() == 1:
        return _distributions(mixtures[known], member.indices, member.shape[1])
    return _yes_or_no(mixtures[known], member[known].toarray().astype(np.float64))


def check_same_people(model: Model, labels: Labels, trait: str) -> None:
    """Raise InputError unless the trait is given for as many people as the model has."""
    if labels.member.shape[0] != model.n_users:
        raise InputError(
            f"The trait {trait!r} is given for {labels.member.shape[0]:,} of the model's {model.n_users:,} people."
        )


def _distributions(mixtures: FloatArray, values: IntArray, n_values: int) -> FloatArray:
    """Return one distribution over the values per stereotype, (n_values, n_columns)."""
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
    """Return each value's probability per stereotype, (n_values, n_columns), from who ``has`` it (n_people, …)."""
    gram, targets = mixtures.T @ mixtures, has.T @ mixtures
    vectors = np.repeat(has.mean(axis=0)[:, None], mixtures.shape[1], axis=1)
    for vector, target in zip(vectors, targets, strict=True):
        solve(gram, target, vector, False, scratch(mixtures.shape[1]))
    return vectors
