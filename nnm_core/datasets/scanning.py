"""The quick way through a large plain table: one compiled pass that splits rows and numbers the texts it meets.

It only knows tables without quotes in which every row has the same number of columns. Whatever else it meets, it gives
up, and the careful reader takes over; so it never has to explain anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from nnm_core.datasets.coded import Coded
from nnm_core.datasets.numbering import WORD, Texts
from nnm_core.datasets.splitting import DELIMITER, NEWLINE, ODD, RETURN, STRANGE, Bytes, split_rows

_PARTS = 2
_WINDOW = 2**16
_BATCH = 2**13
"""Rows that are split before their texts are looked up, column by column: the processor can wait for the memory of many
lookups at once if nothing else stands between them. Smaller batches fit into nearer caches, but after each the threads
may have to wait for each other."""

_EXPECTED = 2**15
"""Distinct texts for which there is room at once: to grow takes time, but so does memory that is hardly used."""


def scan(
    text: Bytes, delimiter: bytes, quote: bytes, n_columns: int, wanted: Sequence[int], *, header: bool
) -> list[Coded] | None:
    """The wanted columns of a table, coded; None if the table is not as plain as it must be.

    ``delimiter`` is one byte, or the same byte twice. Blank lines are passed over.
    """
    positions = np.full(n_columns, -1, dtype=np.int64)
    positions[list(wanted)] = np.arange(len(wanted))
    first = _after_first_row(text) if header else 0
    if first < 0 or len(text) < WORD:
        return None
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[delimiter[0]], kinds[ord("\n")], kinds[ord("\r")], kinds[0] = DELIMITER, NEWLINE, RETURN, STRANGE
    if quote:
        kinds[quote[0]] = STRANGE
    parts = [_Part(text, begin, end, len(wanted)) for begin, end in _cut_at_rows(text, first)]
    with ThreadPoolExecutor(max_workers=_PARTS) as pool:
        plain = list(pool.map(lambda part: part.run(kinds, len(delimiter), positions), parts))
        if not all(plain):
            return None
        columns = [column for column in pool.map(lambda k: _joined(parts, k), range(len(wanted))) if column is not None]
    return columns if len(columns) == len(wanted) else None


def _after_first_row(text: Bytes) -> int:
    """Where the second line begins, -1 if the first is blank or quoted."""
    head = text[:_WINDOW].tobytes()
    end = head.find(b"\n")
    return end + 1 if end > 0 and head[:end].strip() and b'"' not in head[:end] else -1


def _cut_at_rows(text: Bytes, first: int) -> list[tuple[int, int]]:
    """The text in parts of similar size that end where a row ends."""
    middle = first + (len(text) - first) // _PARTS
    newline = text[middle : middle + _WINDOW].tobytes().find(b"\n")
    if newline < 0:
        return [(first, len(text))]
    return [(first, middle + newline + 1), (middle + newline + 1, len(text))]


class _Part:
    """One part of the text: its ``texts`` per wanted column, and after ``run`` its ``codes``, batches (k, n_rows)."""

    def __init__(self, text: Bytes, begin: int, end: int, n_wanted: int) -> None:
        self.text, self.begin, self.end = text, begin, end
        self.texts = [Texts(text, _EXPECTED) for _ in range(n_wanted)]
        self.codes = [np.empty((n_wanted, 0), dtype=np.int32)]

    @property
    def n_rows(self) -> int:
        """How many rows were scanned."""
        return sum(batch.shape[1] for batch in self.codes)

    def run(self, kinds: Bytes, width: int, positions: NDArray[np.int64]) -> bool:
        """Scan the part; False if it is not plain."""
        places = np.empty((len(self.texts), _BATCH, 2), dtype=np.int64)
        at = self.begin
        while at < self.end:
            at, n_rows = split_rows(self.text, at, self.end, kinds, width, positions, places)
            if at == ODD:
                return False
            codes = np.empty((len(self.texts), n_rows), dtype=np.int32)
            for k, texts in enumerate(self.texts):
                texts.code(places[k, :n_rows], codes[k])
            self.codes.append(codes)
        return True


def _joined(parts: Sequence[_Part], k: int) -> Coded | None:
    """One column of all parts under common codes; None if a text is not UTF-8."""
    main, *others = parts
    texts, row = main.texts[k], main.n_rows
    codes = np.empty(sum(part.n_rows for part in parts), dtype=np.int32)
    np.concatenate([batch[k] for batch in main.codes], out=codes[:row])
    for part in others:
        new = np.append(texts.merge(part.texts[k]), np.int32(-1))  # the last entry is that of the code -1
        for batch in part.codes:
            np.take(new, batch[k], out=codes[row : row + batch.shape[1]], mode="wrap")
            row += batch.shape[1]
    names = texts.gathered()
    return None if names is None else Coded(codes, names, all_used=True)
