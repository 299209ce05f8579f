"""Data sets with the report of their import as files, so that they can be kept: arrays with a JSON header."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import asdict
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nnm_core.datasets import report as reports
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.report import Dropped, Example, FileRead, Finding, ImportReport, Note, Offer
from nnm_core.errors import DataError, in_short
from nnm_core.files import arrays_bytes, read_header
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale

_FORMAT, _VERSION = "nnm-dataset", 1
_PLAIN = ("name", "licence", "source", "implicit", "about_films", "titles")


def dataset_bytes(dataset: Dataset, report: ImportReport) -> bytes:
    """Return the content of a file that holds a data set and the report of its import.

    >>> from nnm_core.datasets import load_dataset
    >>> dataset, report = load_dataset("demo")
    >>> again, same_report = dataset_from_bytes(dataset_bytes(dataset, report))
    >>> again.content_hash == dataset.content_hash, same_report == report
    (True, True)
    """
    ratings = dataset.ratings
    labels = {"tags": dataset.tags, "user_tags": dataset.user_tags} | {
        f"trait{k}": trait for k, trait in enumerate(dataset.traits.values())
    }
    header = {name: getattr(dataset, name) for name in _PLAIN} | {
        "format": _FORMAT,
        "version": _VERSION,
        "user_ids": ratings.user_ids,
        "item_ids": ratings.item_ids,
        "scale": asdict(ratings.scale),
        "traits": list(dataset.traits),
        "labels": {what: each.names for what, each in labels.items() if each is not None},
        "report": asdict(report) | {"findings": [_note_header(note) for note in report.findings]},
    }
    arrays: dict[str, Any] = {"users": ratings.by_user.rows, "items": ratings.by_user.partners}
    arrays |= {"codes": ratings.by_user.codes, "levels": ratings.levels}
    arrays |= {} if dataset.days is None else {"days": dataset.days}
    for what, each in labels.items():
        if each is not None:
            arrays |= {f"{what}/starts": each.member.indptr, f"{what}/columns": each.member.indices}
    return arrays_bytes(header, arrays, _as_json)


def dataset_from_bytes(content: bytes) -> tuple[Dataset, ImportReport]:
    """Return the data set and the report of its import from the content of such a file.

    Raises
    ------
    DataError
        If the file is damaged, or was written by a later version.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            header = read_header(arrays)
            if header["format"] == _FORMAT and header["version"] <= _VERSION:
                return _dataset(arrays, header), _report(header["report"])
    except Exception as error:  # why: a truncated or forged archive, header or array can raise almost anything
        raise DataError(f"The kept data are damaged ({in_short(error)}); load the file again.") from error
    raise DataError("The kept data were written by a later version of the program; update nnm-explorer to open them.")


def _dataset(arrays: Mapping[str, NDArray[Any]], header: dict[str, Any]) -> Dataset:
    ratings = Ratings.from_codes(
        arrays["users"],
        arrays["items"],
        arrays["codes"],
        arrays["levels"],
        header["user_ids"],
        header["item_ids"],
        scale=Scale(**header["scale"]),
    )

    def labels(what: str, n_rows: int) -> Labels:
        names = tuple(header["labels"][what])
        starts, columns = arrays[f"{what}/starts"], arrays[f"{what}/columns"]
        member = csr_array((np.ones(len(columns), dtype=np.bool_), columns, starts), shape=(n_rows, len(names)))
        return Labels(names, member)

    return Dataset(
        **{name: header[name] for name in _PLAIN} | {"titles": tuple(header["titles"])},
        ratings=ratings,
        tags=labels("tags", ratings.n_items),
        user_tags=labels("user_tags", ratings.n_items) if "user_tags" in header["labels"] else None,
        traits={trait: labels(f"trait{k}", ratings.n_users) for k, trait in enumerate(header["traits"])},
        days=arrays.get("days"),
    )


def _report(header: dict[str, Any]) -> ImportReport:
    dropped = [each | {"examples": tuple(Example(**one) for one in each["examples"])} for each in header["dropped"]]
    known = [each for each in header["findings"] if each["kind"] in Finding.__members__]
    parts = {
        "files": tuple(FileRead(**each) for each in header["files"]),
        "dropped": tuple(Dropped(**each) for each in dropped),
        "offers": tuple(Offer(**each) for each in header["offers"]),
        "findings": tuple(Note(Finding[each["kind"]], _read_details(each["details"])) for each in known),
    }
    lists = {name: tuple(map(_tuples, value)) for name, value in header.items() if isinstance(value, list)}
    return ImportReport(**header | lists | parts)


def _note_header(note: Note) -> dict[str, Any]:
    return {"kind": note.kind.name, "details": note.details}


def _read_details(details: dict[str, Any]) -> dict[str, object]:
    return {
        name: getattr(reports, value["enum"])[value["name"]] if isinstance(value, dict) else _tuples(value)
        for name, value in details.items()
    }


def _tuples(value: Any) -> Any:
    """Return a value from JSON with tuples for lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _as_json(value: Any) -> Any:
    """Return what JSON can hold instead of a number of numpy or a member of an enumeration."""
    return {"enum": type(value).__name__, "name": value.name} if isinstance(value, Enum) else value.item()
