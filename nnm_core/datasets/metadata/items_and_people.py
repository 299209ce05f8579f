"""Titles, tags and traits: what is known about items and people, from the tables that go with the ratings."""

from __future__ import annotations

import ast
import contextlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from nnm_core.datasets.columns import Column, ItemColumns, UserColumns, encode_column
from nnm_core.datasets.dataset import Labels
from nnm_core.datasets.guessing.profiles import without_type
from nnm_core.datasets.rating_texts import NOT_GIVEN, parse_ratings
from nnm_core.datasets.reading.readers import read_table
from nnm_core.datasets.reading.sources import SourceFile, naming_role
from nnm_core.datasets.reading.tables import Dialect, Table
from nnm_core.datasets.report import N_EXAMPLES, Example, FileRead, Finding, ImportLog
from nnm_core.errors import DataError
from nnm_core.phrases import counted
from nnm_core.ratings import Ratings
from nnm_core.types import FloatArray, IntArray

# Where MovieLens draws its age groups; ages of other sources are grouped alike, so that they compare.
AGE_EDGES = (18, 25, 35, 45, 50, 56)
_MAX_PLAIN_VALUES = 12  # a numeric trait with more different values than this is binned
_YES = frozenset({"1", "1.0", "true", "yes", "y", "t", "x"})
_MAX_LIST = 100_000
_FEW = 0.5  # of the rated items or people: where a table knows fewer, its ids may be others


def read_side_table(
    file: SourceFile, dialect: Dialect | None, columns: Sequence[str], wanted: Sequence[str], role: str, log: ImportLog
) -> Table:
    """Read the wanted columns of a table about items or users; log the file and what is wrong with its rows."""
    most = file.limits.max_side_rows
    with naming_role(role):
        table = read_table(file, dialect, columns, list(dict.fromkeys(filter(None, wanted))))
        if table.n_rows > most:
            raise DataError(f"{file.path} has {table.n_rows:,} rows, more than {most:,} for {role}.")
    log.files.append(FileRead(file.path, role, table.n_rows + table.n_malformed))
    log.notes += table.notes
    if table.n_malformed:
        n_rows, first = counted(table.n_malformed, "row"), table.malformed[0]
        log.require_none(first)
        log.add(Finding.MALFORMED_ROWS, rows=n_rows, file=table.path, line=first.line, text=first.text)
    return table


def read_items(
    file: SourceFile,
    mapping: ItemColumns,
    ratings: Ratings,
    log: ImportLog,
    more_tags: Mapping[int, Sequence[str]] | None = None,
) -> tuple[tuple[str, ...], Labels]:
    """Read one title per rated item (its id where none is known), and the tags of the items.

    ``more_tags``: of rated items, from other tables.
    """
    wanted = [mapping.item, mapping.title, *mapping.tags, *mapping.flags]
    table = read_side_table(file, mapping.dialect, mapping.columns, wanted, "items", log)
    repeated: Finding | None = Finding.TAGS_JOINED if mapping.tags or mapping.flags else Finding.REPEATED_ID
    if any(read.role == "ratings" and read.path == table.path for read in log.files):
        repeated = None  # there an item has a row for each of its ratings
    rows = _first_rows(table, mapping.item, log, "item", repeated)
    cells = table.columns[mapping.title].to_pylist() if mapping.title else []
    titles = {item: _text(cells[row]) if cells else "" for item, row in rows.items()}
    rated = {ratings.item_index[item]: row for item, row in rows.items() if item in ratings.item_index}
    _check_any(rated, rows, table, mapping.item, ratings.item_ids, "item")
    _note_few(len(rated), ratings.n_items, rows, ratings.item_ids, table, "item", log)
    tags_of_item = _tags(table, mapping, ratings)
    for index, names in (more_tags or {}).items():
        tags_of_item[index] = [*tags_of_item.get(index, []), *names]
    tags = Labels.from_lists(tags_of_item, ratings.n_items)
    unused = [item for item in rows if item not in ratings.item_index]
    untitled = [item for item in ratings.item_ids if not titles.get(item)] if mapping.title else []
    untagged = [ratings.item_ids[k] for k in tags.unlabelled] if tags.names else []
    if unused:
        log.add(Finding.UNRATED_ITEMS, items=counted(len(unused), "item"), which=_first(unused))
    if untitled:
        log.add(Finding.UNTITLED_ITEMS, items=counted(len(untitled), "rated item"), which=_first(untitled))
    if untagged:
        log.add(Finding.UNTAGGED_ITEMS, items=counted(len(untagged), "item"), which=_first(untagged))
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


