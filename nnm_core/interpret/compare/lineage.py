"""Lineage: how the stereotypes at D become those at D + 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from nnm_core.errors import InputError
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Callback
from nnm_core.interpret.compare.alignment import match, stereotype_distances
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

MOST = 10


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """From one model to the next.

    ``distances`` (n_before, n_after): how differently two stereotypes see the items, from 0 to 1.
    ``heirs`` (n_before,): the stereotype that each one becomes, by the matching with the smallest sum of distances; -1
    for one that disappears, which happens only where the next model has fewer.
    ``newcomers``: those of the next model that nobody becomes.
    ``flows`` (n_before, n_after): the share of the audience that is of the one kind before and of the other kind after;
    sums to the share that is not generosity in either.
    """

    distances: FloatArray
    heirs: IntArray
    newcomers: tuple[int, ...]
    flows: FloatArray

    @property
    def weights(self) -> FloatArray:
        """How alike each stereotype and its heir are, from 0 to 1, (n_before,); 0 where there is none."""
        kept = self.distances[np.arange(len(self.heirs)), self.heirs]
        return np.where(self.heirs >= 0, 1.0 - kept, 0.0)

    @property
    def novelty(self) -> FloatArray:
        """How far each newcomer is from the nearest stereotype before, (n_newcomers,)."""
        return np.asarray(self.distances[:, list(self.newcomers)].min(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Lineage:
    """Models of growing dimension, and the steps between neighbours."""

    models: tuple[Model, ...]
    steps: tuple[Step, ...]

    def table(self) -> pd.DataFrame:
        """One line per pair of stereotypes of neighbouring models, for a flow diagram; numbers count from 1.

        Columns: ``from D``, ``from``, ``to D``, ``to``, ``flow``, ``distance``, ``matched``.
        """
        lines = [
            (before.n_stereotypes, a + 1, after.n_stereotypes, b + 1, flow, step.distances[a, b], step.heirs[a] == b)
            for (before, after), step in zip(pairwise(self.models), self.steps, strict=True)
            for (a, b), flow in np.ndenumerate(step.flows)
        ]
        return pd.DataFrame(lines, columns=["from D", "from", "to D", "to", "flow", "distance", "matched"])


def lineage(models: Sequence[Model], ratings: Ratings) -> Lineage:
    """How the stereotypes of each model become those of the next; all are models of ``ratings``."""
    if len({model.data_hash for model in models}) != 1:
        raise InputError("A lineage needs models of the same ratings.")
    return Lineage(tuple(models), tuple(step_between(*pair, ratings) for pair in pairwise(models)))


def models_by_dimension(
    ratings: Ratings,
    options: FitOptions,
    up_to: int = MOST,
    *,
    seed: int = 0,
    side: SideInformation | None = None,
    n_threads: int | None = None,
    callback: Callback | None = None,
) -> tuple[Model, ...]:
    """Fits with 1 to ``up_to`` stereotypes and else the same options."""
    if up_to < 1:
        raise InputError(f"A lineage goes up to at least 1 stereotype, not {up_to}.")
    return tuple(
        fit(ratings, replace(options, n_stereotypes=dim), seed=seed, side=side, n_threads=n_threads, callback=callback)
        for dim in range(1, up_to + 1)
    )


def step_between(before: Model, after: Model, ratings: Ratings) -> Step:
    """What becomes of the stereotypes of one model in another."""
    distances = stereotype_distances(before, after, ratings)
    heirs = match(distances)
    return Step(
        distances=distances,
        heirs=heirs,
        newcomers=tuple(sorted(set(range(after.n_stereotypes)) - set(heirs.tolist()))),
        flows=before.mixtures[:, : before.n_stereotypes].T @ after.mixtures[:, : after.n_stereotypes] / before.n_users,
    )
