"""Normalized nonnegative models: every user a mixture of stereotypes, every item a random variable."""

from nnm_core.errors import DataError, FitCancelled, InputError, ModelFileError, NnmError
from nnm_core.fitting import average, fit
from nnm_core.folding import extend, fold_in_item, fold_in_items, fold_in_user, fold_in_users
from nnm_core.model import Model, Trace
from nnm_core.options import PRESETS, FitOptions, preset
from nnm_core.prediction import Recommendation, contributions, predict, predict_distribution, top_n
from nnm_core.progress import Sweep
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.storage import load_model, save_model

__all__ = [
    "PRESETS",
    "DataError",
    "FitCancelled",
    "FitOptions",
    "InputError",
    "Model",
    "ModelFileError",
    "NnmError",
    "Ratings",
    "Recommendation",
    "Scale",
    "Sweep",
    "Trace",
    "average",
    "contributions",
    "extend",
    "fit",
    "fold_in_item",
    "fold_in_items",
    "fold_in_user",
    "fold_in_users",
    "load_model",
    "predict",
    "predict_distribution",
    "preset",
    "save_model",
    "top_n",
]
