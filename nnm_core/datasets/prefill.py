"""A first guess at a whole upload: which file is which, and which column means what; a form shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nnm_core.datasets.formats import sniff_table
from nnm_core.datasets.guessing import Sniffed, guess_items, guess_ratings, guess_users, roles_of
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.mapping import ColumnMapping, ItemColumns
from nnm_core.datasets.sides import sniff_side
from nnm_core.datasets.sources import Source, SourceFile
from nnm_core.datasets.vocabulary import file_hint
from nnm_core.errors import DataError, in_short

_MAX_SNIFFED = 40
"""Files of one archive that are looked into."""


@dataclass(frozen=True, slots=True)
class Prefill:
    """What a form starts with: a mapping that can be followed as it is, the tables with sample rows, and notes."""

    mapping: ColumnMapping
    tables: tuple[Sniffed, ...]
    notes: tuple[str, ...] = ()

    def table(self, file: str) -> Sniffed:
        """The table in the file of that path."""
        return next(table for table in self.tables if table.file == file)


def prefill(
    source: Source,
    items: SourceFile | None = None,
    users: SourceFile | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Prefill:
    """The guess for a source; ``items`` and ``users`` are files that somebody handed over as such."""
    given = [file for file in (items, users) if file is not None]
    tables, notes = _sniff_all([file for file in source.files if file not in given], limits)
    ratings_table = _most_like_ratings(tables, source.label)
    ratings, more = guess_ratings(ratings_table)
    notes += [*ratings_table.notes, *more]
    rest = [table for table in tables if table is not ratings_table]
    item_table = sniff_side(items, "items", limits) if items else _most_like_items(rest)
    user_table = sniff_side(users, "users", limits) if users else _most_like_users(rest, item_table)
    item_columns = guess_items(item_table) if item_table else None
    if item_columns is None and ratings.layout == "long":
        item_columns = _items_among_ratings(ratings_table, ratings.user, ratings.item)
    used = [table for table in (ratings_table, item_table, user_table) if table is not None]
    unused = [file.path for file in source.files if file.path not in {table.file for table in used}]
    if unused:
        notes.append(f"not used: {', '.join(unused[:8])}{', …' if len(unused) > 8 else ''}")
    user_columns = guess_users(user_table) if user_table else None
    if user_columns is not None and not user_columns.traits and not users:
        notes.append(f"{user_columns.file} has no column that could be a trait")
        user_columns = None
    mapping = ColumnMapping(ratings, item_columns, user_columns)
    return Prefill(mapping, tuple(used), tuple(notes))


def _sniff_all(files: Sequence[SourceFile], limits: Limits) -> tuple[list[Sniffed], list[str]]:
    """Every file that is a table, the likely ones first; with a single file, its fault is everyone's."""
    if len(files) == 1:
        return [sniff_table(files[0], limits=limits)], []
    tables, notes = [], []
    likely = [file for file in files if file_hint(file.name) != "aside"] or list(files)
    for file in likely[:_MAX_SNIFFED]:
        try:
            tables.append(sniff_table(file, limits=limits))
        except DataError as error:
            notes.append(f"{file.path} was passed over: {in_short(error, 400)}")
    return tables, notes


def _most_like_ratings(tables: Sequence[Sniffed], label: str) -> Sniffed:
    best, best_score = None, 0.0
    for table in tables:
        score = _rating_score(table)
        if score > best_score:
            best, best_score = table, score
    if best is None:
        found = ", ".join(table.file for table in tables[:8]) or "no table at all"
        raise DataError(f"{label} has no file with ratings (it has {found}); a table with users and items is needed.")
    return best


def _rating_score(table: Sniffed) -> float:
    roles = roles_of(table)
    hint = file_hint(_base(table))
    score = 1.0 + 4.0 * (hint == "ratings") - 2.0 * (hint in ("items", "users") and not _is_all_numbers(table))
    score += ("user" in roles) + ("item" in roles) + 2.0 * ("rating" in roles and "user" in roles)
    if "user" in roles and "item" in roles:
        score += 3.0
    if "tags" in roles and "rating" not in roles:
        score -= 2.0
    return score if len(table.columns) > 1 else 0.0


def _is_all_numbers(table: Sniffed) -> bool:
    """Whether a table without header has nothing but numbers, as ratings have, whatever its file is called."""
    return not table.named and len(table.columns) > 2 and all(look.numeric for look in table.profiles().values())


def _most_like_items(tables: Sequence[Sniffed]) -> Sniffed | None:
    def score(table: Sniffed) -> float:
        roles = roles_of(table)
        if "user" in roles and "title" not in roles:
            return 0.0
        return 3.0 * (file_hint(_base(table)) == "items") + ("item" in roles) + ("title" in roles) + ("tags" in roles)

    best = max(tables, key=score, default=None)
    return best if best is not None and score(best) >= 2 else None


def _most_like_users(tables: Sequence[Sniffed], taken: Sniffed | None) -> Sniffed | None:
    def score(table: Sniffed) -> float:
        roles = roles_of(table)
        if "item" in roles:
            return 0.0
        return 2.0 * (file_hint(_base(table)) == "users") + ("user" in roles)

    best = max((table for table in tables if table is not taken), key=score, default=None)
    return best if best is not None and score(best) >= 1 and len(best.columns) > 1 else None


def _base(table: Sniffed) -> str:
    return table.file.rsplit("/", 1)[-1].lower()


def _items_among_ratings(table: Sniffed, user: str, item: str) -> ItemColumns | None:
    """Titles and tags that stand beside the ratings, in tables that were joined before export."""
    roles = {role: column for role, column in roles_of(table).items() if column != user}
    if not {"title", "tags"} & set(roles) or roles.get("title") == item or not table.named:
        return None
    found = guess_items(table)
    title = roles.get("title", "")
    return replace(found, item=item, title=title, flags=()) if title or found.tags else None
