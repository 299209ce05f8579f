"""Stability: what fits of the same ratings from other random starts have in common with the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.errors import InputError
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Callback
from nnm_core.interpret.compare.alignment import match_stereotypes, stereotype_distances
from nnm_core.interpret.towers import compute_towers
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """The lowest and the highest value of each bar over all fits, (n_tags, n_stereotypes) each."""

    low: FloatArray
    high: FloatArray

    @property
    def has_one_sign(self) -> BoolArray:
        """Where no fit disagrees which side of 0 it is on, (n_tags, n_stereotypes)."""
        return (self.low > 0) | (self.high < 0)


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """What several fits of the same ratings agree on; the first is the one that is looked at.

    ``matches`` (n_refits, n_stereotypes): which stereotype of each refit corresponds to each of the first fit.
    ``distances`` (n_refits, n_stereotypes): how differently the two see the items, from 0 to 1.
    ``apart`` (n_stereotypes,): the mean distance from each stereotype to the others of its own fit.
    ``is_found`` (n_refits, n_stereotypes): whether the two are each other's nearest.
    ``likes``, ``relative``, ``taste``: bands of the towers' bars.
    """

    seeds: tuple[int, ...]
    tags: tuple[str, ...]
    matches: IntArray
    distances: FloatArray
    apart: FloatArray
    is_found: BoolArray
    likes: Band
    relative: Band
    taste: Band

    @property
    def n_fits(self) -> int:
        """The number of fits, the first included."""
        return len(self.seeds)

    @property
    def figures(self) -> FloatArray:
        """The stability of each stereotype, (n_stereotypes,).

        1 if every refit has the same stereotype, 0 if its match is as far away as the others of its own fit.
        """
        typical = self.distances.mean(axis=0)
        own = np.where(self.apart > 0, self.apart, 1.0)
        return np.asarray(np.clip(1.0 - typical / own, 0.0, 1.0))

    @property
    def found(self) -> FloatArray:
        """The share of refits in which each stereotype is found again, (n_stereotypes,)."""
        return np.asarray(self.is_found.mean(axis=0))

    @property
    def is_firm(self) -> BoolArray:
        """Where all fits agree on the signs of ``taste`` and of ``relative``, (n_tags, n_stereotypes)."""
        return self.taste.has_one_sign & self.relative.has_one_sign

    def in_words(self, stereotype: int) -> str:
        """Say how often a stereotype is found again: "Found again in 4 of 5 fits from other random starts."."""
        again, n_refits = int(self.is_found[:, stereotype].sum()), len(self.is_found)
        how_often = "all" if again == n_refits else "none" if again == 0 else str(again)
        return f"Found again in {how_often} of {n_refits} fits from other random starts."


def refits(
    ratings: Ratings,
    model: Model,
    n: int = 5,
    *,
    side: SideInformation | None = None,
    n_threads: int | None = None,
    callback: Callback | None = None,
) -> tuple[Model, ...]:
    """Fit ``n`` more models with the options of this one, from the smallest seeds other than its own.

    Parameters
    ----------
    side
        The side information that the model was fitted with, if any.
    callback
        Called after every iteration of every fit; returning False cancels.

    Returns
    -------
    tuple of Model
        The model itself first.

    Examples
    --------
    >>> [one.seed for one in refits(dataset.ratings, model, n=2)]
    [0, 1, 2]
    """
    if n < 1:
        raise InputError(f"Stability needs at least 1 more fit, not {n}.")
    seeds = [seed for seed in range(n + 1) if seed != model.seed][:n]
    return (
        model,
        *(fit(ratings, model.options, seed=seed, side=side, n_threads=n_threads, callback=callback) for seed in seeds),
    )


def measure_stability(models: Sequence[Model], dataset: Dataset, tags: Labels | None = None) -> Stability:
    """Measure what several fits of the same ratings agree on.

    Parameters
    ----------
    models
        At least two with the same number of stereotypes; the others are compared with the first. See ``refits``.
    tags
        Labels of the items; by default the tags of the data set.

    Examples
    --------
    >>> measure_stability(refits(dataset.ratings, model, n=2), dataset).found
    array([1., 1., 1.])
    """
    first = models[0]
    if len(models) < 2:
        raise InputError("Stability needs at least two fits; make more with 'refits'.")
    if len({model.n_stereotypes for model in models}) > 1 or len({model.data_hash for model in models}) > 1:
        raise InputError("Stability compares fits of the same ratings with the same number of stereotypes.")
    tags = dataset.tags if tags is None else tags
    between = [stereotype_distances(first, other, dataset.ratings) for other in models[1:]]
    matches = np.array([match_stereotypes(distances) for distances in between])
    columns = np.arange(first.n_stereotypes)
    bars = [compute_towers(model, dataset, tags) for model in models]
    orders = [columns, *matches]
    return Stability(
        seeds=tuple(model.seed for model in models),
        tags=tags.names,
        matches=matches,
        distances=np.array([part[columns, found] for part, found in zip(between, matches, strict=True)]),
        apart=_apart(stereotype_distances(first, first, dataset.ratings)),
        is_found=np.array([_is_mutual(part, found) for part, found in zip(between, matches, strict=True)]),
        likes=_band([part.likes[:, order] for part, order in zip(bars, orders, strict=True)]),
        relative=_band([part.relative[:, order] for part, order in zip(bars, orders, strict=True)]),
        taste=_band([part.taste[:, order] for part, order in zip(bars, orders, strict=True)]),
    )


def _apart(distances: FloatArray) -> FloatArray:
    """Return the mean of each row without the diagonal, (n,); 0 if there is nothing else."""
    n = len(distances)
    return distances.sum(axis=1) / (n - 1) if n > 1 else np.zeros(n)


def _is_mutual(distances: FloatArray, found: IntArray) -> BoolArray:
    """Return whether each row and its match are each other's nearest, (n,)."""
    rows = np.arange(len(distances))
    own = distances[rows, found]
    return np.asarray((own <= distances.min(axis=1)) & (own <= distances[:, found].min(axis=0)))


def _band(values: Sequence[FloatArray]) -> Band:
    return Band(np.min(values, axis=0), np.max(values, axis=0))
