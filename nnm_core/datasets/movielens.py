"""MovieLens in every layout that GroupLens has published: 100K, ``.dat`` (1M, 10M) and ``.csv`` (20M and later)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nnm_core.datasets.cleaning import Cleaning, clean_ratings
from nnm_core.datasets.columns import ItemColumns, RatingColumns, read_ratings
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.metadata.items_and_people import numeric_trait, read_items, read_side_table, user_tag_labels
from nnm_core.datasets.rating_texts import parse_ratings
from nnm_core.datasets.reading.sources import Source, SourceFile
from nnm_core.datasets.reading.tables import Dialect, Table, TableSample
from nnm_core.datasets.report import ImportLog, ImportReport, broken_line
from nnm_core.errors import DataError
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale

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
    side_dialect: Dialect
    scale: Scale
    users: str = ""
    user_columns: tuple[str, ...] = ()
    genres: str = ""
    tags: str = ""


_TAB = Dialect("\t", quote="", header=False)
_PIPE = Dialect("|", quote="", header=False, encoding="latin-1")
_COLONS = Dialect("::", quote="", header=False)
_COLONS_LATIN = Dialect("::", quote="", header=False, encoding="latin-1")
_CSV = Dialect(",")
_STARS, _HALF_STARS = Scale(1.0, 5.0), Scale(0.5, 5.0, 0.5)
_USERS_100K = ("user", "age", "gender", "occupation", "zip")
_USERS_1M = ("user", "gender", "age", "occupation", "zip")
_GENRES_100K = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
    "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
)  # fmt: skip
_ITEMS_100K = ("item", "title", "release", "video release", "link")

ML_100K = Layout("100K", "u.data", "u.item", _TAB, _PIPE, _STARS, "u.user", _USERS_100K, genres="u.genre")
ML_1M = Layout("1M", "ratings.dat", "movies.dat", _COLONS, _COLONS_LATIN, _STARS, "users.dat", _USERS_1M)
ML_10M = Layout("10M", "ratings.dat", "movies.dat", _COLONS, _COLONS, _HALF_STARS, tags="tags.dat")
ML_CSV = Layout("CSV", "ratings.csv", "movies.csv", _CSV, _CSV, _HALF_STARS, tags="tags.csv")


def find_layout(source: Source) -> Layout | None:
    """Return which MovieLens layout a source has, going by its files; None if it looks like something else."""
    if len(source.files) == 1:
        return None
    names = {file.name for file in source.files}
    if "u.data" in names or {"u.item", "u.user"} <= names:
        is_partial = "u.genre" not in names and {"u.data", "u.item", "u.user"} <= names
        return None if is_partial or not _fits(source.find("u.data"), ML_100K) else ML_100K
    if len({"ratings.dat", "movies.dat", "users.dat"} & names) >= 2:
        first = source.find("ratings.dat") or source.find("users.dat")
        if first is not None and b"::" in first.head(200) and _fits(source.find("ratings.dat"), ML_1M):
            return ML_10M if "tags.dat" in names and "users.dat" not in names else ML_1M
    if {"ratings.csv", "movies.csv"} <= names:
        header = _file(source, "ratings.csv").head(100).removeprefix(b"\xef\xbb\xbf")
        return ML_CSV if header.startswith(b"userId,movieId,rating") else None
    return None


def with_names(table: TableSample) -> TableSample:
    """Name the columns of MovieLens 100K's u.item and u.user, which have no header, where they come by themselves."""
    known = {"u.item": (*_ITEMS_100K, *_GENRES_100K), "u.user": _USERS_100K}
    names = known.get(table.file.rsplit("/", 1)[-1], ())
    return replace(table, columns=names) if not table.named and len(names) == len(table.columns) else table


