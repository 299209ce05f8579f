"""A small invented cinema for teaching and tests: 60 films, 5 genres, 3 stereotypes that anyone recognises."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.report import Finding, ImportReport, note
from nnm_core.datasets.synthetic import Truth
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.types import FloatArray

STEREOTYPES = ("the thrill seeker", "the romantic", "the parent")
"""The three planted stereotypes, in the order of the truth's columns."""

GENRES = ("Comedy", "Family", "Horror", "Romance", "Thriller")
_TASTE = {
    "Comedy": (0.30, 0.75, 0.85),
    "Family": (0.05, 0.45, 0.95),
    "Horror": (0.95, 0.10, 0.02),
    "Romance": (0.10, 0.95, 0.35),
    "Thriller": (0.90, 0.35, 0.10),
}
"""How likely each stereotype is to like a film of the genre."""

_FILMS = {
    "Comedy": (
        "Two Left Shoes|The Accidental Mayor|Soup for the Duke|My Cousin's Parrot|The Loudest Librarian|"
        "Nine Uncles|A Goat in the Lift|Mister Monday|The Wrong Orchestra|Half a Hotel|Dentist on Strike|"
        "The Last Sandwich"
    ),
    "Family": (
        "The Kite That Came Home|Otter and Owl|Grandma's Submarine|A Bear in the Choir|"
        "The Moonlight Bakery|Paper Dragons|The Smallest Knight|Puddle Island|Tilda and the Tortoise|"
        "The Singing Lighthouse|Snow on Maple Street|The Button Thief"
    ),
    "Horror": (
        "The Cellar Answers|Thirteen Mirrors|What the Lake Kept|Do Not Feed It|The Quiet Tenant|"
        "Graveyard Shift at the Mill|Teeth of Winter|The Doll's Appointment|Room Without Doors|"
        "It Hums at Night|The Hollow Choirboy|Salt Circle"
    ),
    "Romance": (
        "Letters from Platform Nine|The Summer We Repainted|A Waltz in Trieste|The Florist's Alibi|"
        "Second Violin|Love, Postage Due|The Tea Merchant's Daughter|Rain over Lisbon|Almost September|"
        "The Long Way to Clara|Dinner at Half Past Never|The Bridge Keeper's Promise"
    ),
    "Thriller": (
        "Dead Signal|The Third Passenger|Cold Ledger|Eleven Minutes to Oslo|The Glass Witness|"
        "A Debt in Marseille|Night Freight|The Courier's Mistake|Blind Corner|Nobody Leaves Geneva|"
        "The Double Ledger|Undertow"
    ),
}
_SECOND_GENRE = {
    "Comedy": "Romance",
    "Family": "Comedy",
    "Horror": "Thriller",
    "Romance": "Comedy",
    "Thriller": "Horror",
}
_PER_STEREOTYPE = 40
_BETWEEN = 30
_SEED = 20


@dataclass(frozen=True, slots=True, eq=False)
class Demo:
    """The invented data set and the truth behind it, whose columns follow ``STEREOTYPES``."""

    dataset: Dataset
    truth: Truth


@lru_cache(maxsize=1)
def demo() -> Demo:
    """Always the same 150 people and 60 films: 40 people near each stereotype, 30 between two of them."""
    rng = np.random.default_rng(_SEED)
    films = [(title, genre) for genre in GENRES for title in _FILMS[genre].split("|")]
    tags_of = {row: _genres_of(row, genre) for row, (_, genre) in enumerate(films)}
    likes = np.array([_likes(tags, rng) for tags in tags_of.values()])
    mixtures = _mixtures(rng)
    users, items, values = _rate(mixtures, likes, rng)
    ratings = Ratings.from_numbers(
        users,
        items,
        values,
        [f"person-{k + 1:03d}" for k in range(len(mixtures))],
        [f"film-{k + 1:02d}" for k in range(len(films))],
        scale=Scale(1.0, 5.0),
    )
    dataset = Dataset(
        name="demo",
        ratings=ratings,
        titles=tuple(f"{title} ({1960 + 7 * k % 60})" for k, (title, _) in enumerate(films)),
        tags=Labels.from_lists(tags_of, len(films)),
        traits={"nearest stereotype": _nearest(mixtures)},
        licence="Invented for this project; free for any use.",
        source="invented: 60 films, 5 genres, 3 stereotypes",
    )
    return Demo(dataset, Truth(mixtures, likes))


def invented_report(dataset: Dataset) -> ImportReport:
    """The report of a data set that was made, not read."""
    values, counts = np.unique(dataset.ratings.values, return_counts=True)
    n = len(dataset.ratings)
    levels = tuple(zip(values.tolist(), counts.tolist(), strict=True))
    return ImportReport(dataset.name, (), n, n, levels=levels, findings=(note(Finding.SYNTHETIC),))


def _genres_of(row: int, genre: str) -> list[str]:
    """The film's own genre and, for every third film, one that goes well with it."""
    return [genre, _SECOND_GENRE[genre]] if row % 3 == 2 else [genre]


def _likes(tags: list[str], rng: np.random.Generator) -> FloatArray:
    taste: FloatArray = np.mean([_TASTE[tag] for tag in tags], axis=0)
    return np.clip(taste + rng.normal(0.0, 0.04, len(STEREOTYPES)), 0.0, 1.0)


def _mixtures(rng: np.random.Generator) -> FloatArray:
    n = len(STEREOTYPES)
    near = [rng.dirichlet(np.where(np.arange(n) == k, 18.0, 0.7), _PER_STEREOTYPE) for k in range(n)]
    between = rng.dirichlet(np.full(n, 1.2), _BETWEEN)
    return np.vstack([*near, between])


def _rate(
    mixtures: FloatArray, likes: FloatArray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each person rates between 20 and 45 films."""
    scale = Scale(1.0, 5.0)
    chance = mixtures @ likes.T + rng.normal(0.0, 0.08, (len(mixtures), len(likes)))
    users, items = [], []
    for user in range(len(mixtures)):
        seen = np.sort(rng.choice(len(likes), rng.integers(20, 46), replace=False))
        users.append(np.full(len(seen), user))
        items.append(seen)
    rows, columns = np.concatenate(users), np.concatenate(items)
    return rows, columns, scale.round(scale.from_unit(chance[rows, columns]))


def _nearest(mixtures: FloatArray) -> Labels:
    nearest = mixtures.argmax(axis=1).tolist()
    return Labels.from_categories({row: STEREOTYPES[k] for row, k in enumerate(nearest)}, len(mixtures), STEREOTYPES)
