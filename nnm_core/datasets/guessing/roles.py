"""Guess which columns hold the people, the items and the ratings, from names where there are any and from the cells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from nnm_core.datasets.columns import RatingColumns
from nnm_core.datasets.guessing.checks import doubtful
from nnm_core.datasets.guessing.hints import NO_HINTS, Hints
from nnm_core.datasets.guessing.profiles import (
    MAX_SAMPLED,
    MIN_UNIQUE,
    ColumnProfile,
    Role,
    ends_as_rating,
    is_background,
    is_computed,
    is_group,
    is_id,
    is_personal,
    is_question,
    is_secret,
    is_time,
    is_wished,
    normalized,
    profile_columns,
    role_of,
    roles_of,
    says_little,
)
from nnm_core.datasets.guessing.sides import guess_users_beside
from nnm_core.datasets.guessing.wide import RatingGuess, guess_wide
from nnm_core.datasets.rating_texts import parse_ratings
from nnm_core.datasets.reading.tables import WHITESPACE, TableSample
from nnm_core.datasets.report import Finding, Note, Why, note
from nnm_core.errors import DataError

_TITLE_WORDS = 3  # names of people have fewer words
_MIN_WORDS = 4  # a line of prose has so many words
_MAX_PEOPLE = 0.5  # of the rows, where people have several ratings each
_MIN_PEOPLE = 3  # a column with fewer different values is a group, not the people
_MANY_ROWS, _FEW_ITEMS = 100, 4
_COUNTED = ("like", "likes", "thumbs", "vote", "votes")
_MAX_STARS = 10
_MOSTLY_SMALL = 0.3  # of the highest count
_FEW_COLUMNS = 4  # of which none can be a survey
_MIN_FILLED = 0.3  # of the rows name a person and an item
_MANY_UNNAMED = 12  # columns without names, of which place says nothing any more
_MAX_REPEATED = 0.2  # of the pairs of person and item
_PERSONAL_EXPORTS = {  # what the services that export one person's ratings call their columns, that of items first
    "Letterboxd": ("Letterboxd URI", "Name", "Year"),
    "IMDb": ("Const", "Title", "Your Rating"),
    "Goodreads": ("Book Id", "My Rating", "Exclusive Shelf"),
}


def guess_ratings(table: TableSample, hints: Hints = NO_HINTS) -> RatingGuess:
    """Guess which columns of a table hold people, items and ratings; DataError says what is missing."""
    found = _guess_ratings(table, hints)
    if found.ratings.layout == "wide":
        return found
    users = guess_users_beside(table, found.ratings, hints)
    if users is None:
        return found
    taken = note(Finding.TRAITS, columns=", ".join(map(repr, users.traits)))
    return found._replace(users=users, notes=(*found.notes, taken))


def _guess_ratings(table: TableSample, hints: Hints) -> RatingGuess:
    if hints.columns and not hints.is_wide:
        user, item, rating = (*([""] if hints.one_person else []), *hints.columns, "", "")[:3]
        return RatingGuess(_long(table, user, item, rating, profile_columns(table)))
    looks = {name: look for name, look in profile_columns(table).items() if name not in hints.drop}
    roles = {role: name for role, name in roles_of(table).items() if name not in hints.drop}
    roles = _with_people(looks, _with_repeated_people(looks, _without_no_item(looks, roles)))
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
    """Return the columns of a table with one rating per row, with that of the time, if there is one."""
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
    if table.named:
        ids = [name for name in ids if looks[name].n_given >= _MIN_FILLED * len(table.sample[:MAX_SAMPLED])]
    ids = [name for name in ids if not table.named or looks[name].n_given < MIN_UNIQUE or _may_be_id(looks[name], name)]
    if not table.named:
        ids = [name for name in ids if looks[name].whole or not looks[name].numeric]
    n_first = 0 if table.named else 1 if sum(not looks[name].dates for name in ids) > 2 else 2
    if table.named or len(ids) > 2:  # without header, what stands first is an id, however much it looks like a date
        ids = [name for k, name in enumerate(ids) if not looks[name].dates or k < n_first]
    item = _item_with_id(table, looks, roles.get("item", ""), ids)
    user = "" if one_person or _is_about_item(looks, roles) else roles.get("user", "")
    item_why, user_why = Why.NAME, Why.VALUES if says_little(user) else Why.NAME
    if not item and not user:
        item = next((name for name in ids if looks[name].codes), "")
        item_why = Why.VALUES
    if not table.named and not item and len(ids) > 1 and _are_titles(table, looks, ids[0], ids[1]):
        item, item_why = ids[0], Why.VALUES
    if not table.named and not item and len(table.columns) > _MANY_UNNAMED:
        raise _missing_column(table, "")
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
    if not rating and is_wished(table.file):
        said = f"--one-person --columns {item!r}" if one_person else f"--columns {user!r} {item!r}"
        raise DataError(
            f"{table.file}: the name of the file says that this is what people want to see or to read, which does not "
            f"say that they know or like it, and no column has ratings. To take it for what they like, say so ({said})."
        )
    ratings = _long(table, user, item, rating, looks)
    taken = [("person", user, user_why), ("item", item, item_why), ("rating", rating, rating_why)]
    taken.append(("time", ratings.time, Why.NAME if table.named else Why.VALUES))
    found = [note(Finding.TAKEN, role=role, column=column, why=why) for role, column, why in taken if column]
    is_named, is_thing = normalized(user) in ("id", "u"), item_why is Why.NAME or normalized(item) == "i"
    is_rating = rating_why is Why.NAME or (is_named and ends_as_rating(rating))
    is_said = is_named + is_thing + is_rating > 1 if rating else is_thing and is_personal(user)
    if table.named and not one_person and user_why is not Why.NAME and not is_said:
        raise doubtful(found, table.file or "The table", "no column says who rated what")
    return RatingGuess(ratings, None, (*found, *notes))


def _missing_column(table: TableSample, item: str) -> DataError:
    """Return the error for a table in which nothing says who rated, or what."""
    survey = " If each row is a person and the columns are what they answered, say so (--wide)."
    survey = survey if len(table.columns) > _FEW_COLUMNS else ""
    columns = ", ".join(repr(name[:40]) for name in table.columns[:12])
    where = table.file or "The table"
    if not item:
        what = f"no columns for users and items were found among {columns}"
        return DataError(
            f"{where}: {what}. Name the columns of the people, the items and the ratings (--columns PERSON ITEM "
            "RATING), or those of one person's items and ratings (--one-person --columns ITEM RATING). If the columns "
            f"are not those of the file, check its delimiter.{survey}"
        )
    return DataError(
        f"{where}: no column says who rated; the columns are {columns}. Name the columns of the people, the items and "
        "the ratings (--columns PERSON ITEM RATING). If all rows are one person's ratings, say so (--one-person); "
        "from one person alone no stereotypes can be learned, but they can be compared with those of another data set."
        f"{survey}"
    )


_SEVERAL = "several columns could be the ratings, and no name says which"


def _several_ratings(table: TableSample, columns: Sequence[str], why: str = _SEVERAL, more: str = "") -> DataError:
    """The error for a table in which neither names nor values say which column holds the ratings."""
    found = ", ".join(repr(name[:40]) for name in columns[:8])
    return DataError(
        f"{table.file or 'The table'}: {why} ({found}). Name the columns of the people, the items and the ratings "
        f"(--columns PERSON ITEM RATING).{more} If each row is a person and the columns are what they answered, say so "
        "(--wide)."
    )


def _counts_likes(name: str, look: ColumnProfile | None) -> bool:
    """Whether a column called "likes" or "votes" holds how many there were, which is no rating."""
    return look is not None and normalized(name) in _COUNTED and look.whole and look.highest > _MAX_STARS


def _are_titles(table: TableSample, looks: dict[str, ColumnProfile], first: str, second: str) -> bool:
    """Whether the first ids of a table without header are titles, of several words each, and the second are numbers."""
    n_long = sum(len(cell.split()) >= _TITLE_WORDS for cell in table.cells(first))
    return looks[second].whole and not looks[first].numeric and n_long > 0.25 * len(table.sample)


def _item_with_id(table: TableSample, looks: dict[str, ColumnProfile], item: str, ids: Sequence[str]) -> str:
    """Return the column called like an item, or one of other ids where that has hardly any different values."""
    if not table.named or item not in looks or looks[item].n_given < _MANY_ROWS or looks[item].n_distinct > _FEW_ITEMS:
        return item
    return next((name for name in ids if is_id(name) and looks[name].n_distinct > _FEW_ITEMS), item)


def _without_no_item(looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> dict[Role, str]:
    """Return the roles without a column that is called like an item but has measurements or a few groups in it."""
    item = roles.get("item", "")
    look = looks.get(item)
    if look is None:
        return roles
    is_group = says_little(item) and look.n_given >= _MANY_ROWS and look.n_distinct <= _FEW_ITEMS
    is_no_item = is_group or (look.numeric and not look.whole)
    return {role: name for role, name in roles.items() if role != "item"} if is_no_item else roles


def _is_about_item(looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> bool:
    """Whether a column called "author" or the like is about the item: no item occurs twice."""
    user, item = roles.get("user", ""), roles.get("item") or roles.get("title", "")
    return says_little(user) and item in looks and looks[item].unique


def _may_be_people(table: TableSample, look: ColumnProfile, name: str, item: str) -> bool:
    """Whether a column may hold the people without saying so: its values repeat, but seldom with the same item."""
    if not table.named or look.n_given < MIN_UNIQUE:
        return True
    if (
        look.unique
        or look.n_distinct < _MIN_PEOPLE
        or is_group(name)
        or is_question(name)
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
    """Return the roles, with the person from a column whose values repeat instead of one that numbers the rows."""
    user = roles.get("user", "")
    others = [name for name in looks if role_of(name) == "user" and not says_little(name)]
    repeated = [name for name in others if _MIN_PEOPLE <= looks[name].n_distinct <= _MAX_PEOPLE * looks[name].n_given]
    return roles | {"user": repeated[0]} if repeated and user in looks and looks[user].unique else roles


def _with_people(looks: dict[str, ColumnProfile], roles: dict[Role, str]) -> dict[Role, str]:
    """Return the roles, with a column called "name" as the people's where no other can be, as on a class list."""
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
    if normalized(name) not in ("", "unnamed0", "index", "row", "rownumber", "rownames", "column1") or not table.named:
        return False
    numbers = table.cells(name)
    return all(cell.isdecimal() for cell in numbers) and len(set(numbers)) == len(numbers)


