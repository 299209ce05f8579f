"""Recorded fits for the scene of Algorithm 1: of invented and of real ratings, with columns that correspond."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from dashboard import wording
from dashboard.compute import store
from dashboard.learn.parts import NAMES, match_likes
from nnm_core import FitOptions, InputError, Ratings, preset
from nnm_core.datasets import Dataset
from nnm_core.datasets.synthetic import Truth, demo, invent
from nnm_core.fitting.recording import Recording, record_fit
from nnm_core.options import for_seen_only
from nnm_core.types import IntArray

MOST_PEOPLE, MOST_FILMS = 2000, 400  # that are drawn
MOST_RATINGS = 2_000_000  # that are recorded: above, a recording takes too long and too much memory
N_STEREOTYPES = 3  # the corners of a triangle


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Ratings to record a fit of, and what is known about them.

    ``names``: of the three stereotypes; ``items``, ``unit``: what items are called, and what ratings are counted in.
    """

    ratings: Ratings
    names: tuple[str, ...]
    truth: Truth | None = None
    is_implicit: bool = False
    items: str = "films"
    unit: str = "stars"


def invented_cinema() -> Source:
    """Return the 150 people of the invented cinema."""
    return Source(demo().dataset.ratings, NAMES, demo().truth)


def invented_crowd() -> Source:
    """Return 2,000 invented people."""

    def make() -> Source:
        made = invent(MOST_PEOPLE, 200, 60_000, N_STEREOTYPES)
        return Source(made.ratings(), _numbered(), made.truth)

    return store.derived(("learn", "crowd"), make)


def real(dataset: Dataset) -> Source:
    """Return the ratings of a data set, about which no truth is known."""
    return Source(
        dataset.ratings,
        _numbered(),
        is_implicit=dataset.implicit,
        items=wording.words_for(dataset).items,
        unit=wording.unit_for(dataset),
    )


def _numbered() -> tuple[str, ...]:
    return tuple(f"Stereotype {k + 1}" for k in range(N_STEREOTYPES))


def record(source: Source, momentum: bool, seed: int) -> Recording:
    """Return the recorded fit; its columns in the order of the truth, or of the fit with seed 0."""
    ratings = source.ratings
    if len(ratings) > MOST_RATINGS:
        raise InputError(f"A recording of more than {MOST_RATINGS:,} ratings would take too long. Choose other data.")
    options = preset("paper", n_stereotypes=N_STEREOTYPES, momentum=momentum)
    options = for_seen_only(options) if source.is_implicit else options
    recording = _recorded(ratings, options, seed)
    if source.truth is not None:
        return in_order(recording, match_likes(source.truth.likes, recording.likes[-1]))
    if seed:
        return in_order(recording, match_likes(_recorded(ratings, options, 0).likes[-1], recording.likes[-1]))
    return recording


def _recorded(ratings: Ratings, options: FitOptions, seed: int) -> Recording:
    key: Hashable = ("learn", "recording", ratings.content_hash, options, seed)
    return store.derived(key, lambda: record_fit(ratings, options, seed=seed))


def in_order(recording: Recording, order: IntArray) -> Recording:
    """Return the recording with its columns in this order."""
    return replace(recording, mixtures=recording.mixtures[:, :, order], likes=recording.likes[:, :, order])


def shown_people(ratings: Ratings) -> IntArray:
    """Return the rows of the people who are drawn: all, or an even selection."""
    return np.linspace(0, ratings.n_users - 1, min(ratings.n_users, MOST_PEOPLE)).astype(np.int64)


def shown_films(ratings: Ratings) -> IntArray:
    """Return the rows of the items that are drawn: those with the most ratings."""
    return np.sort(np.argsort(-ratings.by_item.counts, kind="stable")[:MOST_FILMS])
