"""Guess which column of a table has which role, from names where there are any and from the cells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from nnm_core.datasets.columns import ItemColumns, RatingColumns, UserColumns
from nnm_core.datasets.guessing.hints import NO_HINTS, Hints
from nnm_core.datasets.guessing.profiles import (
    MAX_PROFILED,
    MIN_UNIQUE,
    ColumnProfile,
    Role,
    declared_type,
    ends_as_rating,
    is_background,
    is_group,
    is_id,
    is_personal,
    is_secret,
    normalized,
    profile_cells,
    role_of,
)
from nnm_core.datasets.guessing.wide import RatingGuess, guess_wide, is_trait
from nnm_core.datasets.reading.tables import WHITESPACE, TableSample
from nnm_core.datasets.report import Finding, Note, Why, note
from nnm_core.errors import DataError

_TITLE_WORDS = 3  # names of people have fewer words
_MIN_WORDS = 4  # a line of prose has so many words
_WEAK_NAMES = ("author", "authorid", "subject", "content", "work", "show", "value", "note", "mark")  # say little
_MAX_PEOPLE = 0.5  # of the rows, where people have several ratings each
_MIN_PEOPLE = 3  # a column with fewer different values is a group, not the people
_MANY_ROWS, _FEW_ITEMS = 100, 4
_MAX_REPEATED = 0.2  # of the pairs of person and item
_PERSONAL_EXPORTS = {  # what the services that export one person's ratings call their columns, that of items first
    "Letterboxd": ("Letterboxd URI", "Name", "Year"),
    "IMDb": ("Const", "Title", "Your Rating"),
    "Goodreads": ("Book Id", "My Rating", "Exclusive Shelf"),
}


def roles_of(table: TableSample) -> dict[Role, str]:
    """Return the roles that the names of columns claim: an id before a name, a plain title before an original one."""
    found: dict[Role, str] = {}
    words = {column: normalized(column) for column in table.columns[:MAX_PROFILED]} if table.named else {}
    for column in sorted(words, key=lambda column: not words[column].endswith("id") and words[column] != "title"):
        role = role_of(column)
        if role is not None:
            found.setdefault(role, column)
    return found


def guess_ratings(table: TableSample, hints: Hints = NO_HINTS) -> RatingGuess:
    """Guess which columns of a table hold people, items and ratings; DataError says what is missing."""
    if hints.columns and not hints.is_wide:
        user, item, rating = (*([""] if hints.one_person else []), *hints.columns, "", "")[:3]
        return RatingGuess(_long(table, user, item, rating, profile_columns(table)))
    looks = {name: look for name, look in profile_columns(table).items() if name not in hints.drop}
    roles = {role: name for role, name in roles_of(table).items() if name not in hints.drop}
    roles = _with_people(looks, _with_repeated_people(looks, roles))
    if table.dialect is not None and table.dialect.item_blocks and len(table.columns) >= 2:
        item, user, *rest = table.columns
        return RatingGuess(_long(table, user, item, rest[0] if rest else "", looks))
    export = next((name for name, columns in _PERSONAL_EXPORTS.items() if set(columns) <= set(table.columns)), "")
    is_one = hints.one_person or (bool(export) and not hints.is_wide)
    if export and is_one:
        roles["item"] = _PERSONAL_EXPORTS[export][0]
    says_long = {"user", "item", "rating"} <= roles.keys() and not hints.is_wide  # whatever stands beside them
    found = None if is_one or says_long else guess_wide(table, looks, roles, hints)
    found = found or _guess_long(table, looks, roles, is_one)
    note_of_export = (note(Finding.PERSONAL_EXPORT, service=export),) if export and is_one else ()
    return found._replace(notes=(*note_of_export, *found.notes))


def _long(table: TableSample, user: str, item: str, rating: str, looks: dict[str, ColumnProfile]) -> RatingColumns:
    """The columns of a table with one rating per row, with that of the time, if there is one."""
    others = [name for name in looks if name not in (user, item, rating)]
    called = [name for name in others if role_of(name) == "time" and not _is_year(looks[name])]
    dates = [name for name in others if looks[name].dates]
    time = next(iter(called if table.named else dates), "")
    return RatingColumns(
        table.columns,
        user,
        item,
        rating,
        dialect=table.dialect,
        file=table.file,
        time=time,
        one_person=not user,
    )


def _is_year(look: ColumnProfile) -> bool:
    """Whether a column has years or days as plain numbers, which seldom say when somebody rated."""
    return look.whole and look.highest < 10_000


def _guess_long(
    table: TableSample, looks: dict[str, ColumnProfile], roles: dict[Role, str], one_person: bool
) -> RatingGuess:
    """Guess the columns of a table with one rating per row; all of them ``one_person``'s if that was said."""
    free = [name for name in looks if not _is_row_number(name, table) and name not in roles.values()]
    rating, rating_why, notes = _rating_column(table, looks, roles, free)
    ids = [name for name in free if name != rating and looks[name].n_given and not looks[name].prose]
    ids = [name for name in ids if not is_secret(name)]
    ids = [name for name in ids if not table.named or looks[name].n_given < MIN_UNIQUE or _may_be_id(looks[name], name)]
    if table.named or len(ids) > 2:  # without header, what stands first is an id, however much it looks like a date
        ids = [name for k, name in enumerate(ids) if not looks[name].dates or (k < 2 and not table.named)]
    item = _item_with_id(table, looks, roles.get("item", ""), ids)
    user = "" if one_person or _is_about_item(looks, roles) else roles.get("user", "")
    item_why, user_why = Why.NAME, Why.NAME
    if not item and not user:
        item = next((name for name in ids if looks[name].codes), "")
        item_why = Why.VALUES
    if not table.named and not item and len(ids) > 1 and _are_titles(table, looks, ids[0], ids[1]):
        item, item_why = ids[0], Why.VALUES
    if not user and not one_person:
        others = [name for name in ids if name != item]
        user = next((name for name in others if _may_be_people(table, looks[name], name, item)), "")
        user_why = Why.VALUES if table.named else Why.LEFT
    if not item:
        others = [name for name in ids if name != user]
        called_id = [name for name in others if is_personal(name) and not looks[name].unique]
        titles = [roles["title"]] if "title" in roles else []
        item = (*called_id, *titles, *(n for n in others if not looks[n].unique), *others, "")[0]
        item_why = Why.NAME if item in titles else Why.VALUES if table.named else Why.LEFT
    if not rating and _is_prose(table, user, item):
        raise DataError(
            f"{table.file or 'The file'} looks like running text, not like a table of ratings: it begins with "
            f"{table.sample[0][0][:60]!r}, and no column has numbers. A table with a user, an item and a rating per "
            "line is needed; if this is one, name its columns in a first line."
        )
    if not (user or one_person) or not item:
        raise _missing_column(table, item)
    ratings = _long(table, user, item, rating, looks)
    taken = [("person", user, user_why), ("item", item, item_why), ("rating", rating, rating_why)]
    taken.append(("time", ratings.time, Why.NAME if table.named else Why.VALUES))
    found = [note(Finding.TAKEN, role=role, column=column, why=why) for role, column, why in taken if column]
    return RatingGuess(ratings, None, (*found, *notes))


