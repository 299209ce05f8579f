"""The relaxed model: the shape of an NNM without its signs, sampled by Gibbs' method and averaged.

The constraints of an NNM do not limit how well it predicts; regularising inside them does. So this model drops them,
keeping only that mixtures sum to 1, learns its own regularisation (a normal prior with unknown mean and covariance on
each side, shifted by what rows have in common, and a noise level per row), and is averaged over many draws.
``projection`` then finds the NNM nearest to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from nnm_core._kernels.gram import partner_rows
from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution, weighted_errors
from nnm_core._kernels.relaxed import NormalRows, draw_rows
from nnm_core.fitting.averages import damped_item_means
from nnm_core.fitting.distilled.features import Features
from nnm_core.fitting.progress import CurrentModel, Progress
from nnm_core.fitting.workers import Workers
from nnm_core.model import fixed_likes
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

FEATURES_FROM = 5
"""The sweep from which on features shift the priors."""

_START_PRECISION = 25.0
_START_NOISE_PRECISION = 30.0
_PRIOR_SCALE = 0.02
_PRIOR_ROWS = 2.0
_NOISE_SHAPE = 5.0


@dataclass(slots=True)
class Average:
    """The mean of the draws of one chain: ``mixtures`` (n_users, T), rows summing to 1; ``likes`` (n_items, T).

    The last two columns of the likes are those of the enthusiast and the skeptic. ``noise_precision``: of a rating.
    """

    mixtures: FloatArray
    likes: FloatArray
    noise_precision: float


def sample(
    ratings: Ratings,
    user_features: Features,
    item_features: Features,
    n_factors: int,
    n_sweeps: int,
    burn_in: int,
    rng: np.random.Generator,
    workers: Workers,
    progress: Progress,
) -> Average:
    """Run one chain and average the draws after the burn-in."""
    chain = _Chain(ratings, n_factors, rng, workers)
    progress.begin_stage("relaxed", ratings)
    total_p, total_e, total_alpha = np.zeros_like(chain.p), np.zeros_like(chain.e), 0.0
    for sweep in range(n_sweeps):
        chain.draw_items()
        chain.draw_users()
        squared = chain.draw_noise()
        if sweep >= FEATURES_FROM:
            chain.users.shift(chain.p, user_features, rng)
            chain.items.shift(chain.e, item_features, rng)
        chain.users.learn(chain.p, rng)
        chain.items.learn(chain.e, rng)
        if sweep >= burn_in:
            total_p += chain.p
            total_e += chain.e
            total_alpha += chain.alpha
        current = CurrentModel.in_memory(chain.p, chain.all_likes)
        progress.end_sweep((squared, squared), squared, 0.0, np.nan, current)
    n = n_sweeps - burn_in
    return Average(total_p / n, _with_fixed(total_e / n, chain.fixed), total_alpha / n)


class _Chain:
    """The state of the sampler: mixtures ``p``, likes ``e``, row weights ``v`` and ``w``, noise precision ``alpha``."""

    def __init__(self, ratings: Ratings, n_factors: int, rng: np.random.Generator, workers: Workers) -> None:
        self.ratings, self.rng, self.workers = ratings, rng, workers
        self.fixed = fixed_likes(ratings.scale)
        self.targets = ratings.scale.to_unit(ratings.levels)
        width = n_factors + len(self.fixed)
        self.p = np.full((ratings.n_users, width), 0.05)
        self.p[:, :n_factors] = 0.9 * rng.dirichlet(np.full(n_factors, 0.5), ratings.n_users)
        means = damped_item_means(ratings.by_item, self.targets)
        self.e = means[:, None] + 0.05 * rng.standard_normal((ratings.n_items, n_factors))
        self.v, self.w = np.ones(ratings.n_users), np.ones(ratings.n_items)
        self.alpha = _START_NOISE_PRECISION
        self.errors = np.empty(0)
        self.users = _Prior(self.p, np.full(width, 1.0 / width))
        self.items = _Prior(self.e, np.full(n_factors, float(self.targets[ratings.by_user.codes].mean())))

    def all_likes(self) -> FloatArray:
        """Return the likes, fixed columns last, (n_items, T)."""
        return _with_fixed(self.e, self.fixed)

    def draw_items(self) -> None:
        """Draw the likes of every item given the mixtures."""
        n_factors = self.e.shape[1]
        explained = self.p[:, n_factors:] @ self.fixed
        mixtures, item_weights = self.p[:, :n_factors], self.alpha * self.w
        nothing = np.empty(0)
        self._draw(
            self.ratings.by_item, mixtures, nothing, explained, self.v, item_weights, self.items, self.e, on_plane=False
        )

    def draw_users(self) -> None:
        """Draw the mixture of every user given the likes; the errors, weighted by ``w``, stay in ``errors``."""
        nothing, user_weights = np.zeros(len(self.e)), self.alpha * self.v
        self._draw(
            self.ratings.by_user, self.e, self.fixed, nothing, self.w, user_weights, self.users, self.p, on_plane=True
        )

    def draw_noise(self) -> float:
        """Draw the noise levels of users, items and all; returns the plain squared error."""
        by_user, by_item = self.ratings.by_user, self.ratings.by_item
        self.v = self._weights(self.errors, by_user.counts)
        by_items = self._errors(self.v)
        self.w = self._weights(by_items, by_item.counts)
        both = float(self.w @ by_items)
        self.alpha = float(self.rng.gamma(1.0 + 0.5 * len(self.ratings)) / (0.03 + 0.5 * both))
        return float(self._errors(np.ones(len(self.v))).sum())

    def _weights(self, errors: FloatArray, counts: IntArray) -> FloatArray:
        """Draw a weight per row given its squared errors; their mean over the ratings is 1."""
        drawn = self.rng.gamma(_NOISE_SHAPE + 0.5 * counts) / (_NOISE_SHAPE + 0.5 * self.alpha * errors)
        return np.asarray(drawn * (counts.sum() / (drawn @ counts)))

    def _errors(self, user_weights: FloatArray) -> FloatArray:
        """Return the squared errors of each item's ratings, weighted by user, (n_items,)."""
        by_item, errors = self.ratings.by_item, np.empty(self.ratings.n_items)
        self.workers.run(
            weighted_errors, by_item.starts, by_item, self.targets, self.p, user_weights, self.all_likes(), errors
        )
        return errors

    def _draw(
        self,
        ratings: RatingRows,
        factors: FloatArray,
        fixed: FloatArray,
        explained: FloatArray,
        weights: FloatArray,
        row_weights: FloatArray,
        prior: _Prior,
        x: FloatArray,
        *,
        on_plane: bool,
    ) -> None:
        roots = np.sqrt(weights)
        given = NormalRows(
            targets=self.targets,
            factors=partner_rows(factors * roots[:, None]),
            fixed=fixed,
            explained=explained * roots,
            roots=roots,
            row_weights=row_weights,
            precision=prior.precision,
            pull=(prior.mean + prior.offsets) @ prior.precision,
            noise=self.rng.standard_normal(x.shape),
            on_plane=on_plane,
        )
        solution = Solution.starting_at(x)
        self.workers.run(draw_rows, ratings.starts, ratings, given, solution)
        self.errors = solution.errors


