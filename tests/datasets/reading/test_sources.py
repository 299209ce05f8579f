"""Archives that mean harm: refused while they unpack, nothing written."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from pathlib import Path

import pytest

from nnm_core.datasets import Limits, load_dataset
from nnm_core.errors import DataError, NnmError
from tests.datasets.helpers import SMALL, Counted


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
