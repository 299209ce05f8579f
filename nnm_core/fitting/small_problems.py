"""The two small problems that Algorithm 1 alternates between, one row at a time: to look at, and to try out.

An item looks for the answers e in the box [0, 1]^D that fit the people who rated it; a user looks for the mixture p on
the simplex that fits the items. Both minimise the squared error Σ (e·p − r)² over the known ratings r.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnm_core._kernels.solvers import scratch, solve
from nnm_core.errors import InputError
from nnm_core.fitting.likes import TIE_BREAK
from nnm_core.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class SmallProblem:
    """Least squares over the box or, if ``on_simplex``, over the simplex.

    ``partners`` (n_ratings, D): the mixtures of the people who rated an item, or the likes of the items that a user
    rated. ``ratings`` (n_ratings,): from 0 to 1. ``center`` (D,): of all solutions that fit equally well, the nearest
    to it is taken.
    """

    partners: FloatArray
    ratings: FloatArray
    center: FloatArray
    on_simplex: bool

    def __post_init__(self) -> None:
        n_ratings, dim = np.shape(self.partners)
        if np.shape(self.ratings) != (n_ratings,) or np.shape(self.center) != (dim,):
            raise InputError("A small problem needs one rating per partner, and a center with as many columns.")

    def squared_error(self, points: FloatArray) -> FloatArray:
        """Return what is minimised, at each of the points (n_points, D)."""
        return np.asarray(np.square(points @ self.partners.T - self.ratings).sum(axis=1))

    def solve(self) -> FloatArray:
        """Return the best point of the region, (D,); without ratings, the center.

        >>> likes = np.array([[1.0, 0.0], [0.0, 1.0]])
        >>> SmallProblem(likes, np.array([0.75, 0.25]), np.full(2, 0.5), on_simplex=True).solve().round(3).tolist()
        [0.75, 0.25]
        """
        found = np.array(self.center, dtype=np.float64)
        hessian = self.partners.T @ self.partners + TIE_BREAK * np.eye(len(found))
        linear = self.partners.T @ self.ratings + TIE_BREAK * found
        solve(hessian, linear, found, self.on_simplex, scratch(len(found)))
        return found
