"""The record that an alternation keeps while it runs."""

from __future__ import annotations

import numpy as np

from nnm_core.model import Trace
from nnm_core.scale import Scale


class TraceLog:
    """Collects the objective and the training error while an alternation runs."""

    def __init__(self, stage: str, scale: Scale, n_ratings: int, n_filled: int) -> None:
        self.stage, self.n_filled = stage, n_filled
        self.objectives: list[float] = []
        self.training_errors: list[float] = []
        self.residual = 0.0
        self._unit = scale.span + scale.step
        self._n_ratings = n_ratings

    def end_sweep(self, squared_error: float, residual: float) -> None:
        """Note the squared error over the known ratings in units, and the largest optimality residual."""
        self.training_errors.append(self._unit * float(np.sqrt(squared_error / self._n_ratings)))
        self.residual = residual

    @property
    def is_filled(self) -> bool:
        """Whether the latest round counted unknown ratings as zeros."""
        return len(self.objectives) <= self.n_filled

    def progress(self) -> float:
        """The share by which the latest round lowered the objective."""
        return self.trace().progress

    def trace(self) -> Trace:
        """What was collected so far."""
        return Trace(
            self.stage, np.array(self.objectives), self.n_filled, np.array(self.training_errors), self.residual
        )
