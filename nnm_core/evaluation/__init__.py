"""How well a model predicts ratings that it has not seen.

``random_folds``, ``single_split`` and ``own_folds`` choose ratings to hold out; ``cross_validate`` fits on the others
and scores the predictions (``Scores``: MAE and RMSE, raw and rounded). ``error_curve`` does so for several numbers of
stereotypes and suggests one. ``peers`` scores means and the methods of scikit-surprise on the same folds, ``ranking``
measures lists of recommendations. ``reproduction`` computes the paper's numbers and figures again, and
``reproduction_report`` writes them down.
"""

from nnm_core.evaluation.cross_validation import Evaluation, FoldResult, Progress, cross_validate
from nnm_core.evaluation.curve import Curve, Suggestion, error_curve
from nnm_core.evaluation.folds import OWN_FOLDS, own_folds, random_folds, single_split
from nnm_core.evaluation.scores import Scores

__all__ = [
    "OWN_FOLDS",
    "Curve",
    "Evaluation",
    "FoldResult",
    "Progress",
    "Scores",
    "Suggestion",
    "cross_validate",
    "error_curve",
    "own_folds",
    "random_folds",
    "single_split",
]
