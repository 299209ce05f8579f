"""Files that must be refused, each with what its message must say."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
from contextlib import closing

import pyarrow as pa
import pyarrow.parquet

from nnm_core.datasets import Cleaning

from .cases import CSV, FRAME, Bad, parquet, zipped
from .formats import ROWS, xlsx


def duplicate_columns() -> bytes:
    column = pa.array(["a", "b"])
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pa.Table.from_arrays([column, column, column], names=["user", "user", "item"]), buffer)
    return buffer.getvalue()


def empty_database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA user_version = 1")
        return connection.serialize()


BAD = [
    Bad("empty", b"", "is empty"),
    Bad("only blank lines", b"\n\n\n", "no rows|is empty"),
    Bad("only a header", b"user,item,rating\n", "no usable rating"),
    Bad("one column", b"5\n4\n3\n", "users and items"),
    Bad("prose", b"Dear all,\nplease find the ratings attached.\nBest wishes\n", "ratings"),
    Bad("NUL bytes", b"user,item,rating\na,x,5\nb,\x00,4\n", "line 3, contains a NUL byte"),
    Bad("binary", bytes(range(256)) * 40, "NUL byte"),
    Bad("no rating is a number", b"user,item,rating\na,x,good!\nb,x,awful!\n", "no usable rating.*line 2.*'good!'"),
    Bad("every rating the same", b"user,item,rating\na,x,5\nb,x,5\n", "every rating is 5.*implicit"),
    Bad("one rating among words", b"user,item,rating\na,x,5\nb,x,good\nc,x,bad\n", "left out: 2: the rating is not a number"),
    Bad("no ids at all", b"user,item,rating\n,,5\n,,4\n", "no usable rating.*no user id"),
    Bad("truncated gzip", gzip.compress(CSV.encode() * 50)[:60], "damaged|cannot be", filename="r.csv.gz"),
    Bad("truncated zip", zipped(ratings_csv=CSV * 50)[:-30], "not a complete zip", filename="r.zip"),
    Bad("zip with damaged data", zipped(ratings_csv=CSV * 50).replace(b"\xcb", b"\xcc").replace(b"\x2d", b"\x2c"), "damaged|zip", filename="r.zip"),
    Bad("zip without files", zipped(), "without files|not a complete", filename="r.zip"),
    Bad("zip with nothing of use", zipped(a_csv="x\n1\n", b_csv="y\n2\n"), "no file with ratings", filename="r.zip"),
    Bad("path out of the archive", zipped({"../../etc/passwd": "x"}), "points outside", filename="r.zip"),
    Bad("absolute path in the archive", zipped({"/etc/passwd": "x"}), "points outside", filename="r.zip"),
    Bad("7-Zip", b"7z\xbc\xaf\x27\x1c" + b"0" * 50, "7-Zip archive"),
    Bad("RAR", b"Rar!\x1a\x07\x00" + b"0" * 50, "RAR archive"),
    Bad("pickle", b"\x80\x04\x95" + b"0" * 50, "pickle, which is not safe"),
    Bad("broken SQLite", b"SQLite format 3\x00" + b"0" * 50, "SQLite database"),
    Bad("broken Excel workbook", zipped(xl__workbook_xml="<x/>", xl__worksheets__sheet1_xml="<x/>"), "Excel workbook.*CSV", filename="r.xlsx"),
    Bad("web page", b"<!DOCTYPE html><html><body>404</body></html>", "web page"),
    Bad("PDF", b"%PDF-1.7 ...", "PDF"),
    Bad("PNG", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"0" * 50, "picture; give the table"),
    Bad("JPEG", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + b"0" * 50, "picture; give the table"),
    Bad("GIF", b"GIF89a\x01\x00\x01\x00" + b"0" * 50, "picture; give the table"),
    Bad("broken Parquet", parquet(FRAME)[:-20], "cannot be read as a Parquet file", filename="r.parquet"),
    Bad("broken JSON lines", b'{"user": "a", "item": "x", "rating": 5}\n{"user": \n{"user": "b"}\n', "cannot be read as JSON", filename="r.json"),
    Bad("JSON of something else", b'[{"a": 1}, 2, 3]', "cannot be read as JSON", filename="r.json"),
    Bad("minimum too high", CSV.encode(), "no user has 50 ratings", options={"cleaning": Cleaning(min_user_ratings=50)}),
    Bad("quote never closed", b'user,item,rating\na,x,5\nb,"x,4\n' + b"c,x,3\n" * 10, "every rating is 5.*line 3, opens a quote.*never closed.*close the quote or delete it"),
    Bad("two sentences", b"This is the data, collected in May, of our class.\nPlease ask before use, and cite us, thanks.\n", "running text.*'This is the data'.*first line", filename="README.txt"),
    Bad("wrapped sentences", b"Our ratings were collected in May, by kind people,\nand are free for all, as long as you\nsay where they are from, please.\n", "running text|users and items"),
    Bad("sentences of as many words", b"Please read all of this.\nThen write to us soon.\n", "running text"),
    Bad("only the header of a survey", b"Timestamp,Email,Alien,Heat,Up\n", "no usable rating|users and items"),
    Bad("Parquet with two columns of a name", duplicate_columns(), "two columns called 'user'|cannot be read", filename="r.parquet"),
    Bad("SPSS", b"$FL2@(#) SPSS DATA FILE" + b" " * 80, "SPSS file.*Save As"),
    Bad("R's .rds", gzip.compress(b"X\n\x00\x00\x00\x03" + b"0" * 80), "R file.*write.csv", filename="r.rds"),
    Bad("R's .rda", gzip.compress(b"RDX3\nX\n" + b"0" * 80), "R file.*write.csv", filename="r.rda"),
    Bad("MATLAB", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 80, "MATLAB file.*writetable", filename="r.mat"),
    Bad("Stata", b"<stata_dta><header><release>118</release>", "Stata file", filename="r.dta"),
    Bad("XML", b'<?xml version="1.0"?><ratings><r user="a"/></ratings>', "XML file", filename="r.xml"),
    Bad("Git LFS pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "pointer to a file in Git LFS.*git lfs pull"),
    Bad("broken Arrow file", b"ARROW1\x00\x00" + b"0" * 80, "cannot be read as an Arrow file", filename="r.arrow"),
    Bad("truncated xz", lzma.compress(CSV.encode() * 50)[:80], "damaged|cannot be", filename="r.csv.xz"),
    Bad("truncated bzip2", bz2.compress(CSV.encode() * 50)[:80], "damaged|cannot be", filename="r.csv.bz2"),
    Bad("whole numbers beyond 64 bits", b'[{"user": 1, "item": 36893488147419103232, "rating": 5}, {"user": 2, "item": 1, "rating": 4}]', "more than 64 bits"),
    Bad("a cell far away", xlsx({"S": ROWS, "T": [[1]]}, last="XFD1048576"), "cannot be read as an Excel workbook", filename="far.xlsx"),
    Bad("a workbook without cells", xlsx({"S": []}), "without cells", filename="empty.xlsx"),
    Bad("a database without tables", empty_database(), "without tables", filename="r.db"),
    Bad("JSON lines that are not UTF-8", b'{"user": "a\xff", "item": "x", "rating": 5}\n{"user": "b", "item": "x", "rating": 4}\n', "cannot be read as JSON", filename="r.json"),
]  # fmt: skip
"""Files that must be refused, each with what its message must say."""
