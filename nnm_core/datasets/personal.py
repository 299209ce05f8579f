"""One person's ratings from a service's export, matched by title and year with the items of a data set."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import DataError
from nnm_core.phrases import split_year

_OTHER_NAME = re.compile(r"\((?:a\.k\.a\.\s*)?([^()]*)\)")
_ARTICLE_BEHIND = re.compile(r"^(.*), (the|a|an|la|le|les|l'|el|il|der|die|das)$")
_LATEST_SHIFT = 1  # years by which services may disagree about when a film came out


@dataclass(frozen=True, slots=True)
class Service:
    """A service that exports one person's ratings: what its columns are called, and its highest rating."""

    name: str
    title: str
    year: str
    rating: str
    highest: float
    columns: frozenset[str]


SERVICES = (
    Service("Letterboxd", "Name", "Year", "Rating", 5.0, frozenset({"Name", "Year", "Letterboxd URI", "Rating"})),
    Service("IMDb", "Title", "Year", "Your Rating", 10.0, frozenset({"Const", "Your Rating", "Title", "Year"})),
)


@dataclass(frozen=True, slots=True)
class PersonalRatings:
    """What somebody rated elsewhere and these data know, ``ratings`` by item id; ``n_given``: ratings in the file."""

    service: str
    ratings: dict[str, float]
    n_given: int


def match_personal_export(content: bytes, dataset: Dataset) -> PersonalRatings:
    """Return the ratings of an export of Letterboxd or IMDb for the items of a data set, on its scale.

    A film matches if its title and year do. Years may differ by one, for services do not always agree on them.

    Raises
    ------
    DataError
        If the file is no such export.

    Examples
    --------
    >>> from nnm_core.datasets import load_dataset
    >>> export = b"Date,Name,Year,Letterboxd URI,Rating\\n2020-01-01,The Matrix,1999,https://boxd.it/2a1m,4.5\\n"
    >>> match_personal_export(export, load_dataset("bundled")[0]).ratings
    {'2571': 4.5}
    """
    try:
        table = pd.read_csv(io.BytesIO(content), dtype=str, encoding="utf-8-sig")
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError("This file is no table; choose the file ratings.csv of the export.") from error
    service = next((each for each in SERVICES if each.columns <= set(table.columns)), None)
    if service is None:
        raise DataError(
            "This is no export of Letterboxd or IMDb; these have the columns “Name, Year, Letterboxd URI, Rating” "
            "or “Const, Your Rating, Title, Year”. In Letterboxd, export your data under Settings and unpack "
            "ratings.csv; in IMDb, export Your ratings."
        )
    values = pd.to_numeric(table[service.rating], errors="coerce")
    years = pd.to_numeric(table[service.year], errors="coerce")
    given = values.notna() & (values > 0) & years.notna()
    known, scale, found = _items_by_name(dataset), dataset.ratings.scale, {}
    for title, year, value in zip(table[service.title][given].astype(str), years[given], values[given], strict=True):
        for shift in range(_LATEST_SHIFT + 1):
            items = known.get((_folded(title), int(year) + shift)) or known.get((_folded(title), int(year) - shift))
            if items is not None:
                share = min(float(value) / service.highest, 1.0)
                found[items] = float(scale.clip(scale.round(share * scale.highest)))
                break
    return PersonalRatings(service.name, found, int(given.sum()))


def _items_by_name(dataset: Dataset) -> dict[tuple[str, int], str]:
    """Return item ids by every name that an item has and its year; where two share both, the better known."""
    counts, ids = dataset.ratings.by_item.counts, dataset.ratings.item_ids
    found: dict[tuple[str, int], str] = {}
    for row in counts.argsort(kind="stable").tolist():
        title, year = split_year(dataset.titles[row])
        if year is not None:
            found |= {(name, year): ids[row] for name in _names(title)}
    return found


def _names(title: str) -> Iterator[str]:
    """Yield the names in a title without its year: the one in front, and those in brackets."""
    yield _folded(_OTHER_NAME.sub("", title))
    yield from map(_folded, _OTHER_NAME.findall(title))


def _folded(title: str) -> str:
    """Return a title as it is compared: without case, accents and punctuation, and with its article in front."""
    plain = unicodedata.normalize("NFKD", title.casefold().strip())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    behind = _ARTICLE_BEHIND.match(plain)
    plain = f"{behind[2]} {behind[1]}" if behind else plain
    return " ".join(re.sub(r"[^\w\s]", " ", plain.replace("&", " and ")).split())
