"""Known ratings, grouped by user and by item."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from nnm_core._kernels.grouping import RatingRows, group_by_row, transpose
from nnm_core.errors import InputError
from nnm_core.scale import Scale, written
from nnm_core.types import BoolArray, FloatArray, IntArray

Duplicates = Literal["error", "first", "last", "mean"]

_BLOCK = 2**20
"""Ratings that are turned into codes at a time, so that temporary arrays stay small."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Known ratings; arrays are read-only.

    Users and items are numbered in the order of their ids (as numbers where all ids are whole numbers, else as
    text), so the same ratings give the same object whatever the order in which they came.

    ``levels`` (n_levels,): every value that ``codes`` can mean, increasing.
    ``content_hash``: names ids, values and scale together.
    """

    user_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    by_user: RatingRows
    by_item: RatingRows
    levels: FloatArray
    scale: Scale
    content_hash: str
    user_index: dict[str, int] = field(repr=False)
    item_index: dict[str, int] = field(repr=False)

    @classmethod
    def from_arrays(
        cls,
        users: Sequence[Any] | NDArray[Any] | pd.Series[Any],
        items: Sequence[Any] | NDArray[Any] | pd.Series[Any],
        values: ArrayLike,
        *,
        scale: Scale | None = None,
        duplicates: Duplicates = "error",
    ) -> Ratings:
        """Return ratings from three parallel columns.

        Parameters
        ----------
        users, items
            Ids of any type, kept as text.
        values
            Finite numbers.
        scale
            What people could give; inferred from the values if not given.
        duplicates
            What becomes of several ratings by the same user for the same item; a mean is rounded to the nearest level.

        Raises
        ------
        InputError
            If the columns cannot be used, or there are duplicates and ``duplicates="error"``.

        Examples
        --------
        >>> ratings = Ratings.from_arrays(["bob", "ann", "ann"], ["Heat", "Heat", "Alien"], [4, 1, 5])
        >>> ratings.user_ids, ratings.item_ids, ratings.values.tolist()
        (('ann', 'bob'), ('Alien', 'Heat'), [5.0, 1.0, 4.0])
        """
        if not len(users) == len(items) == np.size(values):
            raise InputError(
                "Users, items and ratings must be equally long, "
                f"not {len(users):,}, {len(items):,} and {np.size(values):,}."
            )
        user_ids, user_numbers = _number_ids(users, "user")
        item_ids, item_numbers = _number_ids(items, "item")
        return cls.from_numbers(
            user_numbers, item_numbers, values, user_ids, item_ids, scale=scale, duplicates=duplicates
        )

    @classmethod
    def from_numbers(
        cls,
        users: IntArray,
        items: IntArray,
        values: ArrayLike,
        user_ids: Iterable[str],
        item_ids: Iterable[str],
        *,
        scale: Scale | None = None,
        duplicates: Duplicates = "error",
    ) -> Ratings:
        """Return ratings whose users and items are positions in lists of ids, which may have no rating at all."""
        user_index, item_index = _index(user_ids, "user"), _index(item_ids, "item")
        numbers = np.asarray(values).ravel()
        if numbers.dtype != np.float32:  # which many ratings may come in to take less room
            numbers = numbers.astype(np.float64, copy=False)
        _check_values(numbers)
        scale = scale or Scale.infer(numbers)
        levels, codes = encode_levels(numbers, scale)
        by_user = _group_by_user(users, items, codes, len(user_index), len(item_index))
        if duplicates != "error" and len(_repeated(by_user)):
            frame = pd.DataFrame({"user": users, "item": items, "value": numbers})
            kept = frame.groupby(["user", "item"], sort=False)["value"].agg(duplicates).reset_index()
            users, items, numbers = (kept[name].to_numpy() for name in ("user", "item", "value"))
            return cls.from_numbers(users, items, scale.round(numbers), user_index, item_index, scale=scale)
        return cls._from_rows(by_user, user_index, item_index, levels, scale)

    @classmethod
    def from_codes(
        cls,
        users: IntArray,
        items: IntArray,
        choices: IntArray,
        values: FloatArray,
        user_ids: Iterable[str],
        item_ids: Iterable[str],
        *,
        scale: Scale,
        duplicates: Duplicates = "error",
    ) -> Ratings:
        """Return ratings that are positions in ``values`` (n_values,), which are NaN where no rating has them.

        The same as :meth:`from_numbers`, but faster.
        """
        user_index, item_index = _index(user_ids, "user"), _index(item_ids, "item")
        used = ~np.isnan(values)
        _check_values(values[used])
        try:
            levels, used_codes = encode_levels(values[used], scale)
        except InputError:
            encode_levels(values[choices], scale)  # raises the same error, which then names the first rating
            raise
        code_of = np.zeros(len(values), dtype=used_codes.dtype)
        code_of[used] = used_codes
        by_user = _group_by_user(users, items, np.take(code_of, choices), len(user_index), len(item_index))
        if duplicates in ("first", "last") and not scale.is_continuous:  # which has the levels that are left
            by_user = keep_one(by_user, duplicates)
        elif duplicates != "error" and len(_repeated(by_user)):
            chosen = values[choices]
            return cls.from_numbers(users, items, chosen, user_index, item_index, scale=scale, duplicates=duplicates)
        return cls._from_rows(by_user, user_index, item_index, levels, scale)

    @classmethod
    def _from_rows(
        cls,
        by_user: RatingRows,
        user_index: dict[str, int],
        item_index: dict[str, int],
        levels: FloatArray,
        scale: Scale,
    ) -> Ratings:
        """Return ratings from those grouped by user; raise InputError if some repeat a user and an item."""
        user_ids, item_ids = tuple(user_index), tuple(item_index)
        repeated = _repeated(by_user)
        if len(repeated):
            user, item = int(by_user.rows[repeated[0]]), int(by_user.partners[repeated[0]])
            raise InputError(
                f"{len(repeated):,} ratings repeat a user and an item, the first is user {user_ids[user]!r} with "
                f"item {item_ids[item]!r}; keep one of them with duplicates='first', 'last' or 'mean'."
            )
        by_user, by_item = by_user.read_only(), transpose(by_user, len(item_ids)).read_only()
        levels.flags.writeable = False
        content_hash = _content_hash(by_user, user_ids, item_ids, levels, scale)
        return cls(user_ids, item_ids, by_user, by_item, levels, scale, content_hash, user_index, item_index)

    def __len__(self) -> int:
        return len(self.by_user.partners)

    @property
    def n_users(self) -> int:
        """How many users there are, those without ratings included."""
        return len(self.user_ids)

    @property
    def n_items(self) -> int:
        """How many items there are, those without ratings included."""
        return len(self.item_ids)

    @property
    def users(self) -> NDArray[np.int32]:
        """The user of each rating, (n_ratings,), in the order of ``by_user``."""
        return self.by_user.rows

    @property
    def items(self) -> NDArray[np.int32]:
        """The item of each rating, (n_ratings,), in the order of ``by_user``."""
        return self.by_user.partners

    @property
    def values(self) -> FloatArray:
        """Each rating as it was given, (n_ratings,), in the order of ``by_user``."""
        return self.levels[self.by_user.codes]

    def subset(self, mask: BoolArray) -> Ratings:
        """Return the ratings where ``mask`` (n_ratings,) is true, in the order of ``by_user``; ids and scale stay."""
        counts = np.bincount(self.users[mask], minlength=self.n_users)
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        by_user = RatingRows(starts, self.by_user.partners[mask], self.by_user.codes[mask])
        return self._from_rows(by_user, self.user_index, self.item_index, self.levels.copy(), self.scale)

    def among(self, users: IntArray, items: IntArray) -> Ratings:
        """Return the ratings that these users gave these items, both as rows in increasing order; no others stay."""
        user_place, item_place = np.full(self.n_users, -1), np.full(self.n_items, -1)
        user_place[users], item_place[items] = np.arange(len(users)), np.arange(len(items))
        rows, columns = user_place[self.users], item_place[self.items]
        both = (rows >= 0) & (columns >= 0)
        user_ids, item_ids = [self.user_ids[k] for k in users], [self.item_ids[k] for k in items]
        return Ratings.from_numbers(rows[both], columns[both], self.values[both], user_ids, item_ids, scale=self.scale)


def _number_ids(ids: Sequence[Any] | NDArray[Any] | pd.Series[Any], kind: str) -> tuple[list[str], NDArray[np.int32]]:
    """Return the distinct ids as text in their canonical order, and the position of each entry's id among them."""
    # Lists become arrays of objects: numpy's own text type would drop NUL characters at the end of an id.
    column = ids if isinstance(ids, np.ndarray | pd.Series) else np.fromiter(ids, dtype=object, count=len(ids))
    codes, distinct = pd.factorize(column)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise InputError(f"Rating {row + 1:,} has no {kind} id; remove it or give it one.")
    names = [str(name) for name in distinct]
    order = canonical_order(names)
    position = np.empty(len(order), dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    return [names[k] for k in order], position[codes]


def are_whole(ids: Iterable[str]) -> bool:
    """Whether all ids are plain whole numbers."""
    return all(name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0") for name in ids)


def canonical_order(ids: Sequence[str]) -> list[int]:
    """Return the order in which ids are numbered: as numbers if all are plain whole numbers, else as text."""
    if are_whole(ids):
        return sorted(range(len(ids)), key=lambda k: int(ids[k]))
    return sorted(range(len(ids)), key=lambda k: ids[k])


def _check_values(values: FloatArray) -> None:
    if len(values) == 0:
        raise InputError("There are no ratings; a model needs at least one.")
    unusable = ~np.isfinite(values)
    if unusable.any():
        row = int(np.argmax(unusable))
        raise InputError(
            f"{int(unusable.sum()):,} of {len(values):,} ratings are not finite numbers, "
            f"the first is rating {row + 1:,} ({values[row]}); remove them."
        )


def encode_levels(values: FloatArray, scale: Scale) -> tuple[FloatArray, IntArray]:
    """Return the scale's levels and each value as a position among them."""
    outside = values.min() < scale.lowest - 1e-6 * scale.span or values.max() > scale.highest + 1e-6 * scale.span
    if outside:
        where = (values < scale.lowest - 1e-6 * scale.span) | (values > scale.highest + 1e-6 * scale.span)
        row = int(np.argmax(where))
        raise InputError(
            f"{int(where.sum()):,} ratings lie outside the scale from {written(scale.lowest)} to "
            f"{written(scale.highest)}, the first is rating {row + 1:,} ({written(values[row])}); correct them "
            "or give a wider scale."
        )
    if scale.is_continuous:
        levels, codes = np.unique(values.astype(np.float64, copy=False), return_inverse=True)
        return levels, codes.astype(_code_type(len(levels)))
    levels = scale.levels
    codes = np.empty(len(values), dtype=_code_type(len(levels)))
    for first in range(0, len(values), _BLOCK):
        block = values[first : first + _BLOCK].astype(np.float64, copy=False)
        nearest = np.clip(np.rint((block - scale.lowest) / scale.step), 0, len(levels) - 1).astype(codes.dtype)
        codes[first : first + _BLOCK] = nearest
        between = np.abs(levels[nearest] - block) > 1e-3 * scale.step
        if between.any():
            row = first + int(np.argmax(between))
            raise InputError(
                f"Rating {row + 1:,} ({written(values[row])}) lies between the levels of the scale (steps of "
                f"{written(scale.step)} from {written(scale.lowest)}); give a finer step, or step=0 for a continuous "
                "scale."
            )
    return levels, codes


def _code_type(n_levels: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if n_levels <= 2**8 else np.uint16 if n_levels <= 2**16 else np.uint32


def _check_positions(positions: IntArray, n_ids: int, kind: str) -> None:
    if positions.min() < 0 or positions.max() >= n_ids:
        row = int(np.argmax((positions < 0) | (positions >= n_ids)))
        raise InputError(
            f"Rating {row + 1:,} names {kind} number {int(positions[row])}, but there are {n_ids:,} {kind} ids."
        )


def _group_by_user(users: IntArray, items: IntArray, codes: IntArray, n_users: int, n_items: int) -> RatingRows:
    """Return the ratings by user, in increasing order of items."""
    _check_positions(users, n_users, "user")
    _check_positions(items, n_items, "item")
    users, items = (np.ascontiguousarray(numbers, dtype=np.int32) for numbers in (users, items))
    return group_by_row(users, items, codes, n_users, n_items)


def keep_one(by_user: RatingRows, which: Literal["first", "last"]) -> RatingRows:
    """Return the first or the last of equal pairs, which follow each other in the order in which they came."""
    repeated = _repeated(by_user)
    if not len(repeated):
        return by_user
    leaving = repeated if which == "first" else repeated - 1
    starts = by_user.starts - np.searchsorted(leaving, by_user.starts)
    return RatingRows(starts, np.delete(by_user.partners, leaving), np.delete(by_user.codes, leaving))


def _repeated(by_user: RatingRows) -> IntArray:
    """Return the entries that repeat the user and the item of the entry before them."""
    partners, starts = by_user.partners, by_user.starts
    suspects = np.flatnonzero(partners[1:] == partners[:-1]) + 1
    entries: IntArray = suspects[starts[np.searchsorted(starts, suspects)] != suspects]
    return entries


def _index(ids: Iterable[str], kind: str) -> dict[str, int]:
    """Return the row of each id; raise InputError if two are equal."""
    ids = tuple(ids)
    index = dict(zip(ids, range(len(ids)), strict=True))
    if len(index) != len(ids):
        twice = next(name for k, name in enumerate(ids) if index[name] != k)
        raise InputError(f"Two {kind}s have the id {twice!r}; ids must differ as text.")
    return index


def _content_hash(
    by_user: RatingRows, user_ids: tuple[str, ...], item_ids: tuple[str, ...], levels: FloatArray, scale: Scale
) -> str:
    digest = hashlib.sha256()
    digest.update(repr((scale, len(user_ids), len(item_ids))).encode())
    for ids in (user_ids, item_ids):
        digest.update("\x00".join(ids).encode("utf-8", "surrogatepass"))
    for array in (levels, *by_user):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
