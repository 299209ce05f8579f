"""The notes an import takes on its way, out of which its report is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from nnm_core.datasets.report import N_EXAMPLES, Dropped, Example, FileRead, ImportReport, Offer
from nnm_core.errors import DataError


@dataclass(slots=True)
class Journal:
    """Everything worth telling about one import, in the order in which it happened.

    ``strict``: a row that cannot be read is an error, because the file is known to have none. ``causes``: notes on a
    fault of the file that may explain why rows are missing; an error repeats them.
    """

    source: str
    strict: bool = False
    rows_read: int = 0
    files: list[FileRead] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    levels: list[tuple[float, int]] = field(default_factory=list)

    def drop(self, reason: str, count: int, examples: list[Example], *, unreadable: bool = False) -> None:
        """Note that ``count`` rows are left out."""
        if count:
            self.dropped.append(Dropped(reason, count, tuple(examples[:N_EXAMPLES]), unreadable))

    def fault(self, reason: str, count: int, examples: list[Example]) -> None:
        """Note that ``count`` rows cannot be read; raise DataError for the first of them if the import is strict."""
        if count and self.strict:
            raise DataError(
                f"{examples[0]}: {reason}. This file should have no such line, so it was cut or changed; unpack or "
                "download it again, or import it by itself, which leaves broken lines out and reports them."
            )
        self.drop(reason, count, examples, unreadable=True)

    def report(self, rows_kept: int) -> ImportReport:
        """The finished report."""
        return ImportReport(
            source=self.source,
            files=tuple(self.files),
            rows_read=self.rows_read,
            rows_kept=rows_kept,
            dropped=tuple(self.dropped),
            levels=tuple(self.levels[:1000]),
            offers=tuple(self.offers),
            notes=tuple(self.notes),
        )
