"""Models of the same ratings, side by side: matching, stability over random starts, and what the fill does.

Stereotypes have no fixed order, so two models are compared by matching: ``stereotype_distances`` says how differently
two stereotypes see the items, ``match_stereotypes`` finds the best one-to-one matching, and ``audience_flows`` where
the people of a stereotype are in another model, such as one with one more stereotype. ``measure_stability`` compares
fits from several random starts (``refits``): what all agree on can be trusted. ``fill_comparison`` shows the selection
bias: what counting unknown ratings as zeros does to the towers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.errors import InputError
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Callback, Sweep
from nnm_core.interpret.towers import MIN_ITEMS, Weighting, compute_towers, tag_vectors
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from distributed import Client


def stereotype_distances(first: Model, second: Model, ratings: Ratings) -> FloatArray:
    """Return the distances between the stereotypes of taste of two models of the same items, (n_first, n_second).

    The difference between two stereotypes' probabilities of liking an item, averaged over all ratings: from 0 to 1.

    >>> stereotype_distances(model, model, dataset.ratings).diagonal()
    array([0., 0., 0.])
    """
    if first.item_ids != second.item_ids or first.item_ids != ratings.item_ids:
        raise InputError("Stereotypes can be compared only between models of the same items.")
    weights = ratings.by_item.counts / len(ratings)
    theirs = second.likes[:, : second.n_stereotypes]
    return np.array([weights @ np.abs(theirs - first.likes[:, k, None]) for k in range(first.n_stereotypes)])


def match_stereotypes(distances: FloatArray) -> IntArray:
    """Return the column of each row, matched one to one with the smallest sum; -1 for rows that are left over.

    >>> match_stereotypes(np.array([[0.1, 0.2], [0.1, 0.9], [0.5, 0.5]]))
    array([ 1,  0, -1])
    """
    from scipy.optimize import linear_sum_assignment  # here: to import that takes longer than to match

    rows, columns = linear_sum_assignment(distances)
    matched = np.full(len(distances), -1, dtype=np.int64)
    matched[rows] = columns
    return matched


def audience_flows(before: Model, after: Model) -> FloatArray:
    """Return the share of the audience that goes from each stereotype of taste to each of another model.

    (n_before, n_after); sums to the share of the audience that is not generosity in either model.

    >>> audience_flows(model, model).sum().round(6)
    np.float64(1.0)
    """
    flows = before.mixtures[:, : before.n_stereotypes].T @ after.mixtures[:, : after.n_stereotypes]
    return np.asarray(flows / before.n_users)


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
        return len(self.matches) + 1

    @property
    def figures(self) -> FloatArray:
        """1 if every refit has the same stereotype, 0 if its match is as far away as the others of its own fit."""
        own = np.where(self.apart > 0, self.apart, 1.0)
        return np.asarray(np.clip(1.0 - self.distances.mean(axis=0) / own, 0.0, 1.0))

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
    callback: Callback | None = None,
    client: Client | None = None,
) -> tuple[Model, ...]:
    """Return the model and ``n`` more with its options, from the smallest seeds other than its own.

    ``side`` is the side information that the model was fitted with, if any. ``callback`` is called after every
    iteration of every fit, with the share that is done of all of them; returning False cancels. ``client``: of a Dask
    cluster, on which every fit is then a task.

    >>> [one.seed for one in refits(dataset.ratings, model, n=2)]
    [0, 1, 2]
    """
    if n < 1:
        raise InputError(f"Stability needs at least 1 more fit, not {n}.")
    seeds = [seed for seed in range(n + 1) if seed != model.seed][:n]
    if client is not None:
        from nnm_core.cluster.refits import fit_with_seeds

        return (model, *fit_with_seeds(client, ratings, model.options, seeds, side, callback))

    def watch(number: int, sweep: Sweep) -> bool | None:
        return None if callback is None else callback(replace(sweep, share=(number + sweep.share) / n))

    def refit(number: int, seed: int) -> Model:
        return fit(ratings, model.options, seed=seed, side=side, callback=partial(watch, number))

    return (model, *(refit(number, seed) for number, seed in enumerate(seeds)))


def measure_stability(
    models: Sequence[Model], dataset: Dataset, tags: Labels | None = None, *, weighting: Weighting = "damped"
) -> Stability:
    """Measure what fits of the same ratings (see ``refits``) agree on; the others are compared with the first.

    ``tags`` are labels of the items, by default those of the data set; ``weighting`` is that of the towers.

    >>> measure_stability(refits(dataset.ratings, model, n=2), dataset).in_words(0)
    'Found again in all of 2 fits from other random starts.'
    """
    first = models[0]
    if len(models) < 2:
        raise InputError("Stability needs at least two fits; make more with 'refits'.")
    if len({model.n_stereotypes for model in models}) > 1 or len({model.data_hash for model in models}) > 1:
        raise InputError("Stability compares fits of the same ratings with the same number of stereotypes.")
    between = [stereotype_distances(first, other, dataset.ratings) for other in models[1:]]
    matches = [match_stereotypes(distances) for distances in between]
    columns = np.arange(first.n_stereotypes)
    towers = [compute_towers(model, dataset, tags, weighting=weighting) for model in models]
    bars = list(zip(towers, [columns, *matches], strict=True))
    own = stereotype_distances(first, first, dataset.ratings)
    return Stability(
        matches=np.array(matches),
        distances=np.array([part[columns, found] for part, found in zip(between, matches, strict=True)]),
        apart=own.sum(axis=1) / max(len(own) - 1, 1),
        is_found=np.array([_is_mutual(part, found) for part, found in zip(between, matches, strict=True)]),
        likes=_band([part.likes[:, order] for part, order in bars]),
        relative=_band([part.relative[:, order] for part, order in bars]),
        taste=_band([part.taste[:, order] for part, order in bars]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class TowerComparison:
    """The tag vectors of two models, side by side; the second's stereotypes are matched to the first's.

    ``first``, ``second`` (n_tags, n_stereotypes). ``matches`` (n_stereotypes,): the matched stereotypes of the second.
    ``rank_correlations`` (n_stereotypes,): Spearman's, between the two orders of the tags; not a number where one of
    the towers is flat. ``same_order`` (n_stereotypes,): the share of pairs of tags in the same order in both.
    ``shifts`` (n_stereotypes,): how much higher the bars are in the first, on average.
    """

    tags: tuple[str, ...]
    first: FloatArray
    second: FloatArray
    matches: IntArray
    rank_correlations: FloatArray
    same_order: FloatArray
    shifts: FloatArray

    @property
    def structure_kept(self) -> float:
        """The mean of ``same_order``: 1 is an unchanged structure, 1/2 is chance."""
        return float(self.same_order.mean())


def fill_comparison(
    dataset: Dataset, options: FitOptions, *, seed: int = 0, throughout: bool = False
) -> TowerComparison:
    """Fit with the fill of ``options`` and without it, and compare the towers of the two models.

    With ``throughout``, unknown ratings count as zeros in all iterations, not only in the first ones.

    >>> from nnm_core import preset
    >>> fill_comparison(dataset, preset("paper")).structure_kept > 0.8
    True
    """
    if options.fill == "none" or options.method == "distilled":
        raise InputError(
            "These options have no fill to compare with; use the paper's method with fill='all' or fill='sampled'."
        )
    filled = replace(options, fill_sweeps=options.n_sweeps, generosity=False) if throughout else options
    unfilled = replace(options, fill="none", generosity=filled.generosity)
    first, second = (fit(dataset.ratings, part, seed=seed) for part in (filled, unfilled))
    return compare_towers(first, second, dataset)


def compare_towers(first: Model, second: Model, dataset: Dataset, *, min_items: int = MIN_ITEMS) -> TowerComparison:
    """Compare the tag vectors of two models of the same ratings, over tags with at least ``min_items`` items.

    >>> compare_towers(model, model, dataset).structure_kept
    1.0
    """
    tags = dataset.tags
    if first.n_stereotypes != second.n_stereotypes:
        raise InputError("Towers can be compared only between models with the same number of stereotypes.")
    enough = np.flatnonzero(tags.counts >= max(min_items, 1))
    matches = match_stereotypes(stereotype_distances(first, second, dataset.ratings))
    ours, theirs = tag_vectors(first, tags)[enough], tag_vectors(second, tags)[enough][:, matches]
    return TowerComparison(
        tags=tuple(tags.names[row] for row in enough),
        first=ours,
        second=theirs,
        matches=matches,
        rank_correlations=np.asarray(pd.DataFrame(ours).rank().corrwith(pd.DataFrame(theirs).rank()), dtype=np.float64),
        same_order=np.array([same_order(*columns) for columns in zip(ours.T, theirs.T, strict=True)]),
        shifts=(ours - theirs).mean(axis=0) if len(enough) else np.zeros(first.n_stereotypes),
    )


def _is_mutual(distances: FloatArray, found: IntArray) -> BoolArray:
    """Return whether each row and its match are each other's nearest, (n,)."""
    own = distances[np.arange(len(distances)), found]
    return np.asarray((own <= distances.min(axis=1)) & (own <= distances[:, found].min(axis=0)))


def _band(values: Sequence[FloatArray]) -> Band:
    return Band(np.min(values, axis=0), np.max(values, axis=0))


def same_order(a: FloatArray, b: FloatArray) -> float:
    """Return the share of pairs of entries that are in the same order in both (n,); 1 where there is no pair.

    >>> same_order(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])) == 2 / 3
    True
    """
    upper = np.triu_indices(len(a), 1)
    if not len(upper[0]):
        return 1.0
    signs = [np.sign(part[:, None] - part[None])[upper] for part in (a, b)]
    return float((signs[0] == signs[1]).mean())
