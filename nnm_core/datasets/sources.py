"""Open what somebody handed over: a file, a folder, an archive or an upload, as named files that can be read again."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, BinaryIO

from nnm_core.errors import DataError, InputError, in_short

Given = str | Path | bytes | BinaryIO  # what can be read: a path, the bytes of a file, or an open binary file
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds under which every file is read, so that a broken or hostile one ends in a message, not in a hang.

    ``max_ratio``: how many times larger than its archive a file may unpack, beyond the first ``free_unpacked`` bytes.
    ``max_members``: files in one archive or folder. ``max_side_rows``: rows of an item or user file. Sizes are in
    bytes. The defaults leave room for 32 million ratings.
    """

    max_unpacked: int = 4 * 2**30
    max_ratio: float = 200.0
    free_unpacked: int = 64 * 2**20
    max_members: int = 10_000
    max_columns: int = 100_000
    max_line: int = 16 * 2**20
    max_side_rows: int = 5_000_000


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file: its path inside the source, how to open it afresh, and the limits under which it is read."""

    path: str
    open: Callable[[], IO[bytes]]
    limits: Limits = DEFAULT_LIMITS

    @property
    def name(self) -> str:
        """The last part of the path, in lower case."""
        return PurePosixPath(self.path).name.lower()

    def head(self, n_bytes: int) -> bytes:
        """Return the first bytes of the file."""
        blocks = []
        with self.open() as stream:
            while n_bytes > 0 and (block := stream.read(min(n_bytes, 2**20))):
                blocks.append(block)
                n_bytes -= len(block)
        return b"".join(blocks)


@dataclass(frozen=True, slots=True)
class Source:
    """Files that belong together, and a label for messages; ``items`` and ``users``: those given in that role."""

    label: str
    files: tuple[SourceFile, ...]
    items: SourceFile | None = None
    users: SourceFile | None = None

    def find(self, name: str) -> SourceFile | None:
        """Return the file of that name, the one nearest to the top if there are several."""
        found = [file for file in self.files if file.name == name.lower()]
        return min(found, key=lambda file: file.path.count("/"), default=None)

    def get(self, path: str) -> SourceFile:
        """Return the file at that path; an empty path means the only file."""
        for file in self.files:
            if file.path == path or (not path and len(self.files) == 1):
                return file
        found = ", ".join(file.path for file in self.files[:10])
        raise DataError(f"{self.label} has no file {path!r}; it has {found}.")


def open_source(source: Given, filename: str = "", limits: Limits = DEFAULT_LIMITS) -> Source:
    """Open a path, bytes or an open file; archives are looked into, nothing is unpacked to disk."""
    if isinstance(source, (str, Path)):
        path = Path(source).expanduser()
        if path.is_dir():
            return _open_folder(path, limits)
        if not path.is_file():
            raise DataError(f"There is no file or folder {str(path)!r}; check the spelling, or give the full path.")
        return _open_single(path.name, lambda: path.open("rb"), path.stat().st_size, limits)
    if not isinstance(source, bytes) and hasattr(source, "seekable") and source.seekable():
        source.seek(0)  # a form hands over the same file again and again
    content = source.read() if hasattr(source, "read") else source
    if not isinstance(content, bytes):
        raise InputError(f"Ratings can be read from a path, bytes or a binary file, not from {type(source).__name__}.")
    name = filename or PurePosixPath(str(getattr(source, "name", ""))).name or "upload"
    return _open_single(name, lambda: io.BytesIO(content), len(content), limits)


def open_files(
    source: Given, items: Given | None, users: Given | None, filename: str = "", limits: Limits = DEFAULT_LIMITS
) -> Source:
    """Open ratings, items and users as one source in which every file has a path of its own."""
    opened = open_source(source, filename, limits)
    for given, role in ((items, "items"), (users, "users")):
        if given is None:
            continue
        with naming_role(role):
            side = open_source(given, role if isinstance(given, bytes) else "", limits)
        if len(side.files) != 1:
            raise InputError(f"{side.label} holds {len(side.files):,} files; give the one file with the {role}.")
        file = side.files[0]
        if any(file.path == other.path for other in opened.files):
            file = replace(file, path=f"{file.path} ({role})")
        opened = replace(opened, files=(*opened.files, file))
        opened = replace(opened, items=file) if role == "items" else replace(opened, users=file)
    return opened


@contextmanager
def naming_role(role: str) -> Iterator[None]:
    """Re-raise DataError saying that the file was taken for the one about ``items`` or ``users``."""
    try:
        yield
    except DataError as error:
        taken_for = f"the file about the {'people' if role == 'users' else role}"
        raise DataError(f"{error} It was taken for {taken_for}; choose another one, or remove it.") from error


def format_bytes(size: float) -> str:
    """Write a size for people.

    >>> format_bytes(3_400_000)
    '3.4 MB'
    """
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _open_folder(folder: Path, limits: Limits) -> Source:
    files: list[SourceFile] = []
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in inner.parts):
            file = SourceFile(inner.as_posix(), partial(path.open, "rb"), limits)  # type: ignore[arg-type]
            files.append(_unpack_gzip(file, path.stat().st_size))
        if len(files) > (most := limits.max_members):
            raise DataError(f"The folder {folder.name!r} holds more than {most:,} files; name one of them.")
    if not files:
        raise DataError(f"The folder {str(folder)!r} is empty; name a folder or a file with ratings.")
    return Source(folder.name, tuple(files))


def _open_single(name: str, opener: Callable[[], IO[bytes]], size: int, limits: Limits) -> Source:
    file = SourceFile(name, opener, limits)
    return _open_zip(file) if file.head(4) in _ZIP_MAGIC else Source(name, (_unpack_gzip(file, size),))


def _open_zip(file: SourceFile) -> Source:
    name, limits = file.path, file.limits
    try:
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        why = in_short(error)
        raise DataError(f"{name} is not a complete zip archive ({why}); download or pack it again.") from error
    # what the system that packed an archive left in it is no table
    members = [info for info in members if not re.search(r"(^|/)(__MACOSX/|\.DS_Store$)", info.filename)]
    if len(members) > limits.max_members:
        raise DataError(f"{name} holds {len(members):,} files, more than {limits.max_members:,}; pack only the tables.")
    if not members:
        raise DataError(f"{name} is an archive without files.")
    for info in members:
        _check_member_path(name, info.filename)
    if any(info.filename == "xl/workbook.xml" for info in members):
        raise DataError(f"{name} is an Excel workbook, which is not read here; save the sheet as CSV.")
    files = [_zip_member(file, info) for info in members]
    return Source(name, tuple(sorted(files, key=lambda member: member.path)))


def _check_member_path(archive: str, path: str) -> None:
    """Refuse names that would leave the archive; nothing is written to disk, but such an archive means harm."""
    windows = PureWindowsPath(path)
    if path.startswith(("/", "\\")) or windows.drive or ".." in windows.parts or "\x00" in path:
        raise DataError(
            f"{archive} contains a file called {path!r}, which points outside the archive; it was not read. "
            "Pack the tables again under plain names."
        )


def _zip_member(archive: SourceFile, info: zipfile.ZipInfo) -> SourceFile:
    label, packed = f"{info.filename} in {archive.path}", max(info.compress_size, 1)

    def opener() -> IO[bytes]:
        outer = archive.open()
        try:
            stream = zipfile.ZipFile(outer).open(info)  # noqa: SIM115 - the unpacking stream closes it
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError) as error:
            outer.close()
            raise DataError(f"{label} cannot be unpacked ({in_short(error)}); pack it again.") from error
        return io.BufferedReader(_Unpacking(stream, outer, label, archive, packed), buffer_size=2**18)

    return _unpack_gzip(SourceFile(info.filename, opener, archive.limits), packed, archive)


def _unpack_gzip(file: SourceFile, size: int, archive: SourceFile | None = None) -> SourceFile:
    """Return the file itself or, if it is gzipped, what is inside, named without ``.gz``."""
    if file.head(2) != _GZIP_MAGIC:
        return file

    def opener() -> IO[bytes]:
        outer = file.open()
        stream = gzip.GzipFile(fileobj=outer, mode="rb")
        return io.BufferedReader(_Unpacking(stream, outer, file.path, archive or file, max(size, 1)), 2**18)

    return SourceFile(file.path.removesuffix(".gz"), opener, file.limits)


class _Unpacking(io.RawIOBase):
    """A decompressing stream that keeps to the limits of its archive and turns faults into DataError."""

    def __init__(
        self, stream: IO[bytes] | gzip.GzipFile, outer: IO[bytes], label: str, archive: SourceFile, packed: int
    ) -> None:
        super().__init__()
        self._stream, self._outer, self._label, self._archive, self._packed = stream, outer, label, archive, packed
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            block = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            where = f"after {format_bytes(self._unpacked)} ({in_short(error)})"
            raise DataError(f"{self._label} is damaged {where}; download or pack it again.") from error
        self._unpacked += len(block)
        label, limits = self._archive.path, self._archive.limits
        if self._unpacked > limits.max_unpacked:
            raise DataError(
                f"{label} unpacks to more than {format_bytes(limits.max_unpacked)}, the most that is read; "
                "take a part of the ratings."
            )
        if self._unpacked > limits.free_unpacked and self._unpacked > limits.max_ratio * self._packed:
            raise DataError(
                f"{label} unpacks to more than {limits.max_ratio:.0f} times its size, as a zip bomb does; it was "
                "not read further. If it is genuine, unpack it first and give the plain file."
            )
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        self._stream.close()
        self._outer.close()
        super().close()
