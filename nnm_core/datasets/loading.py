"""Load a data set from a name, a path or bytes, and report on its import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nnm_core.datasets.catalogue import DEMO, Consent, Progress, download, entry_of, find_local, names
from nnm_core.datasets.cleaning import Cleaning, clean_ratings
from nnm_core.datasets.columns import read_ratings
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.demo import demo, invented_report
from nnm_core.datasets.mapping import ColumnMapping
from nnm_core.datasets.metadata import read_items, read_users
from nnm_core.datasets.movielens import find_layout, read_movielens
from nnm_core.datasets.report import Finding, ImportLog, ImportReport, Note, note
from nnm_core.datasets.sniffing import SourceGuess, sniff_source
from nnm_core.datasets.sources import DEFAULT_LIMITS, Given, Limits, Source, open_files, open_source
from nnm_core.errors import DataError, InputError


def load_dataset(
    source: Given,
    mapping: ColumnMapping | None = None,
    *,
    items: Given | None = None,
    users: Given | None = None,
    cleaning: Cleaning | None = None,
    filename: str = "",
    accept_licence: Consent = False,
    progress: Progress | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Dataset, ImportReport]:
    """Load the data set behind a name, a path or a file's bytes.

    Parameters
    ----------
    source
        A name out of ``catalogue.names()``, a path (file, folder, archive), the bytes of a file, or an open binary
        file.
    mapping
        Which column means what; guessed without it, as ``sniff`` does.
    items, users
        Files with titles and tags of the items, and with traits of the users.
    cleaning
        What becomes of doubtful rows.
    filename
        What bytes were called, for messages and the name of the data set.
    accept_licence
        For named data sets that have to be downloaded: whether their licence is accepted, or a function that shows the
        text it is given and asks.
    progress
        Called with the bytes of a download received so far, and with those expected.
    limits
        Bounds under which files are read.

    Returns
    -------
    tuple of Dataset and ImportReport
        The data set, and what became of every row.

    Raises
    ------
    DataError
        If a file cannot be read as ratings.
    InputError
        If the arguments do not fit together.

    Examples
    --------
    >>> dataset, report = load_dataset(b"user,item,rating\\nann,Heat,5\\nben,Heat,2\\nben,Up,\\n")
    >>> len(dataset.ratings), dataset.ratings.item_ids
    (2, ('Heat',))
    >>> [(group.count, group.reason) for group in report.dropped]
    [(1, 'no rating')]
    """
    cleaning = cleaning or Cleaning()
    if isinstance(source, str) and source in names():
        if items is not None or users is not None:
            raise InputError(
                f"{source} brings along all that is known about its items and people; leave out the other files, or "
                "give the ratings as a file."
            )
        return _load_named(source, cleaning, accept_licence, progress, limits)
    opened = open_files(source, items, users, filename, limits)
    name = Path(opened.label).stem
    if mapping is not None:
        return _load_mapped(opened, mapping, name, cleaning, _unmapped_files(opened, mapping))
    layout = find_layout(opened) if items is None and users is None else None
    if layout is not None:
        dataset, report = read_movielens(opened, layout, name, cleaning)
        return replace(dataset, source=opened.label), report
    guess = sniff_source(opened)
    return _load_mapped(opened, guess.mapping, name, cleaning, guess.notes)


def sniff(
    source: Given,
    *,
    items: Given | None = None,
    users: Given | None = None,
    filename: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> SourceGuess:
    """Guess what files hold before anything is imported, for a form to show.

    Parameters
    ----------
    source, items, users, filename, limits
        As for ``load_dataset``.

    Returns
    -------
    SourceGuess
        A mapping that ``load_dataset`` can follow, the tables with sample rows, and notes on the guess.

    Raises
    ------
    DataError
        If nothing can be made of a file.

    Examples
    --------
    >>> sniff(b"who;film;stars\\nann;Heat;5\\nben;Heat;2\\n").mapping.ratings.rating
    'stars'
    """
    return sniff_source(open_files(source, items, users, filename, limits))


def _load_mapped(
    source: Source, mapping: ColumnMapping, name: str, cleaning: Cleaning, notes: Sequence[Note]
) -> tuple[Dataset, ImportReport]:
    """Load what the mapping finds in the source; ``notes`` of the guess go before those of the import."""
    log = ImportLog(source.label, notes=list(notes))
    raw = read_ratings(source.get(mapping.ratings.file), mapping.ratings, log)
    ratings = clean_ratings(raw, cleaning, log)
    titles, tags = tuple(ratings.item_ids), Labels.none(ratings.n_items)
    traits: dict[str, Labels] = {}
    if mapping.items is not None:
        titles, tags = read_items(source.get(mapping.items.file), mapping.items, ratings, log)
    if mapping.users is not None:
        traits = read_users(source.get(mapping.users.file), mapping.users, ratings, log)
    dataset = Dataset(name, ratings, titles, tags, traits, source=source.label, implicit=mapping.ratings.implicit)
    return dataset, log.report(len(ratings))


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
    return replace(dataset, source=entry.title, licence=entry.licence), report
