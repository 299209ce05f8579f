"""The ratings of the first family in other formats, and files that hold several tables."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import bz2
import io
import json
import lzma
import sqlite3
import zipfile
from contextlib import closing
from string import ascii_uppercase
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.feather

from .cases import CSV, FRAME, HEADER, ITEMS, TRIPLES, USERS, Good, both, has_tags, has_titles, has_trait, lines, noted

Sheets = dict[str, list[list[Any]]]


def xlsx(sheets: Sheets, last: str = "") -> bytes:
    """A workbook as Excel writes it, with texts in the cells; ``last``: one more cell in every sheet."""
    more = f'<row r="{last.lstrip(ascii_uppercase)}"><c r="{last}"><v>1</v></c></row>' if last else ""
    main, office = (
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    numbered = list(enumerate(sheets, 1))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as book:
        kinds = "".join(
            f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
            for k, _ in numbered
        )
        book.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>{kinds}</Types>',
        )
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        links = "".join(
            f'<Relationship Id="r{k}" Type="{office}/worksheet" Target="worksheets/sheet{k}.xml"/>' for k, _ in numbered
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}/relationships">{links}</Relationships>'
        )
        names = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>' for k, name in numbered)
        book.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{names}</sheets></workbook>'
        )
        for k, name in numbered:
            rows = "".join(
                f'<row r="{r}">' + "".join(_xlsx_cell(value, r, c) for c, value in enumerate(row)) + "</row>"
                for r, row in enumerate(sheets[name], 1)
            )
            book.writestr(
                f"xl/worksheets/sheet{k}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{rows}{more}</sheetData></worksheet>',
            )
    return buffer.getvalue()


def _xlsx_cell(value: Any, row: int, column: int) -> str:
    place = f"{chr(65 + column)}{row}"
    if value == "":
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def ods(sheets: Sheets) -> bytes:
    """A workbook as LibreOffice writes it."""
    space = "urn:oasis:names:tc:opendocument:xmlns"

    def cell(value: Any) -> str:
        kind = (
            'office:value-type="string"'
            if isinstance(value, str)
            else f'office:value-type="float" office:value="{value}"'
        )
        return f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"

    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (f'<office:document-content xmlns:office="{space}:office:1.0" xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0">'
               f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>")  # fmt: skip
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
        book.writestr("content.xml", content)
    return buffer.getvalue()


def sqlite(**tables: list[list[Any]]) -> bytes:
    """A database; the first row of each table names its columns."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, (columns, *rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)  # noqa: S608
        connection.commit()
        return connection.serialize()


def arrow(*, stream: bool = False) -> bytes:
    table, sink = pa.Table.from_pandas(FRAME), pa.BufferOutputStream()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def feather() -> bytes:
    buffer = io.BytesIO()
    pyarrow.feather.write_feather(FRAME, buffer)
    return buffer.getvalue()


def as_rows(text: str) -> list[list[Any]]:
    """Comma-separated text as cells, whole numbers as such."""
    return [[int(cell) if cell.isdecimal() else cell for cell in line.split(",")] for line in text.splitlines()]


def nested() -> dict[str, dict[str, int]]:
    people: dict[str, dict[str, int]] = {}
    for user, item, rating in TRIPLES:
        people.setdefault(user, {})[item] = rating
    return people


ROWS = as_rows(CSV)
PEOPLE = [{"user": user, "ratings": given} for user, given in nested().items()]
LISTS = [
    {"user": user, "ratings": [{"item": item, "stars": rating} for item, rating in given.items()]}
    for user, given in nested().items()
]
ABOUT = both(has_titles("Alien (1979)", "Brazil (1985)", "Casablanca (1942)", "Dune (1984)"), has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil", "Dune"]),
             has_trait("gender", "F", "M"))  # fmt: skip

