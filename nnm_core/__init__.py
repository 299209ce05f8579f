"""Normalized nonnegative models: every user a mixture of stereotypes, every item a random variable.

``Ratings`` and ``Scale`` hold the data, ``FitOptions`` and ``preset`` say how to fit, ``fit`` returns a ``Model``, and
``predict``, ``top_n`` and ``fold_in_user`` use it; ``save_model`` and ``load_model`` keep it. The packages ``datasets``
(read ratings), ``fitting``, ``interpret`` (describe stereotypes) and ``evaluation`` (test on held-out ratings) have a
public surface of their own. Every error raised on purpose is an ``NnmError``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nnm_core.errors import DataError, FitCancelled, InputError, ModelFileError, NnmError
    from nnm_core.fitting import Sweep, average, extend, fit, fold_in_item, fold_in_items, fold_in_user, fold_in_users
    from nnm_core.model import Model, Trace
    from nnm_core.options import PRESETS, FitOptions, preset
    from nnm_core.prediction import Recommendation, contributions, predict, predict_distribution, top_n
    from nnm_core.ratings import Ratings
    from nnm_core.scale import Scale
    from nnm_core.storage import load_model, save_model

__all__ = [
    "PRESETS", "DataError", "FitCancelled", "FitOptions", "InputError", "Model", "ModelFileError", "NnmError",
    "Ratings", "Recommendation", "Scale", "Sweep", "Trace", "average", "contributions", "extend", "fit",
    "fold_in_item", "fold_in_items", "fold_in_user", "fold_in_users", "load_model", "predict",
    "predict_distribution", "preset", "save_model", "top_n",
]  # fmt: skip

_HOMES = ("errors", "options", "scale", "ratings", "model", "prediction", "storage", "fitting")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import what is asked for when it is asked for: a process that compiles kernels needs none of it."""
        for home in _HOMES if name in __all__ else ():
            module = import_module(f"{__name__}.{home}")
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
