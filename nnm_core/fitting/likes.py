"""Algorithm 1 in like mode: alternating constrained least squares, with the fill, generosity and shrinkage.

``InMemoryLikes`` has the two half-steps and the objective, ``_Phase`` says what is minimised: first the filled
ratings, then the known ones. ``run_schedule`` is the order of things, which a fit on a cluster follows as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core._kernels.compiling import finish_compiling
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import LeastSquares, Solution, half_step, least_squares
from nnm_core._kernels.products import inner_products, row_products
from nnm_core.fitting.alternation import Alternation, Factors, InMemoryAlternation, Momentum, squared_error
from nnm_core.fitting.averages import damped_item_means
from nnm_core.fitting.fill import Zeros, with_zeros
from nnm_core.fitting.progress import Progress
from nnm_core.fitting.rating_pattern import RatingPattern, find_rating_pattern
from nnm_core.fitting.starts import Rivals, busiest_users, relocate_users
from nnm_core.fitting.workers import Workers
from nnm_core.model import Model, fixed_likes
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

TIE_BREAK = 1e-8
"""The least pull toward the average: of all solutions that fit a row's ratings equally well, it picks the nearest."""


def alternate(
    ratings: Ratings,
    options: FitOptions,
    rng: np.random.Generator,
    workers: Workers,
    progress: Progress,
    *,
    pattern: RatingPattern | None = None,
    found: Sequence[Model] = (),
) -> Factors:
    """Fit mixtures and likes to the ratings from a random start.

    ``pattern``: as :func:`find_pattern` returns it, if several starts share it. ``found``: what earlier starts ended
    in; this one is stopped where it arrives at one of them, or cannot reach the best of them any more.
    """
    fill_sweeps = count_fill_sweeps(options)
    known = _Phase.of_known(ratings, options.shrinkage)
    filled = _Phase.of_filled(ratings, options, rng) if fill_sweeps else known
    pattern = pattern or find_pattern(ratings, options, workers)
    steps = InMemoryLikes(ratings, filled, known, options.n_stereotypes, rng, pattern, workers)
    progress.begin_stage("like", ratings, n_filled=2 * fill_sweeps)
    finish_compiling()

    run_schedule(steps, options, progress, found=found, busy=busiest_users(ratings.by_user.counts))
    return steps.factors


class LikeAlternation(Alternation):
    """An alternation in like mode, which begins with unknown ratings as zeros."""

    @abstractmethod
    def count_known_only(self, generosity: bool) -> None:
        """End the fill, and add the stereotypes of generosity if asked to, with no weight at first."""


def run_schedule(
    steps: LikeAlternation,
    options: FitOptions,
    progress: Progress,
    *,
    found: Sequence[Model] = (),
    busy: Sequence[int] = (),
    resumed: Momentum | None = None,
    in_fill: bool = False,
) -> None:
    """Sweep as the options say: first with the fill, then over the known ratings until the model has converged.

    ``found``: what earlier starts ended in; ``busy``: people for whom other stereotypes are tried, if there are several
    starts. ``resumed``: the momentum of a fit that was interrupted and goes on; ``in_fill``: it was still in the fill.
    """
    fill_sweeps = count_fill_sweeps(options)
    is_filled_throughout = fill_sweeps == options.n_sweeps
    momentum = resumed
    if momentum is None or in_fill:
        momentum = momentum or Momentum(steps, options.momentum and is_filled_throughout)
        momentum.run(fill_sweeps, options.tol, progress)
        if is_filled_throughout:
            return
        steps.count_known_only(options.generosity)
        momentum = Momentum(steps, options.momentum)
    rivals = Rivals(found, steps)
    while True:
        momentum.run(options.n_sweeps - fill_sweeps, options.tol, progress, lambda: rivals.settle(progress.traces[-1]))
        if options.starts == 1 or rivals.has_arrived or not relocate_users(steps, busy):
            return
        momentum.restart()


def count_fill_sweeps(options: FitOptions) -> int:
    """Return how many sweeps count unknown ratings as zeros."""
    return 0 if options.fill == "none" else min(options.fill_sweeps, options.n_sweeps)


def find_pattern(ratings: Ratings, options: FitOptions, workers: Workers) -> RatingPattern:
    """Return the rating pattern that the options shrink toward."""
    return find_rating_pattern(ratings, options.kinship if options.shrinkage else 0, workers)


@dataclass(frozen=True, slots=True, eq=False)
class _Phase:
    """What is minimised: the ratings that count and what their codes mean, and the pull toward the centers.

    ``zeros_count``: unknown ratings count as zeros. ``pull``: what the problems of the rows are solved with;
    ``penalty``: what the objective counts of it.
    """

    by_user: RatingRows
    by_item: RatingRows
    targets: FloatArray
    zeros_count: bool = False
    pull: float = 0.0
    penalty: float = 0.0

    @classmethod
    def of_known(cls, ratings: Ratings, shrinkage: float) -> _Phase:
        targets = ratings.scale.to_unit(ratings.levels)
        return cls(ratings.by_user, ratings.by_item, targets, pull=max(shrinkage, TIE_BREAK), penalty=shrinkage)

    @classmethod
    def of_filled(cls, ratings: Ratings, options: FitOptions, rng: np.random.Generator) -> _Phase:
        targets = ratings.scale.to_unit(ratings.levels)
        if options.fill == "sampled":
            zeros = Zeros.draw(rng, len(ratings), ratings.n_users, ratings.n_items)
            return cls(*with_zeros(ratings.by_user, 0, zeros, len(targets)), np.append(targets, 0.0))
        return cls(ratings.by_user, ratings.by_item, targets, zeros_count=True)