def _missing_column(table: TableSample, item: str) -> DataError:
    """The error for a table in which nothing says who rated, or what."""
    columns = ", ".join(repr(name[:40]) for name in table.columns[:12])
    where = table.file or "The table"
    if not item:
        what = f"no columns for users and items were found among {columns}"
        return DataError(
            f"{where}: {what}. Name the columns of the people, the items and the ratings (--columns PERSON ITEM "
            "RATING), or those of one person's items and ratings (--one-person --columns ITEM RATING). If the columns "
            "are not those of the file, check its delimiter."
        )
    return DataError(
        f"{where}: no column says who rated; the columns are {columns}. Name the columns of the people, the items and "
        "the ratings (--columns PERSON ITEM RATING). If all rows are one person's ratings, say so (--one-person); "
        "from one person alone no stereotypes can be learned, but they can be compared with those of another data set."
    )


def _are_titles(table: TableSample, looks: dict[str, ColumnProfile], first: str, second: str) -> bool:
    """Whether the first ids of a table without header are titles, of several words each, and the second are numbers."""
    n_long = sum(len(cell.split()) >= _TITLE_WORDS for cell in table.cells(first))
    return looks[second].whole and not looks[first].numeric and n_long > 0.25 * len(table.sample)


def _item_with_id(table: TableSample, looks: dict[str, ColumnProfile], item: str, ids: Sequence[str]) -> str:
    """The column called like an item, or one of other ids if it has hardly any, as that of the kinds of events."""
    if not table.named or item not in looks or looks[item].n_given < _MANY_ROWS or looks[item].n_distinct > _FEW_ITEMS:
        return item
    return next((name for name in ids if is_id(name) and looks[name].n_distinct > _FEW_ITEMS), item)


