"""How a text table is written: guess its dialect from its beginning, and make its rows plain for a parser."""

from __future__ import annotations

import codecs
import contextlib
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from nnm_core.datasets.guessing.profiles import CODE_NAME, DATE, MAX_PROFILED, declared_type, role_of
from nnm_core.datasets.rating_texts import parse_ratings
from nnm_core.datasets.reading.sources import SourceFile, format_bytes
from nnm_core.datasets.reading.tables import UNIT, WHITESPACE, Dialect, TableSample, check_columns
from nnm_core.datasets.report import Finding, Note, note
from nnm_core.errors import DataError, in_short

_MAX_SAMPLE = 200
HEAD = 2**15
_LONG_HEAD = 2**22
_DELIMITERS = ("\t", "::", ";", ",", "|", "\x1f", "\x01")  # candidates in the order of preference
_SENTENCE = 5  # words
_MOSTLY, _FEW_CELLS = 0.5, 8  # a column below a name is one of numbers although some cells, such as "**", are none
_MIN_MATRIX = 4  # columns; with fewer, a blank cell may be a person who is missing
_COMMENTS = re.compile(rb"(?:[#%]+(?:[ \t!][^\r\n]*)?(?:\r\n|\n|\r))+")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|$)")
_MAX_ABOVE = 20  # lines that may stand above a table, blank ones included
_PARTS = frozenset({"Response", "Open-Ended Response"})  # what SurveyMonkey writes below a question without parts
_ITEM_LINE = re.compile(rb"\d+:\s*")


def sniff_text(file: SourceFile, dialect: Dialect | None = None) -> TableSample:
    """Return dialect, columns and first rows; a given ``dialect`` is followed as it is."""
    head = _read_head(file)
    encoding, notes = (dialect.encoding, ()) if dialect else _guess_encoding(head)
    lines = _split_lines(head, encoding, file.path)
    if comments := _COMMENTS.match(head.removeprefix(codecs.BOM_UTF8)):
        notes = (*notes, note(Finding.COMMENTS, n_lines=len(comments[0].splitlines())))
    guess = dialect or _guess_dialect(lines, encoding)
    if dialect is None and (n_above := _count_above(lines, guess)):
        guess = replace(guess, n_above=n_above)
        notes = (*notes, note(Finding.ABOVE, n_lines=n_above, text=next(filter(None, lines))[:60]))
    rows = split_rows(lines[guess.n_above :], guess)
    if not rows:
        raise DataError(f"{file.path} has no rows.")
    first, *others = rows
    n_columns = Counter(map(len, others or rows)).most_common(1)[0][0]
    check_columns(file.path, max(n_columns, len(first)), file.limits.max_columns)
    body = [row for row in others if len(row) == n_columns]
    if dialect is None and (n_below := _count_below(first, body)):
        guess = replace(guess, n_below=n_below)
        notes = (*notes, note(Finding.BELOW, n_rows=n_below))
    elif dialect is None:
        guess = replace(guess, header=_has_header(first, body))
    if guess.n_below == 1:
        first = _with_parts(first, body[0])
    body = body[guess.n_below :]
    columns, more = _column_names(first if guess.header else [], n_columns)
    sample = body if guess.header or len(first) != n_columns else [first, *body]
    return TableSample(file.path, columns, tuple(map(tuple, sample[:_MAX_SAMPLE])), guess, (*notes, *more))


