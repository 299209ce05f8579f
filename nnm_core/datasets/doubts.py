"""Whether anything can be learned from data at all, in words."""

from __future__ import annotations

import numpy as np

from nnm_core.datasets.dataset import Dataset
from nnm_core.datasets.report import ImportReport
from nnm_core.phrases import counted
from nnm_core.ratings import Ratings

_FEWEST = 20
"""With fewer ratings than this, whatever stereotypes show is chance."""

_NEARLY_ALL = 0.9
"""From this part of the rows on that could not be used, the file was probably not read as it was meant."""


def doubt(dataset: Dataset, report: ImportReport | None = None) -> str:
    """Why nothing can be learned from these data, in a sentence or two; empty where something can."""
    ratings = dataset.ratings
    if ratings.n_users < 2:
        return (
            f"There is only {counted(ratings.n_users, 'person', 'people')}. Stereotypes are what people have in common "
            "and what sets them apart, so nothing can be learned from fewer than two; tastes show from some dozens on."
        )
    if ratings.n_items < 2:
        return (
            f"There is only {counted(ratings.n_items, 'item')}. Taste is liking one thing more than another, so "
            "nothing can be learned from fewer than two items; tastes show from some dozens on."
        )
    if report is not None and report.rows_unreadable >= _NEARLY_ALL * max(report.rows_read, 1):
        return (
            f"Only {report.rows_kept:,} of {counted(report.rows_read, 'row')} could be used, so what is learned would "
            "be about the wrong data. Perhaps another delimiter or other columns are meant."
        )
    rating, rated = ("choice", "chose") if dataset.implicit else ("rating", "rated")
    if len(ratings) < _FEWEST:
        return (
            f"There are only {counted(len(ratings), rating)}, so whatever is found in them is chance; tastes show from "
            f"some hundred {rating}s on."
        )
    if not _has_something_in_common(ratings):
        return (
            f"Nobody {rated} two items that others {rated} too, so there is nothing in which people could be alike. "
            "Perhaps other columns hold the people and the items."
        )
    return ""


def _has_something_in_common(ratings: Ratings) -> bool:
    """Whether somebody rated two items that are not theirs alone."""
    is_shared = ratings.by_item.counts > 1
    return bool(np.bincount(ratings.users, weights=is_shared[ratings.items]).max() >= 2)
