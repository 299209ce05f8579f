"""The one door: a name, a path or bytes in; a data set and the report of its import out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from nnm_core.datasets import catalogue
from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.dataset import Dataset
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.movielens import find_layout, read_movielens
from nnm_core.datasets.report import ImportReport
from nnm_core.datasets.sources import open_source
from nnm_core.errors import DataError


def load_dataset(
    source: str | Path | bytes | BinaryIO,
    mapping: None = None,  # noqa: ARG001 - uploads come next
    *,
    cleaning: Cleaning | None = None,
    filename: str = "",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Dataset, ImportReport]:
    """The data set behind a name (``catalogue.names()``), a path or a file's bytes, and the report of its import."""
    cleaning = cleaning or Cleaning()
    if isinstance(source, str) and source in catalogue.names():
        return _load_named(source, cleaning, limits)
    opened = open_source(source, filename, limits)
    layout = find_layout(opened)
    if layout is None:
        raise DataError(f"{opened.label} is not MovieLens.")
    return read_movielens(opened, layout, Path(opened.label).stem, cleaning, limits)


def _load_named(name: str, cleaning: Cleaning, limits: Limits) -> tuple[Dataset, ImportReport]:
    entry = catalogue.entry_of(name)
    place = catalogue.find_local(name)
    if place is None:
        raise DataError(f"{name} is not on this machine.")
    opened = open_source(place, limits=limits)
    layout = find_layout(opened)
    if layout is None:
        raise DataError(f"{place} does not hold MovieLens files.")
    dataset, report = read_movielens(opened, layout, name, cleaning, limits)
    return replace(dataset, source=entry.title, licence=entry.licence), report
