"""MovieLens in every layout that GroupLens has published: 100K, ``.dat`` (1M, 10M) and ``.csv`` (20M and later)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from nnm_core.datasets.cleaning import Cleaning, clean_ratings
from nnm_core.datasets.columns import RatingColumns, read_ratings
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.metadata import log_items, numeric_trait, user_tag_labels
from nnm_core.datasets.readers import read_table
from nnm_core.datasets.report import FileRead, ImportLog, ImportReport, broken_line
from nnm_core.datasets.sources import Source, SourceFile
from nnm_core.datasets.tables import Dialect, Table
from nnm_core.errors import DataError
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale

NO_GENRES = "(no genres listed)"
GENDERS = {"F": "female", "M": "male"}
OCCUPATIONS = (
    "other", "academic/educator", "artist", "clerical/admin", "college/grad student", "customer service",
    "doctor/health care", "executive/managerial", "farmer", "homemaker", "K-12 student", "lawyer", "programmer",
    "retired", "sales/marketing", "scientist", "self-employed", "technician/engineer", "tradesman/craftsman",
    "unemployed", "writer",
)  # fmt: skip
"""What the occupation codes of MovieLens 1M stand for."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of one MovieLens layout, empty where it has none, and how they are written."""

    name: str
    ratings: str
    items: str
    dialect: Dialect
    item_dialect: Dialect
    item_columns: tuple[str, ...]
    scale: Scale
    users: str = ""
    genres: str = ""
    tags: str = ""


_TAB = Dialect("\t", quote="", header=False)
_PIPE = Dialect("|", quote="", header=False, encoding="latin-1")
_COLONS = Dialect("::", quote="", header=False)
_COLONS_LATIN = Dialect("::", quote="", header=False, encoding="latin-1")
_CSV = Dialect(",")

RATING_COLUMNS = ("user", "item", "rating", "time")
_ITEMS = ("item", "title", "genres")
_TAGS = ("user", "item", "tag", "time")
_GENRE_FLAGS = tuple(f"genre {k}" for k in range(19))
_ITEMS_100K = ("item", "title", "release", "video release", "link", *_GENRE_FLAGS)
_USERS_100K = ("user", "age", "gender", "occupation", "zip")
_USERS_1M = ("user", "gender", "age", "occupation", "zip")

STARS, HALF_STARS = Scale(1.0, 5.0), Scale(0.5, 5.0, 0.5)
ML_100K = Layout("100K", "u.data", "u.item", _TAB, _PIPE, _ITEMS_100K, STARS, users="u.user", genres="u.genre")
ML_1M = Layout("1M", "ratings.dat", "movies.dat", _COLONS, _COLONS_LATIN, _ITEMS, STARS, users="users.dat")
ML_10M = Layout("10M", "ratings.dat", "movies.dat", _COLONS, _COLONS, _ITEMS, HALF_STARS, tags="tags.dat")
ML_CSV = Layout("CSV", "ratings.csv", "movies.csv", _CSV, _CSV, _ITEMS, HALF_STARS, tags="tags.csv")


def find_layout(source: Source) -> Layout | None:
    """Return which MovieLens layout a source has, going by its files; None if it looks like something else."""
    names = {file.name for file in source.files}
    if len(source.files) == 1:
        return None
    if "u.data" in names or {"u.item", "u.user"} <= names:
        return ML_100K
    if len({"ratings.dat", "movies.dat", "users.dat"} & names) >= 2:
        first = source.find("ratings.dat") or source.find("users.dat")
        if first is not None and b"::" in first.head(200):  # other projects use the same names
            return ML_10M if "tags.dat" in names and "users.dat" not in names else ML_1M
    if {"ratings.csv", "movies.csv"} <= names:
        header = _file(source, "ratings.csv").head(100).removeprefix(b"\xef\xbb\xbf")
        return ML_CSV if header.startswith(b"userId,movieId,rating") else None
    return None


def read_movielens(source: Source, layout: Layout, name: str, cleaning: Cleaning) -> tuple[Dataset, ImportReport]:
    """Read a MovieLens folder or archive; a missing file or a broken line is an error."""
    _check_complete(source, layout)
    log = ImportLog(source.label, strict=True)
    user, item, rating, _ = RATING_COLUMNS
    mapping = RatingColumns(RATING_COLUMNS, user, item, rating, dialect=layout.dialect)
    raw = read_ratings(_file(source, layout.ratings), mapping, log)
    ratings = clean_ratings(raw, cleaning, log, layout.scale)
    titles, tags = _read_items(source, layout, ratings, log)
    traits = _read_users(_file(source, layout.users), layout, ratings, log) if layout.users else {}
    user_tags, file = None, source.find(layout.tags) if layout.tags else None
    if file is not None:
        table = _read_strictly(file, layout.dialect, _TAGS, ("item", "tag"), "user tags", log)
        user_tags = user_tag_labels(table.columns["item"], table.columns["tag"], ratings, log)
    dataset = Dataset(name, ratings, titles, tags, traits, user_tags=user_tags)
    return dataset, log.report(len(ratings))


