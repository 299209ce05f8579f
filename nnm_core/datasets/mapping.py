"""Which column means what: guessed, shown in a form, changed by a person, and followed to the letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nnm_core.datasets.tables import Dialect
from nnm_core.errors import InputError

Layout = Literal["long", "wide"]


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """Where the ratings stand.

    ``file``: path inside the source, empty for its only file. ``dialect``: None for Parquet and JSON lines.
    ``columns``: all columns in order. A long table has one rating per row; without ``rating`` it is implicit feedback.
    A wide table has one user per row and one item in each of ``item_columns``; without ``user`` rows are numbered.
    """

    columns: tuple[str, ...]
    user: str = ""
    item: str = ""
    rating: str = ""
    layout: Layout = "long"
    item_columns: tuple[str, ...] = ()
    dialect: Dialect | None = None
    file: str = ""

    def __post_init__(self) -> None:
        named = {"user": self.user, "item": self.item, "rating": self.rating}
        faults = _unknown(named, self.columns)
        faults += [f"item column {name!r} is not in the table" for name in set(self.item_columns) - set(self.columns)]
        if self.layout == "long":
            faults += [f"no column is named for the {role}" for role in ("user", "item") if not named[role]]
            chosen = [name for name in named.values() if name]
            faults += [f"{name!r} has two roles" for name in sorted(set(chosen)) if chosen.count(name) > 1]
        elif not self.item_columns:
            faults.append("a wide table needs item columns")
        elif self.user in self.item_columns:
            faults.append(f"{self.user!r} is both the user and an item")
        _raise_if(faults, "ratings", self.columns)

    @property
    def implicit(self) -> bool:
        """Whether rows only say that somebody saw an item."""
        return self.layout == "long" and not self.rating


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """Where titles and tags of the items stand.

    ``tags``: columns with a list of tags in each cell, split at ``separator`` (empty: each cell is one tag; lists such
    as ``['a', 'b']`` are understood whatever it is). ``flags``: columns of 0 and 1, each a tag of its own.
    """

    columns: tuple[str, ...]
    item: str
    title: str = ""
    tags: tuple[str, ...] = ()
    separator: str = "|"
    flags: tuple[str, ...] = ()
    dialect: Dialect | None = None
    file: str = ""

    def __post_init__(self) -> None:
        faults = _unknown({"item": self.item, "title": self.title}, self.columns)
        faults += [f"{name!r} is not in the table" for name in (*self.tags, *self.flags) if name not in self.columns]
        if not self.item:
            faults.append("no column is named for the item")
        _raise_if(faults, "items", self.columns)


@dataclass(frozen=True, slots=True)
class UserColumns:
    """Where traits of the users stand; numeric traits are binned."""

    columns: tuple[str, ...]
    user: str
    traits: tuple[str, ...] = ()
    dialect: Dialect | None = None
    file: str = ""

    def __post_init__(self) -> None:
        faults = _unknown({"user": self.user}, self.columns)
        faults += [f"trait {name!r} is not in the table" for name in self.traits if name not in self.columns]
        if not self.user:
            faults.append("no column is named for the user")
        _raise_if(faults, "users", self.columns)


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Everything a form asks: where the ratings are and, if there are such files, items and users."""

    ratings: RatingColumns
    items: ItemColumns | None = None
    users: UserColumns | None = None


def _unknown(named: dict[str, str], columns: Sequence[str]) -> list[str]:
    return [
        f"{role} column {name!r} is not in the table" for role, name in named.items() if name and name not in columns
    ]


def _raise_if(faults: Sequence[str], what: str, columns: Sequence[str]) -> None:
    if faults:
        shown = ", ".join(repr(name[:40]) for name in columns[:20])
        raise InputError(
            f"The mapping of the {what} cannot be followed: {'; '.join(faults[:5])}. The columns are {shown}"
            f"{', …' if len(columns) > 20 else ''}."
        )
