"""Where bytes come from: a file, a folder, an archive or an upload, as named files that can be opened again."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, BinaryIO, Protocol

from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits, in_bytes
from nnm_core.errors import DataError, InputError, in_short

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_BLOCK = 2**20
_FOREIGN_ARCHIVES = {
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!": "RAR",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file: its path inside the source, for messages and for guessing its role, and how to open it afresh."""

    path: str
    open: Callable[[], IO[bytes]]

    @property
    def name(self) -> str:
        """The last part of the path, in lower case."""
        return PurePosixPath(self.path).name.lower()

    def head(self, n_bytes: int) -> bytes:
        """The first bytes of the file."""
        with self.open() as stream:
            return _read_fully(stream, n_bytes)


@dataclass(frozen=True, slots=True)
class Source:
    """What somebody handed over: a label for messages, and its files in the order of their paths."""

    label: str
    files: tuple[SourceFile, ...]

    def find(self, name: str) -> SourceFile | None:
        """The file of that name, the one nearest to the top if there are several."""
        found = [file for file in self.files if file.name == name.lower()]
        return min(found, key=lambda file: file.path.count("/"), default=None)


def open_source(source: str | Path | bytes | BinaryIO, filename: str = "", limits: Limits = DEFAULT_LIMITS) -> Source:
    """The files of a path, of bytes or of an open file; archives are looked into, nothing is unpacked to disk."""
    if isinstance(source, (str, Path)):
        path = Path(source).expanduser()
        if path.is_dir():
            return _from_folder(path, limits)
        if not path.is_file():
            raise DataError(f"There is no file or folder {str(path)!r}; check the spelling, or give the full path.")
        return _from_opener(path.name, lambda: path.open("rb"), path.stat().st_size, limits)
    content = source if isinstance(source, bytes) else _content_of(source)
    name = filename or PurePosixPath(str(getattr(source, "name", ""))).name or "upload"
    return _from_opener(name, lambda: io.BytesIO(content), len(content), limits)


def _content_of(stream: BinaryIO) -> bytes:
    """All bytes of an open file, from its beginning: a form hands over the same file again and again."""
    if hasattr(stream, "seekable") and stream.seekable():
        stream.seek(0)
    content = stream.read() if hasattr(stream, "read") else None
    if not isinstance(content, bytes):
        raise InputError(f"Ratings can be read from a path, bytes or a binary file, not from {type(stream).__name__}.")
    return content


def _from_folder(folder: Path, limits: Limits) -> Source:
    paths = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            paths.append(path)
        if len(paths) > limits.max_members:
            raise DataError(
                f"The folder {folder.name!r} holds more than {limits.max_members:,} files; name one of them."
            )
    files: list[SourceFile] = []
    for path in paths:
        inner = path.relative_to(folder).as_posix()
        files.append(_maybe_gzip(inner, lambda path=path: path.open("rb"), path.stat().st_size, limits))  # type: ignore[misc]
    if not files:
        raise DataError(f"The folder {str(folder)!r} is empty; name a folder or a file with ratings.")
    return Source(folder.name, tuple(files))


def _from_opener(name: str, opener: Callable[[], IO[bytes]], size: int, limits: Limits) -> Source:
    with opener() as stream:
        magic = stream.read(8)
    if not magic:
        raise DataError(f"{name} is empty.")
    for foreign, kind in _FOREIGN_ARCHIVES.items():
        if magic.startswith(foreign):
            raise DataError(
                f"{name} is a {kind} archive, which is not read here; unpack it, or pack it as zip or gzip."
            )
    if magic.startswith(ZIP_MAGIC):
        return _from_zip(name, opener, limits)
    return Source(name, (_maybe_gzip(name, opener, size, limits),))


def _from_zip(name: str, opener: Callable[[], IO[bytes]], limits: Limits) -> Source:
    try:
        with opener() as stream, zipfile.ZipFile(stream) as archive:
            members = [info for info in archive.infolist() if not info.is_dir() and not _is_clutter(info.filename)]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DataError(
            f"{name} is not a complete zip archive ({in_short(error)}); download or pack it again."
        ) from error
    if len(members) > limits.max_members:
        raise DataError(f"{name} holds {len(members):,} files, more than {limits.max_members:,}; pack only the tables.")
    if not members:
        raise DataError(f"{name} is an archive without files.")
    for info in members:
        _check_member_path(name, info.filename)
    if any(info.filename == "xl/workbook.xml" for info in members):
        raise DataError(f"{name} is an Excel workbook, which is not read here; save the sheet as CSV.")
    budget = Budget(name, limits)
    files = [_zip_member(opener, info, budget) for info in members]
    return Source(name, tuple(sorted(files, key=lambda file: file.path)))