def _note_few(
    n_known: int, n_ids: int, rows: Mapping[str, int], ids: Sequence[str], table: Table, what: str, log: ImportLog
) -> None:
    """Note that a table knows few of the rated items or of the people who rated, with ids of both to compare."""
    if 0 < n_known < _FEW * n_ids and rows:
        unknown = next(name for name in ids if name not in rows)
        there, here = next(iter(rows))[:60], unknown[:60]
        known = f"{n_known:,} of {counted(n_ids, what)}"
        log.add(Finding.FEW_KNOWN, file=table.path, known=known, there=there, here=here)


def _first_rows(
    table: Table, column: str, log: ImportLog, what: str, repeated: Finding | None = Finding.REPEATED_ID
) -> dict[str, int]:
    """Return the first row of each id; ``repeated``: the note on the others, if they are worth one."""
    ids, _ = encode_column(table.columns[column]).strip()
    codes, first = np.unique(ids.codes, return_index=True)
    rows = {ids.texts[code]: row for row, code in sorted(zip(first.tolist(), codes.tolist(), strict=True)) if code >= 0}
    n_empty = int(np.count_nonzero(ids.codes < 0))
    n_again = len(ids) - n_empty - len(rows)
    if n_empty:
        empty = int(np.argmax(ids.codes < 0))
        log.require_none(Example(table.path, table.line_numbers([empty])[0], f"no {what}"))
        log.add(Finding.NO_ID, what=what, rows=counted(n_empty, "row"), file=table.path)
    if n_again and repeated is not None:
        log.add(repeated, rows=counted(n_again, "row"), file=table.path)
    return rows


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _tags(table: Table, mapping: ItemColumns, ratings: Ratings) -> dict[int, list[str]]:
    """Return the tags of each rated item, from all of its rows."""
    ids, _ = encode_column(table.columns[mapping.item]).strip()
    index_of_id = np.array([ratings.item_index.get(name, -1) for name in ids.texts] + [-1])
    index_of_row = index_of_id[ids.codes]
    found: dict[int, list[str]] = {index: [] for index in set(index_of_row.tolist()) - {-1}}
    for column in (*mapping.tags, *mapping.flags):
        cells = encode_column(table.columns[column])
        given = (index_of_row >= 0) & (cells.codes >= 0)
        pairs = np.unique(np.stack([index_of_row[given], cells.codes[given]]), axis=1)
        for index, code in pairs.T.tolist():
            cell = cells.texts[code]
            if column in mapping.tags:
                found[index] += _split_tags(cell, mapping.separator)
            elif cell.strip().lower() in _YES:
                found[index].append(without_type(column))
    return found


def _split_tags(cell: str, separator: str) -> list[str]:
    """Split a cell into tags: a list written out, or words between separators; "none" words are left out."""
    text = cell.strip()
    listed = _written_list(text) if text[:1] in ("[", "{") and text[-1:] in ("]", "}") else None
    parts = listed if listed is not None else text.split(separator) if separator not in ("", "[") else [text]
    names = [_text(part.get("name", "") if isinstance(part, dict) else part) for part in parts]
    return [name for name in names if name.lower() not in NOT_GIVEN and name != "(no genres listed)"]


def _written_list(text: str) -> list[Any] | None:
    """Parse a list written as JSON, as Python or simply in brackets."""
    if len(text) > _MAX_LIST:
        return None
    for parse in (json.loads, ast.literal_eval):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            value = parse(text)
            if isinstance(value, (list, set, tuple, dict)):
                return list(value)
    return [part.strip().strip("'\"") for part in text[1:-1].split(",")]


def read_users(
    file: SourceFile, mapping: UserColumns, ratings: Ratings, log: ImportLog, table: Table | None = None
) -> dict[str, Labels]:
    """Read the traits of the users, numbers in bins; ``table``: their columns, if they were read with the ratings."""
    if table is None:
        wanted = [mapping.user, *mapping.traits]
        table = read_side_table(file, mapping.dialect, mapping.columns, wanted, "users", log)
    if mapping.user:
        rows = _first_rows(table, mapping.user, log, "user")
    else:
        rows = {str(row + 1): row for row in range(table.n_rows)}
    known = {ratings.user_index[user]: row for user, row in rows.items() if user in ratings.user_index}
    _check_any(known, rows, table, mapping.user, ratings.user_ids, "user")
    _note_few(len(known), ratings.n_users, rows, ratings.user_ids, table, "user", log)
    if len(known) < len(rows):
        log.add(Finding.UNRATING_USERS, users=counted(len(rows) - len(known), "user"), file=table.path)
    if len(known) < ratings.n_users:
        log.add(Finding.UNKNOWN_USERS, users=counted(ratings.n_users - len(known), "user"), file=table.path)
    traits = {}
    for column in mapping.traits:
        cells = table.columns[column].to_pylist()
        given = {index: _text(cells[row]) for index, row in known.items()}
        given = {index: text for index, text in given.items() if text.lower() not in NOT_GIVEN}
        if given:
            traits[without_type(column)] = _trait(without_type(column), given, ratings.n_users)
        else:
            log.add(Finding.EMPTY_TRAIT, column=column)
    return traits


