"""What became of every row of an import: collected in fields while it runs, turned into words here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import DataError
from nnm_core.phrases import counted
from nnm_core.scale import written

N_EXAMPLES = 3  # rows shown for each reason
_FEWEST_RATINGS = 20  # with fewer ratings than this, whatever stereotypes show is chance
_NEARLY_ALL = 0.9  # of the rows: where they could not be used, the file was probably not read as it was meant


class Finding(Enum):
    """Kinds of notes; the value is the sentence, with places for the note's details."""

    UTF_16 = "the text was taken for {encoding}, because every second byte is 0"
    OLDER_ENCODING = "the text is not UTF-8 (line {line:,}) and was read as {encoding}"
    OLDER_ENCODING_BELOW = "{file}, line {line:,}, is not valid UTF-8; it was read as {encoding}"
    COMMENTS = "comment lines above the table were left out: {n_lines:,}"
    ABOVE = "{n_lines:,} lines above the table were passed over, the first is {text!r}"
    SAME_COLUMN_NAME = "two columns are called {name!r}; the later one is “{later}” here"
    UNCLOSED_QUOTE = (
        "{file}, line {line:,}, opens a quote ({quote}) that is never closed, so rows after it were lost in one cell; "
        "close the quote or delete it, and import the file again"
    )
    COUNT_COLUMN = (
        "the column {column!r} looks like a count, not a rating: read as implicit feedback; name it as the rating to "
        "use its values"
    )
    NO_RATING_COLUMN = "no column looks like a rating: read as implicit feedback, seen = 1"
    OTHER_RATINGS = (
        "other columns could be the rating too: {columns}; to use one, name it (--columns PERSON ITEM RATING)"
    )
    MANY_REPEATS = (
        "{share:.0%} of the ratings were dropped because the same person rated the same item again; perhaps other "
        "columns hold the people and the items: name them (--columns PERSON ITEM RATING)"
    )
    TAKEN = "{role}: {column!r} ({why.value})"
    WIDE = "read as a wide table: one row per person, one column per item, {n_items:,} items: {items}"
    TRANSPOSED = (
        "read as a transposed wide table: one row per item, one column per person, {n_items:,} people: {items}; if "
        "rows are people, say so (--wide)"
    )
    ROW_COUNTS = "{column!r} holds the count of ratings in its row and was left out; users are numbered by row"
    NUMBERED_USERS = "no column names the people; they are numbered by row"
    NUMBERED_ITEMS = "no column names the items; they are numbered by row"
    TRAITS = "about the people, taken as traits: {columns}"
    TRAIT_VARIES = "{column!r} is no trait: it is not the same in all ratings of {people}"
    OTHER_SCALE = "on another scale than the rest, so not taken as items: {columns}"
    NOT_USED = "not used: {columns}"
    NARROW = (
        "{columns}: these items have ratings in less than half of the scale, so they may be on another one than the "
        "rest; leave them out (--drop) if they are"
    )
    BELOW = "rows below the names of the columns that explain them, as in exports of surveys, are no answers: {n_rows}"
    UNKNOWN_ANSWERS = (
        "the same answers in words stand in several columns, but not which of them is more: {answers}; to have these "
        "columns as items, write the answers as numbers: {columns}"
    )
    PERSONAL_EXPORT = "an export of {service}: all rows are one person's ratings"
    SHORTENED_IDS = (
        "a spreadsheet has shortened {ids} (for example {example!r}), so different ones may look alike; export them "
        "again as text"
    )
    SCALE_BEGINS = "ratings go from {lowest:g} to {highest:g}; if 1 was possible, say so (--scale 1 {highest:g} 1)"
    RATINGS_FILE = "ratings: {file!r} (to read another one: --file NAME)"
    FILE_SKIPPED = "{file} was passed over: {reason}"
    FILES_UNUSED = "not used: {files}"
    NO_TRAIT_COLUMN = "{file} has no column that could be a trait"
    SPACES_REMOVED = "spaces were removed around {ids}"
    WORDS_READ = "ratings are words and were read as {meaning}"
    DECIMAL_COMMAS = "decimal commas were read as decimal points (for example {example!r})"
    THOUSANDS = "commas between thousands were left out (for example {example!r})"
    PERCENT_SIGNS = "per cent signs were left out (for example {example!r})"
    STARS_COUNTED = "stars were counted (for example {example!r})"
    OUT_OF = "ratings written as “out of” were read as their first number (for example {example!r})"
    LABELLED = "numbers with a word behind them were read as the number (for example {example!r})"
    LABELLED_BEHIND = "words with a number behind them were read as the number (for example {example!r})"
    CONTINUOUS = (
        "the ratings have {n_values:,} different values without even steps, so their scale is continuous; to have "
        "stars, put them into a few levels when loading (--bins)"
    )
    BINNED = "ratings were put into {n_bins} levels: {ranges}"
    NO_ID = "left out because the {what} id is missing: {rows} of {file}"
    REPEATED_ID = "left out because the id came before: {rows} of {file}"
    TAGS_JOINED = "items with several rows have the tags of all of them: {rows} of {file}"
    COMMON_TAGS = "{file} has {n_tags:,} tags; the {n_kept:,} that most items have were kept"
    NO_LINKED_TAG = "no tag of {file} could be used: the items that it names, such as {key!r}, have no ratings"
    FEW_KNOWN = (
        "{file} knows only {known}; its ids are written like {there!r}, and {here!r} is not among them: perhaps "
        "another column has the ids"
    )
    MALFORMED_ROWS = "left out for the wrong number of columns: {rows} of {file}, the first is line {line:,}: {text}"
    UNRATED_ITEMS = "left out for want of a rating: {items} of the item file, {which}"
    UNTITLED_ITEMS = "without a title, so that the id stands in for it: {items}, {which}"
    UNTAGGED_ITEMS = "without tags: {items}, {which}"
    UNRATING_USERS = "left out for want of a rating: {users} of {file}"
    UNKNOWN_USERS = "not in {file}: {users} with ratings"
    EMPTY_TRAIT = "no user has a value for {column!r}, so it is no trait"
    SPELLINGS_MERGED = (
        "user tags that differ only in case or spaces were merged: {n_spellings:,} spellings, {n_tags:,} tags"
    )
    USELESS_USER_TAGS = "empty or of an item without ratings: {tags}"
    SYNTHETIC = "invented data: nothing was read"


