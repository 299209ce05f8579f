"""One fold of a cross-validation: fit on what it leaves and predict what it holds out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nnm_core.evaluation.folds import Scores
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Sweep
from nnm_core.options import FitOptions
from nnm_core.prediction import predict
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, slots=True, eq=False)
class FoldTask:
    """What is fitted and predicted in one fold.

    ``held_out`` (n_ratings,): a mask, or its bits where it travels. ``seed``: of the fit. ``side``: side information,
    if the method makes use of it. ``per_sweep``: score after every sweep as well.
    """

    options: FitOptions
    held_out: NDArray[Any]
    seed: int
    side: SideInformation | None
    per_sweep: bool


@dataclass(frozen=True, slots=True, eq=False)
class FoldResult:
    """The scores of one fold.

    ``sweeps``: held-out scores after each sweep. ``training_errors`` (n_sweeps,): RMSE on the training part;
    ``training_maes`` likewise, empty unless asked for. ``n_unseen_users``, ``n_unseen_items``: held-out ratings whose
    user or item has none in the training part, which are predicted from the average. ``seconds_fit``: of the fit alone.
    """

    scores: Scores
    sweeps: tuple[Scores, ...]
    training_errors: FloatArray
    training_maes: FloatArray
    n_unseen_users: int
    n_unseen_items: int
    seconds_fit: float


def run_fold(
    ratings: Ratings,
    task: FoldTask,
    n_threads: int,
    report: Callable[[float], bool],
    client: Client | None = None,
) -> FoldResult:
    """Fit on what one fold leaves and predict what it holds out.

    ``report(share)`` returns False to cancel; ``client``: of a cluster whose tasks the random starts then are.
    """
    held_out = task.held_out.astype(np.bool_, copy=False)
    train = ratings.subset(~held_out)
    users, items, truth = ratings.users[held_out], ratings.items[held_out], ratings.values[held_out]
    sweeps: list[Scores] = []
    errors: list[float] = []
    maes: list[float] = []

    def watch(sweep: Sweep) -> bool:
        errors.append(sweep.training_error)
        if task.per_sweep:
            sweeps.append(Scores.of(ratings.scale.from_unit(sweep.expect(users, items)), truth, ratings.scale))
            seen = ratings.scale.clip(ratings.scale.from_unit(sweep.expect(train.users, train.items)))
            maes.append(float(np.abs(seen - train.values).mean()))
        return report(sweep.share)

    began = time.perf_counter()
    how: dict[str, Any] = {"seed": task.seed, "side": task.side, "n_threads": n_threads, "client": client}
    model = fit(train, task.options, callback=watch, **how)
    seconds = time.perf_counter() - began
    return FoldResult(
        scores=Scores.of(predict(model, users, items), truth, ratings.scale),
        sweeps=tuple(sweeps),
        training_errors=np.array(errors),
        training_maes=np.array(maes),
        n_unseen_users=int((train.by_user.counts[users] == 0).sum()),
        n_unseen_items=int((train.by_item.counts[items] == 0).sum()),
        seconds_fit=seconds,
    )
