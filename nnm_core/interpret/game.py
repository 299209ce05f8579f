"""The game of section 5.1: a referee draws an item of a tag, Alice likes it or not, and Bob guesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.errors import InputError
from nnm_core.interpret.audience import check_same_rows
from nnm_core.interpret.towers import tag_table, tag_vectors
from nnm_core.model import Model
from nnm_core.ratings import Ratings
from nnm_core.types import BoolArray, FloatArray, IntArray

Answering = Literal["coin", "threshold"]


@dataclass(frozen=True, slots=True, eq=False)
class BobsTable:
    """What Bob knows before the game about each tag and stereotype; not a number for a tag without items.

    ``likes`` (n_tags, n_stereotypes): the paper's E_g, the probability that the stereotype likes a random item.
    """

    tags: tuple[str, ...]
    likes: FloatArray

    @property
    def guesses_like(self) -> BoolArray:
        """Bob's rule: he guesses "like" where that is at least as likely as not, (n_tags, n_stereotypes)."""
        return self.likes >= 0.5

    @property
    def wins(self) -> FloatArray:
        """The probability that Bob wins against the stereotype itself, (n_tags, n_stereotypes)."""
        return np.where(self.guesses_like, self.likes, 1.0 - self.likes)

    def table(self, names: Iterable[str]) -> pd.DataFrame:
        """Return one row per tag and stereotype; ``names`` are those of the stereotypes of taste."""
        guesses = np.where(self.guesses_like, "like", "dislike")
        return tag_table(self.tags, names, {"likes": self.likes, "Bob guesses": guesses, "Bob wins": self.wins})


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """Rounds that were played with real people, or with the stereotype itself, in Alice's part; arrays (n_rounds,).

    ``alices``, ``items``: rows, −1 for the stereotype itself; ``ratings``: what Alice gave, or is expected to give;
    ``likes``: what she answered; ``guesses``: what Bob said. ``promised``: Bob's probability of winning against the
    stereotype itself; ``expected``: the same against these very people and items, by their own mixtures.
    """

    tag: str
    stereotype: int
    alices: IntArray
    items: IntArray
    ratings: FloatArray
    likes: BoolArray
    guesses: BoolArray
    promised: float
    expected: float

    @property
    def wins(self) -> BoolArray:
        """Which rounds Bob won, (n_rounds,)."""
        return np.asarray(self.likes == self.guesses)

    @property
    def win_rate(self) -> float:
        """How often Bob was right."""
        return float(self.wins.mean())

    @property
    def error(self) -> float:
        """The standard error of the win rate, as far as rounds are independent."""
        return float(np.sqrt(self.win_rate * (1.0 - self.win_rate) / len(self.wins)))

    def table(self, dataset: Dataset) -> pd.DataFrame:
        """Return one row per round, in order."""
        answers = np.array(["dislike", "like"], dtype=object)
        names = (*dataset.ratings.user_ids, "the stereotype")  # the last one is row −1
        return pd.DataFrame(
            {
                "Alice": np.array([names[row] for row in self.alices], dtype=object),
                "title": np.array([dataset.titles[row] for row in self.items], dtype=object),
                "rating": self.ratings,
                "answer": answers[self.likes.astype(np.int64)],
                "Bob's guess": answers[self.guesses.astype(np.int64)],
                "Bob wins": self.wins,
            }
        )


def bobs_table(model: Model, tags: Labels) -> BobsTable:
    """Compute what Bob knows about every tag and stereotype of taste.

    >>> bobs_table(model, dataset.tags).table(["a", "b", "c"])["Bob guesses"][0]
    'dislike'
    """
    return BobsTable(tags.names, tag_vectors(model, tags))


