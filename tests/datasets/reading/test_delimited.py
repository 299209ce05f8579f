"""Text tables: large ones, line numbers, quotes, endless lines."""

from __future__ import annotations

import io
import subprocess
import sys
import time
import zipfile
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pytest

from nnm_core.datasets import (
    Cleaning,
    Dialect,
    load_dataset,
)
from nnm_core.datasets.reading.dialects import sniff_text
from nnm_core.datasets.reading.readers import read_table
from nnm_core.datasets.reading.sources import SourceFile, open_source
from nnm_core.datasets.synthetic import invent
from nnm_core.errors import DataError
from tests.datasets.helpers import SMALL, Counted


@lru_cache(maxsize=16)
def large_table(delimiter: str = ",", end: str = "\n", n_rows: int = 150_000) -> tuple[str, pd.DataFrame]:
    """A plain table of some megabytes, and its content."""
    invented = invent(5000, 400, n_rows, seed=5)
    users = [f"user-with-a-long-name-{k}" if k % 3 else f"u{k}" for k in invented.users.tolist()]
    frame = pd.DataFrame({"user": users, "item": invented.items, "rating": invented.values.astype(int)})
    text = frame.to_csv(index=False, sep="\x02", lineterminator=end).replace("\x02", delimiter)
    assert len(text) > 2 * 2**20
    return text, frame


@pytest.mark.parametrize("delimiter", [",", "::"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "zip"])
def test_large_files_give_the_same_whichever_way_they_are_read(tmp_path: Path, delimiter: str, packed: bool) -> None:
    text, frame = large_table(delimiter)
    path = tmp_path / "ratings.csv"
    path.write_text(text, newline="")
    if packed:
        with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
            archive.write(path, "ratings.csv")
        path = tmp_path / "r.zip"
    quick, _ = load_dataset(path)
    careful, report = load_dataset((text + f"too{delimiter}short\n").encode())
    assert quick.content_hash == careful.content_hash
    assert report.dropped[0].examples[0].line == len(frame) + 2


def test_lines_are_right_in_large_files_too() -> None:
    text, _ = large_table()
    lines = text.split("\n")
    lines[90_000] = "someone,7,nothing"
    _, report = load_dataset("\n".join(lines).encode())
    assert [(group.count, group.examples[0].line) for group in report.dropped] == [(1, 90_001)]


def test_repeats_in_large_files_are_found_with_their_lines() -> None:
    text, frame = large_table()
    first = text.split("\n")[1]
    _, report = load_dataset((text + first + "\n").encode(), cleaning=Cleaning(duplicates="first"))
    assert [(group.count, group.examples[0].line) for group in report.dropped] == [(1, len(frame) + 2)]


def test_a_quote_that_swallows_rows_is_told_even_in_a_column_that_nobody_reads() -> None:
    rows = b'user,item,rating,remark\na,x,5,"two\nlines"\nb,x,4,"never closed\nc,x,3,\nc,y,2,\n'
    dataset, report = load_dataset(rows, filename="mine.csv")
    assert len(dataset.ratings) == 2
    assert [note for note in report.notes if "mine.csv, line 4, opens a quote" in note]


def test_a_quote_that_is_never_closed_is_told_of_a_long_file_too() -> None:
    rows = b'user,item,rating\na,x,5\nb,"x,4\n' + b"".join(b"c,%d,3\n" % k for k in range(600_000))
    _, report = load_dataset(rows, filename="mine.csv")
    assert [note for note in report.notes if "mine.csv, line 3, opens a quote" in note]


@pytest.mark.parametrize(
    "rows",
    [
        b'user,item,rating\na,5" disk,5\nb,x,4\n',
        b'user,item,rating\na,5" disk,5\nb,"say ""hi""\n, and more",4\n',
        b'user,item,rating\n"a","x",5\n"b","y",4\n',
    ],
    ids=["a stray quote", "a stray one before a long cell", "all closed"],
)
def test_quotes_that_are_closed_or_mean_nothing_are_not_complained_about(rows: bytes) -> None:
    dataset, report = load_dataset(rows)
    assert len(dataset.ratings) == 2
    assert not [note for note in report.notes if "quote" in note]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "::", " "])
def test_million_columns_are_refused(delimiter: str) -> None:
    row = delimiter.join(["1"] * 1_000_000)
    with Counted() as cost, pytest.raises(DataError, match=r"columns; at most|line of more than"):
        load_dataset(f"{row}\n{row}\n".encode())
    assert cost.seconds < 60  # it was minutes when each column was looked up among all others


@pytest.mark.parametrize("delimiter", [b",", b"::", b" ", b""])
def test_endless_line_is_refused(delimiter: bytes) -> None:
    line = (b"x" * 500 + delimiter) * 6_000
    with pytest.raises(DataError, match=r"has a line of more than 1\.0 MB"):
        load_dataset(line, limits=SMALL)
    with pytest.raises(DataError, match=r"has a line of more than 1\.0 MB"):
        load_dataset(b"user::item::rating\na::x::5\n" * 20_000 + line, limits=SMALL)


