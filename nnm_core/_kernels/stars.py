"""The half-steps of stars mode, where every level of the scale is an answer of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution
from nnm_core._kernels.solvers import solve
from nnm_core.types import FloatArray

MAX_PASSES = 200
TOLERANCE = 1e-8
"""An item is solved when a whole pass moves no probability by more than this, weighted by how much it matters."""

_FUSE = {"contract", "nsz"}


class StarUsers(NamedTuple):
    """The problems of the users: mixtures (n_users, D) that explain which answers each of them gave.

    ``answers`` (n_items, n_answers, D); ``grams`` (n_items, D, D): Σ_z E_iz E_izᵀ of each item; ``precision`` (D, D)
    and ``center`` (D,): how strongly and toward what mixture everybody is drawn. See :func:`star_user_problem`.
    """

    answers: FloatArray
    grams: FloatArray
    precision: FloatArray
    center: FloatArray


class StarItems(NamedTuple):
    """The problems of the items: answers (n_items, n_answers, D) that explain how each of them was rated.

    ``mixtures`` (n_users, D); ``n_free``: only so many stereotypes are changed, the first ones; ``shrinkage`` and
    ``centers`` (n_items, n_answers): how strongly and toward what each item is drawn.
    """

    mixtures: FloatArray
    n_free: int
    shrinkage: float
    centers: FloatArray


def star_user_problem(answers: FloatArray, precision: FloatArray, center: FloatArray) -> StarUsers:
    """Return the problem of the users; arrays come out writable, so that one compiled kernel does for all."""
    answers, precision, center = (np.require(array, requirements=["C", "W"]) for array in (answers, precision, center))
    return StarUsers(answers, np.einsum("iza,izb->iab", answers, answers), precision, center)


@njit(nogil=True, cache=True, fastmath=_FUSE)
def star_users(first: int, last: int, ratings: RatingRows, problem: StarUsers, solution: Solution) -> None:
    """Solve the problems of the users ``first`` to ``last``; one without ratings gets the center."""
    starts, partners, codes = ratings.starts, ratings.partners, ratings.codes
    precision, center = problem.precision, problem.center
    dim = solution.x.shape[1]
    hessian, linear = np.zeros((dim, dim)), np.zeros(dim)
    gram, target = np.zeros((dim, dim)), np.zeros(dim)
    work = np.zeros((dim + 4, dim))
    for row in range(first, last):
        x = solution.x[row]
        solution.errors[row] = 0.0
        solution.residuals[row] = 0.0
        if starts[row] == starts[row + 1]:
            for a in range(dim):
                x[a] = center[a]
            continue
        gram[:] = 0.0
        target[:] = 0.0
        for entry in range(starts[row], starts[row + 1]):
            item, answer = np.uint32(partners[entry]), codes[entry]
            for a in range(dim):
                target[a] += problem.answers[item, answer, a]
                for b in range(dim):
                    gram[a, b] += problem.grams[item, a, b]
        for a in range(dim):
            linear[a] = target[a]
            for b in range(dim):
                hessian[a, b] = gram[a, b] + precision[a, b]
                linear[a] += precision[a, b] * center[b]
        solution.residuals[row] = solve(hessian, linear, x, True, work)
        error = float(starts[row + 1] - starts[row])
        for a in range(dim):
            error -= 2.0 * target[a] * x[a]
            for b in range(dim):
                error += x[a] * gram[a, b] * x[b]
        solution.errors[row] = max(error, 0.0)


@njit(nogil=True, cache=True, fastmath=_FUSE)
def star_items(first: int, last: int, ratings: RatingRows, problem: StarItems, solution: Solution) -> None:
    """Solve the problems of the items ``first`` to ``last``; one without ratings gets its center."""
    starts, partners, codes = ratings.starts, ratings.partners, ratings.codes
    mixtures, centers, n_free, answers = problem.mixtures, problem.centers, problem.n_free, solution.x
    n_answers, dim = answers.shape[1], answers.shape[2]
    gram, target = np.zeros((dim, dim)), np.zeros((n_answers, dim))
    work = np.zeros((2, n_answers))
    for row in range(first, last):
        solution.errors[row] = 0.0
        solution.residuals[row] = 0.0
        if starts[row] == starts[row + 1]:
            for z in range(n_answers):
                for a in range(n_free):
                    answers[row, z, a] = centers[row, z]
            continue
        gram[:] = 0.0
        target[:] = 0.0
        for entry in range(starts[row], starts[row + 1]):
            user, answer = np.uint32(partners[entry]), codes[entry]
            for a in range(dim):
                target[answer, a] += mixtures[user, a]
                for b in range(dim):
                    gram[a, b] += mixtures[user, a] * mixtures[user, b]
        solution.residuals[row] = _solve_item(gram, target, n_free, problem.shrinkage, centers[row], answers[row], work)
        error = float(starts[row + 1] - starts[row])
        for z in range(n_answers):
            for a in range(dim):
                error -= 2.0 * target[z, a] * answers[row, z, a]
                for b in range(dim):
                    error += answers[row, z, a] * gram[a, b] * answers[row, z, b]
        solution.errors[row] = max(error, 0.0)


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _solve_item(
    gram: FloatArray,
    target: FloatArray,
    n_free: int,
    shrinkage: float,
    center: FloatArray,
    answers: FloatArray,
    work: FloatArray,
) -> float:
    """Minimise over one distribution per stereotype, in place; returns the largest weighted move of the last pass.

    With all other stereotypes held, one stereotype's problem has a multiple of the identity as its Hessian: its
    solution is the projection of a gradient step onto the simplex.
    """
    n_answers, dim = answers.shape
    largest = shrinkage
    for a in range(n_free):
        largest = max(largest, gram[a, a] + shrinkage)
    moved = 0.0
    for _ in range(MAX_PASSES):
        moved = 0.0
        for a in range(n_free):
            curvature = gram[a, a] + shrinkage
            if curvature <= 0.0:
                continue
            for z in range(n_answers):
                slope = -target[z, a] + shrinkage * (answers[z, a] - center[z])
                for b in range(dim):
                    slope += gram[a, b] * answers[z, b]
                work[0, z] = answers[z, a] - slope / curvature
            _project(work[0], work[1])
            weight = np.sqrt(curvature / largest)
            for z in range(n_answers):
                moved = max(moved, weight * abs(work[0, z] - answers[z, a]))
                answers[z, a] = work[0, z]
        if moved <= TOLERANCE:
            break
    return moved


@njit(nogil=True, cache=True, fastmath=_FUSE)
def _project(x: FloatArray, ordered: FloatArray) -> None:
    """Move x to the nearest point of the simplex, in place."""
    n = len(x)
    for k in range(n):
        value, place = x[k], k
        while place > 0 and ordered[place - 1] < value:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = value
    total, shift = 0.0, 0.0
    for k in range(n):
        total += ordered[k]
        if ordered[k] * (k + 1) > total - 1.0:
            shift = (total - 1.0) / (k + 1)
    total = 0.0
    for k in range(n):
        x[k] = max(x[k] - shift, 0.0)
        total += x[k]
    for k in range(n):
        x[k] /= total
