"""Fit normalized nonnegative models to ratings: Algorithm 1, its variants, and folding in.

``fit`` (in ``fit_model``) checks the arguments, fits every random start (``one_start``) of every member of a committee,
here or on a cluster, and returns a ``Model``.
Methods that alternate derive from ``InMemoryAlternation``: a state, an update of the items, an update of the users and
the objective; ``Alternation`` is what a loop needs of it, wherever the state is. ``Momentum.run`` is that loop; it
reports every sweep to ``Progress``, which keeps the trace.

``alternation``     the base class, the loop, momentum, and how far a sweep moves the model
``likes``           Algorithm 1 in like mode, with ``fill``, generosity and shrinkage; ``rating_pattern`` is its prior
``stars``           every level of the scale as an answer of its own, from a fit in like mode
``distilled``       sample a relaxed model, average the draws, project onto the nearest model (the accurate preset)
``starts``          the best of several random starts, and what the others found; ``committee``: models as one
``fold_in``         new users and items against a fitted model
``recording``       a fit half-step by half-step, to play it again; ``small_problems``: one row of a half-step
``averages``        damped means, toward which rows with few ratings are drawn
``workers``         a thread pool that runs the kernels of ``nnm_core._kernels`` over blocks of rows
"""

from nnm_core.fitting.committee import average
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.fold_in import extend, fold_in_item, fold_in_items, fold_in_user, fold_in_users
from nnm_core.fitting.progress import Callback, Sweep

__all__ = [
    "Callback", "SideInformation", "Sweep", "average", "extend", "fit", "fold_in_item", "fold_in_items", "fold_in_user",
    "fold_in_users",
]  # fmt: skip
