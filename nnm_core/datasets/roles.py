"""Guess which column of a table has which role, from names where there are any and from the cells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from nnm_core.datasets.columns import ItemColumns, RatingColumns, UserColumns
from nnm_core.datasets.profiles import (
    MAX_PROFILED,
    ColumnProfile,
    Role,
    declared_type,
    normalized,
    profile_cells,
    role_of,
    without_type,
)
from nnm_core.datasets.report import Finding, Note, note
from nnm_core.datasets.tables import WHITESPACE, TableSample
from nnm_core.errors import DataError

_ID_NAMES = ("", "column1", "id", "index", "row", "unnamed0", "no", "nr")
_MIN_WIDE = 6  # a table without header and with fewer columns is never taken for a wide one
# Columns about a person that tell people apart rather than what they have in common.
_NO_TRAIT = re.compile(r"(?i:zip|post(al)?_?code|plz|phone|e-?mail|\bid\b|_id$|^name$|url|address)|I[dD]$")
_MIN_WORDS = 4  # a line of prose has so many words
_MAX_ASIDE = 3  # columns that may stand before the ratings of a wide table
MAX_CATEGORIES = 60  # a trait with more different values than this (a postal code, a date) is not offered as one


def roles_of(table: TableSample) -> dict[Role, str]:
    """Return the roles that the names of columns claim: an id before a name, a plain title before an original one."""
    found: dict[Role, str] = {}
    words = {column: normalized(column) for column in table.columns[:MAX_PROFILED]} if table.named else {}
    for column in sorted(words, key=lambda column: not words[column].endswith("id") and words[column] != "title"):
        role = role_of(column)
        if role is not None:
            found.setdefault(role, column)
    return found


def guess_ratings(table: TableSample) -> tuple[RatingColumns, tuple[Note, ...]]:
    """Guess which columns of a table hold users, items and ratings; return them with notes on the guess."""
    looks = profile_columns(table)
    roles = _with_people(table, looks, roles_of(table))
    wide = _guess_wide(table, looks, roles)
    if wide is not None:
        return wide
    if table.dialect is not None and table.dialect.item_blocks and len(table.columns) >= 2:
        item, user, *rest = table.columns
        rating = rest[0] if rest else ""
        time = next((name for name in rest[1:] if looks[name].dates), "")
        return RatingColumns(table.columns, user, item, rating, dialect=table.dialect, file=table.file, time=time), ()
    free = [name for name in looks if not _is_row_number(name, table) and name not in roles.values()]
    rating, notes = _rating_column(table, looks, roles, free)
    ids = [name for name in free if name != rating and looks[name].n_given]
    if table.named or len(ids) > 2:  # without header, what stands first is an id, however much it looks like a date
        ids = [name for k, name in enumerate(ids) if not looks[name].dates or (k < 2 and not table.named)]
    item = roles.get("item") or ""
    if not item and not roles.get("user"):
        item = next((name for name in ids if looks[name].codes), "")
    user = roles.get("user") or next((name for name in ids if name != item), "")
    item = item or next((name for name in ids if name != user), "") or roles.get("title", "")
    if not rating and _is_prose(table, user, item):
        raise DataError(
            f"{table.file or 'The file'} looks like running text, not like a table of ratings: it begins with "
            f"{table.sample[0][0][:60]!r}, and no column has numbers. A table with a user, an item and a rating per "
            "line is needed; if this is one, name its columns in a first line."
        )
    if not user or not item:
        raise DataError(
            f"{table.file or 'The table'}: no columns for users and items were found among "
            f"{', '.join(repr(name[:40]) for name in table.columns[:12])}. Check the delimiter, and name the columns."
        )
    dates = [] if table.named else [name for name in looks if looks[name].dates and name not in (user, item, rating)]
    time = roles.get("time", "") if table.named else next(iter(dates), "")
    return RatingColumns(table.columns, user, item, rating, dialect=table.dialect, file=table.file, time=time), notes


def _is_prose(table: TableSample, user: str, item: str) -> bool:
    """Whether lines of sentences happen to have equally many commas; there no user and no item would occur twice."""
    if table.named or table.dialect is None or len(table.sample) < 2 or not user or not item:
        return False
    delimiter = table.dialect.delimiter
    lines = [delimiter.join(row).strip() for row in table.sample]
    return (
        all(len(line.split()) >= _MIN_WORDS for line in lines)
        and any(line.endswith((".", "!", "?")) for line in lines)
        and all(delimiter == WHITESPACE or cell.startswith(" ") for row in table.sample for cell in row[1:])
        and not any(cell.strip(" .").isdecimal() for row in table.sample for cell in row)
        and all(len(set(table.cells(column))) == len(table.sample) for column in (user, item))
    )


def _with_people(table: TableSample, looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> dict[Role, str]:
    """The roles, with a column called "name" as the people's where no other can be, as on the list of a class."""
    name = roles.get("title", "")
    rest = [column for column in table.columns if role_of(column) is None and column in looks]
    others = rest if "item" in roles else [column for column in rest if not looks[column].rating_like]
    if "user" in roles or others or normalized(name) not in ("name", "names", "nom", "nombre"):
        return roles
    found = roles | {"user": name}
    del found["title"]
    return found