def _is_about_item(looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> bool:
    """Whether a column called "author" or the like is about the item: no item occurs twice."""
    user, item = roles.get("user", ""), roles.get("item") or roles.get("title", "")
    return normalized(user) in _WEAK_NAMES and item in looks and looks[item].unique


def _may_be_people(table: TableSample, look: ColumnProfile, name: str, item: str) -> bool:
    """Whether a column may hold the people without saying so: its values repeat, but seldom with the same item."""
    if not table.named or look.n_given < MIN_UNIQUE:
        return True
    if (
        look.unique
        or look.n_distinct < _MIN_PEOPLE
        or is_group(name)
        or not (is_id(name) or _are_ids(table.cells(name)))
    ):
        return False
    if not item:
        return True
    pairs = list(zip(table.cells(name), table.cells(item), strict=True))
    return len(pairs) - len(set(pairs)) <= _MAX_REPEATED * len(pairs)


def _are_ids(cells: Sequence[str]) -> bool:
    """Whether nearly all cells look like ids: one word with a digit or an @ in it."""
    n_ids = sum(re.fullmatch(r"\S*[\d@]\S*", cell.strip()) is not None for cell in cells)
    return n_ids > 0.9 * len(cells)


def _may_be_id(look: ColumnProfile, name: str) -> bool:
    """Whether a column may hold people or items: texts, or whole numbers that are called ids."""
    if is_background(name) or role_of(name) in ("time", "count", "rating", "user"):
        return False
    return not look.numeric or (look.whole and is_id(name))


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


def _with_repeated_people(looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> dict[Role, str]:
    """The roles, with the person from a column whose values repeat instead of one that numbers the rows."""
    user = roles.get("user", "")
    others = [name for name in looks if role_of(name) == "user" and normalized(name) not in _WEAK_NAMES]
    repeated = [name for name in others if _MIN_PEOPLE <= looks[name].n_distinct <= _MAX_PEOPLE * looks[name].n_given]
    return roles | {"user": repeated[0]} if repeated and user in looks and looks[user].unique else roles


def _with_people(looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> dict[Role, str]:
    """The roles, with a column called "name" as the people's where no other can be, as on the list of a class."""
    name = roles.get("title", "")
    rest = [column for column in looks if role_of(column) is None]
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
) -> tuple[str, Why, list[Note]]:
    """Return the column of ratings, empty for implicit feedback, why it was taken, and a note if there is none."""
    if "rating" in roles:
        called = [name for name in looks if role_of(name) == "rating" and looks[name].rating_like]
        return roles["rating"] if roles["rating"] in called else (*called, roles["rating"])[0], Why.NAME, []
    ending = [name for name in free if ends_as_rating(name) and looks[name].rating_like]
    if ending:
        more = [note(Finding.OTHER_RATINGS, columns=", ".join(map(repr, ending[1:])))] if len(ending) > 1 else []
        return ending[0], Why.VALUES if more else Why.NAME, more
    if "count" in roles and "user" in roles and "item" in roles:
        return "", Why.NAME, [note(Finding.COUNT_COLUMN, column=roles["count"])]
    n_ids = sum(role not in roles for role in ("user", "item"))
    most = 20 if n_ids == 0 and table.named else math.inf
    for name in free[n_ids:]:
        look = looks[name]
        if table.named and (role_of(name) is not None or (n_ids == 0 and is_personal(name))):
            continue
        if look.rating_like and 1 < look.n_distinct <= most and not (look.whole and look.highest > 200):
            return name, Why.VALUES if table.named else Why.LEFT, []
    return "", Why.LEFT, [note(Finding.NO_RATING_COLUMN)]


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


def _is_fixed(table: TableSample, name: str, item: str) -> bool:
    """Whether a column has the same text in all rows of an item, so that it is about the item."""
    text_of: dict[str, str] = {}
    pairs = zip(table.cells(item), table.cells(name), strict=True)
    return all(text_of.setdefault(key, text) == text for key, text in pairs if text.strip())


def _id_column(table: TableSample, looks: dict[str, ColumnProfile]) -> str:
    """The column that names the row: the first whose cells all differ, or simply the first."""
    called_id = [name for name in table.columns if normalized(name) == "id"]
    distinct = [n for n, look in looks.items() if look.n_given and look.n_distinct == look.n_given and not look.dates]
    return [*called_id, *distinct, table.columns[0]][0]


def guess_users(table: TableSample) -> UserColumns:
    """Guess which columns of a user table hold ids and traits; columns with too many different words are left out."""
    looks, roles = profile_columns(table), roles_of(table)
    user = roles.get("user") or _id_column(table, looks)
    traits = [name for name in looks if name != user and is_trait(name, looks[name])]
    return UserColumns(table.columns, user, tuple(traits), dialect=table.dialect, file=table.file)


def profile_columns(table: TableSample) -> dict[str, ColumnProfile]:
    """Profile the first few hundred columns of a table."""
    columns = zip(*(row[:MAX_PROFILED] for row in table.sample[:200]), strict=True) if table.sample else []
    return {name: profile_cells(cells) for name, cells in zip(table.columns, columns, strict=False)}
