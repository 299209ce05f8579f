"""Data sets known by name: where they lie, under which licence they come, and how they are downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pooch
import requests
import urllib3

from nnm_core.datasets.reading.sources import format_bytes
from nnm_core.errors import DataError, InputError, in_short

SITE = "https://files.grouplens.org/datasets/movielens/"
DATA_VARIABLE = "NNM_DATA"
CACHE_VARIABLE = "NNM_CACHE"

Progress = Callable[[int, int], None]  # called with the bytes received so far and those expected (0 if unknown)
Consent = bool | Callable[[str], bool]  # whether the licence is accepted, or a question that is asked with its text
TIMEOUT = 30.0  # seconds without a single byte after which a download is given up
_MOST = 2 * 2**30
_BLOCK = 2**16

_TERMS = (
    "GroupLens Research, University of Minnesota: free for research. No endorsement by the university or GroupLens "
    "may be stated or implied; publications must acknowledge the data; commercial or revenue-bearing use needs their "
    "permission first; no warranty."
)
_NO_REDISTRIBUTION = _TERMS + " It may not be redistributed without separate permission."
_SHARE_ALIKE = _TERMS + " It may be redistributed, transformed copies included, only under these same conditions."
CITATION = (
    "F. Maxwell Harper and Joseph A. Konstan. 2015. The MovieLens Datasets: History and Context. ACM TiiS 5, 4, "
    "Article 19. doi:10.1145/2827872"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A data set with a name; ``about``: how many ratings it has. ``folders``: other names of its folder.

    ``edition``: a caution about the checksum.
    """

    name: str
    title: str
    about: str
    licence: str
    size: int = 0
    checksum: str = ""
    folders: tuple[str, ...] = ()
    edition: str = ""

    @property
    def url(self) -> str:
        """Where GroupLens publishes the archive."""
        return f"{SITE}{self.name}.zip"


BUNDLED = "bundled"
DEMO = "demo"
_ENTRIES = (
    Entry("ml-100k", "MovieLens 100K", "100,000 ratings by 943 people (1998)", _NO_REDISTRIBUTION, 4_924_029,
          "sha256:50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229"),
    Entry("ml-1m", "MovieLens 1M", "1,000,209 ratings by 6,040 people (2000)", _NO_REDISTRIBUTION, 5_917_549,
          "sha256:a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"),
    Entry("ml-10m", "MovieLens 10M", "10 million ratings (2009)", _NO_REDISTRIBUTION, 0,
          "md5:ce571fd55effeba0271552578f2648bd", ("ml-10M100K",)),
    Entry("ml-20m", "MovieLens 20M", "20 million ratings (2015)", _SHARE_ALIKE, 198_702_078,
          "sha256:96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3"),
    Entry("ml-25m", "MovieLens 25M", "25 million ratings (2019)", _SHARE_ALIKE, 261_978_986,
          "sha256:8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa"),
    Entry("ml-32m", "MovieLens 32M", "32 million ratings (2024)", _SHARE_ALIKE, 238_950_008,
          "md5:d472be332d4daa821edc399621853b57"),
    Entry("ml-latest-small", "MovieLens latest small", "about 100,000 ratings by 610 people", _SHARE_ALIKE, 978_202,
          "sha256:696d65a3dfceac7c45750ad32df2c259311949efec81f0f144fdfb91ebc9e436",
          edition="GroupLens replaces this archive from time to time; the checksum is that of the edition of 2018"),
)  # fmt: skip
CATALOGUE = {entry.name: entry for entry in _ENTRIES}
BUNDLED_ENTRY = Entry(
    BUNDLED, "MovieLens ml-latest-small, edition of October 2016", "100,004 ratings by 671 people", _SHARE_ALIKE
)


def names() -> tuple[str, ...]:
    """Return every name that ``load_dataset`` knows."""
    return (BUNDLED, DEMO, *CATALOGUE)


def entry_of(name: str) -> Entry:
    """Return the catalogue's entry for a name."""
    if name == BUNDLED:
        return BUNDLED_ENTRY
    if name not in CATALOGUE:
        raise InputError(f"{name!r} is no known data set; there are {', '.join(names())}.")
    return CATALOGUE[name]


