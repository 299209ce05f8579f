"""Known ratings: who gave what to which item, held compactly and in both orientations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from nnm_core._kernels.half_step import sort_pairs, turn
from nnm_core.errors import InputError
from nnm_core.scale import Scale, written
from nnm_core.types import BoolArray, FloatArray, IntArray

Duplicates = Literal["error", "first", "last", "mean"]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The ratings grouped by row, where a row is a user or an item.

    Row ``r`` owns the entries ``starts[r]:starts[r + 1]``, in increasing order of ``partners``.

    ``starts`` (n_rows + 1,) int64; ``partners`` (n_ratings,) int32, who is at the other end of each rating;
    ``codes`` (n_ratings,) unsigned, each rating as a position in ``Ratings.levels``.
    """

    starts: NDArray[np.int64]
    partners: NDArray[np.int32]
    codes: IntArray

    @property
    def counts(self) -> NDArray[np.int64]:
        """Ratings per row, (n_rows,)."""
        return np.diff(self.starts)

    @property
    def rows(self) -> NDArray[np.int32]:
        """The row that owns each entry, (n_ratings,)."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), self.counts)

    def of(self, row: int) -> slice:
        """The entries of one row."""
        return slice(int(self.starts[row]), int(self.starts[row + 1]))


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
    by_user: Side
    by_item: Side
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
        """Ratings from three parallel columns; ids may be of any type and are kept as text.

        Without ``scale`` it is read from the values. ``duplicates`` says what becomes of several ratings by the
        same user for the same item; a mean is rounded to the nearest level of the scale.
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
        """Ratings whose users and items are given as positions in lists of ids.

        Ids keep the given order, and may occur in no rating at all.
        """
        user_ids, item_ids = tuple(user_ids), tuple(item_ids)
        numbers = np.ascontiguousarray(values, dtype=np.float64).ravel()
        _check_values(numbers)
        scale = scale or Scale.infer(numbers)
        levels, codes = _encode(numbers, scale)
        by_user, user_index, item_index = _grouped_and_indexed(users, items, codes, user_ids, item_ids)
        repeated = _repeated(by_user)
        if len(repeated):
            kept = _without_duplicates(users, items, numbers, repeated, by_user, user_ids, item_ids, duplicates)
            return cls.from_numbers(kept[0], kept[1], scale.round(kept[2]), user_ids, item_ids, scale=scale)
        return cls._from_side(by_user, user_index, item_index, levels, scale)

    @classmethod
    def from_choices(
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
        """As ``from_numbers``, each rating being a position in ``values`` (n_values,), NaN where no rating has it.

        Nothing is worked out per rating that can be worked out per value.
        """
        user_ids, item_ids = tuple(user_ids), tuple(item_ids)
        used = ~np.isnan(values)
        _check_values(values[used])
        try:
            levels, used_codes = _encode(values[used], scale)
        except InputError:
            _encode(values[choices], scale)  # why: the same fault, told of the first rating that has it
            raise
        code_of = np.zeros(len(values), dtype=used_codes.dtype)
        code_of[used] = used_codes
        codes = np.take(code_of, choices)
        by_user, user_index, item_index = _grouped_and_indexed(users, items, codes, user_ids, item_ids)
        if len(_repeated(by_user)):
            return cls.from_numbers(
                users, items, values[choices], user_ids, item_ids, scale=scale, duplicates=duplicates
            )
        return cls._from_side(by_user, user_index, item_index, levels, scale)

    @classmethod
    def _from_side(
        cls, by_user: Side, user_index: dict[str, int], item_index: dict[str, int], levels: FloatArray, scale: Scale
    ) -> Ratings:
        """Ratings from one finished orientation."""
        user_ids, item_ids = tuple(user_index), tuple(item_index)
        with ThreadPoolExecutor(max_workers=1) as pool:
            other = pool.submit(turn, by_user.starts, by_user.partners, by_user.codes, len(item_ids))
            content_hash = _content_hash(by_user, user_ids, item_ids, levels, scale)
            by_item = Side(*other.result())
        for array in (levels, *_arrays(by_user), *_arrays(by_item)):
            array.flags.writeable = False
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
        """The ratings where ``mask`` (n_ratings,), in the order of ``by_user``, is true; all ids and the scale stay."""
        counts = np.bincount(self.users[mask], minlength=self.n_users)
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        side = Side(starts, self.by_user.partners[mask], self.by_user.codes[mask])
        return self._from_side(side, self.user_index, self.item_index, self.levels.copy(), self.scale)


def _number_ids(ids: Sequence[Any] | NDArray[Any] | pd.Series[Any], kind: str) -> tuple[list[str], NDArray[np.int32]]:
    """The different ids as text in their canonical order, and the position of each entry's id among them."""
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


def canonical_order(ids: Sequence[str]) -> list[int]:
    """The order in which ids are numbered: as numbers if all are plain whole numbers, else as text."""
    if all(name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0") for name in ids):
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


def _encode(values: FloatArray, scale: Scale) -> tuple[FloatArray, IntArray]:
    """The scale's levels and each value as a position among them."""
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
        levels, codes = np.unique(values, return_inverse=True)
        return levels, codes.astype(_code_type(len(levels)))
    levels = scale.levels
    codes = np.clip(np.rint((values - scale.lowest) / scale.step), 0, len(levels) - 1).astype(_code_type(len(levels)))
    between = np.abs(levels[codes] - values) > 1e-3 * scale.step
    if between.any():
        row = int(np.argmax(between))
        raise InputError(
            f"Rating {row + 1:,} ({written(values[row])}) lies between the levels of the scale (steps of "
            f"{written(scale.step)} from {written(scale.lowest)}); give a finer step, or step=0 for a continuous scale."
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


def _grouped_and_indexed(
    users: IntArray, items: IntArray, codes: IntArray, user_ids: tuple[str, ...], item_ids: tuple[str, ...]
) -> tuple[Side, dict[str, int], dict[str, int]]:
    """The ratings by user, and where each user and each item stands."""
    _check_positions(users, len(user_ids), "user")
    _check_positions(items, len(item_ids), "item")
    with ThreadPoolExecutor(max_workers=1) as pool:
        grouped = pool.submit(_grouped_by_user, users, items, codes, len(user_ids), len(item_ids))
        user_index, item_index = _index(user_ids, "user"), _index(item_ids, "item")
        return grouped.result(), user_index, item_index


def _grouped_by_user(users: IntArray, items: IntArray, codes: IntArray, n_users: int, n_items: int) -> Side:
    """The ratings by user, in increasing order of items."""
    users, items = (np.ascontiguousarray(numbers, dtype=np.int32) for numbers in (users, items))
    return Side(*sort_pairs(users, items, codes, n_users, n_items))


def _arrays(side: Side) -> tuple[NDArray[Any], ...]:
    return side.starts, side.partners, side.codes


def _repeated(by_user: Side) -> IntArray:
    """The entries that rate the same item as the entry before them, by the same user."""
    partners, starts = by_user.partners, by_user.starts
    suspects = np.flatnonzero(partners[1:] == partners[:-1]) + 1
    entries: IntArray = suspects[starts[np.searchsorted(starts, suspects)] != suspects]
    return entries


def _without_duplicates(
    users: IntArray,
    items: IntArray,
    values: FloatArray,
    repeated: IntArray,
    by_user: Side,
    user_ids: tuple[str, ...],
    item_ids: tuple[str, ...],
    duplicates: Duplicates,
) -> tuple[IntArray, IntArray, FloatArray]:
    """The three columns with one rating per user and item."""
    if duplicates == "error":
        raise _repeats_error(repeated, by_user, user_ids, item_ids)
    groups = pd.DataFrame({"user": users, "item": items, "value": values}).groupby(["user", "item"], sort=False)
    table = groups["value"].agg(duplicates).reset_index()
    return table["user"].to_numpy(), table["item"].to_numpy(), table["value"].to_numpy()


def _repeats_error(
    repeated: IntArray, by_user: Side, user_ids: tuple[str, ...], item_ids: tuple[str, ...]
) -> InputError:
    user, item = int(by_user.rows[repeated[0]]), int(by_user.partners[repeated[0]])
    return InputError(
        f"{len(repeated):,} ratings repeat a user and an item, the first is user {user_ids[user]!r} with "
        f"item {item_ids[item]!r}; keep one of them with duplicates='first', 'last' or 'mean'."
    )


def _index(ids: tuple[str, ...], kind: str) -> dict[str, int]:
    index = dict(zip(ids, range(len(ids)), strict=True))
    if len(index) != len(ids):
        twice = next(name for k, name in enumerate(ids) if index[name] != k)
        raise InputError(f"Two {kind}s have the id {twice!r}; ids must differ as text.")
    return index


def _content_hash(
    by_user: Side, user_ids: tuple[str, ...], item_ids: tuple[str, ...], levels: FloatArray, scale: Scale
) -> str:
    digest = hashlib.sha256()
    digest.update(repr((scale, len(user_ids), len(item_ids))).encode())
    for ids in (user_ids, item_ids):
        digest.update("\x00".join(ids).encode("utf-8", "surrogatepass"))
    for array in (levels, *_arrays(by_user)):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
