"""What became of every row of an import, and the words in which it is told."""

from __future__ import annotations

from dataclasses import dataclass

from nnm_core.datasets.dataset import Dataset
from nnm_core.phrases import counted
from nnm_core.scale import written

N_EXAMPLES = 3
"""Rows shown for each reason."""


@dataclass(frozen=True, slots=True)
class Example:
    """One row: its file, its line (0 where a format has none, as Parquet) and what stands there."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line:,}" if self.line else self.file
        return f"{where}: {self.text}"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows that are not in the data set, all for the same reason, with the first few of them.

    ``unreadable``: they could not be used; without it they were left out by choice, or repeat others.
    """

    reason: str
    count: int
    examples: tuple[Example, ...] = ()
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """A rating that may mean "seen, not rated"; removed only if ``missing`` of the mapping names it."""

    value: float
    count: int
    why: str


@dataclass(frozen=True, slots=True)
class FileRead:
    """One file that was used, for what, and how many rows it had."""

    path: str
    role: str
    n_rows: int

    @property
    def label(self) -> str:
        """Path and role; only the role where bytes without a name were given in that role."""
        return self.role if self.path == self.role else f"{self.path}: {self.role}"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Everything that happened between a file and its data set.

    ``rows_read`` is ``rows_kept`` plus everything in ``dropped``; in a wide table a row is a filled cell.
    ``levels``: the distinct usable ratings and how often each was found, repeats included; the first thousand.
    ``notes``: what was guessed, changed or is worth knowing, one sentence each.
    """

    source: str
    files: tuple[FileRead, ...]
    rows_read: int
    rows_kept: int
    dropped: tuple[Dropped, ...] = ()
    levels: tuple[tuple[float, int], ...] = ()
    offers: tuple[Offer, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rows_dropped(self) -> int:
        """Rows that are not in the data set."""
        return sum(group.count for group in self.dropped)

    @property
    def rows_unreadable(self) -> int:
        """Rows that could not be used; where they are many, the file was probably not read as it was meant."""
        return sum(group.count for group in self.dropped if group.unreadable)


def describe(dataset: Dataset, report: ImportReport) -> str:
    """Data set and report as the text that ``nnm inspect`` prints."""
    return "\n".join([*_about_dataset(dataset), "", *_about_import(report)])


def _about_dataset(dataset: Dataset) -> list[str]:
    ratings = dataset.ratings
    density = len(ratings) / (ratings.n_users * ratings.n_items)
    size = (
        f"{counted(len(ratings), 'rating')} by {counted(ratings.n_users, 'user')} of {counted(ratings.n_items, 'item')}"
    )
    lines = [
        dataset.name,
        f"  {size} ({density:.2%} of all pairs)",
        f"  scale: {dataset.scale_in_words}",
        f"  tags: {_enumerated(dataset.tags.names)}",
    ]
    if dataset.user_tags is not None:
        lines.append(f"  tags given by users: {_enumerated(dataset.user_tags.names)}")
    lines += [f"  {trait}: {_enumerated(labels.names)}" for trait, labels in dataset.traits.items()]
    lines.append(f"  source: {dataset.source or 'not stated'}")
    lines.append(f"  licence: {dataset.licence or 'not stated'}")
    lines.append(f"  content: {dataset.content_hash[:16]}")
    return lines


def _enumerated(names: tuple[str, ...], n_shown: int = 12) -> str:
    if not names:
        return "none"
    shown = ", ".join(names[:n_shown])
    return f"{len(names):,} ({shown}{', …' if len(names) > n_shown else ''})"


def _about_import(report: ImportReport) -> list[str]:
    lines = [f"Import of {report.source}"]
    lines += [f"  {file.label}, {counted(file.n_rows, 'row')}" for file in report.files]
    lines.append(f"  ratings: {report.rows_read:,} read, {report.rows_kept:,} kept, {report.rows_dropped:,} dropped")
    for group in report.dropped:
        lines.append(f"  dropped {group.count:,}: {group.reason}")
        lines += [f"    {example}" for example in group.examples]
    if report.levels:
        lines.append(f"  levels: {_levels_in_words(report.levels)}")
    for offer in report.offers:
        lines.append(
            f"  {written(offer.value)} may mean “not rated” ({counted(offer.count, 'time')}): {offer.why}; "
            f"to leave it out, import with --missing {offer.value:.15g} or missing=({offer.value:.15g},)"
        )
    lines += [f"  note: {note}" for note in report.notes]
    return lines


def _levels_in_words(levels: tuple[tuple[float, int], ...], n_shown: int = 21) -> str:
    shown = ", ".join(f"{written(value)} ({count:,})" for value, count in levels[:n_shown])
    return shown + (f", … {len(levels):,} in all" if len(levels) > n_shown else "")
