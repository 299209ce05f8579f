"""A script: read a workbook from the standard input, write its sheets as CSV in one JSON object.

It runs in a process of its own, because a workbook of a few kilobytes can name a cell so far away that reading it takes
all the memory there is, which ends the process.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
from datetime import datetime, time
from typing import Any

import python_calamine

_MAX_MEMORY = 4 * 2**30


def main() -> None:
    """Read, convert and write; a message and another exit code say what went wrong."""
    with contextlib.suppress(ImportError):  # only Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
        sheets = {name: _as_csv(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names}
    except (python_calamine.CalamineError, OSError, ValueError, MemoryError) as error:
        sys.exit(str(error) or "it is too large")
    json.dump({name: text for name, text in sheets.items() if text}, sys.stdout)


def _as_csv(rows: list[list[Any]]) -> str:
    """Return the rows without blank ones, and without titles and remarks above the table, which fill few columns."""
    filled = [sum(cell != "" for cell in row) for row in rows]
    begin = next((k for k, n_filled in enumerate(filled) if n_filled > 0.5 * max(filled)), 0)
    text = io.StringIO()
    writer = csv.writer(text)
    for row, n_filled in zip(rows[begin:], filled[begin:], strict=True):
        if n_filled:
            writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: Any) -> str:
    """Return a cell as text, without a ``.0`` or a midnight that only its type added."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return str(value)


if __name__ == "__main__":
    main()
