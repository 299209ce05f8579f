"""Normalized nonnegative models: every user a mixture of stereotypes, every item a random variable."""

from nnm_core.errors import DataError, FitCancelled, InputError, ModelFileError, NnmError
from nnm_core.fitting import average, fit
from nnm_core.model import Model, Trace
from nnm_core.options import PRESETS, FitOptions, preset
from nnm_core.progress import Sweep
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale

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
    "Scale",
    "Sweep",
    "Trace",
    "average",
    "fit",
    "preset",
]