def _trait(name: str, given: Mapping[int, str], n_users: int) -> Labels:
    distinct = sorted(set(given.values()))
    parsed = parse_ratings(distinct)
    values = dict(zip(distinct, parsed.values.tolist(), strict=True))
    if parsed.notes or any(math.isnan(value) for value in values.values()):
        return Labels.from_categories(given, n_users)
    return numeric_trait(name, {index: values[text] for index, text in given.items()}, n_users)


def _first(ids: Sequence[str]) -> str:
    shown = ", ".join(repr(item[:60]) for item in ids[:N_EXAMPLES])
    return f"for example {shown}" if len(ids) > N_EXAMPLES else f"namely {shown}"


def numeric_trait(trait: str, value_of_row: Mapping[int, float], n_rows: int) -> Labels:
    """Make labels of a trait of numbers: ages in the usual groups, few values as they are, many in up to five bins."""
    values = np.fromiter(value_of_row.values(), dtype=np.float64, count=len(value_of_row))
    distinct, words = np.unique(values), set(re.split(r"[-_ ]", trait.lower()))
    is_age = bool({"age", "alter"} & words) and len(values) > 0 and distinct[0] >= 0 and distinct[-1] <= 130
    if not is_age and len(distinct) <= _MAX_PLAIN_VALUES:
        names, bins = [f"{trait} {value:g}" for value in distinct.tolist()], np.searchsorted(distinct, values)
    else:
        edges = np.array(AGE_EDGES, dtype=np.float64) if is_age else _readable_edges(values)
        whole = is_age or bool((values == np.rint(values)).all())
        names, bins = _bin_names(trait, edges, whole=whole), np.searchsorted(edges, values, "right")
    return Labels.from_categories({row: names[k] for row, k in zip(value_of_row, bins, strict=True)}, n_rows, names)


def _bin_names(trait: str, edges: FloatArray, *, whole: bool) -> list[str]:
    """Name the bins between inner edges: "age under 18", "age 18–24", "age 56+"."""
    names = [f"{trait} under {edges[0]:g}"]
    for low, high in pairwise(edges.tolist()):
        last = high - 1 if whole else high
        names.append(f"{trait} {low:g}" if whole and last == low else f"{trait} {low:g}–{last:g}")
    return [*names, f"{trait} {edges[-1]:g}+"]


def _readable_edges(values: FloatArray) -> FloatArray:
    """Return up to four inner edges near the quintiles, rounded to two digits as long as they stay apart."""
    quintiles = np.unique(np.quantile(values, [0.2, 0.4, 0.6, 0.8]))
    spread = float(values.max() - values.min())
    digits = 1 - math.floor(math.log10(spread)) if spread > 0 else 0
    rounded = np.unique(np.round(quintiles, digits))
    inner = rounded[(rounded > values.min()) & (rounded <= values.max())]
    return inner if len(inner) else quintiles[-1:]


def user_tag_labels(items: pa.ChunkedArray, tags: pa.ChunkedArray, ratings: Ratings, log: ImportLog) -> Labels:
    """Make labels of the rated items from columns of ids and tags; of a tag's spellings the most frequent counts."""
    item_column, tag_column = encode_column(items), encode_column(tags)
    row_of_item = np.array([ratings.item_index.get(name, -1) for name in item_column.texts] + [-1], dtype=np.int64)
    names, column_of_tag = _merge_spellings(tag_column)
    rows, columns = row_of_item[item_column.codes], column_of_tag[tag_column.codes]
    known = (rows >= 0) & (columns >= 0)
    used = np.flatnonzero(np.bincount(columns[known], minlength=len(names)))
    if len(tag_column.texts) > len(names):
        log.add(Finding.SPELLINGS_MERGED, n_spellings=len(tag_column.texts), n_tags=len(names))
    if not known.all():
        log.add(Finding.USELESS_USER_TAGS, tags=counted(int((~known).sum()), "user tag"))
    positions = np.searchsorted(used, columns[known])
    return Labels.from_pairs(rows[known], positions, [names[k] for k in used], ratings.n_items)


def _merge_spellings(column: Column) -> tuple[list[str], IntArray]:
    """Return the distinct tags in alphabetical order, and the tag of each spelling, -1 for an empty one."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts))
    table = pd.DataFrame({"spelling": [text.strip() for text in column.texts], "count": counts})
    table["key"] = [text.casefold() for text in table["spelling"]]
    used: pd.DataFrame = table[table["key"] != ""].groupby(["key", "spelling"])["count"].sum().reset_index()
    ranked = used.sort_values(["count", "spelling"], ascending=[False, True], kind="stable")
    label = ranked.groupby("key", sort=True)["spelling"].first()
    tag_of_spelling = np.append(label.index.get_indexer(pd.Index(table["key"])), -1).astype(np.int64)
    return label.tolist(), tag_of_spelling
