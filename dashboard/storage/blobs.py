"""Blobs: contents that are named by their SHA-256, in a folder or in a bucket."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import fsspec

from nnm_core.errors import DataError, in_short
from nnm_core.files import UNFINISHED, write_whole

_RESERVE = 64 * 2**20  # bytes that stay free on a disk: a database needs some even to delete


class Blobs:
    """Contents below an address that fsspec knows, such as a folder or ``s3://bucket/folder``."""

    def __init__(self, address: str) -> None:
        self._files, self._root = fsspec.url_to_fs(address)
        self._is_local = "file" in self._files.protocol

    def put(self, content: bytes) -> str:
        """Keep a content; return its digest. It is there whole or, on failure, not at all."""
        digest = hashlib.sha256(content).hexdigest()
        try:
            if self._is_local:
                _write_to_disk(Path(self._path(digest)), content)
            else:
                self._files.pipe_file(self._path(digest), content)  # buckets show objects only when they are whole
        except Exception as error:  # why: what reaches buckets raises errors of its own, which are no OSError
            full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            what = "There is no room left where data are kept" if full else f"Data cannot be kept: {error}"
            raise DataError(
                f"{what}. Delete some under My work on the page Data, or ask whoever runs this server."
            ) from error
        return digest

    def get(self, digest: str) -> bytes:
        """Return a content; raise DataError if it is gone or damaged."""
        try:
            content: bytes = self._files.cat_file(self._path(digest))
        except FileNotFoundError as error:
            raise DataError("These data are no longer where they were kept; load the file again.") from error
        except Exception as error:  # why: as above
            raise DataError(
                f"The place where data are kept cannot be reached ({in_short(error)}); try again."
            ) from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise DataError("The kept data are damaged; load the file again.")
        return content

    def has(self, digest: str) -> bool:
        """Whether a content is there."""
        return bool(self._files.exists(self._path(digest)))

    def remove(self, digest: str) -> None:
        """Remove a content, if it is there."""
        with suppress(FileNotFoundError):
            self._files.rm_file(self._path(digest))

    def digests(self, older_than: float = 0.0) -> list[str]:
        """Return the digests of all contents, those that were written less than so many seconds ago left out."""
        return [Path(path).name for path in self._find(older_than) if not path.endswith(UNFINISHED)]

    def remove_unfinished(self, older_than: float) -> None:
        """Remove what a server was writing when it was killed, unless another may still write it."""
        for path in self._find(older_than):
            if path.endswith(UNFINISHED):
                self._files.rm_file(path)

    def _find(self, older_than: float) -> list[str]:
        found: dict[str, dict[str, Any]] = self._files.find(self._root, detail=True)
        return [path for path, about in found.items() if _written(about) <= time.time() - older_than]

    def _path(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest}"


def _write_to_disk(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    disk = shutil.disk_usage(path.parent)
    if disk.free - len(content) < min(_RESERVE, disk.total // 5):
        raise OSError(errno.ENOSPC, "No space left on device")
    write_whole(path, content)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # so that the name outlives a loss of power, too
    finally:
        os.close(folder)


def _written(about: dict[str, Any]) -> float:
    """Return when a file was written, in seconds, as the file system tells it."""
    time_of = about.get("mtime", about.get("LastModified", 0.0))
    return float(time_of.timestamp() if hasattr(time_of, "timestamp") else time_of)