ROLES = (Finding.RATINGS_FILE, Finding.TAKEN)  # notes on which column is what


class Why(Enum):
    """Why a column was taken for something, and how sure that is."""

    NAME = "sure: its name says so"
    VALUES = "likely: its values look like it"
    LEFT = "unsure: it goes by its place"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing worth knowing about an import: its kind, and what the sentence needs."""

    kind: Finding
    details: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.kind.value.format(**self.details)


def note(kind: Finding, **details: object) -> Note:
    """Make a note.

    >>> str(note(Finding.NO_TRAIT_COLUMN, file="users.csv"))
    'users.csv has no column that could be a trait'
    """
    return Note(kind, details)


@dataclass(frozen=True, slots=True)
class Example:
    """One row: its file, its line (0 where a format has none, as Parquet) and what stands there."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line:,}: {self.text}" if self.line else f"{self.file}: {self.text}"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows that were left out for one reason; ``unreadable``: they had to be, neither by choice nor as repeats."""

    reason: str
    count: int
    examples: tuple[Example, ...] = ()
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """A rating that may mean "seen, not rated"; removed only if ``Cleaning.missing`` names it."""

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
    ``levels``: the first thousand distinct ratings, and how often each was found, repeats included.
    ``arguments``: what to add to a command so that columns are read in the same way, whatever would be guessed.
    """

    source: str
    files: tuple[FileRead, ...]
    rows_read: int
    rows_kept: int
    dropped: tuple[Dropped, ...] = ()
    levels: tuple[tuple[float, int], ...] = ()
    offers: tuple[Offer, ...] = ()
    findings: tuple[Note, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for everything that was guessed, changed or is worth knowing."""
        return tuple(map(str, self.findings))

    @property
    def rows_dropped(self) -> int:
        """Rows that are not in the data set."""
        return sum(group.count for group in self.dropped)

    @property
    def rows_unreadable(self) -> int:
        """Rows that could not be used; where they are many, the file was probably not read as it was meant."""
        return sum(group.count for group in self.dropped if group.unreadable)


@dataclass(slots=True)
class ImportLog:
    """What an import collects for its report; ``strict``: a row that cannot be read is an error."""

    source: str
    strict: bool = False
    rows_read: int = 0
    share_repeated: float = 0.0  # of the usable rows: those with a person and an item that came before
    files: list[FileRead] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    levels: list[tuple[float, int]] = field(default_factory=list)
    arguments: tuple[str, ...] = ()

    def add(self, kind: Finding, **details: object) -> None:
        """Add a note."""
        self.notes.append(Note(kind, details))

    def drop(self, reason: str, count: int, examples: list[Example], *, unreadable: bool = False) -> None:
        """Count rows that are left out; unreadable ones raise DataError if the import is strict."""
        if count and unreadable and self.strict:
            raise broken_line(f"{examples[0]}: {reason}")
        if count:
            self.dropped.append(Dropped(reason, count, tuple(examples[:N_EXAMPLES]), unreadable))

    def require_none(self, example: Example) -> None:
        """Raise DataError for a row that cannot be read, if the import is strict."""
        if self.strict:
            raise broken_line(str(example))

    def explain_dropped(self) -> str:
        """Say how many rows were left out for which reason, with an example each, and what may be behind it."""
        lines = [
            f"{group.count:,}: {group.reason}" + (f" ({group.examples[0]})" if group.examples else "")
            for group in self.dropped
        ]
        return "; ".join(lines + [str(found) for found in self.notes if found.kind is Finding.UNCLOSED_QUOTE])

    def report(self, rows_kept: int) -> ImportReport:
        """Return the finished report."""
        files, dropped, levels = tuple(self.files), tuple(self.dropped), tuple(self.levels[:1000])
        offers, findings, arguments = tuple(self.offers), tuple(self.notes), self.arguments
        return ImportReport(self.source, files, self.rows_read, rows_kept, dropped, levels, offers, findings, arguments)


def broken_line(where_and_what: str) -> DataError:
    """Return the error for a line that cannot be read in a file that is known to have none."""
    return DataError(
        f"{where_and_what}. GroupLens's own file has no such line, so this copy was cut or changed; unpack or download "
        "it again, or import the file by itself, which leaves broken lines out and reports them."
    )


def describe(dataset: Dataset, report: ImportReport) -> str:
    """Describe a data set and its import as the text that ``nnm inspect`` prints.

    >>> from nnm_core.datasets import load_dataset
    >>> print(describe(*load_dataset("demo")).splitlines()[1].strip())
    4,840 ratings by 150 users of 60 items (53.78% of all pairs)
    """
    ratings = dataset.ratings
    density = len(ratings) / (ratings.n_users * ratings.n_items)
    users, items = counted(ratings.n_users, "user"), counted(ratings.n_items, "item")
    lines = [
        dataset.name,
        f"  {counted(len(ratings), 'rating')} by {users} of {items} ({density:.2%} of all pairs)",
        f"  scale: {dataset.scale_in_words}",
        f"  tags: {_enumerated(dataset.tags.names)}",
    ]
    if dataset.user_tags is not None:
        lines.append(f"  tags given by users: {_enumerated(dataset.user_tags.names)}")
    lines += [f"  {trait}: {_enumerated(labels.names)}" for trait, labels in dataset.traits.items()]
    lines.append(f"  source: {dataset.source or 'not stated'}")
    lines.append(f"  licence: {dataset.licence or 'not stated'}")
    lines.append(f"  content: {dataset.content_hash[:16]}")
    return "\n".join([*lines, "", *_about_import(report)])


def _enumerated(names: tuple[str, ...]) -> str:
    shown = f"{', '.join(names[:12])}{', …' if len(names) > 12 else ''}"
    return f"{len(names):,} ({shown})" if names else "none"


def _about_import(report: ImportReport) -> list[str]:
    lines = [f"Import of {report.source}"]
    lines += [f"  {file.label}, {counted(file.n_rows, 'row')}" for file in report.files]
    lines += [f"  {found}" for found in report.findings if found.kind in ROLES]
    lines.append(f"  ratings: {report.rows_read:,} read, {report.rows_kept:,} kept, {report.rows_dropped:,} dropped")
    for group in report.dropped:
        lines.append(f"  dropped {group.count:,}: {group.reason}")
        lines += [f"    {example}" for example in group.examples]
    if levels := [f"{written(value)} ({count:,})" for value, count in report.levels]:
        more = f", … {len(levels):,} in all" if len(levels) > 21 else ""
        lines.append(f"  levels: {', '.join(levels[:21])}{more}")
    for offer in report.offers:
        lines.append(
            f"  {written(offer.value)} may mean “not rated” ({counted(offer.count, 'time')}): {offer.why}; "
            f"to leave it out, import with --missing {offer.value:.15g} or missing=({offer.value:.15g},)"
        )
    return lines + [f"  note: {found}" for found in report.findings if found.kind not in ROLES]


def diagnose(dataset: Dataset, report: ImportReport | None = None) -> str:
    """Say in a sentence or two why nothing can be learned from these data; empty where something can.

    >>> from nnm_core.datasets import load_dataset
    >>> diagnose(*load_dataset("demo"))
    ''
    """
    ratings = dataset.ratings
    if ratings.n_users < 2:
        return (
            f"There is only {counted(ratings.n_users, 'person', 'people')}. Stereotypes are what people have in common "
            "and what sets them apart, so nothing can be learned from fewer than two; tastes show from some dozens on."
        )
    if ratings.n_items < 2:
        return (
            f"There is only {counted(ratings.n_items, 'item')}. Taste is liking one thing more than another, so "
            "nothing can be learned from fewer than two items; tastes show from some dozens on."
        )
    if report is not None and report.rows_unreadable >= _NEARLY_ALL * max(report.rows_read, 1):
        return (
            f"Only {report.rows_kept:,} of {counted(report.rows_read, 'row')} could be used, so what is learned would "
            "be about the wrong data. Perhaps another delimiter or other columns are meant."
        )
    rating, rated = ("choice", "chose") if dataset.implicit else ("rating", "rated")
    if len(ratings) < _FEWEST_RATINGS:
        return (
            f"There are only {counted(len(ratings), rating)}, so whatever is found in them is chance; tastes show from "
            f"some hundred {rating}s on."
        )
    if dataset.implicit and len(ratings) == ratings.n_users * ratings.n_items:
        return "Everybody has every item, which tells nobody apart. Perhaps a column with ratings was left out."
    is_shared = ratings.by_item.counts > 1
    if np.bincount(ratings.users, weights=is_shared[ratings.items]).max() < 2:
        return (
            f"Nobody {rated} two items that others {rated} too, so there is nothing in which people could be alike. "
            "Perhaps other columns hold the people and the items."
        )
    return ""