FORMATS = [
    Good("Excel", xlsx({"Sheet1": ROWS}), TRIPLES, filename="r.xlsx"),
    Good("Excel, empty sheets beside", xlsx({"Sheet1": [], "Ratings": ROWS, "Sheet3": []}), TRIPLES, filename="r.xlsx"),
    Good("Excel, a title above the table", xlsx({"S": [["Our ratings of 2024"], [], ["collected by us"], *ROWS]}), TRIPLES, filename="r.xlsx"),
    Good("Excel, blank rows", xlsx({"S": [ROWS[0], [], *ROWS[1:6], [], *ROWS[6:]]}), TRIPLES, filename="r.xlsx"),
    Good("OpenDocument", ods({"Sheet1": ROWS}), TRIPLES, filename="r.ods"),
    Good("SQLite", sqlite(ratings=ROWS), TRIPLES, filename="r.sqlite"),
    Good("SQLite, another name", sqlite(x=[["u", "thing", "stars"], *ROWS[1:]]), TRIPLES, filename="x.db"),
    Good("Arrow file", arrow(), TRIPLES, filename="r.arrow"),
    Good("Arrow stream", arrow(stream=True), TRIPLES, filename="r.arrows"),
    Good("Feather", feather(), TRIPLES, filename="r.feather"),
    Good("bzip2", bz2.compress(CSV.encode()), TRIPLES, filename="ratings.csv.bz2"),
    Good("xz", lzma.compress(CSV.encode()), TRIPLES, filename="ratings.csv.xz"),
    Good("JSON by person", json.dumps(nested()).encode(), TRIPLES, filename="r.json"),
    Good("JSON by person, indented", json.dumps(nested(), indent=2).encode(), TRIPLES, filename="r.json"),
    Good("JSON array, indented", json.dumps(FRAME.to_dict("records"), indent=1).encode(), TRIPLES, filename="r.json"),
    Good("JSON records under a name", json.dumps({"count": 10, "ratings": FRAME.to_dict("records")}).encode(), TRIPLES, filename="r.json"),
    Good("JSON people with a dictionary each", json.dumps(PEOPLE).encode(), TRIPLES, filename="r.json"),
    Good("JSON people with a list each", json.dumps(LISTS).encode(), TRIPLES, filename="r.json"),
    Good("JSON lines of people", "\n".join(map(json.dumps, PEOPLE)).encode(), TRIPLES, filename="r.jsonl"),
    Good("JSON rows with a header", json.dumps(ROWS).encode(), TRIPLES, filename="r.json"),
    Good("comment lines", ("# collected in May\n# free for all\n" + CSV).encode(), TRIPLES),
    Good("title above the table", ("Ratings of our film club\n\n" + CSV).encode(), TRIPLES, noted("2 lines above the table were passed over, the first is 'Ratings of our film club'")),
    Good("titles with commas above the table", ("Our film club, Vienna\r\nNames are invented, all of them\r\n" + CSV.replace("\n", "\r\n")).encode(), TRIPLES, noted("2 lines above")),
    Good("title as a spreadsheet exports it", ("Ratings of our club,,\n,,\n" + CSV).encode("utf-16"), TRIPLES, noted("2 lines above")),
    Good("comments and a title", ("# collected in May\nRatings of our club\n" + CSV).encode(), TRIPLES, noted("comment lines above")),
    Good("comments of R", ("%% ratings\n% by hand\n" + lines(TRIPLES, " ")).encode(), TRIPLES, filename="r.txt"),
]  # fmt: skip
"""Files that hold TRIPLES, too."""

TABLES = [
    Good("Excel with three sheets", xlsx({"Items": as_rows(ITEMS), "Ratings": ROWS, "Users": as_rows(USERS)}), TRIPLES, ABOUT, filename="all.xlsx"),
    Good("OpenDocument with three sheets", ods({"Items": as_rows(ITEMS), "Ratings": ROWS, "Users": as_rows(USERS)}), TRIPLES, ABOUT, filename="all.ods"),
    Good("SQLite with three tables", sqlite(items=as_rows(ITEMS), ratings=ROWS, users=as_rows(USERS)), TRIPLES, ABOUT, filename="all.db"),
    Good("Excel, one sheet a remark", xlsx({"About": [["Ratings of our club"]], "Data": ROWS}), TRIPLES, noted("not used: club.xlsx, sheet About"), filename="club.xlsx"),
    Good("semicolons in an Excel file", xlsx({"S": [["user", "item", "rating"], ["a;b", "x", 5], ["c", "x;y", 2.5], ["c", "x", 1]]}),
         [("a;b", "x", 5), ("c", "x;y", 2.5), ("c", "x", 1)], filename="r.xlsx"),
    Good("numbered rows in SQLite", sqlite(r=[["id", *HEADER.split(",")], *([k, *row] for k, row in enumerate(ROWS[1:]))]), TRIPLES, filename="r.db"),
]  # fmt: skip
"""Several tables in one file, and tables that need a look at their cells."""
