"""Algorithm 1 in like mode: alternating constrained least squares, with the fill, generosity and shrinkage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnm_core._kernels.compiling import finish_compiling
from nnm_core._kernels.gram import partner_rows
from nnm_core._kernels.half_step import half_step, inner_products, known_errors, row_sums
from nnm_core.fitting.fill import with_sampled_zeros
from nnm_core.fitting.kinship import Kinship, in_common, kinship
from nnm_core.fitting.progress import Watch
from nnm_core.fitting.tracelog import TraceLog
from nnm_core.fitting.workers import Workers
from nnm_core.model import Trace, fixed_likes
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings, Side
from nnm_core.scale import Scale
from nnm_core.types import FloatArray

PSEUDO_RATINGS = 5.0
"""Average ratings that are added to an item's own when its mean is taken."""

TIE_BREAK = 1e-8
"""The least pull toward the average: of all solutions that fit a row's ratings equally well, it picks the nearest."""


@dataclass(slots=True)
class Factors:
    """What an alternation arrives at.

    ``mixtures`` (n_users, D + n_fixed); ``likes`` (n_items, D), the free stereotypes alone; ``fixed`` (n_fixed,), what
    the fixed ones make of every item; ``mean_mixture`` (D + n_fixed,), toward which the last round drew people.
    """

    mixtures: FloatArray
    likes: FloatArray
    fixed: FloatArray
    mean_mixture: FloatArray

    def all_likes(self) -> FloatArray:
        """The likes of all stereotypes, fixed ones last, (n_items, D + n_fixed)."""
        return np.hstack([self.likes, np.tile(self.fixed, (len(self.likes), 1))])


def alternate(
    ratings: Ratings, options: FitOptions, rng: np.random.Generator, workers: Workers, watch: Watch
) -> tuple[Factors, Trace]:
    """Fit mixtures and likes to the ratings from a random start."""
    problem = _Problem.of(ratings)
    fill_sweeps = 0 if options.fill == "none" else min(options.fill_sweeps, options.n_sweeps)
    filled = with_sampled_zeros(ratings, rng) if options.fill == "sampled" and fill_sweeps else None
    factors = _random_start(ratings, options.n_stereotypes, problem.item_means, rng)
    kin = kinship(ratings, options.kinship if options.shrinkage else 0, workers)
    steps = _HalfSteps(problem, factors, options.shrinkage, kin, workers)
    log = TraceLog("like", ratings.scale, len(ratings), 2 * fill_sweeps)
    finish_compiling()
    for sweep in range(options.n_sweeps):
        if sweep < fill_sweeps:
            steps.problem = problem if filled is None else _Problem(*filled, problem.item_means)
            everything = filled is None
        else:
            steps.problem, everything = problem, False
        if sweep == fill_sweeps and options.generosity:
            steps.add_generosity(ratings.scale)
        shrinks = sweep >= fill_sweeps
        log.objectives += [steps.items(everything, shrinks), steps.users(everything, shrinks)]
        known = steps.error if sweep >= fill_sweeps else squared_error(ratings, factors, workers)
        log.end_sweep(known, steps.residual)
        watch.sweep_done(log, factors.mixtures, factors.all_likes)
        if log.progress() < options.tol:
            break
    return factors, log.trace()


@dataclass(slots=True)
class _Problem:
    """The ratings of both sides, what their codes mean, and the mean toward which each item is drawn, (n_items, 1)."""

    by_user: Side
    by_item: Side
    targets: FloatArray
    item_means: FloatArray

    @classmethod
    def of(cls, ratings: Ratings) -> _Problem:
        targets = ratings.scale.to_unit(ratings.levels)
        return cls(ratings.by_user, ratings.by_item, targets, damped_item_means(ratings.by_item, targets)[:, None])


