"""How good a model is: scores, folds, cross-validation, curves, peers and rankings."""

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