def test_line_of_a_gigabyte_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "line.csv"
    with path.open("wb") as stream:
        stream.truncate(0)
        for _ in range(1000):
            stream.write(b"x" * 2**20)
    program = (
        "import resource, sys\n"
        "from nnm_core.datasets import load_dataset\n"
        "from nnm_core.errors import DataError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    load_dataset(sys.argv[1])\n"
        "except DataError as error:\n    assert 'has a line of more than' in str(error), error\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    run = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 200_000, "kilobytes"


def test_many_columns_of_the_same_name_are_told_apart() -> None:
    header = ",".join(["user", "item", "rating", *["x"] * 5000])
    row = ",".join(["a", "i", "5", *["text"] * 5000])
    begin = time.monotonic()
    dataset, report = load_dataset(f"{header}\n{row}\n{row.replace('a,i,5', 'b,i,3')}\n".encode())
    assert len(dataset.ratings) == 2
    assert sum("two columns are called" in note for note in report.notes) <= 3
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("delimiter", [",", "\t", "::", ";", " "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_are_read_as_they_stand(delimiter: str, end: str) -> None:
    text, frame = large_table(delimiter, end)
    columns = columns_of(text.encode(), Dialect(delimiter))
    for name in frame:
        assert columns[name] == frame[name].astype(str).tolist()


def columns_of(content: bytes, dialect: Dialect) -> dict[str, list[str | None]]:
    """All cells of a table with users, items and ratings."""
    names = ("user", "item", "rating")
    table = read_table(open_source(content).files[0], dialect, names, names)
    return {name: table.columns[name].to_pylist() for name in names}


def test_blank_lines_empty_cells_and_a_missing_end_are_no_matter() -> None:
    columns = columns_of(b"user,item,rating\na,x,1\n\n,y,2\n\r\nb,,3", Dialect())
    assert columns == {"user": ["a", None, "b"], "item": ["x", "y", None], "rating": ["1", "2", "3"]}


PLAIN = b"".join(b"user%d,item,%d\n" % (k, k % 5) for k in range(200_000))
"""More than a block of rows without anything unusual."""


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        (b'"two\nlines",x,5\n', ("two\nlines", "x", "5")),
        ("naïve,x,5\n".encode("latin-1"), ("naïve", "x", "5")),
        (b"%s,x,5\n" % (b"long" * 2**20), ("long" * 2**20, "x", "5")),
        ("é,😀,5\n".encode(), ("é", "😀", "5")),
    ],
    ids=["quotes", "latin-1", "longer than a block", "UTF-8"],
)
def test_what_is_unusual_far_below_the_beginning_is_read_all_the_same(row: bytes, cells: tuple[str, ...]) -> None:
    columns = columns_of(b"user,item,rating\n" + PLAIN + row + PLAIN, Dialect())
    assert tuple(column[200_000] for column in columns.values()) == cells
    assert {len(column) for column in columns.values()} == {400_001}


@pytest.mark.parametrize("shift", range(4))
def test_characters_that_the_end_of_a_block_cuts_in_two_survive(shift: int) -> None:
    rows = "user,item,rating\n" + "x" * shift + ",y,1\n" + "".join(f"😀é{k},y,2\n" for k in range(200_000))
    assert columns_of(rows.encode(), Dialect())["user"][1:] == [f"😀é{k}" for k in range(200_000)]


def test_an_ordinary_file_is_read_once() -> None:
    n_bytes = 0

    class Counting(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            nonlocal n_bytes
            block = super().read(size)
            n_bytes += len(block)
            return block

    content = b"user,item,rating\n" + PLAIN
    file = SourceFile("r.csv", lambda: Counting(content))
    read_table(file, Dialect(), ("user", "item", "rating"), ("user", "rating"))
    assert len(content) <= n_bytes < len(content) + 2**17


def test_rows_with_few_cells_are_no_title_where_no_header_follows():
    rows = ["Ann Lee,,,,", *(f"P {k},{k % 5 + 1},{(k + 1) % 5 + 1},{(k + 2) % 5 + 1},{k % 3 + 1}" for k in range(12))]
    guess = sniff_text(open_source("\n".join(rows).encode()).files[0])
    assert (guess.dialect.n_above, guess.dialect.header, len(guess.sample)) == (0, False, 13)


def test_line_numbers_count_the_lines_above_a_table():
    text = "A title of the table\n\nuser,item,rating\na,x,1\nb,x,2,3\nc,x,5\nd,y,4\n"
    _, report = load_dataset(text.encode())
    (malformed,) = [part for part in report.dropped if "number of columns" in part.reason]
    assert malformed.examples[0].line == 5
