"""MovieLens archives from GroupLens: asked for, checked, and put in place whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pooch
import requests
import urllib3

from nnm_core.datasets.catalogue import CITATION, DATA_VARIABLE, Entry, cache_folder
from nnm_core.datasets.sources import format_bytes
from nnm_core.errors import DataError, in_short

Progress = Callable[[int, int], None]
"""Called with the bytes received so far and those expected (0 if unknown)."""

Consent = bool | Callable[[str], bool]
"""Whether the licence is accepted, or a question that is asked with its text."""

TIMEOUT = 30.0
"""Seconds without a single byte after which a download is given up."""

_MOST = 2 * 2**30
_BLOCK = 2**16


class _UnusableError(Exception):
    """An answer of the server that is not the archive; its text ends the message."""


def licence_text(entry: Entry) -> str:
    """What somebody is shown before a download: the terms, the size, the source and what to cite."""
    size = f", {format_bytes(entry.size)}" if entry.size else ""
    return f"{entry.title}{size}, from {entry.url}\n{entry.licence}\nCite: {CITATION}"


def download(entry: Entry, accept_licence: Consent, progress: Progress | None = None, timeout: float = TIMEOUT) -> Path:
    """The path of the archive, downloaded into the cache folder; DataError says what to do instead."""
    _check_accepted(entry, accept_licence)
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _forget_broken_downloads(folder)
        path = pooch.retrieve(
            url=entry.url,
            known_hash=entry.checksum or None,
            fname=f"{entry.name}.zip",
            path=folder,
            downloader=_Downloader(entry, progress, timeout),
        )
    except _UnusableError as error:
        raise DataError(_failed(entry, str(error))) from error
    except requests.RequestException as error:
        raise DataError(_failed(entry, _in_words(error, timeout))) from error
    except ValueError as error:
        caution = f" {entry.edition}." if entry.edition else ""
        what = f"the archive's checksum is not the expected one, so it was thrown away.{caution}"
        raise DataError(_failed(entry, what)) from error
    except OSError as error:
        raise DataError(_failed(entry, f"it cannot be written to {folder} ({in_short(error)})")) from error
    return Path(path)


def _check_accepted(entry: Entry, accept_licence: Consent) -> None:
    text = licence_text(entry)
    accepted = accept_licence(text) if callable(accept_licence) else accept_licence
    if not accepted:
        raise DataError(
            f"{entry.name} is not on this machine and was not downloaded, because its licence was not "
            f"accepted:\n{text}\nAccept it (--accept-licence, or accept_licence=True), or use 'bundled', which needs "
            "no download."
        )


def _failed(entry: Entry, what: str) -> str:
    """What went wrong with a download, and every way around it."""
    return (
        f"{entry.name} could not be downloaded from {entry.url}: {what.rstrip('.')}. Without a network, 'bundled' and "
        f"'demo' always work, and so do files of your own. To use {entry.name} anyway, fetch {entry.name}.zip by other "
        f"means and put it into {cache_folder()}, or into the folder named by the environment variable {DATA_VARIABLE}."
    )


def _in_words(error: requests.RequestException, timeout: float) -> str:
    cause = error.args[0] if error.args else None
    if isinstance(error, requests.Timeout) or isinstance(cause, urllib3.exceptions.TimeoutError):
        return f"the server sent nothing for {timeout:g} seconds"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off half-way"
    if isinstance(error, requests.exceptions.TooManyRedirects):
        return "the server redirects in circles"
    if isinstance(error, requests.ConnectionError):
        return "there is no connection to the server"
    return f"the request failed ({type(error).__name__})"


def _forget_broken_downloads(folder: Path) -> None:
    """Remove what a killed download left; pooch writes under such names until an archive is complete."""
    for leftover in folder.glob("tmp*"):
        if leftover.is_file() and not _is_recent(leftover):
            leftover.unlink(missing_ok=True)


def _is_recent(path: Path) -> bool:
    """Whether another process may still be writing the file."""
    now = os.stat(path.parent).st_mtime  # noqa: PTH116 - the file system's own clock
    return now - path.stat().st_mtime < 2 * TIMEOUT


class _Downloader:
    """What pooch calls: writes the answer to a file, never more than the archive can have."""

    def __init__(self, entry: Entry, progress: Progress | None, timeout: float) -> None:
        self._entry, self._progress, self._timeout = entry, progress, timeout

    def __call__(self, url: str, output_file: str | IO[bytes], _: Any, check_only: bool = False) -> None:
        if isinstance(output_file, str):
            with Path(output_file).open("wb") as stream:
                self._fetch(url, stream)
        elif not check_only:
            self._fetch(url, output_file)

    def _fetch(self, url: str, output: IO[bytes]) -> None:
        with requests.get(url, stream=True, timeout=self._timeout) as answer:
            if answer.status_code == 404:
                raise _UnusableError("the server does not have it (404)")
            if not answer.ok:
                raise _UnusableError(f"the server answered {answer.status_code}; try again later")
            total = int(answer.headers.get("Content-Length") or 0)
            most = self._entry.size or _MOST
            received = 0
            for block in answer.iter_content(_BLOCK):
                received += len(block)
                if received > most:
                    raise _UnusableError(f"the server sent more than the {format_bytes(most)} that the archive has")
                output.write(block)
                if self._progress is not None:
                    self._progress(received, total or self._entry.size)
            if total and received < total:
                sizes = f"{format_bytes(received)} of {format_bytes(total)}"
                raise _UnusableError(f"the connection broke off after {sizes}")
