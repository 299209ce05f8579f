"""Algorithm 1 in like mode: alternating constrained least squares, with the fill, generosity and shrinkage.

The loop is in :func:`alternate`. ``Factors`` is its state, ``_Alternation`` has the two half-steps and the objective,
``_Phase`` says what is minimised: first the filled ratings, then the known ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnm_core._kernels.compiling import finish_compiling
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import LeastSquares, Solution, half_step, least_squares, weighted_errors
from nnm_core.fitting.averages import damped_item_means
from nnm_core.fitting.convergence import Momentum
from nnm_core.fitting.fill import with_sampled_zeros
from nnm_core.fitting.progress import Progress
from nnm_core.fitting.rating_pattern import RatingPattern, find_rating_pattern, project
from nnm_core.fitting.starts import relocate_busy_users
from nnm_core.fitting.workers import Workers
from nnm_core.model import fixed_likes
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.types import FloatArray

TIE_BREAK = 1e-8
"""The least pull toward the average: of all solutions that fit a row's ratings equally well, it picks the nearest."""


@dataclass(slots=True)
class Factors:
    """The state of an alternation.

    ``mixtures`` (n_users, D + n_fixed); ``likes`` (n_items, D), the free stereotypes alone; ``fixed`` (n_fixed,), the
    probabilities that the fixed ones like anything; ``mean_mixture`` (D + n_fixed,), toward which the last sweep drew
    people.
    """

    mixtures: FloatArray
    likes: FloatArray
    fixed: FloatArray
    mean_mixture: FloatArray

    def all_likes(self) -> FloatArray:
        """Return the likes of all stereotypes, fixed ones last, (n_items, D + n_fixed)."""
        return np.hstack([self.likes, np.tile(self.fixed, (len(self.likes), 1))])


def alternate(
    ratings: Ratings,
    options: FitOptions,
    rng: np.random.Generator,
    workers: Workers,
    progress: Progress,
    *,
    pattern: RatingPattern | None = None,
    best_objective: float | None = None,
) -> Factors:
    """Fit mixtures and likes to the ratings from a random start.

    ``pattern``: as :func:`find_pattern` returns it, if several starts share it. ``best_objective``: what an earlier
    start ended with; a start that cannot reach it any more is given up.
    """
    fill_sweeps = 0 if options.fill == "none" else min(options.fill_sweeps, options.n_sweeps)
    known = _Phase.of_known(ratings, options.shrinkage)
    filled = _Phase.of_filled(ratings, options, rng) if fill_sweeps else known
    item_means = damped_item_means(ratings.by_item, known.targets)[:, None]
    factors = _random_start(ratings, options.n_stereotypes, item_means, rng)
    steps = _Alternation(filled, factors, item_means, pattern or find_pattern(ratings, options, workers), workers)
    progress.begin_stage("like", ratings, n_filled=2 * fill_sweeps)
    finish_compiling()

    def run(n_sweeps: int, momentum: Momentum) -> None:
        for _ in range(n_sweeps):
            objectives = momentum.sweep()
            error = steps.error if steps.phase is known else squared_error(ratings, factors, workers)
            progress.end_sweep(
                objectives, error, steps.residual, momentum.movement, factors.mixtures, factors.all_likes
            )
            trace = progress.traces[-1]
            if trace.is_steady(options.tol) or (best_objective is not None and trace.is_hopeless(best_objective)):
                break

    is_filled_throughout = fill_sweeps == options.n_sweeps
    run(fill_sweeps, Momentum(steps, enabled=options.momentum and is_filled_throughout))
    if is_filled_throughout:
        return factors
    steps.phase = known
    if options.generosity:
        steps.add_generosity(ratings.scale)
    momentum = Momentum(steps, enabled=options.momentum)
    run(options.n_sweeps - fill_sweeps, momentum)
    while options.starts > 1 and relocate_busy_users(steps, ratings.by_user.counts, steps.objective()):
        momentum.restart()
        run(options.n_sweeps - fill_sweeps, momentum)
    return factors


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
        if options.fill == "sampled":
            return cls(*with_sampled_zeros(ratings, rng))
        return cls(ratings.by_user, ratings.by_item, ratings.scale.to_unit(ratings.levels), zeros_count=True)


