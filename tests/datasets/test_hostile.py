"""Files that mean harm or are simply monstrous: refused or read, in bounded time and memory."""

from __future__ import annotations

import gzip
import io
import random
import resource
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnm_core.datasets import Limits, load_dataset
from nnm_core.errors import DataError, NnmError

from .corpus import BAD, ODD, SAME, SEVERAL

SMALL = Limits(max_unpacked=20_000_000, free_unpacked=1_000_000, max_line=1_000_000)


class Counted:
    """Peak of what Python allocates, and the time it takes."""

    def __enter__(self) -> Counted:
        tracemalloc.start()
        self._begin = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.monotonic() - self._begin
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


def packed(name: str, size: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(name, b"user,item,rating\n" + b"a,x,5\n" * (size // 6))
    return buffer.getvalue()


def test_zip_bomb_is_refused_while_it_unpacks() -> None:
    bomb = packed("ratings.csv", 15_000_000)
    assert len(bomb) < 60_000
    with Counted() as cost, pytest.raises(DataError, match="zip bomb"):
        load_dataset(bomb, filename="bomb.zip", limits=SMALL)
    assert cost.peak < 30_000_000


def test_gzip_bomb_is_refused_while_it_unpacks() -> None:
    bomb = gzip.compress(b"user,item,rating\n" + b"a,x,5\n" * 2_500_000)
    with pytest.raises(DataError, match="zip bomb"):
        load_dataset(bomb, filename="bomb.csv.gz", limits=SMALL)


def test_gzip_bomb_inside_a_zip_is_refused() -> None:
    inner = gzip.compress(b"user,item,rating\n" + b"a,x,5\n" * 2_500_000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("ratings.csv.gz", inner)
    with pytest.raises(DataError, match="zip bomb"):
        load_dataset(buffer.getvalue(), filename="bomb.zip", limits=SMALL)


def test_archive_that_is_simply_too_large_is_refused() -> None:
    rng = random.Random(0)  # noqa: S311 - noise, so that it hardly packs
    rows = [b"%d,%d,3\n" % (rng.getrandbits(60), rng.getrandbits(60)) for _ in range(9000)]
    limits = Limits(max_unpacked=200_000)
    with pytest.raises(DataError, match=r"more than 200 kB, the most that is read"):
        load_dataset(gzip.compress(b"user,item,rating\n" + b"".join(rows)), filename="r.csv.gz", limits=limits)


def test_zip_whose_directory_lies_about_sizes_is_refused() -> None:
    archive = bytearray(packed("ratings.csv", 60_000))
    at = archive.index(b"PK\x01\x02")
    archive[at + 24 : at + 28] = (10**9).to_bytes(4, "little")
    with pytest.raises(NnmError):
        load_dataset(bytes(archive), filename="liar.zip")


@pytest.mark.parametrize(
    "path",
    ["../r.csv", "a/../../r.csv", "/r.csv", "C:\\r.csv", "..\\r.csv", "\\\\host\\r.csv"],
)
def test_paths_that_leave_the_archive_are_refused(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(path), "user,item,rating\na,x,5\nb,x,3\n")
    with pytest.raises(DataError, match="points outside the archive"):
        load_dataset(buffer.getvalue(), filename="r.zip")
    assert list(tmp_path.iterdir()) == []


def test_archive_of_very_many_files_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for k in range(60):
            archive.writestr(f"{k}.csv", "x")
    with pytest.raises(DataError, match="60 files, more than 50"):
        load_dataset(buffer.getvalue(), filename="r.zip", limits=Limits(max_members=50))


def test_encrypted_archive_is_refused() -> None:
    archive = bytearray(packed("ratings.csv", 600))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        archive[archive.index(mark) + offset] |= 1
    with pytest.raises(DataError, match="cannot be unpacked"):
        load_dataset(bytes(archive), filename="secret.zip")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "::", " "])
def test_million_columns_are_refused(delimiter: str) -> None:
    row = delimiter.join(["1"] * 1_000_000)
    with Counted() as cost, pytest.raises(DataError, match=r"columns; at most|line of more than"):
        load_dataset(f"{row}\n{row}\n".encode())
    assert cost.seconds < 20


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


def test_million_distinct_tags_are_read() -> None:
    rows = "".join(f"i{k},T{k},{'|'.join(f't{100 * k + j}' for j in range(100))}\n" for k in range(10_000))
    ratings = "user,item,rating\n" + "".join(f"u{k % 7},i{k},{k % 5}\n" for k in range(10_000))
    begin = time.monotonic()
    dataset, _ = load_dataset(ratings.encode(), items=f"item,title,tags\n{rows}".encode())
    assert len(dataset.tags.names) == 1_000_000
    assert dataset.tags.member.nnz == 1_000_000
    assert time.monotonic() - begin < 30


def test_tag_cell_with_deep_nesting_is_read_as_text() -> None:
    cell = "[" * 3000 + "]" * 3000
    dataset, _ = load_dataset(b"user,item,rating\na,x,5\nb,x,1\n", items=f"item,title,tags\nx,X,{cell}\n".encode())
    assert dataset.titles == ("X",)


def test_many_columns_of_the_same_name_are_told_apart() -> None:
    header = ",".join(["user", "item", "rating", *["x"] * 5000])
    row = ",".join(["a", "i", "5", *["text"] * 5000])
    begin = time.monotonic()
    dataset, report = load_dataset(f"{header}\n{row}\n{row.replace('a,i,5', 'b,i,3')}\n".encode())
    assert len(dataset.ratings) == 2
    assert sum("two columns are called" in note for note in report.notes) <= 3
    assert time.monotonic() - begin < 10


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


@pytest.mark.parametrize("case", [*SAME, *ODD, *SEVERAL, *BAD], ids=lambda case: case.name)
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