def _check_complete(source: Source, layout: Layout) -> None:
    needed = [layout.ratings, layout.items, layout.users, layout.genres, layout.tags if layout is ML_10M else ""]
    missing = [name for name in needed if name and source.find(name) is None]
    if missing:
        raise DataError(
            f"{source.label} looks like MovieLens {layout.name}, but {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing. Unpack GroupLens's archive again so that all of "
            f"{', '.join(name for name in needed if name)} lie in one folder, or import {layout.ratings} by itself."
        )


def _file(source: Source, name: str) -> SourceFile:
    file = source.find(name)
    if file is None:
        raise DataError(f"{source.label} has no file {name}.")
    return file


def _read_strictly(
    file: SourceFile, dialect: Dialect, names: Sequence[str], wanted: Sequence[str], role: str, log: ImportLog
) -> Table:
    """Read a table in which every line must have the right number of columns; without ``role`` it is not logged."""
    table = read_table(file, dialect, names, wanted)
    if table.n_malformed:
        raise broken_line(str(table.malformed[0]))
    log.notes += table.notes
    if role:
        log.files.append(FileRead(file.path, role, table.n_rows))
    return table


def _read_items(source: Source, layout: Layout, ratings: Ratings, log: ImportLog) -> tuple[tuple[str, ...], Labels]:
    """One title per rated item, and the genres as tags."""
    file = _file(source, layout.items)
    table = _read_strictly(file, layout.item_dialect, layout.item_columns, layout.item_columns, "items", log)
    ids = _required(table, "item")
    titles = dict(zip(ids, table.columns["title"].to_pylist(), strict=True))
    genres = _genre_flags(source, table, log) if layout.genres else table.columns["genres"].to_pylist()
    of_item: dict[int, list[str]] = {}
    for item, cell in zip(ids, genres, strict=True):
        row = ratings.item_index.get(item)
        if row is not None and cell and cell != NO_GENRES:
            of_item[row] = cell.split("|")
    tags = Labels.from_lists(of_item, ratings.n_items)
    log_items(ratings, titles, tags, log)
    return tuple(titles.get(item) or item for item in ratings.item_ids), tags


def _genre_flags(source: Source, table: Table, log: ImportLog) -> list[str]:
    """The genres of each item of MovieLens 100K, joined by ``|`` as in the later layouts."""
    file = _file(source, ML_100K.genres)
    names = _required(_read_strictly(file, _PIPE, ("genre", "number"), ("genre",), "", log), "genre")
    if len(names) != len(_GENRE_FLAGS):
        raise DataError(
            f"{ML_100K.genres} names {len(names)} genres, but {table.path} has {len(_GENRE_FLAGS)} genre columns; take "
            "both files from the same archive."
        )
    flags = [table.columns[column].to_pylist() for column in _GENRE_FLAGS]
    return ["|".join(compress(names, (flag == "1" for flag in row))) for row in zip(*flags, strict=True)]


def _required(table: Table, column: str) -> list[str]:
    """A column without empty cells."""
    cells: list[str | None] = table.columns[column].to_pylist()
    if None in cells:
        raise broken_line(f"{table.path}, line {table.line_numbers([cells.index(None)])[0]:,}: no {column}")
    return [cell for cell in cells if cell is not None]


def _read_users(file: SourceFile, layout: Layout, ratings: Ratings, log: ImportLog) -> dict[str, Labels]:
    """Gender, age group and occupation of the users of 100K and 1M."""
    small = layout is ML_100K
    columns = _USERS_100K if small else _USERS_1M
    table = _read_strictly(file, _PIPE if small else _COLONS_LATIN, columns, columns, "users", log)
    ids = _required(table, "user")
    ages, genders = _whole_numbers(table, "age"), _required(table, "gender")
    if small:
        jobs = _required(table, "occupation")
    else:
        codes = _whole_numbers(table, "occupation")
        jobs = [OCCUPATIONS[code] if code < len(OCCUPATIONS) else f"occupation {code}" for code in codes]
    rows = [ratings.user_index.get(user) for user in ids]
    known = [(row, k) for k, row in enumerate(rows) if row is not None]
    n = ratings.n_users
    return {
        "gender": Labels.from_categories({row: GENDERS.get(genders[k], genders[k]) for row, k in known}, n),
        "age": numeric_trait("age", {row: ages[k] for row, k in known}, n),
        "occupation": Labels.from_categories({row: jobs[k] for row, k in known}, n),
    }


def _whole_numbers(table: Table, column: str) -> list[int]:
    cells = _required(table, column)
    for row, cell in enumerate(cells):
        if not (cell.isascii() and cell.isdecimal() and len(cell) < 10):
            line = table.line_numbers([row])[0]
            raise broken_line(f"{table.path}, line {line:,}: the {column} {cell[:40]!r} is not a whole number")
    return [int(cell) for cell in cells]
