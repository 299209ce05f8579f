"""Record a fit half-step by half-step, to play it again: where everybody was and what every item got."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnm_core.errors import InputError
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Snapshot, Sweep
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """A fit in slow motion; columns are in the order of the model's.

    ``mixtures`` (n_sweeps + 1, n_users, D): at the random start, and after each sweep.
    ``likes`` (n_sweeps, n_items, D): after each sweep's first half-step.
    ``training_errors`` (n_sweeps,): on the rating scale. ``n_filled``: sweeps in which unknown ratings count as zeros.
    ``model``: what the fit returned.
    """

    mixtures: FloatArray
    likes: FloatArray
    training_errors: FloatArray
    n_filled: int
    model: Model

    @property
    def n_sweeps(self) -> int:
        """How many sweeps were made."""
        return len(self.likes)


def record_fit(ratings: Ratings, options: FitOptions, *, seed: int = 0) -> Recording:
    """Fit as :func:`fit` does, and keep every half-step; for Algorithm 1 in like mode, without generosity.

    Raises
    ------
    InputError
        If the options are those of another method, or the ratings cannot be fitted.

    Examples
    --------
    >>> from nnm_core import Ratings, preset
    >>> ratings = Ratings.from_arrays(["ann", "ann", "bob"], ["Alien", "Heat", "Heat"], [5, 1, 4])
    >>> recording = record_fit(ratings, preset("paper", n_stereotypes=2))
    >>> recording.n_sweeps, recording.mixtures.shape
    (16, (17, 2, 2))
    """
    if options.method != "alternating" or options.mode != "like" or options.generosity or options.starts > 1:
        raise InputError("Only Algorithm 1 from one start, in like mode and without generosity, can be recorded.")
    snapshots: list[Snapshot] = []

    def keep(sweep: Sweep) -> None:
        snapshots.append(sweep.snapshot())

    model = fit(ratings, options, seed=seed, callback=keep)
    order = np.argsort(-snapshots[-1].mixtures.sum(axis=0), kind="stable")  # as the model's columns
    return Recording(
        mixtures=np.array([snapshots[0].mixtures_before, *(each.mixtures for each in snapshots)])[:, :, order],
        likes=np.array([each.likes for each in snapshots])[:, :, order],
        training_errors=model.traces[-1].training_errors,
        n_filled=model.traces[-1].n_filled // 2,
        model=model,
    )
