"""Tags in tables of their own: a row per item and tag, and perhaps a table that names the tags, as in goodbooks-10k."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from nnm_core.datasets.columns import ItemColumns, TagLinks, TagNames, encode_column
from nnm_core.datasets.guessing.profiles import normalized, profile_columns, role_of
from nnm_core.datasets.metadata.items_and_people import read_side_table
from nnm_core.datasets.rating_texts import NOT_GIVEN
from nnm_core.datasets.reading.sources import Source
from nnm_core.datasets.reading.tables import Table, TableSample
from nnm_core.datasets.report import Finding, ImportLog
from nnm_core.ratings import Ratings

MOST_TAGS = 200
"""Tags that are kept of tables that link them: more are mostly private words, such as "to-read-in-may"."""


def find_tag_links(tables: Sequence[TableSample], rated: str, items: ItemColumns) -> TagLinks | None:
    """Return where tables link tags to the items, if one does; ``rated``: what the ratings call the column of items.

    A table links tags if one of its columns has the name of a column of the items' table, and another is called tag,
    genre or the like, or an id of such. What ids mean must stand in one more table.
    """
    keys = {normalized(name): name for name in items.columns} | {normalized(rated): items.item}
    for table in tables:
        shared = [name for name in table.columns if table.named and normalized(name) in keys]
        told = [name for name in table.columns if name not in shared and _is_tag(name)]
        if not shared or not told:
            continue
        tag, others = told[0], [other for other in tables if other is not table]
        names = _find_names(tag, others) if normalized(tag).endswith("id") else None
        if names is not None or not normalized(tag).endswith("id"):
            key = keys[normalized(shared[0])]
            return TagLinks(table.columns, shared[0], tag, key, names, table.dialect, table.file)
    return None


def _is_tag(column: str) -> bool:
    name = normalized(column)
    return role_of(name.removesuffix("id")) == "tags"


def _find_names(tag: str, tables: Sequence[TableSample]) -> TagNames | None:
    """Return the table that says what the ids in a column of tags mean."""
    for table in tables:
        about = role_of(normalized(PurePath(table.file).stem).removesuffix("s"))
        own = [name for name in table.columns if normalized(name) == normalized(tag)]
        own += [name for name in table.columns if normalized(name) == "id" and about == "tags"]
        looks = profile_columns(table)
        texts = [name for name, look in looks.items() if name not in own and not look.numeric]
        if own and texts:
            return TagNames(table.columns, own[0], texts[0], table.dialect, table.file)
    return None


def _pairs(table: Table, left: str, right: str) -> list[tuple[str, str]]:
    """Return two columns of a table as pairs of texts; rows with an empty cell are left out."""
    columns = (encode_column(table.columns[name]).strip()[0] for name in (left, right))
    texts = ([column.texts[code] if code >= 0 else "" for code in column.codes.tolist()] for column in columns)
    return [pair for pair in zip(*texts, strict=True) if all(pair)]


def read_linked_tags(source: Source, items: ItemColumns, ratings: Ratings, log: ImportLog) -> dict[int, list[str]]:
    """Return the tags of rated items from the tables that link them; of many tags those that most items have."""
    links = items.links
    if links is None:
        return {}
    table = read_side_table(
        source.get(links.file), links.dialect, links.columns, [links.item, links.tag], "tags of items", log
    )
    pairs = _pairs(table, links.item, links.tag)
    id_of_key: dict[str, str] | None = None
    if links.key != items.item:
        file = source.get(items.file)
        keys = read_side_table(file, items.dialect, items.columns, [items.item, links.key], "keys of items", log)
        id_of_key = dict(_pairs(keys, links.key, items.item))
    name_of_tag: dict[str, str] | None = None
    if links.names is not None:
        names = links.names
        file = source.get(names.file)
        named = read_side_table(file, names.dialect, names.columns, [names.tag, names.name], "names of tags", log)
        name_of_tag = dict(_pairs(named, names.tag, names.name))
    found: dict[int, set[str]] = {}
    for key, tag in pairs:
        item = key if id_of_key is None else id_of_key.get(key, "")
        name = tag if name_of_tag is None else name_of_tag.get(tag, "")
        row = ratings.item_index.get(item)
        if row is not None and name.lower() not in NOT_GIVEN:
            found.setdefault(row, set()).add(name)
    counts = Counter(name for names in found.values() for name in names)
    kept = set(sorted(counts, key=lambda name: (-counts[name], name))[:MOST_TAGS])
    if len(kept) < len(counts):
        log.add(Finding.COMMON_TAGS, n_kept=len(kept), n_tags=len(counts), file=links.file)
    if not found:
        log.add(Finding.NO_LINKED_TAG, file=links.file, key=pairs[0][0][:60] if pairs else "")
    return {row: sorted(names & kept) for row, names in found.items()}
