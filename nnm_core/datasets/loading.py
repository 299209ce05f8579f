"""The one door: a name, a path or bytes in; a data set and the report of its import out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from nnm_core.datasets.catalogue import DEMO, entry_of, find_local, names
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.dataset import Dataset
from nnm_core.datasets.demo import demo, invented_report
from nnm_core.datasets.download import Consent, Progress, download
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.mapping import ColumnMapping
from nnm_core.datasets.movielens import find_layout, read_movielens
from nnm_core.datasets.prefill import Prefill, prefill
from nnm_core.datasets.report import ImportReport
from nnm_core.datasets.sides import telling
from nnm_core.datasets.sources import Source, SourceFile, open_source
from nnm_core.datasets.uploads import read_upload
from nnm_core.errors import DataError, InputError

Given = str | Path | bytes | BinaryIO
"""What somebody may hand over: a path, the bytes of a file, or an open binary file."""


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
    """The data set behind a name (``catalogue.names()``), a path or a file's bytes, and the report of its import.

    ``mapping``: which column means what; guessed without it, as ``sniff`` does. ``items``, ``users``: files with titles
    and tags, and with traits; paths and open files keep their names in messages. ``cleaning``: what becomes of doubtful
    rows. ``filename``: what bytes were called.
    ``accept_licence``: for named data sets that have to be downloaded, whether their licence is accepted, or a function
    that shows the text it is given and asks. ``progress``: told how far a download is.
    """
    cleaning = cleaning or Cleaning()
    if isinstance(source, str) and source in names():
        _refuse_sides(source, items, users)
        place = None if source == DEMO else _place_of(source, accept_licence, progress)
        return _load_named(source, place, cleaning, limits)
    opened, item_file, user_file = open_together(source, items, users, filename, limits)
    name = Path(opened.label).stem
    layout = find_layout(opened) if mapping is None and items is None and users is None else None
    if layout is not None:
        dataset, report = read_movielens(opened, layout, name, cleaning, limits)
        return replace(dataset, source=opened.label), report
    if mapping is not None:
        unused = _not_mapped(mapping, item_file, user_file)
        notes = [f"not used: {', '.join(unused)}"] if unused else []
        return read_upload(opened, mapping, name, cleaning, limits, notes)
    guess = prefill(opened, item_file, user_file, limits)
    return read_upload(opened, guess.mapping, name, cleaning, limits, guess.notes)


def sniff(
    source: Given,
    *,
    items: Given | None = None,
    users: Given | None = None,
    filename: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> Prefill:
    """What a form can be filled with before anything is imported: a mapping, sample rows of each table, and notes."""
    return prefill(*open_together(source, items, users, filename, limits), limits)


def open_together(
    source: Given,
    items: Given | None = None,
    users: Given | None = None,
    filename: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Source, SourceFile | None, SourceFile | None]:
    """Ratings, items and users as one source in which every file has a path of its own; then items, then users."""
    opened = open_source(source, filename, limits)
    files = list(opened.files)
    extra: list[SourceFile | None] = []
    for given, role in ((items, "items"), (users, "users")):
        if given is None:
            extra.append(None)
            continue
        with telling(role):
            side = open_source(given, role if isinstance(given, bytes) else "", limits)
        if len(side.files) != 1:
            raise InputError(f"{side.label} holds {len(side.files):,} files; give the one file with the {role}.")
        file = side.files[0]
        if any(file.path == other.path for other in files):
            file = SourceFile(f"{file.path} ({role})", file.open)
        files.append(file)
        extra.append(file)
    return Source(opened.label, tuple(files)), extra[0], extra[1]


def _refuse_sides(name: str, items: Given | None, users: Given | None) -> None:
    if items is not None or users is not None:
        raise InputError(
            f"{name} brings along all that is known about its items and people; leave out the other files, or give the "
            "ratings as a file."
        )


def _not_mapped(mapping: ColumnMapping, items: SourceFile | None, users: SourceFile | None) -> list[str]:
    """Files beside the ratings of which the mapping makes no use."""
    pairs = ((items, mapping.items), (users, mapping.users))
    return [file.path for file, columns in pairs if file and (columns is None or columns.file != file.path)]


def _place_of(name: str, accept_licence: Consent, progress: Progress | None) -> Path:
    """Where a named data set lies, after a download if need be."""
    return find_local(name) or download(entry_of(name), accept_licence, progress)


def _load_named(name: str, place: Path | None, cleaning: Cleaning, limits: Limits) -> tuple[Dataset, ImportReport]:
    if place is None:
        dataset = demo().dataset
        return dataset, invented_report(dataset)
    entry = entry_of(name)
    opened = open_source(place, limits=limits)
    layout = find_layout(opened)
    if layout is None:
        found = ", ".join(file.path for file in opened.files[:8])
        raise DataError(
            f"{place} was taken for {name}, but has none of MovieLens's files (it has {found}); put GroupLens's "
            "archive there, or move it away."
        )
    dataset, report = read_movielens(opened, layout, name, cleaning, limits)
    return replace(dataset, source=entry.title, licence=entry.licence), report
