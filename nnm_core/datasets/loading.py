"""Load a data set from a name, a path or bytes, and guess what files hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from nnm_core.datasets.catalogue import DEMO, Consent, Progress, download, entry_of, find_local, names
from nnm_core.datasets.cleaning import Cleaning, clean_ratings
from nnm_core.datasets.columns import ColumnMapping, read_ratings
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.guessing.checks import check_items, check_people, check_repeats
from nnm_core.datasets.guessing.hints import NO_HINTS, Hints
from nnm_core.datasets.guessing.profiles import file_hint, profile_columns, roles_of, says_little
from nnm_core.datasets.guessing.roles import guess_ratings
from nnm_core.datasets.guessing.sides import guess_items, guess_items_beside, guess_users
from nnm_core.datasets.metadata.items_and_people import read_items, read_users
from nnm_core.datasets.metadata.joined_people import one_row_per_person
from nnm_core.datasets.metadata.linked_tags import find_tag_links, read_linked_tags
from nnm_core.datasets.movielens import find_layout, read_movielens, with_names
from nnm_core.datasets.reading.readers import sniff_table
from nnm_core.datasets.reading.sources import (
    DEFAULT_LIMITS,
    Given,
    Limits,
    Source,
    SourceFile,
    naming_role,
    open_files,
    open_source,
)
from nnm_core.datasets.reading.tables import TableSample
from nnm_core.datasets.report import Finding, ImportLog, ImportReport, Note, note
from nnm_core.datasets.shell_arguments import shell_arguments
from nnm_core.datasets.synthetic import demo, invented_report
from nnm_core.errors import DataError, InputError, in_short
from nnm_core.phrases import some_of

Sides = tuple[TableSample | None, TableSample | None]  # the tables about the items and about the users
_MAX_SNIFFED = 40  # files of one archive that are looked into


@dataclass(frozen=True, slots=True)
class SourceGuess:
    """A mapping that can be followed as it is, the tables it is about with sample rows, and notes on the guess."""

    mapping: ColumnMapping
    tables: tuple[TableSample, ...]
    notes: tuple[Note, ...] = ()

    def table(self, file: str) -> TableSample:
        """Return the table in the file of that path."""
        return next(table for table in self.tables if table.file == file)


def load_dataset(
    source: Given,
    mapping: ColumnMapping | None = None,
    *,
    items: Given | None = None,
    users: Given | None = None,
    hints: Hints = NO_HINTS,
    cleaning: Cleaning | None = None,
    filename: str = "",
    accept_licence: Consent = False,
    progress: Progress | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Dataset, ImportReport]:
    """Load the data set behind a name, a path or a file's bytes; return it with what became of every row.

    Parameters
    ----------
    source
        A name out of ``catalogue.names()``, a path (file, folder, archive), bytes, or an open binary file.
    mapping
        Which column means what; guessed without it, as ``sniff`` does.
    items, users
        Files with titles and tags of the items, and with traits of the users.
    hints, filename
        What is known about the columns where the rest is to be guessed, and what bytes were called, for messages.
    accept_licence, progress
        For downloads: whether the licence is accepted, or a function that is given its text and asks; and what is
        called with the bytes received so far and those expected.

    Raises
    ------
    DataError, InputError
        If a file cannot be read as ratings, and if the arguments do not fit together.

    Examples
    --------
    >>> dataset, report = load_dataset(b"user,item,rating\\nann,Heat,5\\nben,Heat,2\\nben,Up,\\n")
    >>> len(dataset.ratings), [(group.count, group.reason) for group in report.dropped]
    (2, [(1, 'no rating')])
    """
    cleaning = cleaning or Cleaning()
    if isinstance(source, str) and source in names():
        if items is not None or users is not None or hints != NO_HINTS:
            raise InputError(
                f"{source} brings along all that is known about its columns, items and people; leave out the other "
                "files and the names of columns, or give the ratings as a file."
            )
        return _load_named(source, cleaning, accept_licence, progress, limits)
    opened = open_files(source, items, users, filename, limits)
    name, is_alone = Path(opened.label).stem, items is None and users is None and hints == NO_HINTS
    paths = {
        flag: _path(given, file)
        for flag, given, file in (("--items", items, opened.items), ("--users", users, opened.users))
        if file
    }
    if mapping is not None:
        return _load_mapped(opened, mapping, name, cleaning, _unmapped_files(opened, mapping), paths)
    layout = find_layout(opened) if is_alone else None
    if layout is not None:
        dataset, report = read_movielens(opened, layout, name, cleaning)
        return replace(dataset, source=opened.label), report
    guess = sniff_source(opened, hints=hints)
    return _load_mapped(opened, guess.mapping, name, cleaning, guess.notes, paths)


def sniff(
    source: Given,
    *,
    items: Given | None = None,
    users: Given | None = None,
    hints: Hints = NO_HINTS,
    filename: str = "",
) -> SourceGuess:
    """Guess what files hold before anything is imported, for a form to show; arguments as for ``load_dataset``.

    >>> sniff(b"who;film;stars\\nann;Heat;5\\nben;Heat;2\\n").mapping.ratings.rating
    'stars'
    """
    return sniff_source(open_files(source, items, users, filename), hints=hints)


def _load_mapped(
    source: Source,
    mapping: ColumnMapping,
    name: str,
    cleaning: Cleaning,
    notes: Sequence[Note],
    sides: dict[str, str],
) -> tuple[Dataset, ImportReport]:
    """Load what the mapping finds in the source; ``notes`` of the guess go before those of the import.

    ``sides``: the paths of the files about items and users by the flags that name them.
    """
    has_more = len(source.files) > len(sides) + 1
    arguments = shell_arguments(mapping, cleaning, sides, name_file=has_more)
    log = ImportLog(source.label, notes=list(notes), arguments=arguments)
    is_same_file = mapping.users is not None and mapping.users.file == mapping.ratings.file
    along = mapping.users.traits if mapping.users is not None and is_same_file else ()
    raw = read_ratings(source.get(mapping.ratings.file), mapping.ratings, log, along)
    is_long = mapping.ratings.layout == "long" and not mapping.ratings.one_person
    if is_long:
        check_people(raw, notes, log.source)
    ratings, days = clean_ratings(raw, cleaning, log)
    if mapping.ratings.layout == "wide" and not mapping.ratings.transposed:
        narrow = check_items(ratings, notes, log)
        if narrow:
            log.add(Finding.NARROW, columns=some_of(narrow))
    if is_long:
        check_repeats(ratings, notes, log, is_rated=raw.ratings is not None)
    titles, tags = tuple(ratings.item_ids), Labels.none(ratings.n_items)
    traits: dict[str, Labels] = {}
    if mapping.items is not None:
        file = source.get(mapping.items.file)
        with _passing_over(file, file is source.items, log):
            linked = read_linked_tags(source, mapping.items, ratings, log)
            titles, tags = read_items(file, mapping.items, ratings, log, linked)
    if mapping.users is not None:
        about, people, file = mapping.users, raw.people, source.get(mapping.users.file)
        if is_long and people is not None:
            people, about = one_row_per_person(people, about, log)
        with _passing_over(file, file is source.users, log):
            traits = read_users(file, about, ratings, log, people) if about.traits else {}
    implicit = mapping.ratings.implicit
    dataset = Dataset(name, ratings, titles, tags, traits, source=source.label, implicit=implicit, days=days)
    return dataset, log.report(len(ratings))


@contextmanager
def _passing_over(file: SourceFile, is_given: bool, log: ImportLog) -> Iterator[None]:
    """Make a note of what is wrong with a file that only lay beside the ratings; one that was given is refused."""
    n_read = len(log.files)
    try:
        yield
    except DataError as error:
        if is_given:
            raise
        del log.files[n_read:]
        log.add(Finding.FILE_SKIPPED, file=file.path, reason=in_short(error, 400).removeprefix(f"{file.path}: "))


def _path(given: Given | None, file: SourceFile) -> str:
    """Return where a file is that was given by its path, or the name of one that was uploaded."""
    return str(given) if isinstance(given, (str, Path)) else file.path


def _unmapped_files(source: Source, mapping: ColumnMapping) -> list[Note]:
    """Note files beside the ratings of which the mapping makes no use."""
    pairs = ((source.items, mapping.items), (source.users, mapping.users))
    unused = [file.path for file, columns in pairs if file and (columns is None or columns.file != file.path)]
    return [note(Finding.FILES_UNUSED, files=", ".join(unused))] if unused else []


def _load_named(
    name: str, cleaning: Cleaning, accept_licence: Consent, progress: Progress | None, limits: Limits
) -> tuple[Dataset, ImportReport]:
    if name == DEMO:
        dataset = demo().dataset
        return dataset, invented_report(dataset)
    entry = entry_of(name)
    place = find_local(name) or download(entry, accept_licence, progress)
    opened = open_source(place, limits=limits)
    layout = find_layout(opened)
    if layout is None:
        found = ", ".join(file.path for file in opened.files[:8])
        raise DataError(
            f"{place} was taken for {name}, but has none of MovieLens's files (it has {found}); put GroupLens's "
            "archive there, or move it away."
        )
    dataset, report = read_movielens(opened, layout, name, cleaning)
    return replace(dataset, source=f"{entry.title}: {entry.about}", licence=entry.licence), report


def sniff_source(source: Source, sides: Sides | None = None, hints: Hints = NO_HINTS) -> SourceGuess:
    """Guess what a source holds; ``sides``: what ``sniff_sides`` gives, if it was called before."""
    item_table, user_table = sides or sniff_sides(source)
    tables, notes = _sniff_files([file for file in source.files if file not in (source.items, source.users)])
    named = [table for table in tables if table.file.endswith(hints.file)]
    if not named and hints.file:
        found = ", ".join(repr(table.file) for table in tables[:8])
        raise InputError(f"{source.label} has no table {hints.file!r}; it has {found}.")
    ratings_table = max(named, key=_rating_score, default=None)
    fewest = 0.0 if len(named) > 1 else -math.inf  # a single file has the ratings, whatever it is called
    if ratings_table is None or len(ratings_table.columns) < 2 or _rating_score(ratings_table) <= fewest:
        if len(tables) == 1:
            raise DataError(
                f"{source.label} has no file with ratings: a table with users and items is needed, and this one has a "
                "single column, or a delimiter that is not known. Export it as CSV."
            )
        found = ", ".join(table.file for table in tables[:8]) or "no table at all"
        raise DataError(
            f"{source.label} has no file with ratings (it has {found}); a table with users and items is needed."
        )
    ratings, beside, more = guess_ratings(ratings_table, hints)
    notes += [*ratings_table.notes, *more]
    rest = [table for table in tables if table is not ratings_table]
    likely = max(rest, key=_item_score, default=None)
    if item_table is None and likely is not None and _item_score(likely) >= 2:
        item_table = likely
    likely = max((table for table in rest if table is not item_table), key=_user_score, default=None)
    if user_table is None and likely is not None and _user_score(likely) >= 1 and len(likely.columns) > 1:
        user_table = likely
    item_columns = guess_items(item_table) if item_table else None
    if item_columns is None and ratings.layout == "long":
        item_columns = guess_items_beside(ratings_table, ratings)
    used = [table for table in (ratings_table, item_table, user_table) if table is not None]
    if item_columns is not None and ratings.layout == "long":
        others = [table for table in rest if table not in used]
        links = find_tag_links(others, ratings.item, item_columns)
        item_columns = replace(item_columns, links=links)
        named_files = {links.file, links.names.file if links.names else ""} if links else set()
        used += [table for table in others if table.file in named_files]
    if len(tables) > 1:
        notes.insert(0, note(Finding.RATINGS_FILE, file=ratings_table.file))
    unused = [file.path for file in source.files if file.path not in {table.file for table in used}]
    if unused:
        notes.append(note(Finding.FILES_UNUSED, files=f"{', '.join(unused[:8])}{', …' if len(unused) > 8 else ''}"))
    user_columns = guess_users(user_table) if user_table else None
    if user_columns is not None and not user_columns.traits and source.users is None:
        notes.append(note(Finding.NO_TRAIT_COLUMN, file=user_columns.file))
        user_columns = None
    if user_columns is not None and beside is not None:
        notes = [each for each in notes if each.kind is not Finding.TRAITS]
    user_columns = user_columns or beside
    return SourceGuess(ColumnMapping(ratings, item_columns, user_columns), tuple(used), tuple(notes))


def sniff_sides(source: Source) -> Sides:
    """Sniff the files that were given as those about the items and about the users."""
    with naming_role("items"):
        items = with_names(sniff_table(source.items)) if source.items else None
    with naming_role("users"):
        return items, with_names(sniff_table(source.users)) if source.users else None


def _sniff_files(files: Sequence[SourceFile]) -> tuple[list[TableSample], list[Note]]:
    """Sniff every file that is a table, the likely ones first; a single file that cannot be read raises DataError."""
    if len(files) == 1:
        return [sniff_table(files[0])], []
    tables, notes = [], []
    likely = [file for file in files if file_hint(file.path) != "aside"] or list(files)
    for file in likely[:_MAX_SNIFFED]:
        try:
            tables.append(with_names(sniff_table(file)))
        except DataError as error:
            notes.append(note(Finding.FILE_SKIPPED, file=file.path, reason=in_short(error, 400)))
    return tables, notes


def _rating_score(table: TableSample) -> float:
    roles = roles_of(table)
    hint = file_hint(table.file)
    looks = profile_columns(table).values()
    # a table without header that has nothing but numbers is one of ratings, whatever its file is called
    is_all_numbers = not table.named and len(table.columns) > 2 and all(look.numeric for look in looks)
    score = 1.0 + 4.0 * (hint == "ratings") - 2.0 * (hint in ("items", "users") and not is_all_numbers)
    score += ("user" in roles) + ("item" in roles) + 2.0 * ("rating" in roles and "user" in roles)
    if "user" in roles and "item" in roles:
        score += 3.0
    if "tags" in roles and "rating" not in roles:
        score -= 2.0
    return score if len(table.columns) > 1 else 0.0


def _item_score(table: TableSample) -> float:
    roles = roles_of(table)
    is_log = "item" in roles and not says_little(roles.get("user", ""))
    if "user" in roles and ("title" not in roles or is_log):
        return 0.0
    return 3.0 * (file_hint(table.file) == "items") + ("item" in roles) + ("title" in roles) + ("tags" in roles)


def _user_score(table: TableSample) -> float:
    roles = roles_of(table)
    return 0.0 if "item" in roles else 2.0 * (file_hint(table.file) == "users") + ("user" in roles)
