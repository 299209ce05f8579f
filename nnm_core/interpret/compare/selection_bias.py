"""Selection bias: how counting unknown ratings as zeros changes the towers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.errors import InputError
from nnm_core.fitting.fit_model import fit
from nnm_core.interpret.compare.alignment import match_stereotypes, stereotype_distances
from nnm_core.interpret.towers import MIN_ITEMS, tag_vectors
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.types import FloatArray, IntArray


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
    dataset: Dataset,
    options: FitOptions,
    *,
    seed: int = 0,
    throughout: bool = False,
    n_threads: int | None = None,
    min_items: int = MIN_ITEMS,
) -> TowerComparison:
    """Fit with the fill and without it, and compare the towers of the two models.

    Parameters
    ----------
    options
        Of the first model; they must have a fill.
    throughout
        Count unknown ratings as zeros in all iterations, not only in the first ones.
    min_items
        Tags with fewer items are left out.

    Examples
    --------
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
    first, second = (fit(dataset.ratings, part, seed=seed, n_threads=n_threads) for part in (filled, unfilled))
    return compare_towers(first, second, dataset, min_items=min_items)


def compare_towers(
    first: Model, second: Model, dataset: Dataset, tags: Labels | None = None, *, min_items: int = MIN_ITEMS
) -> TowerComparison:
    """Compare the tag vectors of two models of the same ratings, over tags with at least ``min_items`` items.

    Examples
    --------
    >>> compare_towers(model, model, dataset).structure_kept
    1.0
    """
    tags = dataset.tags if tags is None else tags
    if first.n_stereotypes != second.n_stereotypes:
        raise InputError("Towers can be compared only between models with the same number of stereotypes.")
    enough = np.flatnonzero(tags.counts >= max(min_items, 1))
    matches = match_stereotypes(stereotype_distances(first, second, dataset.ratings))
    ours, theirs = tag_vectors(first, tags)[enough], tag_vectors(second, tags)[enough][:, matches]
    columns = range(first.n_stereotypes)
    return TowerComparison(
        tags=tuple(tags.names[row] for row in enough),
        first=ours,
        second=theirs,
        matches=matches,
        rank_correlations=np.array([_rank_correlation(ours[:, k], theirs[:, k]) for k in columns]),
        same_order=np.array([_same_order(ours[:, k], theirs[:, k]) for k in columns]),
        shifts=(ours - theirs).mean(axis=0) if len(enough) else np.zeros(first.n_stereotypes),
    )


def _rank_correlation(a: FloatArray, b: FloatArray) -> float:
    if len(a) < 2:
        return float("nan")
    return float(pd.Series(a).rank().corr(pd.Series(b).rank()))


def _same_order(a: FloatArray, b: FloatArray) -> float:
    """Return the share of pairs in the same order in both; 1 where there is no pair."""
    upper = np.triu_indices(len(a), 1)
    if not len(upper[0]):
        return 1.0
    signs = [np.sign(part[:, None] - part[None])[upper] for part in (a, b)]
    return float((signs[0] == signs[1]).mean())
