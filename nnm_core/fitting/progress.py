"""Progress of a fit, told to whoever shows it, who may also ask it to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from nnm_core.errors import FitCancelled
from nnm_core.types import FloatArray, IntArray

Expect = Callable[[IntArray, IntArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A finished round of a fit.

    ``number`` of at most ``n_sweeps`` in all, over all members of a committee and both stages of stars mode;
    ``objective`` after it, which counts unknown ratings as zeros where ``is_filled``; ``training_error``: root mean
    squared error over the known ratings, on the rating scale; ``seconds`` since the fit began.
    ``expect(users, items)``: what the model expects of these pairs as it stands, as probabilities of liking,
    (n_pairs,); to be called before the callback returns.
    """

    number: int
    n_sweeps: int
    stage: str
    is_filled: bool
    objective: float
    training_error: float
    seconds: float
    expect: Expect = field(repr=False, compare=False)


Callback = Callable[[Sweep], bool | None]
"""Called after every round; returning ``False`` cancels the fit, which then raises ``FitCancelled``."""


class _Log(Protocol):
    stage: str
    objectives: list[float]
    training_errors: list[float]

    @property
    def is_filled(self) -> bool: ...


class Watch:
    """Counts the rounds of a whole fit and reports each to the callback."""

    def __init__(self, callback: Callback | None, n_sweeps: int) -> None:
        self._callback = callback
        self._n_sweeps = n_sweeps
        self._number = 0
        self._began = time.perf_counter()

    def sweep_done(self, log: _Log, mixtures: FloatArray, likes: Callable[[], FloatArray]) -> None:
        """Report the round that ``log`` has just taken in, at whose end the model is made of these."""
        self._number += 1
        if self._callback is None:
            return
        sweep = Sweep(
            number=self._number,
            n_sweeps=self._n_sweeps,
            stage=log.stage,
            is_filled=log.is_filled,
            objective=log.objectives[-1],
            training_error=log.training_errors[-1],
            seconds=time.perf_counter() - self._began,
            expect=lambda users, items: np.einsum("nk,nk->n", mixtures[users], likes()[items]),
        )
        if self._callback(sweep) is False:
            raise FitCancelled(f"The fit was cancelled after {self._number} of {self._n_sweeps} rounds.")

    def skip_to(self, number: int) -> None:
        """Go on counting from here: an alternation stopped early."""
        self._number = number
