"""What is known about items and people: titles, tags and traits out of tables that go with the ratings."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nnm_core.datasets.coded import encode
from nnm_core.datasets.dataset import Labels
from nnm_core.datasets.journal import Journal
from nnm_core.datasets.labels import categories, labels_of, numeric_trait
from nnm_core.datasets.levels import NOT_GIVEN, read_levels
from nnm_core.datasets.mapping import ItemColumns, UserColumns
from nnm_core.datasets.report import N_EXAMPLES
from nnm_core.datasets.tables import Table
from nnm_core.datasets.vocabulary import without_type
from nnm_core.errors import DataError
from nnm_core.phrases import counted
from nnm_core.ratings import Ratings

_YES = frozenset({"1", "1.0", "true", "yes", "y", "t", "x"})
_MAX_LIST = 100_000


def read_items(
    table: Table, mapping: ItemColumns, ratings: Ratings, journal: Journal
) -> tuple[tuple[str, ...], Labels]:
    """One title per rated item (its id where none is known), and the tags of the items."""
    rows = _first_rows(table, mapping.item, journal, "item")
    cells = table.columns[mapping.title].to_pylist() if mapping.title else []
    titles = {item: _text(cells[row]) if cells else "" for item, row in rows.items()}
    rated = {ratings.item_index[item]: row for item, row in rows.items() if item in ratings.item_index}
    _check_any(rated, rows, table, mapping.item, ratings.item_ids, "item")
    tags = labels_of(_tags(table, mapping, rated), ratings.n_items)
    note_items(ratings, titles, tags, journal, titled=bool(mapping.title))
    return tuple(titles.get(item) or item for item in ratings.item_ids), tags


def _check_any(
    found: Mapping[int, int], rows: Mapping[str, int], table: Table, column: str, ids: Sequence[str], what: str
) -> None:
    """Refuse a table of which no id occurs in the ratings: it is about others, or another column has the ids."""
    if rows and not found:
        raise DataError(
            f"{table.path}: none of the ids in its column {column!r}, such as {next(iter(rows))[:60]!r}, occurs in the "
            f"ratings, where {what}s are called {ids[0][:60]!r} and the like. Choose the column that has these ids, or "
            "remove the file."
        )


def _first_rows(table: Table, column: str, journal: Journal, what: str) -> dict[str, int]:
    """Per id, the first row that has it."""
    coded, _ = encode(table.columns[column]).stripped()
    rows: dict[str, int] = {}
    n_empty = n_again = 0
    for row, code in enumerate(coded.codes.tolist()):
        if code < 0:
            n_empty += 1
        elif coded.names[code] in rows:
            n_again += 1
        else:
            rows[coded.names[code]] = row
    if n_empty:
        journal.notes.append(f"left out because the {what} id is missing: {counted(n_empty, 'row')} of {table.path}")
    if n_again:
        journal.notes.append(f"left out because the id came before: {counted(n_again, 'row')} of {table.path}")
    if table.n_unfit:
        journal.notes.append(
            f"left out for the wrong number of columns: {counted(table.n_unfit, 'row')} of {table.path}, the first is "
            f"line {table.unfit[0].line:,}: {table.unfit[0].text}"
        )
    return rows


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _tags(table: Table, mapping: ItemColumns, rated: Mapping[int, int]) -> dict[int, list[str]]:
    """The tags of each rated item."""
    found: dict[int, list[str]] = {index: [] for index in rated}
    for column in mapping.tags:
        cells = table.columns[column].to_pylist()
        for index, row in rated.items():
            found[index] += split_tags(cells[row], mapping.separator)
    for column in mapping.flags:
        cells = table.columns[column].to_pylist()
        tag = without_type(column)
        for index, row in rated.items():
            if _text(cells[row]).lower() in _YES:
                found[index].append(tag)
    return found


def split_tags(cell: Any, separator: str) -> list[str]:
    """The tags in one cell: a list, a list written out, or words between separators; "none" words are left out."""
    if cell is None:
        return []
    parts: Iterable[Any]
    if isinstance(cell, list):
        parts = cell
    else:
        text = str(cell).strip()
        listed = _written_list(text) if text[:1] in ("[", "{") and text[-1:] in ("]", "}") else None
        parts = listed if listed is not None else text.split(separator) if separator not in ("", "[") else [text]
    names = (_tag_name(part) for part in parts)
    return [name for name in names if name.lower() not in NOT_GIVEN and name != "(no genres listed)"]


def _written_list(text: str) -> list[Any] | None:
    """A list written as JSON, as Python or simply in brackets."""
    if len(text) > _MAX_LIST:
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, (list, set, tuple)):
            return list(value)
        if isinstance(value, dict):
            return list(value)
    return [part.strip().strip("'\"") for part in text[1:-1].split(",")]


def _tag_name(part: Any) -> str:
    if isinstance(part, dict):
        part = part.get("name", "")
    return _text(part)


def read_users(table: Table, mapping: UserColumns, ratings: Ratings, journal: Journal) -> dict[str, Labels]:
    """The traits of the users, numbers in bins."""
    rows = _first_rows(table, mapping.user, journal, "user")
    known = {ratings.user_index[user]: row for user, row in rows.items() if user in ratings.user_index}
    _check_any(known, rows, table, mapping.user, ratings.user_ids, "user")
    if len(known) < len(rows):
        journal.notes.append(
            f"left out for want of a rating: {counted(len(rows) - len(known), 'user')} of {table.path}"
        )
    if len(known) < ratings.n_users:
        journal.notes.append(f"not in {table.path}: {counted(ratings.n_users - len(known), 'user')} with ratings")
    traits = {}
    for column in mapping.traits:
        cells = table.columns[column].to_pylist()
        given = {index: _text(cells[row]) for index, row in known.items()}
        given = {index: text for index, text in given.items() if text.lower() not in NOT_GIVEN}
        if given:
            traits[without_type(column)] = _trait(without_type(column), given, ratings.n_users)
        else:
            journal.notes.append(f"no user has a value for {column!r}, so it is no trait")
    return traits


def _trait(name: str, given: Mapping[int, str], n_users: int) -> Labels:
    distinct = sorted(set(given.values()))
    levels = read_levels(distinct)
    values = dict(zip(distinct, levels.values.tolist(), strict=True))
    if levels.notes or any(math.isnan(value) for value in values.values()):
        return categories(given, n_users)
    return numeric_trait(name, {index: values[text] for index, text in given.items()}, n_users)


def note_items(
    ratings: Ratings, titles: Mapping[str, str | None], tags: Labels, journal: Journal, *, titled: bool = True
) -> None:
    """Say what the item file lacks, and what it has too much."""
    unused = [item for item in titles if item not in ratings.item_index]
    untitled = [item for item in ratings.item_ids if not titles.get(item)]
    if unused:
        journal.notes.append(
            f"left out for want of a rating: {counted(len(unused), 'item')} of the item file, {_first(unused)}"
        )
    if titled and untitled:
        journal.notes.append(
            f"without a title, so that the id stands in for it: {counted(len(untitled), 'rated item')}, "
            f"{_first(untitled)}"
        )
    if tags.names and tags.n_unlabelled:
        bare = [ratings.item_ids[k] for k in (tags.member.indptr[1:] == tags.member.indptr[:-1]).nonzero()[0]]
        journal.notes.append(f"without tags: {counted(len(bare), 'item')}, {_first(bare)}")


def _first(ids: Sequence[str]) -> str:
    shown = ", ".join(repr(item[:60]) for item in ids[:N_EXAMPLES])
    return f"for example {shown}" if len(ids) > N_EXAMPLES else f"namely {shown}"