def cache_folder() -> Path:
    """Return where downloads are kept for this user; ``NNM_CACHE`` overrules the system's choice."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path(pooch.os_cache("nnm-explorer"))


def find_local(name: str) -> Path | None:
    """Return the folder or archive of a named data set on this machine, None if it has to be downloaded first."""
    if name == BUNDLED:
        return _bundled_archive()
    chosen = os.environ.get(DATA_VARIABLE)
    for folder in [*([Path(chosen).expanduser()] if chosen else []), cache_folder()]:
        spellings = (name, *entry_of(name).folders)
        filled = [place for place in map(folder.joinpath, spellings) if place.is_dir() and any(place.iterdir())]
        archives = [folder / f"{spelling}.zip" for spelling in spellings]
        if found := filled + [archive for archive in archives if archive.is_file()]:
            return found[0]
    return None


def _bundled_archive() -> Path:
    """Return the archive that comes with the project, in an installed package or in a checkout."""
    here = Path(__file__).resolve().parent
    places = (here / "bundled" / "ml-latest-small.zip", here.parents[1] / "data" / "ml-latest-small.zip")
    found = next(filter(Path.is_file, places), None)
    if found is None:
        raise InputError(
            f"The bundled data set is missing from this installation (looked for {places[0]}); install it again."
        )
    return found


class _UnusableError(Exception):
    """An answer of the server that is not the archive; its text ends the message."""


def licence_text(entry: Entry) -> str:
    """Return what is shown before a download: the terms, the size, the source and what to cite."""
    size = f", {format_bytes(entry.size)}" if entry.size else ""
    return f"{entry.title}: {entry.about}{size}, from {entry.url}\n{entry.licence}\nCite: {CITATION}"


def download(entry: Entry, accept_licence: Consent, progress: Progress | None = None, timeout: float = TIMEOUT) -> Path:
    """Download an archive into the cache folder and return its path; DataError says what to do instead."""
    text = licence_text(entry)
    if not (accept_licence(text) if callable(accept_licence) else accept_licence):
        raise DataError(
            f"{entry.name} is not on this machine and was not downloaded, because its licence was not "
            f"accepted:\n{text}\nAccept it (--accept-licence, or accept_licence=True), or use 'bundled', which needs "
            "no download."
        )
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _forget_broken_downloads(folder)
        path = pooch.retrieve(
            url=entry.url,
            known_hash=entry.checksum or None,
            fname=f"{entry.name}.zip",
            path=folder,
            downloader=lambda _url, output, _pooch: _fetch(entry, Path(output), progress, timeout),
        )
    except _UnusableError as error:
        raise DataError(_failed(entry, str(error))) from error
    except requests.RequestException as error:
        raise DataError(_failed(entry, _in_words(error, timeout))) from error
    except ValueError as error:
        what = f"the archive's checksum is not the expected one, so it was thrown away. {entry.edition}"
        raise DataError(_failed(entry, what.rstrip())) from error
    except OSError as error:
        raise DataError(_failed(entry, f"it cannot be written to {folder} ({in_short(error)})")) from error
    return Path(path)


def _failed(entry: Entry, what: str) -> str:
    """Say what went wrong with a download, and every way around it."""
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
    """Remove what a killed download left under pooch's names, unless another process may still be writing it."""
    now = folder.stat().st_mtime  # the file system's own clock
    for leftover in folder.glob("tmp*"):
        if leftover.is_file() and now - leftover.stat().st_mtime >= 2 * TIMEOUT:
            leftover.unlink(missing_ok=True)


def _fetch(entry: Entry, output: Path, progress: Progress | None, timeout: float) -> None:
    """Write the server's answer to a file, never more than the archive can have."""
    with requests.get(entry.url, stream=True, timeout=timeout) as answer, output.open("wb") as stream:
        if answer.status_code == 404:
            raise _UnusableError("the server does not have it (404)")
        if not answer.ok:
            raise _UnusableError(f"the server answered {answer.status_code}; try again later")
        total = int(answer.headers.get("Content-Length") or 0)
        most = entry.size or _MOST
        received = 0
        for block in answer.iter_content(_BLOCK):
            received += len(block)
            if received > most:
                raise _UnusableError(f"the server sent more than the {format_bytes(most)} that the archive has")
            stream.write(block)
            if progress is not None:
                progress(received, total or entry.size)