def _rating_column(
    table: TableSample, looks: dict[str, ColumnProfile], roles: dict[Role, str], free: Sequence[str]
) -> tuple[str, Why, list[Note]]:
    """Return the column of ratings, empty for implicit feedback, why it was taken, and a note if there is none."""
    computed = [name for name in free if is_computed(name) and looks[name].rating_like]
    free = [name for name in free if name not in computed]
    if "rating" in roles:
        called = [name for name in looks if role_of(name) == "rating" and looks[name].rating_like]
        called = [name for name in called if not _counts_likes(name, looks[name])]
        if not called and _counts_likes(roles["rating"], looks.get(roles["rating"])):
            return "", Why.NAME, [note(Finding.COUNT_COLUMN, column=roles["rating"])]
        return roles["rating"] if roles["rating"] in called else (*called, roles["rating"])[0], Why.NAME, []
    ending = [name for name in free if ends_as_rating(name) and looks[name].rating_like]
    if ending:
        more = [note(Finding.OTHER_RATINGS, columns=", ".join(map(repr, ending[1:])))] if len(ending) > 1 else []
        return ending[0], Why.VALUES if more else Why.NAME, more
    if "count" in roles and "user" in roles and "item" in roles:
        return "", Why.NAME, [note(Finding.COUNT_COLUMN, column=roles["count"])]
    n_ids = sum(role not in roles or says_little(roles[role]) for role in ("user", "item"))
    most = 20 if n_ids == 0 and table.named else math.inf
    found = []
    for name in free[sum(role not in roles for role in ("user", "item")) :]:
        look = looks[name]
        if table.named and (role_of(name) is not None or look.measured or (n_ids == 0 and is_personal(name))):
            continue
        if look.rating_like and 1 < look.n_distinct <= most and not (look.whole and look.highest > 200):
            found.append(name)
    if not found and computed and table.named:
        raise _several_ratings(table, computed, "the numbers seem to be computed rather than given by people")
    if not found:
        unclear = [name for name in free if table.named and n_ids == 0 and _is_unclear(name, looks[name])]
        if unclear:
            why = "no column is called like a rating, and nothing says what these numbers are"
            raise _several_ratings(
                table, unclear, why, " To read only who has what, name two columns (--columns PERSON ITEM)."
            )
        return "", Why.LEFT, [note(Finding.NO_RATING_COLUMN)]
    if not table.named and looks[found[0]].measured:
        raise _several_ratings(table, found, "the numbers look measured rather than given by people")
    if not table.named:
        return found[0], Why.LEFT, []
    if len(found) > 1 and n_ids:
        raise _several_ratings(table, found)
    if n_ids == 0 and _are_counts(table.cells(found[0]), looks[found[0]]):
        return "", Why.NAME, [note(Finding.COUNT_COLUMN, column=found[0])]
    more = [note(Finding.OTHER_RATINGS, columns=", ".join(map(repr, found[1:])))] if len(found) > 1 else []
    return found[0], Why.VALUES, more


def _is_unclear(name: str, look: ColumnProfile) -> bool:
    """Whether a column has numbers that might be ratings, though neither its name nor their number says so."""
    is_told = any(tells(name) for tells in (role_of, is_time, is_id, is_background, is_personal, is_group))
    return look.numeric and look.rating_like and not (is_told or look.measured or look.years or look.flags)


def _are_counts(cells: Sequence[str], look: ColumnProfile) -> bool:
    """Whether numbers look like counts: whole, most of them small, a few beyond any number of stars."""
    if not look.whole or look.highest <= _MAX_STARS:
        return False
    values = parse_ratings([cell for cell in cells if cell.strip()]).values
    return bool(np.nanmedian(values) <= _MOSTLY_SMALL * look.highest)
