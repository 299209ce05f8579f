"""Data sets known by name: where they are found, what they are called inside, under which licence they come."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pooch

from nnm_core.errors import InputError

SITE = "https://files.grouplens.org/datasets/movielens/"
DATA_VARIABLE = "NNM_DATA"
CACHE_VARIABLE = "NNM_CACHE"

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
    """A data set with a name.

    ``title``: for people. ``size``: bytes of the archive, 0 if unknown. ``checksum``: as pooch writes it, with
    ``sha256:`` or ``md5:`` before it. ``folders``: what its folder is called. ``edition``: a word of caution about
    the checksum.
    """

    name: str
    title: str
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
    Entry("ml-100k", "MovieLens 100K: 100,000 ratings by 943 people (1998)", _NO_REDISTRIBUTION, 4_924_029,
          "sha256:50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229"),
    Entry("ml-1m", "MovieLens 1M: 1,000,209 ratings by 6,040 people (2000)", _NO_REDISTRIBUTION, 5_917_549,
          "sha256:a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"),
    Entry("ml-10m", "MovieLens 10M: 10 million ratings (2009)", _NO_REDISTRIBUTION, 0,
          "md5:ce571fd55effeba0271552578f2648bd", ("ml-10M100K",)),
    Entry("ml-20m", "MovieLens 20M: 20 million ratings (2015)", _SHARE_ALIKE, 198_702_078,
          "sha256:96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3"),
    Entry("ml-25m", "MovieLens 25M: 25 million ratings (2019)", _SHARE_ALIKE, 261_978_986,
          "sha256:8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa"),
    Entry("ml-32m", "MovieLens 32M: 32 million ratings (2024)", _SHARE_ALIKE, 238_950_008,
          "md5:d472be332d4daa821edc399621853b57"),
    Entry("ml-latest-small", "MovieLens latest small: about 100,000 ratings by 610 people", _SHARE_ALIKE, 978_202,
          "sha256:696d65a3dfceac7c45750ad32df2c259311949efec81f0f144fdfb91ebc9e436",
          edition="GroupLens replaces this archive from time to time; the checksum is that of the edition of 2018"),
)  # fmt: skip
CATALOGUE = {entry.name: entry for entry in _ENTRIES}
BUNDLED_ENTRY = Entry(
    BUNDLED, "MovieLens ml-latest-small, edition of October 2016: 100,004 ratings by 671 people", _SHARE_ALIKE
)


def names() -> tuple[str, ...]:
    """Every name that ``load_dataset`` knows."""
    return (BUNDLED, DEMO, *CATALOGUE)


def entry_of(name: str) -> Entry:
    """The catalogue's entry for a name."""
    if name == BUNDLED:
        return BUNDLED_ENTRY
    if name not in CATALOGUE:
        raise InputError(f"{name!r} is no known data set; there are {', '.join(names())}.")
    return CATALOGUE[name]


def cache_folder() -> Path:
    """Where downloads are kept for this user; ``NNM_CACHE`` overrules the system's choice."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path(pooch.os_cache("nnm-explorer"))


def find_local(name: str) -> Path | None:
    """The folder or archive of a named data set on this machine, None if it has to be downloaded first."""
    if name == BUNDLED:
        return bundled_archive()
    entry = entry_of(name)
    for folder in _search_folders():
        candidates = [folder / spelled for spelled in (name, *entry.folders)]
        for candidate in candidates:
            if candidate.is_dir() and any(candidate.iterdir()):
                return candidate
        for candidate in candidates:
            archive = candidate.with_name(candidate.name + ".zip")
            if archive.is_file():
                return archive
    return None


def bundled_archive() -> Path:
    """The archive that comes with the project, in an installed package or in a checkout."""
    here = Path(__file__).resolve().parent
    places = (here / "bundled" / "ml-latest-small.zip", here.parents[1] / "data" / "ml-latest-small.zip")
    for place in places:
        if place.is_file():
            return place
    raise InputError(
        f"The bundled data set is missing from this installation (looked for {places[0]}); install it again."
    )


def _search_folders() -> list[Path]:
    chosen = os.environ.get(DATA_VARIABLE)
    return ([Path(chosen).expanduser()] if chosen else []) + [cache_folder()]
