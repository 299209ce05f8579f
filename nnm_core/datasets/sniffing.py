"""Guess what a whole source holds: which file is which, and which column means what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nnm_core.datasets.mapping import ColumnMapping, ItemColumns
from nnm_core.datasets.profiles import file_hint, profile_columns
from nnm_core.datasets.readers import sniff_table
from nnm_core.datasets.report import Finding, Note, note
from nnm_core.datasets.roles import guess_items, guess_ratings, guess_users, roles_of
from nnm_core.datasets.sources import Source, SourceFile, naming_role
from nnm_core.datasets.tables import TableSample
from nnm_core.errors import DataError, in_short

Sides = tuple[TableSample | None, TableSample | None]
"""The tables about the items and about the users."""

_MAX_SNIFFED = 40
"""Files of one archive that are looked into."""


@dataclass(frozen=True, slots=True)
class SourceGuess:
    """A mapping that can be followed as it is, the tables it is about with sample rows, and notes on the guess."""

    mapping: ColumnMapping
    tables: tuple[TableSample, ...]
    notes: tuple[Note, ...] = ()

    def table(self, file: str) -> TableSample:
        """Return the table in the file of that path."""
        return next(table for table in self.tables if table.file == file)


def sniff_source(source: Source, sides: Sides | None = None) -> SourceGuess:
    """Guess what a source holds; ``sides``: what ``sniff_sides`` gives, if it was called before."""
    item_table, user_table = sides or sniff_sides(source)
    tables, notes = _sniff_files([file for file in source.files if file not in (source.items, source.users)])
    ratings_table = _most_like_ratings(tables, source.label)
    ratings, more = guess_ratings(ratings_table)
    notes += [*ratings_table.notes, *more]
    rest = [table for table in tables if table is not ratings_table]
    item_table = item_table or _most_like_items(rest)
    user_table = user_table or _most_like_users(rest, item_table)
    item_columns = guess_items(item_table) if item_table else None
    if item_columns is None and ratings.layout == "long":
        item_columns = _items_among_ratings(ratings_table, ratings.user, ratings.item)
    used = [table for table in (ratings_table, item_table, user_table) if table is not None]
    unused = [file.path for file in source.files if file.path not in {table.file for table in used}]
    if unused:
        notes.append(note(Finding.FILES_UNUSED, files=f"{', '.join(unused[:8])}{', …' if len(unused) > 8 else ''}"))
    user_columns = guess_users(user_table) if user_table else None
    if user_columns is not None and not user_columns.traits and source.users is None:
        notes.append(note(Finding.NO_TRAIT_COLUMN, file=user_columns.file))
        user_columns = None
    return SourceGuess(ColumnMapping(ratings, item_columns, user_columns), tuple(used), tuple(notes))


def sniff_sides(source: Source) -> Sides:
    """Sniff the files that were given as those about the items and about the users."""
    pairs = ((source.items, "items"), (source.users, "users"))
    tables: list[TableSample | None] = []
    for file, role in pairs:
        with naming_role(role):
            tables.append(sniff_table(file) if file is not None else None)
    return tables[0], tables[1]


def _sniff_files(files: Sequence[SourceFile]) -> tuple[list[TableSample], list[Note]]:
    """Sniff every file that is a table, the likely ones first; a single file that cannot be read raises DataError."""
    if len(files) == 1:
        return [sniff_table(files[0])], []
    tables, notes = [], []
    likely = [file for file in files if file_hint(file.name) != "aside"] or list(files)
    for file in likely[:_MAX_SNIFFED]:
        try:
            tables.append(sniff_table(file))
        except DataError as error:
            notes.append(note(Finding.FILE_SKIPPED, file=file.path, reason=in_short(error, 400)))
    return tables, notes


def _most_like_ratings(tables: Sequence[TableSample], label: str) -> TableSample:
    best, best_score = None, 0.0
    for table in tables:
        score = _rating_score(table)
        if score > best_score:
            best, best_score = table, score
    if best is None:
        found = ", ".join(table.file for table in tables[:8]) or "no table at all"
        raise DataError(f"{label} has no file with ratings (it has {found}); a table with users and items is needed.")
    return best


def _rating_score(table: TableSample) -> float:
    roles = roles_of(table)
    hint = file_hint(_base(table))
    score = 1.0 + 4.0 * (hint == "ratings") - 2.0 * (hint in ("items", "users") and not _is_all_numbers(table))
    score += ("user" in roles) + ("item" in roles) + 2.0 * ("rating" in roles and "user" in roles)
    if "user" in roles and "item" in roles:
        score += 3.0
    if "tags" in roles and "rating" not in roles:
        score -= 2.0
    return score if len(table.columns) > 1 else 0.0


def _is_all_numbers(table: TableSample) -> bool:
    """Whether a table without header has nothing but numbers, as ratings have, whatever its file is called."""
    return not table.named and len(table.columns) > 2 and all(look.numeric for look in profile_columns(table).values())


def _most_like_items(tables: Sequence[TableSample]) -> TableSample | None:
    def score(table: TableSample) -> float:
        roles = roles_of(table)
        if "user" in roles and "title" not in roles:
            return 0.0
        return 3.0 * (file_hint(_base(table)) == "items") + ("item" in roles) + ("title" in roles) + ("tags" in roles)

    best = max(tables, key=score, default=None)
    return best if best is not None and score(best) >= 2 else None


def _most_like_users(tables: Sequence[TableSample], taken: TableSample | None) -> TableSample | None:
    def score(table: TableSample) -> float:
        roles = roles_of(table)
        if "item" in roles:
            return 0.0
        return 2.0 * (file_hint(_base(table)) == "users") + ("user" in roles)

    best = max((table for table in tables if table is not taken), key=score, default=None)
    return best if best is not None and score(best) >= 1 and len(best.columns) > 1 else None


def _base(table: TableSample) -> str:
    return table.file.rsplit("/", 1)[-1].lower()


def _items_among_ratings(table: TableSample, user: str, item: str) -> ItemColumns | None:
    """Titles and tags that stand beside the ratings, in tables that were joined before export."""
    roles = {role: column for role, column in roles_of(table).items() if column != user}
    if not {"title", "tags"} & set(roles) or roles.get("title") == item or not table.named:
        return None
    found = guess_items(table)
    title = roles.get("title", "")
    return replace(found, item=item, title=title, flags=()) if title or found.tags else None
