"""Ratings with a known truth."""

from __future__ import annotations

import numpy as np

from nnm_core import Ratings, Scale


def planted_ratings(
    n_users: int,
    n_items: int,
    n_stereotypes: int,
    density: float,
    seed: int,
    scale: Scale | None = None,
    choosy: float = 0.0,
    noise: float = 0.0,
) -> tuple[Ratings, np.ndarray, np.ndarray]:
    """Ratings drawn from a known model, rounded to the scale; with its mixtures and likes.

    ``choosy``: how much more often people rate what they like: 0 not at all, 1 in proportion.
    ``noise``: the standard deviation of what is added to every rating before it is rounded.
    """
    rng = np.random.default_rng(seed)
    scale = scale or Scale(1, 5)
    mixtures = rng.dirichlet(np.full(n_stereotypes, 0.4), n_users)
    likes = rng.beta(0.6, 0.6, (n_items, n_stereotypes))
    chance = (mixtures @ likes.T) ** choosy
    users, items = np.nonzero(rng.random((n_users, n_items)) < density * chance / chance.mean())
    expected = scale.from_unit((mixtures[users] * likes[items]).sum(axis=1))
    expected += noise * rng.standard_normal(len(expected))
    names = [str(k) for k in range(max(n_users, n_items))]
    ratings = Ratings.from_numbers(users, items, scale.round(expected), names[:n_users], names[:n_items], scale=scale)
    return ratings, mixtures, likes
