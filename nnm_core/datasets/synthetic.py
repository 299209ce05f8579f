"""Invented ratings with known truth: in the shape of MovieLens and in any size, and a small cinema for teaching."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.report import Finding, ImportReport, note
from nnm_core.errors import InputError
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale
from nnm_core.types import FloatArray, IntArray

_BLOCK = 2**21  # about so many ratings are invented at a time, so that temporary arrays stay small


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What was planted: ``mixtures`` (n_users, D), rows on the simplex; ``likes`` (n_items, D), in [0, 1]."""

    mixtures: FloatArray
    likes: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class InventedRatings:
    """Three parallel columns of (n_ratings,), and the truth behind them."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: NDArray[np.float32]
    scale: Scale
    truth: Truth

    def ratings(self) -> Ratings:
        """Return the columns, indexed; users and items are called by their numbers, from 1."""
        numbered = (self.truth.mixtures, self.truth.likes)
        user_ids, item_ids = ([str(k + 1) for k in range(len(rows))] for rows in numbered)
        return Ratings.from_numbers(self.users, self.items, self.values, user_ids, item_ids, scale=self.scale)


def invent(
    n_users: int,
    n_items: int,
    n_ratings: int,
    n_stereotypes: int = 4,
    *,
    seed: int = 0,
    scale: Scale | None = None,
    noise: float = 0.1,
) -> InventedRatings:
    """Invent exactly ``n_ratings`` ratings, no pair twice, with few busy users and few popular items as in MovieLens.

    A rating is the mixture's chance of liking plus ``noise``. Most people are near one stereotype.
    """
    if min(n_users, n_items, n_stereotypes) < 1 or not n_users <= n_ratings <= n_users * (n_items // 2 or 1):
        raise InputError(
            f"{n_ratings:,} ratings by {n_users:,} users of {n_items:,} items with {n_stereotypes} stereotypes cannot "
            "be invented: every user needs at least one rating, and at most half of the items."
        )
    scale = scale or Scale(1.0, 5.0)
    rng = np.random.default_rng(seed)
    truth = Truth(
        mixtures=rng.dirichlet(np.full(n_stereotypes, 0.3), n_users),
        likes=rng.beta(0.8, 0.8, (n_items, n_stereotypes)),
    )
    counts = _activity(rng, n_users, n_items // 2 or 1, n_ratings)
    weight = 1.0 / (np.arange(n_items) + 0.02 * n_items + 1.0) ** 1.2  # a long tail
    popularity = np.cumsum(rng.permutation(weight / weight.sum()))
    items, values = [], []
    for block in np.array_split(np.arange(n_users), n_ratings // _BLOCK + 1):
        users = np.repeat(block, counts[block])
        items.append(_distinct_items(rng, counts[block], popularity))
        chance = np.einsum("nd,nd->n", truth.mixtures[users], truth.likes[items[-1]])
        opinion = chance + rng.normal(0.0, noise, len(users))
        values.append(scale.round(scale.from_unit(opinion)).astype(np.float32))
    all_users = np.repeat(np.arange(n_users, dtype=np.int32), counts)
    return InventedRatings(all_users, np.concatenate(items), np.concatenate(values), scale, truth)


def _activity(rng: np.random.Generator, n_users: int, most: int, n_ratings: int) -> NDArray[np.int64]:
    """Return ratings per user, log-normal like MovieLens's, at least 1 and at most ``most``; they add up exactly."""
    wish = rng.lognormal(0.0, 1.1, n_users)
    counts = np.ones(n_users, dtype=np.int64)
    while (left := n_ratings - int(counts.sum())) > 0:
        share = np.where(counts < most, wish, 0.0)
        counts = np.minimum(counts + rng.multinomial(left, share / share.sum()), most)
    return counts


