"""The error against the number of stereotypes, and the number that it suggests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from nnm_core.errors import InputError
from nnm_core.evaluation.cross_validation import Evaluation, EvaluationCallback, cross_validate_all
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray

Measure = Literal["mae", "rmse"]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Cross-validations by number of stereotypes, in increasing order."""

    evaluations: dict[int, Evaluation]

    def table(self) -> pd.DataFrame:
        """Return one row per number of stereotypes: the four scores and their standard deviation over the folds."""
        rows = []
        for n_stereotypes, evaluation in self.evaluations.items():
            row: dict[str, float] = {"stereotypes": n_stereotypes}
            for name, score in asdict(evaluation.scores).items():
                row |= {name: score, f"{name}_spread": getattr(evaluation.spread, name)}
            rows.append(row | {"seconds_fit": evaluation.seconds_fit})
        return pd.DataFrame(rows)

    def suggestion(self, measure: Measure = "mae") -> Suggestion:
        """Suggest the smallest number of stereotypes that is as good as the best, within one standard error.

        The standard error is that of the difference fold by fold, since some folds are harder for every model. A single
        stereotype says nothing about an audience and is suggested only where the curve has no other.
        """
        candidates = {n: e for n, e in self.evaluations.items() if n > 1} or self.evaluations
        errors = {n: float(getattr(e.scores, measure)) for n, e in candidates.items()}
        best = min(errors, key=errors.__getitem__)
        for n, evaluation in candidates.items():
            worse, standard_error = _difference(evaluation, self.evaluations[best], measure)
            if worse <= standard_error:
                return Suggestion(n, best, errors[n], errors[best], standard_error, measure)
        raise AssertionError("the best is as good as the best")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A number of stereotypes and why; ``standard_error`` is that of the difference between the two errors."""

    n_stereotypes: int
    best: int
    error: float
    best_error: float
    standard_error: float
    measure: Measure

    @property
    def reason(self) -> str:
        """The reason in words."""
        lowest = f"D = {self.best} has the lowest error ({self.measure.upper()} {self.best_error:.4f})"
        if self.n_stereotypes == self.best:
            return f"{lowest}, and no smaller D comes near it."
        return (
            f"{lowest}, but D = {self.n_stereotypes} is simpler and not clearly worse "
            f"({self.measure.upper()} {self.error:.4f}; the difference is within its standard error of "
            f"{self.standard_error:.4f})."
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
    """Cross-validate every number of stereotypes in ``dimensions``, all folds side by side.

    ``known`` is a curve of the same ratings, options, folds and seed, whose points are kept; all else is as in
    ``cross_validate``.

    >>> from nnm_core import preset
    >>> error_curve(ratings, [1, 2, 3, 4], preset("paper"), random_folds(ratings, 3)).suggestion().n_stereotypes
    3
    """
    wanted = sorted(set(dimensions))
    if not wanted:
        raise InputError("A curve needs at least one number of stereotypes.")
    found = {} if known is None else dict(known.evaluations)
    missing = [n for n in wanted if n not in found]
    if missing:
        all_options = [replace(options, n_stereotypes=n) for n in missing]
        new = cross_validate_all(ratings, all_options, folds, seed, side, False, n_threads, callback)
        found |= dict(zip(missing, new, strict=True))
    return Curve({n: found[n] for n in sorted(found)})


def _difference(one: Evaluation, other: Evaluation, measure: Measure) -> tuple[float, float]:
    """Return how much larger the error of the first is, and the standard error of that over the folds."""
    pairs = zip(one.folds, other.folds, strict=True)
    differences = np.array([getattr(a.scores, measure) - getattr(b.scores, measure) for a, b in pairs])
    if len(differences) < 2:
        return float(differences.mean()), 0.0
    return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences)))