def _count_above(lines: Sequence[str], dialect: Dialect) -> int:
    """Return how many lines stand above the table: titles of several words each, up to a row that names columns."""
    usual, _, _ = _widths(lines, dialect)
    has_title = False
    for k, line in enumerate(lines[:_MAX_ABOVE] if usual > 2 else []):
        row = next(iter(split_rows([line], dialect)), [])
        given = [cell for cell in row if cell.strip()]
        if has_title and len(row) == usual and len(given) > usual // 2:
            body = [other for other in split_rows(lines[k + 1 :], dialect) if len(other) == usual]
            return k if _has_header(row, body) else 0
        is_short = len(row) < usual or len(given) <= max(1, usual // 3)
        if given and not (is_short and re.search(r"[^\W\d]\S*\s+\S", given[0])):
            return 0
        has_title = has_title or bool(given)
    return 0


def _split_lines(head: bytes, encoding: str, path: str) -> list[str]:
    """Return the complete lines of the beginning."""
    try:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    except UnicodeError as error:
        raise DataError(f"{path} is not {encoding} text ({in_short(error)}); choose another encoding.") from error
    text = blank_above(text.removeprefix("\ufeff").encode("utf-8", "replace")).decode()
    if (at := text.find("\x00")) >= 0:
        where = f"{path}, line {text.count(chr(10), 0, at) + 1:,}"
        raise DataError(f"{where}, contains a NUL byte, so it is not a text table; export it as UTF-8 text.")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(lines) > 1 and len(head) >= HEAD:
        lines.pop()
    return lines


def blank_above(begin: bytes, n_lines: int = 0) -> bytes:
    """Return the beginning of a text in which the lines above the table are left blank, so that line numbers stay.

    These are comments, and as many lines as are asked for.
    """
    comments = _COMMENTS.match(begin)
    end = 0
    for _ in range(n_lines):
        end = _LINE.match(begin, end).end()  # type: ignore[union-attr]  # which matches anything
    end = max(end, comments.end() if comments else 0)
    return re.sub(rb"[^\r\n]", b"", begin[:end]) + begin[end:]


def _read_head(file: SourceFile) -> bytes:
    """Read a few hundred lines, fewer if they are long, but at least one."""
    max_line = file.limits.max_line
    for size, fewest in ((HEAD, 100), (min(16 * HEAD, max_line), 8), (min(_LONG_HEAD, max_line), 8), (max_line, 8)):
        head = file.head(size)
        if len(head) < size or head.count(b"\n") + head.count(b"\r") >= fewest:
            return head
    if b"\n" in head or b"\r" in head:
        return head
    raise line_too_long(file)


def line_too_long(file: SourceFile) -> DataError:
    """Return the error for a line that no table of ratings has."""
    return DataError(
        f"{file.path} has a line of more than {format_bytes(file.limits.max_line)}, so it is not a table with one "
        "rating, item or person per line; check how it was exported."
    )


def _guess_encoding(head: bytes) -> tuple[str, tuple[Note, ...]]:
    """Guess the encoding of a text that begins so; a note tells of an unusual one."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8", ()
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", ()
    even, odd = head[0:2000:2].count(0), head[1:2000:2].count(0)
    if max(even, odd) > 0.3 * len(head[:2000]) / 2 and min(even, odd) == 0:
        encoding = "utf-16-le" if odd > even else "utf-16-be"
        return encoding, (note(Finding.UTF_16, encoding=encoding.upper()),)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        encoding = older_encoding(head)
        line = head.count(b"\n", 0, error.start) + 1
        return encoding, (note(Finding.OLDER_ENCODING, line=line, encoding=encoding),)
    return "utf-8", ()


def older_encoding(head: bytes) -> str:
    """Return Windows' own Western encoding if its extra characters occur, else latin-1, which reads everything."""
    if any(0x80 <= byte < 0xA0 for byte in set(head)):
        with contextlib.suppress(UnicodeDecodeError):
            codecs.getincrementaldecoder("cp1252")().decode(head)
            return "cp1252"
    return "latin-1"


def _guess_dialect(lines: Sequence[str], encoding: str) -> Dialect:
    """Guess delimiter, quotes and escape: those with which most rows have equally many cells."""
    lines = [line for line in lines if line.strip()][:_MAX_SAMPLE]
    if lines and _ITEM_LINE.fullmatch(lines[0].encode()):
        return Dialect(",", quote="", encoding=encoding, header=False, item_blocks=True)
    best, best_score = Dialect(",", encoding=encoding), (0.0, False, 0)
    for delimiter in _DELIMITERS:
        if not any(delimiter in line for line in lines):
            continue
        dialect = _with_quotes(Dialect(delimiter, encoding=encoding), lines)
        usual, n_usual, widths = _widths(lines, dialect)
        score = (round(n_usual / len(widths), 1), widths[0] in (usual, usual - 1), usual) if usual > 1 else best_score
        if score > best_score:
            best, best_score = dialect, score
    if best_score[0] >= 0.8:
        return best
    blank = Dialect(WHITESPACE, quote="", encoding=encoding)
    usual, n_usual, widths = _widths(lines, blank)
    return blank if usual > 1 and n_usual / len(widths) >= max(best_score[0], 0.8) else best


def _widths(lines: Sequence[str], dialect: Dialect) -> tuple[int, int, list[int]]:
    """Return how many cells most rows have, how many rows have so many, and how many each row has."""
    widths = [len(row) for row in split_rows(lines, dialect)]
    usual, n_usual = Counter(widths).most_common(1)[0] if widths else (1, 0)
    return usual, n_usual, widths


def _with_quotes(dialect: Dialect, lines: Sequence[str]) -> Dialect:
    """Return the dialect with the quotes of its lines: commas imply them, in other tables a cell must show them."""
    if dialect.delimiter in (",", ";"):
        return _with_escape(dialect, lines)
    between = re.escape(dialect.delimiter)
    quoted = re.compile(rf'(^|{between})"([^"]|"")*"($|{between})')
    stray = re.compile(rf'(^|{between})"[^"]*($|{between})|(^|{between})"[^"]*"(?!"|$|{between})')
    uses = any(quoted.search(line) for line in lines) and not any(stray.search(line) for line in lines)
    return _with_escape(dialect, lines) if uses else replace(dialect, quote="")


def _with_escape(dialect: Dialect, lines: Sequence[str]) -> Dialect:
    """Return the dialect with a backslash as escape if its lines need one: a cell may also just end in a backslash."""
    if not any('\\"' in line for line in lines):
        return dialect
    escaped = replace(dialect, escape="\\")
    return escaped if _widths(lines, escaped)[1] >= _widths(lines, dialect)[1] else dialect


def _has_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: it says so, or it has words where all other rows have numbers."""
    cells = [cell.strip() for cell in first[:MAX_PROFILED]]
    if any(declared_type(cell) for cell in cells):
        return True
    if not body:
        return sum(role_of(cell) is not None for cell in cells) >= 2
    if _are_questions(cells) and not any(map(_are_questions, body)):
        return True
    known = sum(role_of(cell) is not None or CODE_NAME.fullmatch(cell) is not None for cell in cells)
    if known >= 2 or (known and not any(_is_number(cell) for cell in cells if cell)):
        return True
    is_row_name = role_of(cells[0]) in ("user", "item") or (not cells[0] and len(cells) >= _MIN_MATRIX)
    if is_row_name and len(set(cells)) == len(cells) and all(row[0].strip() not in ("", cells[0]) for row in body):
        return True  # of a matrix whose columns are called by numbers
    columns = list(zip(*(row[:MAX_PROFILED] for row in body), strict=True)) if len(first) == len(body[0]) else []
    names_all = len(set(filter(None, cells))) == sum(map(bool, cells)) and not any(map(_is_number, cells))
    for cell, column in zip(cells, columns, strict=False):
        given = [other for other in column if other.strip()]
        if cell and given and any(not is_kind(cell) and all(map(is_kind, given)) for is_kind in (_is_number, _is_date)):
            return True
        is_name = names_all and cell and cell not in given
        if is_name and sum(map(_is_number, given)) > _MOSTLY * len(given) and len(given) >= _FEW_CELLS:
            return True
        if cell and given and cell not in given and _are_answers(given) and not _are_answers([cell]):
            return True
    return len(first) == len(body[0]) - 1 and not any(_is_number(cell) for cell in cells)


def _are_questions(cells: Sequence[str]) -> bool:
    """Whether all cells of a row are questions or other sentences."""
    given = [cell for cell in cells if cell.strip()]
    return bool(given) and all(cell.endswith("?") or len(cell.split()) >= _SENTENCE for cell in given)


def _are_answers(cells: Sequence[str]) -> bool:
    """Whether cells are ratings in words, such as the answers of a survey."""
    parsed = parse_ratings(sorted(set(cells)))
    return bool(parsed.notes) and bool((parsed.not_given | (parsed.values == parsed.values)).all())


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?\s*", text) is not None


def _is_date(text: str) -> bool:
    return DATE.match(text.strip()) is not None


def _count_below(first: Sequence[str], body: Sequence[Sequence[str]]) -> int:
    """Return how many rows below the header explain it: 2 in exports of Qualtrics, 1 in those of SurveyMonkey."""
    if len(body) > 1 and sum('"ImportId"' in cell for cell in body[1]) > 0.5 * len(body[1]):
        return 2
    if not body or body[0][0].strip() or _PARTS.isdisjoint(body[0]):
        return 0
    return int(not all(cell.strip() for cell in first) or {"", *_PARTS}.issuperset(body[0]))


def _with_parts(questions: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The names of columns: each question, which stands above the first of its parts only, with the part."""
    names, question = [], ""
    for cell, part in zip(questions, parts, strict=False):
        question = cell.strip() or question
        names.append(question if part.strip() in {"", *_PARTS} else f"{question} - {part.strip()}")
    return names


def _column_names(header: Sequence[str], n_columns: int) -> tuple[tuple[str, ...], list[Note]]:
    """Return distinct names for all columns, and notes on what was changed for it."""
    cells = [cell.strip() for cell in header]
    if len(cells) == n_columns - 1:
        cells = ["row", *cells]
    cells = cells[:n_columns] + [""] * (n_columns - len(cells))
    names: list[str] = []
    notes: list[Note] = []
    taken = Counter[str]()
    for k, cell in enumerate(cells):
        name = cell or f"column {k + 1}"
        taken[name] += 1
        if taken[name] > 1:
            while f"{name} ({taken[name]})" in taken:
                taken[name] += 1
            if len(notes) < 3:
                notes.append(note(Finding.SAME_COLUMN_NAME, name=name[:40], later=f"{name[:40]} ({taken[name]})"))
            name = f"{name} ({taken[name]})"
            taken[name] += 1
        names.append(name)
    return tuple(names), notes


def plain_rows(blocks: Iterator[bytes], dialect: Dialect) -> Iterator[bytes]:
    """Return the same rows with a delimiter of one byte, and with the item in front if it had a line of its own."""
    delimiter, unit = dialect.delimiter.encode(), UNIT.encode()
    if dialect.item_blocks:
        return _items_in_front(_whole_lines(blocks), delimiter)
    if dialect.delimiter == WHITESPACE:
        bare = (re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", block) for block in _whole_lines(blocks))
        return (re.sub(rb"[ \t]+", unit, block) for block in bare)
    if len(delimiter) > 1:
        return (block.replace(delimiter, unit) for block in _whole_lines(blocks))
    return blocks


def _whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same bytes, cut at the ends of lines, so that no delimiter lies across a cut."""
    held: list[bytes] = []
    for block in blocks:
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if end:
            yield b"".join([*held, block[:end]])
            held = []
        held.append(block[end:])
    yield b"".join(held)


def _items_in_front(blocks: Iterator[bytes], delimiter: bytes) -> Iterator[bytes]:
    """Put its block's item in front of each line; the line that names it is left blank, so that line numbers stay."""
    item = b""
    for block in blocks:
        lines = block.split(b"\n")
        for k, line in enumerate(lines):
            if _ITEM_LINE.fullmatch(line):
                item, lines[k] = line.rstrip()[:-1] + delimiter, b""
            elif line.strip():
                lines[k] = item + line
        yield b"\n".join(lines)


def csv_reader(lines: Iterable[str], dialect: Dialect) -> Any:
    """Python's own reader for plain rows: slow, but it knows on which line a row begins."""
    quote, escape = dialect.quote or None, dialect.escape or None
    quoting: Any = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=dialect.plain_delimiter, quotechar=quote, escapechar=escape, quoting=quoting)


def split_rows(lines: Sequence[str], dialect: Dialect) -> list[list[str]]:
    """Return the rows of some lines as cells, without blank ones."""
    text = b"".join(plain_rows(iter(["\n".join(lines).encode("utf-8", "replace")]), dialect)).decode()
    if not dialect.quote:
        return [line.split(dialect.plain_delimiter) for line in text.split("\n") if line]
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # a cell beyond what Python's reader takes; the rows so far are enough
        rows.extend(filter(None, csv_reader(text.split("\n"), dialect)))
    return rows
