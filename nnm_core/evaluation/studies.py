"""What a reproduction consists of: the paper's printed figures, and what was computed beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnm_core.evaluation.cross_validation import Evaluation
from nnm_core.evaluation.curve import Curve
from nnm_core.evaluation.peers import Peer
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.types import FloatArray

PAPER_TABLE = {
    "ml-100k": {
        "UserKNN": (0.737, 0.944),
        "ItemKNN": (0.723, 0.924),
        "NMF": (0.747, 0.949),
        "SVD++": (0.719, 0.912),
        "NNM": (0.699, 0.984),
    },
    "ml-1m": {
        "UserKNN": (0.703, 0.905),
        "ItemKNN": (0.688, 0.876),
        "NMF": (0.727, 0.920),
        "SVD++": (0.668, 0.851),
        "NNM": (0.643, 0.920),
    },
}
"""MAE and RMSE as printed in the paper."""

DIMENSION = {"ml-100k": 3, "ml-1m": 8}
LEFT_OUT = ("Film-Noir", "War")


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Everything that is computed again for one data set."""

    name: str
    n_ratings: int
    n_folds: int
    model: Evaluation
    peers: tuple[Peer, ...]
    curve: Curve


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """What the paper draws from MovieLens 1M: genre profiles (n_tags, D) at D = 2 and 3, the hierarchy at ε = 1/3."""

    tags: tuple[str, ...]
    profiles: tuple[FloatArray, ...]
    hierarchy: Order
    everywhere: tuple[str, ...]


def sweep_means(evaluation: Evaluation) -> FloatArray:
    """Held-out MAE, raw and rounded, after each sweep, averaged over the folds, (n_sweeps, 2)."""
    found = [[[s.mae, s.mae_rounded] for s in fold.sweeps] for fold in evaluation.folds]
    return np.asarray(np.mean(found, axis=0))