class _HalfSteps:
    """The two half-steps of a round, with the bookkeeping of the objective that both lower.

    The objective is the squared error, plus the pull of every item toward its mean and of every user toward the mean
    mixture, each corrected by what its kin have in common. These centers follow the likes and the mixtures: they are
    the nearest of their kind, which lowers the objective too.
    """

    def __init__(self, problem: _Problem, factors: Factors, shrinkage: float, kin: Kinship, workers: Workers) -> None:
        self.problem, self.factors, self.workers = problem, factors, workers
        self.error = 0.0
        self.residual = 0.0  # the largest of the round; items open a round
        self._shrinkage = shrinkage
        self._kin = kin
        self._rated = problem.by_user.counts > 0
        self._center_items()
        self._center_users()

    def add_generosity(self, scale: Scale) -> None:
        """Let the enthusiast and the skeptic join, with no weight at first."""
        factors = self.factors
        factors.fixed = fixed_likes(scale)
        nobody = np.zeros((len(factors.mixtures), len(factors.fixed)))
        factors.mixtures = np.hstack([factors.mixtures, nobody])
        self._center_users()

    def items(self, everything: bool, shrinks: bool) -> float:
        """Best likes for the mixtures, in place; returns the objective."""
        factors, dim = self.factors, self.factors.likes.shape[1]
        explained = _weighted_columns(factors.mixtures[:, dim:], factors.fixed)
        rows, centers = partner_rows(factors.mixtures[:, :dim]), self._item_centers
        self._solve(
            self.problem.by_item, rows, explained, factors.likes, centers, everything, shrinks, on_simplex=False
        )
        self._center_items()
        return self._objective(shrinks)

    def users(self, everything: bool, shrinks: bool) -> float:
        """Best mixtures for the likes, in place; returns the objective."""
        factors = self.factors
        factors.mean_mixture = self._mean_mixture
        rows, nothing = partner_rows(factors.all_likes()), np.zeros(len(factors.likes))
        self._solve(
            self.problem.by_user,
            rows,
            nothing,
            factors.mixtures,
            self._user_centers,
            everything,
            shrinks,
            on_simplex=True,
        )
        self._center_users()
        return self._objective(shrinks)

    def _solve(
        self,
        side: Side,
        rows: FloatArray,
        explained: FloatArray,
        solution: FloatArray,
        centers: FloatArray,
        everything: bool,
        shrinks: bool,
        on_simplex: bool,
    ) -> None:
        dim = solution.shape[1]
        errors, residuals = np.empty(len(solution)), np.empty(len(solution))
        self.workers.run(
            half_step,
            side.starts,
            side.partners,
            side.codes,
            self.problem.targets,
            rows,
            explained,
            np.ascontiguousarray(inner_products(rows, rows)[:dim, :dim]) if everything else np.empty((0, 0)),
            max(self._shrinkage, TIE_BREAK) * np.eye(dim) if shrinks else np.zeros((dim, dim)),
            centers,
            on_simplex,
            solution,
            errors,
            residuals,
        )
        self.error = float(errors.sum())
        self.residual = float(residuals.max()) if not on_simplex else max(self.residual, float(residuals.max()))

    def _center_items(self) -> None:
        """Draw every item toward its mean, and what the likes of its kin differ from theirs."""
        means = self.problem.item_means
        self._item_centers = means + in_common(self._kin.items, self.factors.likes - means)

    def _center_users(self) -> None:
        """Draw every user toward the mean mixture, and what the mixtures of their kin differ from it."""
        mixtures = self.factors.mixtures
        self._mean_mixture = mixtures[self._rated].mean(axis=0)
        self._user_centers = self._mean_mixture + in_common(self._kin.users, mixtures)

    def _objective(self, shrinks: bool) -> float:
        if not shrinks or self._shrinkage == 0:
            return self.error
        item_pull = np.square(self.factors.likes - self._item_centers).sum()
        user_pull = np.square(self.factors.mixtures - self._user_centers)[self._rated].sum()
        return self.error + self._shrinkage * float(item_pull + user_pull)


def squared_error(ratings: Ratings, factors: Factors, workers: Workers) -> float:
    """The squared error over the known ratings, as probabilities of liking."""
    rows, nothing = partner_rows(factors.all_likes()), np.zeros(len(factors.likes))
    errors, side = np.empty(ratings.n_users), ratings.by_user
    targets = ratings.scale.to_unit(ratings.levels)
    workers.run(known_errors, side.starts, side.partners, side.codes, targets, rows, nothing, factors.mixtures, errors)
    return float(errors.sum())


def damped_item_means(by_item: Side, targets: FloatArray) -> FloatArray:
    """The mean rating of each item as a probability of liking, drawn toward the mean of all, (n_items,)."""
    sums = row_sums(by_item.starts, by_item.codes, targets)
    mean = sums.sum() / len(by_item.codes)
    return np.asarray((sums + PSEUDO_RATINGS * mean) / (by_item.counts + PSEUDO_RATINGS))


def _random_start(ratings: Ratings, dim: int, item_means: FloatArray, rng: np.random.Generator) -> Factors:
    """Every user a random stereotype, every item liked by all stereotypes as by people on average."""
    mixtures = np.zeros((ratings.n_users, dim))
    mixtures[np.arange(ratings.n_users), rng.integers(dim, size=ratings.n_users)] = 1.0
    return Factors(mixtures, np.repeat(item_means, dim, axis=1), np.empty(0), mixtures.mean(axis=0))


def _weighted_columns(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """columns @ weights, summed column by column: the same bits whatever the linear algebra library does."""
    total = np.zeros(len(columns))
    for k, weight in enumerate(weights):
        total += weight * columns[:, k]
    return total