def play(
    model: Model,
    dataset: Dataset,
    tag: str,
    stereotype: int,
    n_rounds: int = 100,
    *,
    seed: int = 0,
    answering: Answering = "coin",
    n_people: int = 20,
    tags: Labels | None = None,
) -> Game:
    """Play the game with the ``n_people`` nearest to a stereotype as Alice.

    Each round draws one of these people and one item of the tag that this person has rated. Alice likes the item with
    the probability that her rating stands for ("coin"), or from the middle of the scale on ("threshold").

    >>> game = play(model, dataset, "Horror", 0, n_rounds=200, answering="threshold")
    >>> game.win_rate > 0.8
    True
    """
    tags = dataset.tags if tags is None else tags
    check_same_rows(model, dataset.ratings)
    _check_game(model, tags, tag, stereotype, n_rounds)
    if answering not in get_args(Answering):
        raise InputError(f"Alice answers by one of {get_args(Answering)}, not by {answering!r}.")
    if n_people < 1:
        raise InputError(f"A game needs at least 1 person, not {n_people}.")
    tagged = np.zeros(model.n_items, dtype=np.bool_)
    tagged[_items_with(tags, tag)] = True
    rng = np.random.default_rng(seed)
    alices, entries = _draw(dataset.ratings, tagged, model.mixtures[:, stereotype], n_rounds, n_people, rng)
    items = dataset.ratings.items[entries]
    ratings = dataset.ratings.levels[dataset.ratings.by_user.codes[entries]]
    unit = dataset.ratings.scale.to_unit(ratings)
    likes = rng.random(n_rounds) < unit if answering == "coin" else unit >= 0.5
    guess, promised = _bobs_rule(model, tags, tag, stereotype)
    like = float(np.einsum("nk,nk->n", model.mixtures[alices], model.likes[items]).mean())
    guesses, expected = np.full(n_rounds, guess), like if guess else 1.0 - like
    return Game(tag, stereotype, alices, items, ratings, likes, guesses, promised, expected)


def play_with_stereotype(
    model: Model, tags: Labels, tag: str, stereotype: int, n_rounds: int = 100, *, seed: int = 0
) -> Game:
    """Play the game as the paper has it: Alice is the stereotype itself, and any item of the tag may be drawn.

    >>> game = play_with_stereotype(model, dataset.tags, "Horror", 0, n_rounds=10_000)
    >>> abs(game.win_rate - game.promised) < 4 * game.error
    True
    """
    _check_game(model, tags, tag, stereotype, n_rounds)
    rng, members = np.random.default_rng(seed), _items_with(tags, tag)
    if not len(members):
        raise InputError("No item has this tag, so the game cannot be played with it.")
    items = rng.choice(members, n_rounds)
    unit = model.likes[items, stereotype]
    ratings, likes = model.scale.clip(model.scale.from_unit(unit)), rng.random(n_rounds) < unit
    guess, promised = _bobs_rule(model, tags, tag, stereotype)
    alices, guesses = np.full(n_rounds, -1), np.full(n_rounds, guess)
    return Game(tag, stereotype, alices, items, ratings, likes, guesses, promised, promised)


def _items_with(tags: Labels, tag: str) -> IntArray:
    return np.asarray(tags.member[:, [tags.names.index(tag)]].nonzero()[0])


def _bobs_rule(model: Model, tags: Labels, tag: str, stereotype: int) -> tuple[bool, float]:
    """Return whether Bob guesses "like", and how likely he is right against the stereotype itself."""
    table, place = bobs_table(model, tags), (tags.names.index(tag), stereotype)
    return bool(table.guesses_like[place]), float(table.wins[place])


def _check_game(model: Model, tags: Labels, tag: str, stereotype: int, n_rounds: int) -> None:
    if tag not in tags.names:
        raise InputError(f"There is no tag {tag!r} to play with; there are {len(tags.names):,} others.")
    if not 0 <= stereotype < model.n_stereotypes:
        raise InputError(f"There is no stereotype of taste number {stereotype}; there are {model.n_stereotypes}.")
    if n_rounds < 1:
        raise InputError(f"A game needs at least 1 round, not {n_rounds}.")


def _draw(
    ratings: Ratings, tagged: BoolArray, closeness: FloatArray, n_rounds: int, n_people: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw for each round one of the nearest people who rated the tag's items, and the entry of one such rating."""
    people: list[int] = []
    choices: list[IntArray] = []
    for row in np.argsort(-closeness, kind="stable").tolist():
        begin, end = ratings.by_user.starts[row : row + 2]
        entries = begin + np.flatnonzero(tagged[ratings.items[begin:end]])
        if len(entries):
            people.append(row)
            choices.append(entries)
        if len(people) == n_people:
            break
    if not people:
        raise InputError("Nobody has rated an item of this tag, so the game cannot be played with it.")
    counts = np.array([len(entries) for entries in choices])
    who = rng.integers(len(people), size=n_rounds)
    which = (rng.random(n_rounds) * counts[who]).astype(np.int64)
    begins = np.cumsum(counts) - counts
    return np.array(people, dtype=np.int64)[who], np.concatenate(choices)[begins[who] + which]
