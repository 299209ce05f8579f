"""What a case of the corpus is, how its files are written, and what can be checked about them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from nnm_core.datasets import Dataset, ImportReport
from nnm_core.scale import Scale

TRIPLES = [
    *(("anna", "Alien", 5), ("anna", "Brazil", 3), ("anna", "Casablanca", 1), ("ben", "Alien", 4), ("ben", "Dune", 2)),
    *(("cleo", "Brazil", 5), ("cleo", "Casablanca", 4), ("cleo", "Dune", 3), ("dan", "Alien", 1)),
    ("dan", "Casablanca", 2),
]
"""The ratings that the files of the first family hold."""

NUMBERED = [(ord(user[0]) - 96, 10 * (ord(item[0]) - 64), rating) for user, item, rating in TRIPLES]
"""The same with whole numbers as ids."""

Check = Callable[[Dataset, ImportReport], None]


@dataclass(frozen=True)
class Good:
    """A file that must be read: its ratings as triples of text, text and number, and what else must hold."""

    name: str
    content: bytes
    ratings: list[tuple[Any, Any, float]]
    check: Check | None = None
    filename: str = "ratings.csv"
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Bad:
    """A file that must be refused, and a pattern that the message must contain."""

    name: str
    content: bytes
    message: str
    filename: str = "ratings.csv"
    options: dict[str, Any] = field(default_factory=dict)


def lines(rows: list[tuple[Any, ...]], delimiter: str = ",", header: str = "", end: str = "\n") -> str:
    """Rows as text."""
    body = [delimiter.join(str(cell) for cell in row) for row in rows]
    return end.join(([header] if header else []) + body) + end


def zipped(files: dict[str, bytes | str] | None = None, **named: bytes | str) -> bytes:
    """Files packed together; in keywords a double underscore is a slash and a single one a point."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (files or {}).items():
            archive.writestr(name, content)
        for name, content in named.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def wide(triples: list[tuple[Any, Any, Any]], delimiter: str = ",", empty: str = "", corner: str = "user") -> str:
    """Triples as a users × items matrix."""
    items = sorted({item for _, item, _ in triples})
    users = list(dict.fromkeys(user for user, _, _ in triples))
    given = {(user, item): rating for user, item, rating in triples}
    rows = [[corner, *items]] + [[user, *(given.get((user, item), empty) for item in items)] for user in users]
    return "\n".join(delimiter.join(str(cell) for cell in row) for row in rows) + "\n"


def dropped(reason: str, count: int, first_line: int | None = None) -> Check:
    """A check that so many rows are left out for that reason, the first of them on that line."""

    def check(_: Dataset, report: ImportReport) -> None:
        groups = [group for group in report.dropped if reason in group.reason]
        assert sum(group.count for group in groups) == count, report.dropped
        assert all(0 < len(group.examples) <= 3 for group in groups)
        if first_line is not None:
            assert groups[0].examples[0].line == first_line, groups[0]

    return check


def noted(text: str) -> Check:
    """A check that the report says so."""

    def check(_: Dataset, report: ImportReport) -> None:
        assert any(text in note for note in report.notes), report.notes

    return check


def offered(value: float, count: int) -> Check:
    """A check that a rating is offered for removal, and still there."""

    def check(_: Dataset, report: ImportReport) -> None:
        assert [(offer.value, offer.count) for offer in report.offers] == [(value, count)]

    return check


def on_scale(lowest: float, highest: float, step: float) -> Check:
    """A check of the scale that was found."""

    def check(dataset: Dataset, _: ImportReport) -> None:
        assert dataset.ratings.scale == Scale(lowest, highest, step)

    return check


def is_implicit(dataset: Dataset, report: ImportReport) -> None:
    assert dataset.implicit
    assert dataset.ratings.scale == Scale(0.0, 1.0)


def has_titles(*titles: str) -> Check:
    def check(dataset: Dataset, _: ImportReport) -> None:
        assert dataset.titles == titles

    return check


def has_tags(**tags: list[str]) -> Check:
    """A check of all tags: per tag, the ids of its items."""

    def check(dataset: Dataset, _: ImportReport) -> None:
        ids = dataset.ratings.item_ids
        member = dataset.tags.member.tocsc()
        found = {
            name: [ids[row] for row in member.indices[member.indptr[k] : member.indptr[k + 1]]]
            for k, name in enumerate(dataset.tags.names)
        }
        assert found == tags

    return check


def has_trait(name: str, *values: str) -> Check:
    def check(dataset: Dataset, _: ImportReport) -> None:
        assert dataset.traits[name].names == values

    return check


def both(*checks: Check) -> Check:
    def check(dataset: Dataset, report: ImportReport) -> None:
        for one in checks:
            one(dataset, report)

    return check


def nothing_offered(_: Dataset, report: ImportReport) -> None:
    assert not report.offers


HEADER = "user,item,rating"
CSV = lines(TRIPLES, header=HEADER)
FRAME = pd.DataFrame(TRIPLES, columns=["user", "item", "rating"])
ITEMS = (
    "item,title,genres\nAlien,Alien (1979),Horror|SciFi\nBrazil,Brazil (1985),SciFi\nCasablanca,Casablanca (1942),\n"
    "Dune,Dune (1984),SciFi\nEraserhead,Eraserhead (1977),Horror\n"
)
USERS = "user,age,gender,zip\nanna,24,F,1234\nben,31,M,5678\ncleo,67,F,9012\ndan,17,M,3456\nemil,40,M,7890\n"
