"""How well a model predicts ratings that it has not seen.

``random_folds``, ``single_split`` and ``own_folds`` choose ratings to hold out; ``cross_validate`` fits on the others
and scores the predictions (``Scores``: MAE and RMSE, raw and rounded). ``error_curve`` does so for several numbers of
stereotypes and suggests one. ``peers`` scores means and the methods of scikit-surprise on the same folds, ``ranking``
measures lists of recommendations. ``reproduction`` computes the paper's numbers and figures again and writes them down.
The examples use the ratings of the invented cinema:

>>> from nnm_core import datasets
>>> ratings = datasets.load_dataset("demo")[0].ratings
>>> len(random_folds(ratings, 5))
5
"""

from nnm_core.evaluation.cross_validation import (
    Curve,
    Evaluation,
    EvaluationProgress,
    Suggestion,
    cross_validate,
    error_curve,
)
from nnm_core.evaluation.folds import Scores, own_folds, random_folds, single_split

__all__ = [
    "Curve", "Evaluation", "EvaluationProgress", "Scores", "Suggestion", "cross_validate", "error_curve",
    "own_folds", "random_folds", "single_split",
]  # fmt: skip
