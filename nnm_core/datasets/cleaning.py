"""What a person may decide about the rows of an import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nnm_core.errors import InputError
from nnm_core.scale import Scale, written

LARGEST = 1e9
"""No rating lies farther from zero than this; ids and times do."""

Keep = Literal["first", "last", "mean"]


@dataclass(frozen=True, slots=True)
class Cleaning:
    """Decisions about rows; the defaults keep every rating that can be read.

    ``missing``: ratings that mean "seen, not rated" and are left out. ``duplicates``: which of several ratings by the
    same user for the same item stays, in the order of the file; a mean is rounded to the nearest level.
    ``min_user_ratings``, ``min_item_ratings``: users and items with fewer are left out, until none is left.
    ``scale``: what people could have given; without it, it is read from the ratings.
    ``n_bins``: put ratings of many different values into that many levels, 1 to ``n_bins``.
    """

    missing: tuple[float, ...] = ()
    duplicates: Keep = "last"
    min_user_ratings: int = 1
    min_item_ratings: int = 1
    scale: Scale | None = None
    n_bins: int | None = None

    def __post_init__(self) -> None:
        faults = []
        if self.duplicates not in ("first", "last", "mean"):
            faults.append(f"duplicates must be 'first', 'last' or 'mean', not {self.duplicates!r}")
        if min(self.min_user_ratings, self.min_item_ratings) < 1:
            faults.append("min_user_ratings and min_item_ratings must be 1 or more")
        if self.n_bins is not None and not 2 <= self.n_bins <= 100:
            faults.append(f"n_bins must lie between 2 and 100, not {self.n_bins}")
        if self.n_bins is not None and self.scale is not None:
            faults.append("give either a scale or n_bins, not both")
        if self.scale is not None and max(abs(self.scale.lowest), abs(self.scale.highest)) > LARGEST:
            faults.append(f"a scale may reach {written(LARGEST)} above and below zero, not farther")
        if faults:
            raise InputError(f"These decisions cannot be followed: {'; '.join(faults)}.")
