"""Random and mutated files: a data set or an error of ours, in bounded time and memory."""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator

import pytest

from nnm_core.datasets import load_dataset
from nnm_core.errors import NnmError

from .corpus import BAD, FORMATS, NO_PEOPLE, ODD, PERSONAL, SAME, SEVERAL, SURVEYS, TABLES

FILES = [*SAME, *ODD, *SEVERAL, *BAD, *FORMATS, *TABLES, *SURVEYS, *PERSONAL, *NO_PEOPLE]


def mutations(content: bytes, rng: random.Random, n: int) -> Iterator[bytes]:
    """The content with bytes changed, cut out, doubled or inserted."""
    strange = [b"\x00", b'"', b"\n", b"\r", b"\xff", b",", b";", b"::", b"\xef\xbb\xbf", b"1e999", b"-", b"\t", b"["]
    for _ in range(n):
        changed = bytearray(content)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(changed) + 1)
            kind = rng.randrange(4)
            if kind == 0:
                changed[at : at + 1] = bytes([rng.randrange(256)])
            elif kind == 1:
                del changed[at : at + rng.randint(1, 40)]
            elif kind == 2:
                changed[at:at] = changed[at : at + rng.randint(1, 40)]
            else:
                changed[at:at] = rng.choice(strange)
        yield bytes(changed)


@pytest.mark.parametrize("case", FILES, ids=lambda case: case.name)
def test_mutated_files_give_a_data_set_or_an_error_of_ours(case: object) -> None:
    content, filename = case.content, case.filename  # type: ignore[attr-defined]
    if len(content) > 20_000:
        content = content[:20_000]
    rng = random.Random(case.name)  # type: ignore[attr-defined]  # noqa: S311
    for changed in mutations(content, rng, 25):
        try:
            dataset, report = load_dataset(changed, filename=filename)
        except NnmError:
            continue
        assert report.rows_read == report.rows_kept + report.rows_dropped
        assert len(dataset.ratings) == report.rows_kept


@pytest.mark.parametrize("seed", range(12))
def test_random_bytes_give_a_data_set_or_an_error_of_ours(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    alphabets = [bytes(range(256)), bytes(range(32, 127)) + b"\n", b"0123456789,;\n", b'ab,"\n\r\\\t:|', b"12 \t\n"]
    heads = [b"", b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b'{"', b"[{", b"\xff\xfe", b"\xef\xbb\xbf", b"1:\n"]
    heads += [
        b"BZh9",
        b"\xfd7zXZ\x00",
        b"SQLite format 3\x00",
        b"ARROW1\x00\x00",
        b"\xff\xff\xff\xff",
        b"\xd0\xcf\x11\xe0",
        b"# x\n",
    ]
    for alphabet in alphabets:
        for head in heads:
            content = head + bytes(rng.choices(alphabet, k=rng.randint(0, 2000)))
            try:
                dataset, report = load_dataset(content)
            except NnmError:
                continue
            assert len(dataset.ratings) == report.rows_kept


def test_memory_of_this_process_stayed_modest() -> None:
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 * 2**20, "kilobytes"
