"""The NNM nearest to a relaxed model, found without ever forming the users × items matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core._kernels.solvers import solve_rows
from nnm_core.fitting.alternation import Factors, InMemoryAlternation, Momentum, squared_error
from nnm_core.fitting.distilled.sampler import Average
from nnm_core.fitting.progress import Progress
from nnm_core.fitting.workers import Workers
from nnm_core.model import CONVERGED
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

MAX_SWEEPS = 300
PUSH = 1.5
"""How far beyond a person's own predictions the start of a stereotype lies, seen from the average."""


def project(
    chains: Sequence[Average],
    ratings: Ratings,
    n_stereotypes: int,
    fixed: FloatArray,
    rng: np.random.Generator,
    workers: Workers,
    progress: Progress,
) -> Factors:
    """Return the factors of the NNM with so many stereotypes, and the fixed ones, nearest to the mean of the chains.

    A pair counts by (n_u + 1)(n_i + 1), so that what is known well is met well.
    """
    target = _Target(
        left=np.hstack([chain.mixtures for chain in chains]) / len(chains),
        right=np.hstack([chain.likes for chain in chains]),
        user_weights=1.0 + ratings.by_user.counts.astype(np.float64),
        item_weights=1.0 + ratings.by_item.counts.astype(np.float64),
    )
    n_columns = n_stereotypes + len(fixed)
    mixtures = np.full((ratings.n_users, n_columns), 1.0 / n_columns)
    factors = Factors(mixtures, _start(target, n_stereotypes, rng), fixed, mixtures[0])
    progress.begin_stage("projection", ratings)
    Momentum(_Projection(target, factors, ratings, workers), enabled=True).run(MAX_SWEEPS, CONVERGED, progress)
    factors.mean_mixture = factors.mixtures.mean(axis=0)
    return factors


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """What is projected: predictions ``left @ right.T`` (n_users, n_items), and how much each row and column counts."""

    left: FloatArray
    right: FloatArray
    user_weights: FloatArray
    item_weights: FloatArray

    def distance(self, factors: Factors) -> float:
        """Return the weighted squared distance to the predictions of ``factors``, from Gram matrices alone."""
        users = np.hstack([factors.mixtures, -self.left])
        items = np.hstack([factors.all_likes(), self.right])
        user_gram = users.T @ (users * self.user_weights[:, None])
        item_gram = items.T @ (items * self.item_weights[:, None])
        return float(np.sum(user_gram * item_gram))


class _Projection(InMemoryAlternation):
    """The two half-steps of a sweep; both lower the distance to the target."""

    def __init__(self, target: _Target, factors: Factors, ratings: Ratings, workers: Workers) -> None:
        super().__init__(factors, target.item_weights)
        self._target, self._ratings, self._workers = target, ratings, workers
        self.update_users()

    def objective(self) -> float:
        """Return the distance to the target."""
        return self._target.distance(self.factors)

    def squared_error(self) -> float:
        """Return the squared error over the known ratings, as probabilities of liking."""
        return squared_error(self._ratings, self.factors, self._workers)

    def update_users(self) -> None:
        """Replace the mixtures by the best ones for the likes."""
        target, likes = self._target, self.factors.all_likes()
        weighted = likes * target.item_weights[:, None]
        linear = target.left @ (target.right.T @ weighted)
        _solve(weighted.T @ likes, linear, self.factors.mixtures, True, self._workers)

    def update_items(self) -> None:
        """Replace the likes by the best ones for the mixtures."""
        target, factors = self._target, self.factors
        n_free = factors.likes.shape[1]
        taste, habit = factors.mixtures[:, :n_free], factors.mixtures[:, n_free:]
        weighted = taste * target.user_weights[:, None]
        linear = target.right @ (target.left.T @ weighted) - (habit @ factors.fixed) @ weighted
        _solve(weighted.T @ taste, linear, factors.likes, False, self._workers)


def _start(target: _Target, n_stereotypes: int, rng: np.random.Generator) -> FloatArray:
    """Return likes of a few active people, exaggerated, (n_items, n_stereotypes)."""
    left, right = target.left, target.right
    chance = target.user_weights / target.user_weights.sum()
    people = rng.choice(len(left), size=n_stereotypes, replace=n_stereotypes > len(left), p=chance)
    average = right @ (chance @ left)
    return np.asarray(np.clip(average[:, None] + PUSH * (right @ left[people].T - average[:, None]), 0.0, 1.0))


def _solve(gram: FloatArray, linear: FloatArray, solution: FloatArray, on_simplex: bool, workers: Workers) -> None:
    """Solve one problem per row, all with the same matrix, in place."""
    even = np.arange(len(solution) + 1, dtype=np.int64)
    workers.run(solve_rows, 64 * even, gram, np.ascontiguousarray(linear), on_simplex, solution)