def _is_clutter(path: str) -> bool:
    """Whether an archive's entry is a by-product of the system that packed it."""
    parts = PurePosixPath(path).parts
    return "__MACOSX" in parts or parts[-1:] == (".DS_Store",)


def _check_member_path(archive: str, path: str) -> None:
    """Refuse names that would leave the archive; nothing is written to disk, but such an archive means harm."""
    windows = PureWindowsPath(path)
    if path.startswith(("/", "\\")) or windows.drive or ".." in windows.parts or "\x00" in path:
        raise DataError(
            f"{archive} contains a file called {path!r}, which points outside the archive; it was not read. "
            "Pack the tables again under plain names."
        )


def _zip_member(open_archive: Callable[[], IO[bytes]], info: zipfile.ZipInfo, budget: Budget) -> SourceFile:
    packed = max(info.compress_size, 1)

    def opener() -> IO[bytes]:
        outer = open_archive()
        try:
            stream = zipfile.ZipFile(outer).open(info)  # noqa: SIM115 - Unpacking closes it
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError) as error:
            outer.close()
            raise DataError(
                f"{info.filename} in {budget.label} cannot be unpacked ({in_short(error)}); pack it again."
            ) from error
        return _buffered(Unpacking(stream, f"{info.filename} in {budget.label}", packed, budget, outer))

    return _maybe_gzip(info.filename, opener, packed, budget.limits, budget)


def _maybe_gzip(
    path: str, opener: Callable[[], IO[bytes]], size: int, limits: Limits, budget: Budget | None = None
) -> SourceFile:
    """The file itself or, if it is gzipped, what is inside, named without ``.gz``."""
    with opener() as stream:
        if stream.read(2) != GZIP_MAGIC:
            return SourceFile(path, opener)
    shared = budget or Budget(path, limits)

    def unpacked() -> IO[bytes]:
        outer = opener()
        return _buffered(Unpacking(gzip.GzipFile(fileobj=outer, mode="rb"), path, max(size, 1), shared, outer))

    return SourceFile(path.removesuffix(".gz"), unpacked)


class Budget:
    """How much one source may still unpack in a single reading of one of its files."""

    def __init__(self, label: str, limits: Limits) -> None:
        self.label = label
        self.limits = limits

    def check(self, unpacked: int, packed: int) -> None:
        """Raise DataError if a file of ``packed`` bytes gave more than it should."""
        limits = self.limits
        if unpacked > limits.max_unpacked:
            raise DataError(
                f"{self.label} unpacks to more than {in_bytes(limits.max_unpacked)}, the most that is read; "
                "take a part of the ratings."
            )
        if unpacked > limits.free_unpacked and unpacked > limits.max_ratio * packed:
            raise DataError(
                f"{self.label} unpacks to more than {limits.max_ratio:.0f} times its size, as a zip bomb does; it was "
                "not read further. If it is genuine, unpack it first and give the plain file."
            )


class _Packed(Protocol):
    """What can be read and closed."""

    def read(self, size: int, /) -> bytes: ...
    def close(self) -> None: ...


class Unpacking(io.RawIOBase):
    """A decompressing stream that watches its budget while it is read, and whose faults are data errors."""

    def __init__(self, stream: _Packed, label: str, packed: int, budget: Budget, outer: IO[bytes]) -> None:
        super().__init__()
        self._stream, self._label, self._packed, self._budget, self._outer = stream, label, packed, budget, outer
        self._unpacked = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with unpacked bytes."""
        try:
            block = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise DataError(
                f"{self._label} is damaged after {in_bytes(self._unpacked)} ({in_short(error)}); "
                "download or pack it again."
            ) from error
        self._unpacked += len(block)
        self._budget.check(self._unpacked, self._packed)
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        """Close the packed stream as well."""
        self._stream.close()
        self._outer.close()
        super().close()


def _buffered(raw: Unpacking) -> IO[bytes]:
    return io.BufferedReader(raw, buffer_size=2**18)


def _read_fully(stream: IO[bytes], n_bytes: int) -> bytes:
    blocks = []
    while n_bytes > 0 and (block := stream.read(min(n_bytes, _BLOCK))):
        blocks.append(block)
        n_bytes -= len(block)
    return b"".join(blocks)