class InMemoryLikes(InMemoryAlternation, LikeAlternation):
    """The two half-steps of a sweep, and the objective that both lower.

    The objective is the squared error, plus the pull of every item and every user toward its center. The centers are
    the damped means of the items and the mean mixture of the users, each plus the projection of the present likes or
    mixtures onto the rating pattern: the nearest points of their kind, so that moving the centers lowers the objective
    too. ``phase``: what is minimised.
    """

    def __init__(
        self,
        ratings: Ratings,
        phase: _Phase,
        known: _Phase,
        n_stereotypes: int,
        rng: np.random.Generator,
        pattern: RatingPattern,
        workers: Workers,
    ) -> None:
        self._item_means = damped_item_means(ratings.by_item, ratings.scale.to_unit(ratings.levels))[:, None]
        super().__init__(_random_start(ratings, n_stereotypes, self._item_means, rng), ratings.by_item.counts)
        self.phase, self._known = phase, known
        self._ratings, self._pattern, self._workers = ratings, pattern, workers
        self._error = 0.0
        self._rated = (phase.by_user.counts > 0).astype(np.float64)
        self._center_items()
        self._center_users()

    def count_known_only(self, generosity: bool) -> None:
        """End the fill; add the enthusiast and the skeptic if asked to, with no weight at first."""
        self.phase, factors = self._known, self.factors
        if generosity:
            factors.fixed = fixed_likes(self._ratings.scale)
            factors.mixtures = np.hstack([factors.mixtures, np.zeros((len(factors.mixtures), len(factors.fixed)))])
            self._center_users()

    def move_to(self, mixtures: FloatArray, answers: FloatArray) -> None:
        """Continue from these mixtures and the nearest valid likes."""
        super().move_to(mixtures, answers)
        self._center_items()
        self._center_users()

    def update_items(self) -> None:
        """Replace the likes by the best ones for the mixtures."""
        factors, dim = self.factors, self.factors.likes.shape[1]
        explained = _weighted_columns(factors.mixtures[:, dim:], factors.fixed)
        centers = self._item_means + row_products(self._pattern.items, self._item_shift)
        problem = self._problem(factors.mixtures[:, :dim], centers, explained=explained, on_simplex=False)
        self.residual = self._solve(self.phase.by_item, problem, factors.likes)
        self._center_items()

    def update_users(self) -> None:
        """Replace the mixtures by the best ones for the likes."""
        factors = self.factors
        factors.mean_mixture = self._mean_mixture
        centers = self._mean_mixture + row_products(self._pattern.users, self._user_shift)
        problem = self._problem(factors.likes, centers, fixed=factors.fixed, on_simplex=True)
        self.residual = max(self.residual, self._solve(self.phase.by_user, problem, factors.mixtures))
        self._center_users()

    def objective(self) -> float:
        """Return the squared error plus the pull toward the centers."""
        return self._error + self.phase.penalty * (self._item_pull + self._user_pull)

    def squared_error(self) -> float:
        """Return the squared error over the known ratings, which is at hand unless unknown ones counted as zeros."""
        if self.phase.by_user is self._ratings.by_user and not self.phase.zeros_count:
            return self._error
        return squared_error(self._ratings, self.factors, self._workers)

    def _problem(
        self,
        partners: FloatArray,
        centers: FloatArray,
        *,
        fixed: FloatArray | None = None,
        explained: FloatArray | None = None,
        on_simplex: bool,
    ) -> LeastSquares:
        phase = self.phase
        return least_squares(
            phase.targets,
            partners,
            phase.pull * np.eye(centers.shape[1]),
            centers,
            fixed=fixed,
            explained=explained,
            zeros_count=phase.zeros_count,
            on_simplex=on_simplex,
        )

    def _solve(self, ratings: RatingRows, problem: LeastSquares, x: FloatArray) -> float:
        """Solve for ``x`` in place, keep the squared error and return the largest residual."""
        solution = Solution.starting_at(x)
        self._workers.run(half_step, ratings.starts, ratings, problem, solution)
        self._error = float(solution.errors.sum())
        return float(solution.residuals.max())

    def _center_items(self) -> None:
        """Find the part of the likes that the pattern explains, and the squared distance from their centers."""
        away = self.factors.likes - self._item_means
        self._item_shift = inner_products(away, self._pattern.items)
        self._item_pull = float(np.square(away).sum() - np.square(self._item_shift).sum())

    def _center_users(self) -> None:
        """Find the same for the mixtures of those who rated anything, beyond their mean."""
        mixtures, n_rated = self.factors.mixtures, self._rated.sum()
        self._mean_mixture = inner_products(self._rated[:, None], mixtures)[0] / n_rated
        self._user_shift = inner_products(mixtures, self._pattern.users)
        squares = np.einsum("n,nk,nk->", self._rated, mixtures, mixtures)
        around_mean = squares - n_rated * np.square(self._mean_mixture).sum()
        self._user_pull = float(around_mean - np.square(self._user_shift).sum())


def _random_start(ratings: Ratings, dim: int, item_means: FloatArray, rng: np.random.Generator) -> Factors:
    """Give every user a random stereotype; every stereotype likes every item as people do on average."""
    mixtures = np.zeros((ratings.n_users, dim))
    mixtures[np.arange(ratings.n_users), rng.integers(dim, size=ratings.n_users)] = 1.0
    return Factors(mixtures, np.repeat(item_means, dim, axis=1), np.empty(0), mixtures.mean(axis=0))


def _weighted_columns(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """Return columns @ weights, summed column by column: the same bits whatever the linear algebra library does."""
    total = np.zeros(len(columns))
    for k, weight in enumerate(weights):
        total += weight * columns[:, k]
    return total