class _Prior:
    """A normal prior on the rows of one side, with unknown mean and precision, shifted per row by its features."""

    def __init__(self, rows: FloatArray, center: FloatArray) -> None:
        self.center = center
        self.mean = rows.mean(axis=0)
        self.precision = _START_PRECISION * np.eye(rows.shape[1])
        self.offsets = np.zeros_like(rows)

    def shift(self, rows: FloatArray, found: Features, rng: np.random.Generator) -> None:
        """Draw the rows' offsets given the rows: what the features explain of them."""
        if len(found.gains) == 0:
            return
        lower = cholesky(self.precision, lower=True)
        noise = rng.standard_normal((len(found.gains), rows.shape[1]))
        spread = solve_triangular(lower, noise.T, lower=True, trans="T").T
        along = found.directions.T @ (rows - self.mean)
        weights = found.gains[:, None] * along + np.sqrt(found.gains)[:, None] * spread
        self.offsets = found.directions @ weights

    def learn(self, rows: FloatArray, rng: np.random.Generator) -> None:
        """Draw mean and precision given the rows (a normal-Wishart distribution)."""
        n, dim = rows.shape
        rest = rows - self.offsets
        average = rest.mean(axis=0)
        away = average - self.center
        scatter = (rest - average).T @ (rest - average)
        scale = _PRIOR_SCALE * np.eye(dim) + scatter + (_PRIOR_ROWS * n / (_PRIOR_ROWS + n)) * np.outer(away, away)
        self.precision = _draw_wishart(scale, dim + n, rng)
        lower = cholesky((_PRIOR_ROWS + n) * self.precision, lower=True)
        middle = (_PRIOR_ROWS * self.center + n * average) / (_PRIOR_ROWS + n)
        self.mean = middle + solve_triangular(lower, rng.standard_normal((dim, 1)), lower=True, trans="T")[:, 0]


def _draw_wishart(inverse_scale: FloatArray, degrees: float, rng: np.random.Generator) -> FloatArray:
    """Draw from the Wishart distribution, by Bartlett's decomposition."""
    dim = len(inverse_scale)
    # inverse_scale = U U' gives scale = U^-T U^-1, of which U^-T is a square root
    root = solve_triangular(cholesky(inverse_scale, lower=True), np.eye(dim), lower=True, trans="T")
    bartlett = np.tril(rng.standard_normal((dim, dim)), -1)
    bartlett[np.diag_indices(dim)] = np.sqrt(rng.chisquare(degrees - np.arange(dim)))
    half = root @ bartlett
    return np.asarray(half @ half.T)


def _with_fixed(likes: FloatArray, fixed: FloatArray) -> FloatArray:
    return np.hstack([likes, np.tile(fixed, (len(likes), 1))])
