"""What a data set is: ratings, and what is known about the items and the people."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from nnm_core.errors import InputError
from nnm_core.ratings import Ratings
from nnm_core.scale import written


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Yes-or-no properties of items (tags) or of people (trait values); ``member`` (n_rows, n_names): who has which."""

    names: tuple[str, ...]
    member: csr_array

    def __post_init__(self) -> None:
        if self.member.shape[1] != len(self.names):
            raise InputError(f"{len(self.names):,} names for {self.member.shape[1]:,} columns of labels.")

    @classmethod
    def none(cls, n_rows: int) -> Labels:
        """Make labels without any property, for that many rows."""
        return cls((), csr_array((n_rows, 0), dtype=np.bool_))

    @classmethod
    def from_pairs(cls, rows: NDArray[Any], columns: NDArray[Any], names: Iterable[str], n_rows: int) -> Labels:
        """Make labels from arrays: row ``rows[k]`` has the property ``names[columns[k]]``; repeats count once."""
        names = tuple(names)
        flags = np.ones(len(rows), dtype=np.bool_)
        member: csr_array = coo_array((flags, (rows, columns)), shape=(n_rows, len(names))).tocsr()
        member.sum_duplicates()
        member.data[:] = True
        return cls(names, member)

    @classmethod
    def from_lists(cls, names_of_row: Mapping[int, Iterable[str]], n_rows: int, order: Sequence[str] = ()) -> Labels:
        """Make labels for ``n_rows`` rows, of which some have names; in the given order, else alphabetical; all in use.

        >>> Labels.from_lists({0: ["drama", "war"], 2: ["war"]}, 3).counts.tolist()
        [1, 2]
        """
        pairs = [(row, name) for row, names in names_of_row.items() for name in names]
        used = {name for _, name in pairs}
        position = {name: k for k, name in enumerate(filter(used.__contains__, order) if order else sorted(used))}
        rows = np.array([row for row, _ in pairs], dtype=np.int64)
        columns = np.array([position[name] for _, name in pairs], dtype=np.int64)
        return cls.from_pairs(rows, columns, position, n_rows)

    @classmethod
    def from_categories(cls, name_of_row: Mapping[int, str], n_rows: int, order: Sequence[str] = ()) -> Labels:
        """Make labels where a row has at most one."""
        return cls.from_lists({row: [name] for row, name in name_of_row.items()}, n_rows, order)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each property, (n_names,)."""
        return np.bincount(self.member.indices, minlength=len(self.names)).astype(np.int64)

    @property
    def unlabelled(self) -> NDArray[np.int64]:
        """The rows that have none of the properties."""
        return np.flatnonzero(np.diff(self.member.indptr) == 0)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Ratings with everything that is known about their items and people.

    ``titles``: one per item, in the order of ``ratings.item_ids``. ``traits``: of the users, one entry per trait
    ("gender", "age", ...). ``user_tags``: words that people attached to items, where a source has them.
    ``implicit``: nobody rated; a pair that was seen counts as 1, and only the fill makes it informative.
    ``about_films``: the items are known to be films and the tags genres.
    ``days`` (n_ratings,): the day on which each rating was given, counted from 1 January 1970, in the order of
    ``ratings.by_user``, and ``NO_DAY`` where that is not known; None where no time is known. No fit uses it.
    """

    name: str
    ratings: Ratings
    titles: tuple[str, ...]
    tags: Labels
    traits: Mapping[str, Labels] = field(default_factory=dict)
    licence: str = ""
    source: str = ""
    user_tags: Labels | None = None
    implicit: bool = False
    about_films: bool = False
    days: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        if len(self.titles) != self.ratings.n_items:
            raise InputError(f"{len(self.titles):,} titles for {self.ratings.n_items:,} items.")
        if self.days is not None and len(self.days) != len(self.ratings):
            raise InputError(f"{len(self.days):,} days for {len(self.ratings):,} ratings.")
        for what, labels in (("tags", self.tags), ("user tags", self.user_tags)):
            if labels is not None and labels.member.shape[0] != self.ratings.n_items:
                raise InputError(f"{what} for {labels.member.shape[0]:,} of {self.ratings.n_items:,} items.")
        for trait, labels in self.traits.items():
            n_given, n_users = labels.member.shape[0], self.ratings.n_users
            if n_given != n_users:
                raise InputError(f"The trait {trait!r} is given for {n_given:,} of {n_users:,} users.")

    @cached_property
    def content_hash(self) -> str:
        """Names ratings, titles, tags and traits together, whatever file they came from; not the days."""
        digest = hashlib.sha256(self.ratings.content_hash.encode())
        digest.update(repr((self.implicit, self.titles)).encode("utf-8", "surrogatepass"))
        parts = [("tags", self.tags), ("user tags", self.user_tags), *sorted(self.traits.items())]
        for what, labels in parts:
            if labels is not None:
                digest.update(repr((what, labels.names)).encode("utf-8", "surrogatepass"))
                digest.update(labels.member.indptr.astype(np.int64).data)
                digest.update(labels.member.indices.astype(np.int64).data)
        return digest.hexdigest()

    def subset(self, mask: NDArray[np.bool_]) -> Dataset:
        """Return the data set with the ratings where ``mask`` (n_ratings,) is true; all users and items stay."""
        days = None if self.days is None else self.days[mask]
        return replace(self, ratings=self.ratings.subset(mask), days=days)

    @property
    def scale_in_words(self) -> str:
        """The rating scale for people: "1 to 5 in steps of 1"."""
        scale = self.ratings.scale
        if self.implicit:
            return "implicit: seen is 1, there are no ratings"
        ends = f"{written(scale.lowest)} to {written(scale.highest)}"
        if scale.is_continuous:
            return f"{ends}, continuous ({len(self.ratings.levels):,} different values)"
        return f"{ends} in steps of {written(scale.step)} ({scale.n_levels} levels)"
