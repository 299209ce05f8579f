"""What a data set is: ratings, and what is known about the items and the people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scipy.sparse import csr_array

from nnm_core.ratings import Ratings


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Yes-or-no properties of items (tags) or of people (trait values).

    ``names``: the properties; ``member`` (n_rows, n_names): which row has which, sparse.
    """

    names: tuple[str, ...]
    member: csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Ratings with everything that is known about their items and people.

    ``titles``: one per item, in the order of ``ratings.item_ids``.
    ``tags``: of the items. ``traits``: of the users, one entry per trait ("gender", "age", ...).
    """

    name: str
    ratings: Ratings
    titles: tuple[str, ...]
    tags: Labels
    traits: Mapping[str, Labels] = field(default_factory=dict)
    licence: str = ""