def _distinct_items(rng: np.random.Generator, counts: IntArray, popularity: FloatArray) -> NDArray[np.int32]:
    """Draw for each user so many different items, in increasing order; a repeat is drawn again."""
    n_users, n_items = len(counts), len(popularity)
    finished: list[NDArray[np.int64]] = []
    pairs = np.empty(0, dtype=np.int64)
    while counts.any():
        lacking = counts - np.bincount(pairs // n_items, minlength=n_users)
        users = np.repeat(np.arange(n_users), lacking)
        drawn = np.minimum(np.searchsorted(popularity, rng.random(len(users)), "right"), n_items - 1)
        pairs = np.unique(np.concatenate([pairs, users * n_items + drawn]))
        is_full = np.bincount(pairs // n_items, minlength=n_users) == counts
        is_finished = is_full[pairs // n_items]
        finished.append(pairs[is_finished])
        pairs, counts = pairs[~is_finished], np.where(is_full, 0, counts)
    return (np.sort(np.concatenate(finished)) % n_items).astype(np.int32)


# The three planted stereotypes, in the order of the truth's columns.
STEREOTYPES = ("the thrill seeker", "the romantic", "the parent")
GENRES = ("Comedy", "Family", "Horror", "Romance", "Thriller")
# How likely each stereotype is to like a film of the genre.
_TASTE = {
    "Comedy": (0.30, 0.75, 0.85),
    "Family": (0.05, 0.45, 0.95),
    "Horror": (0.95, 0.10, 0.02),
    "Romance": (0.10, 0.95, 0.35),
    "Thriller": (0.90, 0.35, 0.10),
}
_FILMS = {
    "Comedy": (
        "Two Left Shoes|The Accidental Mayor|Soup for the Duke|My Cousin's Parrot|The Loudest Librarian|"
        "Nine Uncles|A Goat in the Lift|Mister Monday|The Wrong Orchestra|Half a Hotel|Dentist on Strike|"
        "The Last Sandwich"
    ),
    "Family": (
        "The Kite That Came Home|Otter and Owl|Grandma's Submarine|A Bear in the Choir|The Moonlight Bakery|"
        "Paper Dragons|The Smallest Knight|Puddle Island|Tilda and the Tortoise|The Singing Lighthouse|"
        "Snow on Maple Street|The Button Thief"
    ),
    "Horror": (
        "The Cellar Answers|Thirteen Mirrors|What the Lake Kept|Do Not Feed It|The Quiet Tenant|"
        "Graveyard Shift at the Mill|Teeth of Winter|The Doll's Appointment|Room Without Doors|It Hums at Night|"
        "The Hollow Choirboy|Salt Circle"
    ),
    "Romance": (
        "Letters from Platform Nine|The Summer We Repainted|A Waltz in Trieste|The Florist's Alibi|Second Violin|"
        "Love, Postage Due|The Tea Merchant's Daughter|Rain over Lisbon|Almost September|The Long Way to Clara|"
        "Dinner at Half Past Never|The Bridge Keeper's Promise"
    ),
    "Thriller": (
        "Dead Signal|The Third Passenger|Cold Ledger|Eleven Minutes to Oslo|The Glass Witness|"
        "A Debt in Marseille|Night Freight|The Courier's Mistake|Blind Corner|Nobody Leaves Geneva|"
        "The Double Ledger|Undertow"
    ),
}
_SECOND_GENRE = dict(zip(GENRES, ("Romance", "Comedy", "Thriller", "Comedy", "Horror"), strict=True))
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
    """Return always the same 150 people and 60 films: 40 people near each stereotype, 30 between two of them."""
    rng = np.random.default_rng(_SEED)
    films = [(title, genre) for genre in GENRES for title in _FILMS[genre].split("|")]
    # every third film has a second genre, which goes well with its own
    tags = {k: [genre, _SECOND_GENRE[genre]] if k % 3 == 2 else [genre] for k, (_, genre) in enumerate(films)}
    n = len(STEREOTYPES)
    tastes = [np.mean([_TASTE[tag] for tag in of_film], axis=0) for of_film in tags.values()]
    likes = np.array([np.clip(taste + rng.normal(0.0, 0.04, n), 0.0, 1.0) for taste in tastes])
    near = [rng.dirichlet(np.where(np.arange(n) == k, 18.0, 0.7), _PER_STEREOTYPE) for k in range(n)]
    mixtures = np.vstack([*near, rng.dirichlet(np.full(n, 1.2), _BETWEEN)])
    user_ids = [f"person-{k + 1:03d}" for k in range(len(mixtures))]
    item_ids = [f"film-{k + 1:02d}" for k in range(len(films))]
    nearest = {row: STEREOTYPES[k] for row, k in enumerate(mixtures.argmax(axis=1).tolist())}
    dataset = Dataset(
        name="demo",
        ratings=Ratings.from_numbers(*_rate(mixtures, likes, rng), user_ids, item_ids, scale=Scale(1.0, 5.0)),
        titles=tuple(f"{title} ({1960 + 7 * k % 60})" for k, (title, _) in enumerate(films)),
        tags=Labels.from_lists(tags, len(films)),
        traits={"nearest stereotype": Labels.from_categories(nearest, len(mixtures), STEREOTYPES)},
        licence="Invented for this project; free for any use.",
        source="invented: 60 films, 5 genres, 3 stereotypes",
        about_films=True,
    )
    return Demo(dataset, Truth(mixtures, likes))


def _rate(mixtures: FloatArray, likes: FloatArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, FloatArray]:
    """Return who rates which film how; each person rates between 20 and 45."""
    scale = Scale(1.0, 5.0)
    chance = mixtures @ likes.T + rng.normal(0.0, 0.08, (len(mixtures), len(likes)))
    seen = [np.sort(rng.choice(len(likes), rng.integers(20, 46), replace=False)) for _ in mixtures]
    users, items = np.repeat(np.arange(len(seen)), [len(films) for films in seen]), np.concatenate(seen)
    return users, items, scale.round(scale.from_unit(chance[users, items]))


def invented_report(dataset: Dataset) -> ImportReport:
    """Return the report of a data set that was made, not read."""
    values, counts = np.unique(dataset.ratings.values, return_counts=True)
    n, levels = len(dataset.ratings), tuple(zip(values.tolist(), counts.tolist(), strict=True))
    return ImportReport(dataset.name, (), n, n, levels=levels, findings=(note(Finding.SYNTHETIC),))
