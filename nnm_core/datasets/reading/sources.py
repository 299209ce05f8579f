"""Open what somebody handed over: a file, a folder, an archive or an upload, as named files that can be read again."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any, BinaryIO

from nnm_core.datasets.reading.containers import SQLITE, Part, open_database, open_workbook
from nnm_core.errors import DataError, InputError, in_short

Given = str | Path | bytes | BinaryIO  # what can be read: a path, the bytes of a file, or an open binary file
_COMPRESSED: dict[bytes, tuple[str, Any]] = {  # how files begin, how their names end, and what unpacks them
    b"\x1f\x8b": (".gz", gzip.open),
    b"BZh": (".bz2", bz2.open),
    b"\xfd7zXZ": (".xz", lzma.open),
}
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")  # of Excel and OpenDocument
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


def open_stream(path: str, opener: Callable[[], IO[bytes]], size: int) -> SourceFile:
    """Return a single file from wherever ``opener`` opens it, uncompressed if it is compressed."""
    return _uncompressed(SourceFile(path, opener), size)


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
            files.append(_uncompressed(file, path.stat().st_size))
        if len(files) > (most := limits.max_members):
            raise DataError(f"The folder {folder.name!r} holds more than {most:,} files; name one of them.")
    if not files:
        raise DataError(f"The folder {str(folder)!r} is empty; name a folder or a file with ratings.")
    return Source(folder.name, tuple(files))


def _open_single(name: str, opener: Callable[[], IO[bytes]], size: int, limits: Limits) -> Source:
    file = SourceFile(name, opener, limits)
    if file.head(4) in _ZIP_MAGIC:
        return _open_zip(file)
    file = _uncompressed(file, size)
    if file.head(16) == SQLITE:
        return _open_parts(file, open_database)
    return _open_parts(file, open_workbook) if file.head(4) == _OLD_EXCEL else Source(name, (file,))


def _open_parts(file: SourceFile, open_container: Callable[[str, bytes], list[Part]]) -> Source:
    """Open a workbook or a database, which has to fit into memory, as one file per sheet or table."""
    content = file.head(file.limits.max_unpacked + 1)
    if len(content) > (most := file.limits.max_unpacked):
        raise DataError(f"{file.path} has more than {format_bytes(most)}, the most that is read; take a part of it.")

    def as_file(path: str, read: Callable[[], bytes]) -> SourceFile:
        return SourceFile(path, lambda: io.BytesIO(read()), file.limits)

    return Source(file.path, tuple(as_file(*part) for part in open_container(file.path, content)))


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
    if any(info.filename in _WORKBOOKS for info in members):
        unpacked = sum(info.file_size for info in members)
        packed = sum(info.compress_size for info in members)
        if unpacked > limits.max_unpacked or unpacked > max(limits.free_unpacked, limits.max_ratio * packed):
            raise DataError(f"{name} unpacks to {format_bytes(unpacked)}; save the sheet as CSV.")
        return _open_parts(file, open_workbook)
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

    return _uncompressed(SourceFile(info.filename, opener, archive.limits), packed, archive)


def _uncompressed(file: SourceFile, size: int, archive: SourceFile | None = None) -> SourceFile:
    """Return the file itself or, if it is compressed, what is inside, named without ``.gz`` or the like."""
    head = file.head(8)
    suffix, unpack = next((how for magic, how in _COMPRESSED.items() if head.startswith(magic)), ("", None))
    if unpack is None:
        return file

    def opener() -> IO[bytes]:
        outer = file.open()
        return io.BufferedReader(
            _Unpacking(unpack(outer), outer, file.path, archive or file, max(size, 1)), buffer_size=2**18
        )

    return SourceFile(file.path.removesuffix(suffix), opener, file.limits)


class _Unpacking(io.RawIOBase):
    """A decompressing stream that keeps to the limits of its archive and turns faults into DataError."""

    def __init__(self, stream: IO[bytes], outer: IO[bytes], label: str, archive: SourceFile, packed: int) -> None:
        super().__init__()
        self._stream, self._outer, self._label, self._archive, self._packed = stream, outer, label, archive, packed
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            block = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError) as error:
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
