"""Error against the number of stereotypes, and the number that it suggests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from nnm_core.errors import InputError
from nnm_core.evaluation.cross_validation import Evaluation, EvaluationCallback, evaluate_all
from nnm_core.features import SideInformation
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Cross-validations by number of stereotypes, in increasing order."""

    evaluations: dict[int, Evaluation]

    def table(self) -> pd.DataFrame:
        """One line per number of stereotypes: the four scores and their standard deviation over the folds."""
        rows = []
        for n_stereotypes, evaluation in self.evaluations.items():
            scores, spread = evaluation.scores, evaluation.spread
            row: dict[str, float] = {"stereotypes": n_stereotypes}
            for name in ("mae", "rmse", "mae_rounded", "rmse_rounded"):
                row[name], row[f"{name}_spread"] = getattr(scores, name), getattr(spread, name)
            rows.append(row | {"seconds_fit": evaluation.seconds_fit})
        return pd.DataFrame(rows)

    def suggestion(self) -> Suggestion:
        """The smallest number of stereotypes that is as good as the best, within one standard error."""
        best = min(self.evaluations, key=lambda n: self.evaluations[n].scores.mae)
        within = _standard_error(self.evaluations[best])
        limit = self.evaluations[best].scores.mae + within
        chosen = min(n for n, evaluation in self.evaluations.items() if evaluation.scores.mae <= limit)
        return Suggestion(chosen, best, self.evaluations[chosen].scores.mae, self.evaluations[best].scores.mae, within)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A number of stereotypes and why."""

    n_stereotypes: int
    best: int
    mae: float
    best_mae: float
    standard_error: float

    @property
    def reason(self) -> str:
        """The reason in words."""
        if self.n_stereotypes == self.best:
            return f"D = {self.best} has the lowest error (MAE {self.mae:.4f}), and no smaller D comes near it."
        return (
            f"D = {self.best} has the lowest error (MAE {self.best_mae:.4f}), but D = {self.n_stereotypes} is simpler "
            f"and within its standard error ({self.mae:.4f} against {self.best_mae:.4f} ± {self.standard_error:.4f})."
        )


def error_curve(
    ratings: Ratings,
    dimensions: Iterable[int],
    options: FitOptions,
    folds: Sequence[BoolArray],
    *,
    seed: int = 0,
    side: SideInformation | None = None,
    known: Curve | None = None,
    n_threads: int | None = None,
    callback: EvaluationCallback | None = None,
) -> Curve:
    """Cross-validate every number of stereotypes in ``dimensions``, all folds of all of them side by side.

    ``known``: a curve of the same ratings, options, folds and seed; what it has is not computed again.
    """
    wanted = sorted(set(dimensions))
    if not wanted:
        raise InputError("A curve needs at least one number of stereotypes.")
    found = {} if known is None else dict(known.evaluations)
    missing = [n for n in wanted if n not in found]
    tasks = [(ratings, replace(options, n_stereotypes=n), folds) for n in missing]
    if tasks:
        found |= dict(zip(missing, evaluate_all(tasks, seed, side, False, n_threads, callback), strict=True))
    return Curve({n: found[n] for n in sorted(found)})


def _standard_error(evaluation: Evaluation) -> float:
    """Of the mean over the folds; with a single fold, of the mean over its ratings, roughly."""
    n_folds = len(evaluation.folds)
    if n_folds > 1:
        return evaluation.spread.mae / float(np.sqrt(n_folds))
    (fold,) = evaluation.folds
    deviation = max(fold.scores.rmse**2 - fold.scores.mae**2, 0.0)
    return float(np.sqrt(deviation / fold.n_held_out))