def _fits(file: SourceFile | None, layout: Layout) -> bool:
    """Whether ratings begin as MovieLens's do; other projects use the same names, with a header or another scale."""
    if file is None:
        return True
    lines = file.head(2**12).decode("latin-1").splitlines()[:20]
    values = parse_ratings([(line.split(layout.dialect.delimiter) + [""] * 3)[2] for line in lines]).values
    return len(values) > 0 and not np.isnan(values[0]) and not (values > layout.scale.highest).any()


def read_movielens(source: Source, layout: Layout, name: str, cleaning: Cleaning) -> tuple[Dataset, ImportReport]:
    """Read a MovieLens folder or archive; a missing file or a broken line is an error."""
    _check_complete(source, layout)
    log = ImportLog(source.label, strict=True)
    names = ("user", "item", "rating", "time")
    columns = RatingColumns(names, "user", "item", "rating", dialect=layout.dialect, time="time")
    raw = read_ratings(_file(source, layout.ratings), columns, log)
    ratings, days = clean_ratings(raw, cleaning, log, layout.scale)
    titles, tags = read_items(_file(source, layout.items), _item_columns(source, layout), ratings, log)
    traits = _read_users(_file(source, layout.users), layout, ratings, log) if layout.users else {}
    user_tags, file = None, source.find(layout.tags) if layout.tags else None
    if file is not None:
        names = ("user", "item", "tag", "time")
        table = read_side_table(file, layout.dialect, names, ("item", "tag"), "user tags", log)
        user_tags = user_tag_labels(table.columns["item"], table.columns["tag"], ratings, log)
    dataset = Dataset(name, ratings, titles, tags, traits, user_tags=user_tags, about_films=True, days=days)
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


def _item_columns(source: Source, layout: Layout) -> ItemColumns:
    """Return the columns of titles and genres; 100K has one of 0 and 1 for each genre, named in a file of its own."""
    if not layout.genres:
        return ItemColumns(("item", "title", "genres"), "item", "title", ("genres",), dialect=layout.side_dialect)
    lines = _file(source, layout.genres).head(2**16).decode("latin-1").split("\n")
    genres = tuple(line.split("|")[0] for line in lines if line.strip())
    if len(genres) != len(_GENRES_100K):
        raise DataError(
            f"{layout.genres} names {len(genres)} genres, but {layout.items} has {len(_GENRES_100K)} genre columns; "
            "take both files from the same archive."
        )
    columns = (*_ITEMS_100K, *genres)
    return ItemColumns(columns, "item", "title", flags=genres, dialect=layout.side_dialect)


def _read_users(file: SourceFile, layout: Layout, ratings: Ratings, log: ImportLog) -> dict[str, Labels]:
    """Read gender, age group and occupation of the users of 100K and 1M."""
    names = ("user", "gender", "age", "occupation")
    table = read_side_table(file, layout.side_dialect, layout.user_columns, names, "users", log)
    ids, genders, ages, jobs = (_required(table, name) for name in names)
    for row, age in enumerate(ages):
        if not (age.isascii() and age.isdecimal() and len(age) < 10):
            line = table.line_numbers([row])[0]
            raise broken_line(f"{table.path}, line {line:,}: the age {age[:40]!r} is not a whole number")
    job_names = {str(code): job for code, job in enumerate(OCCUPATIONS)} if layout is ML_1M else {}
    known = [(ratings.user_index[user], k) for k, user in enumerate(ids) if user in ratings.user_index]
    n = ratings.n_users
    return {
        "gender": Labels.from_categories({row: GENDERS.get(genders[k], genders[k]) for row, k in known}, n),
        "age": numeric_trait("age", {row: int(ages[k]) for row, k in known}, n),
        "occupation": Labels.from_categories({row: job_names.get(jobs[k], jobs[k]) for row, k in known}, n),
    }


def _required(table: Table, column: str) -> list[str]:
    """Return a column without empty cells."""
    cells: list[str | None] = table.columns[column].to_pylist()
    if None in cells:
        raise broken_line(f"{table.path}, line {table.line_numbers([cells.index(None)])[0]:,}: no {column}")
    return [cell for cell in cells if cell is not None]