def _is_row_number(name: str, table: TableSample) -> bool:
    """Whether a column without a name only counts the rows, as exports of data frames do."""
    if normalized(name) not in ("", "unnamed0", "index", "row", "rownumber", "column1") or not table.named:
        return False
    numbers = table.cells(name)
    return all(cell.isdecimal() for cell in numbers) and len(set(numbers)) == len(numbers)


def _rating_column(
    table: TableSample, looks: dict[str, ColumnProfile], roles: dict[Role, str], free: Sequence[str]
) -> tuple[str, tuple[Note, ...]]:
    """Return the column of ratings, empty for implicit feedback, and a note on it."""
    if "rating" in roles:
        return roles["rating"], ()
    if "count" in roles and "user" in roles and "item" in roles:
        return "", (note(Finding.COUNT_COLUMN, column=roles["count"]),)
    n_ids = sum(role not in roles for role in ("user", "item"))
    most = 20 if n_ids == 0 and table.named else math.inf
    for name in free[n_ids:]:
        look = looks[name]
        if look.rating_like and 1 < look.n_distinct <= most and not (look.whole and look.highest > 200):
            return name, (note(Finding.RATING_BY_VALUES, column=name),) if table.named else ()
    return "", (note(Finding.NO_RATING_COLUMN),)


def _guess_wide(
    table: TableSample, looks: dict[str, ColumnProfile], roles: dict[Role, str]
) -> tuple[RatingColumns, tuple[Note, ...]] | None:
    """The table as a users × items matrix, or None if it does not look like one."""
    names = list(table.columns)
    if ("item" in roles or "rating" in roles) and len(names) < 20:
        return None
    if len(names) < (3 if table.named else _MIN_WIDE) or any(declared_type(name) for name in names):
        return None
    if table.named and len(names) == 3 and "user" not in roles and normalized(names[0]) != "column1":
        return None
    aside = _columns_aside(table, looks, roles)
    rest = [name for name in looks if name not in (roles.get("user"), *aside, *names[: not roles.get("user")])]
    if len(aside) > _MAX_ASIDE or not all(looks[name].rating_like or not looks[name].n_given for name in rest):
        return None
    given = [looks[name] for name in rest if looks[name].n_given]
    if not given or any(look.highest - look.lowest > 200 or abs(look.highest) > 1000 for look in given if look.numeric):
        return None  # no one scale
    user, notes = (roles["user"], ()) if "user" in roles else _wide_user(table, looks, aside)
    if any(found.kind is Finding.ROW_COUNTS for found in notes):
        aside = [*aside, names[0]]
    items = tuple(name for name in names if name not in (user, *aside))
    mapping = RatingColumns(table.columns, user, "", "", "wide", items, table.dialect, table.file)
    return mapping, (note(Finding.WIDE), *notes)


def guess_wide_columns(table: TableSample) -> tuple[str, tuple[str, ...]]:
    """Guess the column of people, if any, and the columns of items in a table that is known to be wide."""
    looks = profile_columns(table)
    items = tuple(name for name in table.columns if name not in looks or looks[name].rating_like)
    return next((name for name, look in looks.items() if name not in items and not look.dates), ""), items


