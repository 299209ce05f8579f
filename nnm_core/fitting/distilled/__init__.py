"""The distilled method behind the accurate preset.

``features`` turns who rated what, traits, tags and decades into features; ``sampler`` draws from a relaxed model whose
factors may be negative and averages the draws; ``projection`` finds the nearest normalized nonnegative model.
"""

from __future__ import annotations

import numpy as np

from nnm_core.fitting.alternation import Factors
from nnm_core.fitting.distilled.features import SideInformation, features
from nnm_core.fitting.distilled.projection import project
from nnm_core.fitting.distilled.sampler import sample
from nnm_core.fitting.progress import Progress
from nnm_core.fitting.workers import Workers, one_blas_thread
from nnm_core.model import fixed_likes
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

MANY_RATINGS = 300_000
"""From here on more factors pay."""

_LEAST_VARIANCE = 1e-3
"""Added to the variance of every mixture weight, so that nobody is held to the average entirely."""


def distil(
    ratings: Ratings,
    options: FitOptions,
    side: SideInformation | None,
    rng: np.random.Generator,
    workers: Workers,
    progress: Progress,
) -> tuple[Factors, FloatArray]:
    """Return the factors of the distilled model and the precision of its mixtures around their mean."""
    n_factors, burn_in = options.n_factors or (12 if len(ratings) < MANY_RATINGS else 24), options.burn_in
    fixed = fixed_likes(ratings.scale)
    with one_blas_thread():
        user_features, item_features = features(ratings, side)
        chains = [
            sample(ratings, user_features, item_features, n_factors, options.n_sweeps, burn_in, rng, workers, progress)
            for _ in range(options.n_chains)
        ]
        factors = project(chains, ratings, options.n_stereotypes, fixed, rng, workers, progress)
    noise_precision = float(np.mean([chain.noise_precision for chain in chains]))
    return factors, _pull(factors, noise_precision)


def _pull(factors: Factors, noise_precision: float) -> FloatArray:
    """Return the precision of the mixtures around their mean, in ratings: what the audience says about a newcomer."""
    covariance = np.atleast_2d(np.cov(factors.mixtures.T, bias=True))
    return np.asarray(np.linalg.inv(covariance + _LEAST_VARIANCE * np.eye(len(covariance))) / noise_precision)
