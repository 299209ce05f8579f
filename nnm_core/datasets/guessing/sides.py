"""Guess what is known about items and people: in tables of their own, or in further columns of the ratings' table."""

from __future__ import annotations

import re
from dataclasses import replace

from nnm_core.datasets.columns import ItemColumns, RatingColumns, UserColumns
from nnm_core.datasets.guessing.hints import Hints
from nnm_core.datasets.guessing.profiles import (
    ColumnProfile,
    declared_type,
    is_background,
    is_personal,
    normalized,
    profile_columns,
    role_of,
    roles_of,
)
from nnm_core.datasets.guessing.wide import is_trait
from nnm_core.datasets.reading.tables import TableSample


def guess_items(table: TableSample) -> ItemColumns:
    """Guess which columns of an item table hold ids, titles and tags."""
    looks, roles = profile_columns(table), roles_of(table)
    item = roles.get("item") or _id_column(table, looks)
    others = [name for name in looks if name != item]
    title = roles.get("title", "")
    repeats = item in looks and looks[item].n_distinct < 0.8 * looks[item].n_given  # a row per item and tag
    if (not title or title == item) and not repeats:
        free = [name for name in others if not table.named or role_of(name) is None]
        texts = [name for name in free if not looks[name].numeric and not looks[name].dates and looks[name].n_given]
        title = next((name for name in texts if looks[name].n_distinct > 0.5 * looks[name].n_given), "")
    tags = [name for name in others if role_of(name) == "tags" and name != title] if table.named else []
    if not tags:
        unclaimed = [name for name in others if name != title and (not table.named or role_of(name) is None)]
        tags = [name for name in unclaimed if looks[name].separator == "|"][:1]
        if not tags and repeats:
            tags = [name for name in unclaimed if not looks[name].numeric and is_trait(name, looks[name])][:1]
    flags = [name for name in others if looks[name].flags and name not in (title, *tags)]
    flags = flags if len(flags) > 1 else []
    separator = "|" if not tags else " " if declared_type(tags[0]) == "token_seq" else looks[tags[0]].separator
    return ItemColumns(table.columns, item, title, tuple(tags), separator, tuple(flags), table.dialect, table.file)


def guess_items_beside(table: TableSample, ratings: RatingColumns) -> ItemColumns | None:
    """Guess which columns hold titles and tags of the items in tables that were joined before export, if any do."""
    if not table.named or ratings.item not in table.columns:
        return None
    looks = profile_columns(table)
    others = [name for name in looks if name not in (ratings.user, ratings.item, ratings.rating)]
    fixed = [name for name in others if _is_fixed(table, name, ratings.item)]
    titles = [name for name in fixed if role_of(name) == "title" or re.search(r"(?i)name|title", name)]
    title = next((name for name in titles if not looks[name].numeric and not looks[name].prose), "")
    title = "" if role_of(ratings.item) == "title" else title
    tags = [name for name in others if role_of(name) == "tags"]
    if not title and not tags:
        return None
    found = guess_items(table)
    kept = tuple(name for name in found.tags if name in tags or (name in fixed and name != title))
    return replace(found, item=ratings.item, title=title, tags=kept, flags=())


def _is_fixed(table: TableSample, name: str, key: str) -> bool:
    """Whether a column has the same text in all rows of an item, or of a person, so that it is about them."""
    text_of: dict[str, str] = {}
    pairs = zip(table.cells(key), table.cells(name), strict=True)
    return all(text_of.setdefault(owner, text) == text for owner, text in pairs if text.strip())


def _id_column(table: TableSample, looks: dict[str, ColumnProfile]) -> str:
    """Return the column that names the row: the first whose cells all differ, or simply the first."""
    called_id = [name for name in table.columns if normalized(name) == "id"]
    distinct = [n for n, look in looks.items() if look.n_given and look.n_distinct == look.n_given and not look.dates]
    return [*called_id, *distinct, table.columns[0]][0]


def guess_users(table: TableSample) -> UserColumns:
    """Guess which columns of a user table hold ids and traits; columns with too many different words are left out."""
    looks, user = profile_columns(table), roles_of(table).get("user", "")
    if not user or (is_personal(user) and not normalized(user).endswith("id")):  # an address beside an id
        user = next((name for name in table.columns if normalized(name) == "id"), user) or _id_column(table, looks)
    traits = [name for name in looks if name != user and is_trait(name, looks[name])]
    return UserColumns(table.columns, user, tuple(traits), dialect=table.dialect, file=table.file)


def guess_users_beside(table: TableSample, ratings: RatingColumns, hints: Hints) -> UserColumns | None:
    """Guess which columns say something about the people in tables that were joined before export, if any do.

    Those have one text in all rows of a person, and not one in all rows of an item. Whether that holds in the whole
    file is looked at when it is read.
    """
    if not table.named or ratings.one_person or ratings.user not in table.columns:
        return None
    looks, traits = profile_columns(table), hints.traits
    if not traits:
        used = {ratings.user, ratings.item, ratings.rating, ratings.time, *hints.drop}
        free = [name for name in looks if name not in used and role_of(name) is None]
        free = [name for name in free if is_background(name) or not looks[name].numeric]
        free = [name for name in free if is_trait(name, looks[name]) and looks[name].n_distinct > 1]
        repeats = len(set(table.cells(ratings.user))) < len(table.sample)
        fixed = [name for name in free if repeats and _is_fixed(table, name, ratings.user)]
        traits = tuple(name for name in fixed if is_background(name) or not _is_fixed(table, name, ratings.item))
    return UserColumns(table.columns, ratings.user, traits, table.dialect, table.file) if traits else None
