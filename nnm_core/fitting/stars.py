"""Stars mode: ratings as categorical answers, each level of the scale with a vector of its own."""

from __future__ import annotations

import numpy as np

from nnm_core._kernels.half_step import Solution
from nnm_core._kernels.products import project_onto_simplex
from nnm_core._kernels.stars import StarItems, star_items, star_user_problem, star_users
from nnm_core.errors import InputError
from nnm_core.fitting.alternation import Factors, InMemoryAlternation, Momentum
from nnm_core.fitting.averages import answer_counts, average_answer, damped_answers
from nnm_core.fitting.likes import TIE_BREAK
from nnm_core.fitting.progress import Progress
from nnm_core.fitting.workers import Workers
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

MAX_ANSWERS = 51
"""More levels than this leave too few ratings per answer to learn anything from."""


def alternate_stars(
    ratings: Ratings, options: FitOptions, start: Factors, workers: Workers, progress: Progress
) -> FloatArray:
    """Fit answers (n_items, n_answers, D) and mixtures to the ratings, from the mixtures of a fit in like mode.

    The mixtures of ``start`` are improved in place; its likes are not used.
    """
    scale = ratings.scale
    if not 2 <= scale.n_levels <= MAX_ANSWERS:
        found = "no levels" if scale.is_continuous else f"{scale.n_levels} levels"
        raise InputError(
            f"Stars mode needs a scale of 2 to {MAX_ANSWERS} levels and this one has {found}; "
            "bin the ratings to fewer levels or use mode='like'."
        )
    steps = _StarAlternation(ratings, start, options.shrinkage, workers)
    progress.begin_stage("stars", ratings)
    Momentum(steps, options.momentum).run(options.star_sweeps, options.tol, progress)
    return steps.answers


class _StarAlternation(InMemoryAlternation):
    """The two half-steps of a sweep, and the objective that both lower."""

    def __init__(self, ratings: Ratings, start: Factors, shrinkage: float, workers: Workers) -> None:
        super().__init__(start, ratings.by_item.counts)
        self._ratings, self._shrinkage, self._workers = ratings, shrinkage, workers
        self._error = 0.0
        self._rated = ratings.by_user.counts > 0
        self._levels = ratings.scale.to_unit(ratings.scale.levels)
        counts = answer_counts(ratings.by_item, ratings.scale.n_levels)
        self._centers = damped_answers(counts, average_answer(ratings, "stars"))
        self._answers = _start_answers(self._centers, start)

    @property
    def answers(self) -> FloatArray:
        """The distributions over the answers, (n_items, n_answers, D + n_fixed)."""
        return self._answers

    def move_to(self, mixtures: FloatArray, answers: FloatArray) -> None:
        """Continue from these mixtures and the nearest valid answers."""
        self.factors.mixtures[:] = mixtures
        n_items, n_answers, n_columns = answers.shape
        rows = np.moveaxis(answers, 1, 2).reshape(-1, n_answers)
        self.answers[:] = np.moveaxis(project_onto_simplex(rows).reshape(n_items, n_columns, n_answers), 2, 1)

    def update_items(self) -> None:
        """Replace the answers by the best ones for the mixtures."""
        by_item, factors = self._ratings.by_item, self.factors
        problem = StarItems(factors.mixtures, factors.likes.shape[1], float(self._shrinkage), self._centers)
        solution = Solution.starting_at(self.answers)
        self._workers.run(star_items, by_item.starts, by_item, problem, solution)
        self._error, self.residual = float(solution.errors.sum()), float(solution.residuals.max())

    def update_users(self) -> None:
        """Replace the mixtures by the best ones for the answers."""
        by_user, factors = self._ratings.by_user, self.factors
        factors.mean_mixture = factors.mixtures[self._rated].mean(axis=0)
        pull = max(self._shrinkage, TIE_BREAK) * np.eye(factors.mixtures.shape[1])
        problem = star_user_problem(self.answers, pull, factors.mean_mixture)
        solution = Solution.starting_at(factors.mixtures)
        self._workers.run(star_users, by_user.starts, by_user, problem, solution)
        self._error, self.residual = float(solution.errors.sum()), max(self.residual, float(solution.residuals.max()))

    def objective(self) -> float:
        """Return the squared error plus the pull toward the centers, of users who rated something."""
        if self._shrinkage == 0:
            return self._error
        n_free, mixtures = self.factors.likes.shape[1], self.factors.mixtures[self._rated]
        item_pull = np.square(self.answers[:, :, :n_free] - self._centers[:, :, None]).sum()
        user_pull = np.square(mixtures - mixtures.mean(axis=0)).sum()
        return self._error + self._shrinkage * float(item_pull + user_pull)

    def likes(self) -> FloatArray:
        """Return the mean answer of each item by each stereotype, (n_items, D)."""
        return np.asarray(np.einsum("iza,z->ia", self.answers, self._levels))

    def squared_error(self) -> float:
        """Return the squared error of the mean answers over the known ratings, as probabilities of liking."""
        ratings = self._ratings
        predicted = np.einsum("na,na->n", self.factors.mixtures[ratings.users], self.likes()[ratings.items])
        return float(np.square(predicted - self._levels[ratings.by_user.codes]).sum())


def _start_answers(centers: FloatArray, start: Factors) -> FloatArray:
    """Let every free stereotype answer as people do on average; fixed ones give the highest and the lowest rating."""
    answers = np.repeat(centers[:, :, None], start.mixtures.shape[1], axis=2)
    n_free = start.likes.shape[1]
    if len(start.fixed):
        answers[:, :, n_free:] = 0.0
        answers[:, -1, n_free] = 1.0
        answers[:, 0, n_free + 1] = 1.0
    return answers