class _Alternation:
    """The two half-steps of a sweep, and the objective that both lower.

    The objective is the squared error, plus the pull of every item and every user toward its center. The centers are
    the damped means of the items and the mean mixture of the users, each plus the projection of the present likes or
    mixtures onto the rating pattern: the nearest points of their kind, so that moving the centers lowers the objective
    too. ``error`` and ``residual``: the squared error, and the largest optimality residual of this sweep.
    """

    def __init__(
        self, phase: _Phase, factors: Factors, item_means: FloatArray, pattern: RatingPattern, workers: Workers
    ) -> None:
        self.phase, self.factors = phase, factors
        self.error = self.residual = 0.0
        self._item_means, self._pattern, self._workers = item_means, pattern, workers
        self._rated = phase.by_user.counts > 0
        self.item_weights = phase.by_item.counts / len(phase.by_item.codes)
        self._center_items()
        self._center_users()

    def add_generosity(self, scale: Scale) -> None:
        """Add the enthusiast and the skeptic, with no weight at first."""
        factors = self.factors
        factors.fixed = fixed_likes(scale)
        factors.mixtures = np.hstack([factors.mixtures, np.zeros((len(factors.mixtures), len(factors.fixed)))])
        self._center_users()

    @property
    def mixtures(self) -> FloatArray:
        """The mixtures of all users."""
        return self.factors.mixtures

    @property
    def answers(self) -> FloatArray:
        """The likes of the free stereotypes."""
        return self.factors.likes

    def move_to(self, mixtures: FloatArray, answers: FloatArray) -> None:
        """Continue from these mixtures and the nearest valid likes."""
        self.factors.mixtures[:] = mixtures
        np.clip(answers, 0.0, 1.0, out=self.factors.likes)
        self._center_items()
        self._center_users()

    def sweep(self) -> tuple[float, float]:
        """Improve the likes, then the mixtures; return the objective after each half-step."""
        self.update_items()
        after_items = self.objective()
        self.update_users()
        return after_items, self.objective()

    def update_items(self) -> None:
        """Replace the likes by the best ones for the mixtures."""
        factors, dim = self.factors, self.factors.likes.shape[1]
        explained = _weighted_columns(factors.mixtures[:, dim:], factors.fixed)
        problem = self._problem(factors.mixtures[:, :dim], self._item_centers, explained, on_simplex=False)
        self.residual = self._solve(self.phase.by_item, problem, factors.likes)
        self._center_items()

    def update_users(self) -> None:
        """Replace the mixtures by the best ones for the likes."""
        factors = self.factors
        factors.mean_mixture = self._mean_mixture
        problem = self._problem(factors.all_likes(), self._user_centers, None, on_simplex=True)
        self.residual = max(self.residual, self._solve(self.phase.by_user, problem, factors.mixtures))
        self._center_users()

    def objective(self) -> float:
        """Return the squared error plus the pull toward the centers."""
        if self.phase.penalty == 0:
            return self.error
        item_pull = np.square(self.factors.likes - self._item_centers).sum()
        user_pull = np.square(self.factors.mixtures - self._user_centers)[self._rated].sum()
        return self.error + self.phase.penalty * float(item_pull + user_pull)

    def _problem(
        self, partners: FloatArray, centers: FloatArray, explained: FloatArray | None, on_simplex: bool
    ) -> LeastSquares:
        phase = self.phase
        return least_squares(
            phase.targets,
            partners,
            phase.pull * np.eye(partners.shape[1]),
            centers,
            explained=explained,
            zeros_count=phase.zeros_count,
            on_simplex=on_simplex,
        )

    def _solve(self, ratings: RatingRows, problem: LeastSquares, x: FloatArray) -> float:
        """Solve for ``x`` in place, keep the squared error and return the largest residual."""
        solution = Solution.starting_at(x)
        self._workers.run(half_step, ratings.starts, ratings, problem, solution)
        self.error = float(solution.errors.sum())
        return float(solution.residuals.max())

    def _center_items(self) -> None:
        means = self._item_means
        self._item_centers = means + project(self._pattern.items, self.factors.likes - means)

    def _center_users(self) -> None:
        mixtures = self.factors.mixtures
        self._mean_mixture = mixtures[self._rated].mean(axis=0)
        self._user_centers = self._mean_mixture + project(self._pattern.users, mixtures)


def squared_error(ratings: Ratings, factors: Factors, workers: Workers) -> float:
    """Return the squared error over the known ratings, as probabilities of liking."""
    targets, errors = ratings.scale.to_unit(ratings.levels), np.empty(ratings.n_users)
    by_user, weights = ratings.by_user, np.ones(ratings.n_items)
    workers.run(
        weighted_errors, by_user.starts, by_user, targets, factors.all_likes(), weights, factors.mixtures, errors
    )
    return float(errors.sum())


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