def _columns_aside(table: TableSample, looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> list[str]:
    """Columns at the front of a wide table, as of a survey, that are neither the user nor ratings: dates, remarks."""
    front = []
    for name, look in list(looks.items())[: _MAX_ASIDE + 1] if table.named and "title" not in roles else ():
        if look.rating_like or not look.n_given:
            break
        front.append(name)
    dates = [name for name in front if looks[name].dates]
    return [name for name in front if name != roles.get("user")] if dates and len(table.columns) > 4 else []


def _wide_user(table: TableSample, looks: dict[str, ColumnProfile], aside: list[str]) -> tuple[str, tuple[Note, ...]]:
    """Return the column that names the user of each row, empty if rows are anonymous; and a note on it."""
    first = next((name for name in aside if not looks[name].dates), table.columns[0])
    if _counts_its_row(table):
        return "", (note(Finding.ROW_COUNTS, column=first),)
    cells = table.cells(first)
    distinct = len(set(cells)) == len(cells) and all(cell.strip() for cell in cells)
    begin = table.columns[0]
    is_counting = len(cells) > 5 and all(cell.strip().isdecimal() for cell in table.cells(begin))
    is_id = is_counting or (table.named and normalized(begin) in _ID_NAMES)
    if distinct and (not looks[first].numeric or (looks[first].whole and is_id)):
        return first, (note(Finding.USER_BY_VALUES, column=first),)
    return "", (note(Finding.NUMBERED_USERS),)


def _counts_its_row(table: TableSample) -> bool:
    """Whether each row begins with the number of its ratings, 99 being none, as in the Jester files."""
    if len(table.columns) < _MIN_WIDE or not table.sample:
        return False
    rated = [sum(cell.strip() not in ("", "99", "99.0", "99.00") for cell in row[1:]) for row in table.sample[:50]]
    return all(row[0].strip() in (f"{n}", f"{n}.0", f"{n}.00") for n, row in zip(rated, table.sample, strict=False))


def guess_items(table: TableSample) -> ItemColumns:
    """Guess which columns of an item table hold ids, titles and tags."""
    looks, roles = profile_columns(table), roles_of(table)
    item = roles.get("item") or _id_column(table, looks)
    others = [name for name in looks if name != item]
    title = roles.get("title", "")
    if not title or title == item:
        free = [name for name in others if not table.named or role_of(name) is None]
        texts = [name for name in free if not looks[name].numeric and not looks[name].dates and looks[name].n_given]
        title = next((name for name in texts if looks[name].n_distinct > 0.5 * looks[name].n_given), "")
    tags = [name for name in others if role_of(name) == "tags" and name != title] if table.named else []
    if not tags:
        unclaimed = [name for name in others if name != title and (not table.named or role_of(name) is None)]
        tags = [name for name in unclaimed if looks[name].separator == "|"][:1]
    flags = [name for name in others if looks[name].flags and name not in (title, *tags)]
    flags = flags if len(flags) > 1 else []
    separator = "|" if not tags else " " if declared_type(tags[0]) == "token_seq" else looks[tags[0]].separator
    return ItemColumns(table.columns, item, title, tuple(tags), separator, tuple(flags), table.dialect, table.file)


def _id_column(table: TableSample, looks: dict[str, ColumnProfile]) -> str:
    """The column that names the row: the first whose cells all differ, or simply the first."""
    called_id = [name for name in table.columns if normalized(name) == "id"]
    distinct = [n for n, look in looks.items() if look.n_given and look.n_distinct == look.n_given and not look.dates]
    return [*called_id, *distinct, table.columns[0]][0]


def guess_users(table: TableSample) -> UserColumns:
    """Guess which columns of a user table hold ids and traits; columns with too many different words are left out."""
    looks, roles = profile_columns(table), roles_of(table)
    user = roles.get("user") or _id_column(table, looks)
    traits = [name for name in looks if name != user and _is_trait(name, looks[name])]
    return UserColumns(table.columns, user, tuple(traits), dialect=table.dialect, file=table.file)


def _is_trait(name: str, look: ColumnProfile) -> bool:
    if look.n_given == 0 or look.dates or _NO_TRAIT.search(without_type(name)):
        return False
    return look.numeric or look.n_distinct <= min(MAX_CATEGORIES, max(4, 0.5 * look.n_given))


def profile_columns(table: TableSample) -> dict[str, ColumnProfile]:
    """Profile the first few hundred columns of a table."""
    columns = zip(*(row[:MAX_PROFILED] for row in table.sample[:200]), strict=True) if table.sample else []
    return {name: profile_cells(cells) for name, cells in zip(table.columns, columns, strict=False)}
