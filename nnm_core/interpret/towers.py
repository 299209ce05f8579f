"""Towers: how much each stereotype likes each tag, absolutely and against the audience."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.errors import InputError
from nnm_core.interpret.audience import check_same_rows, evidence, shares, taste_shares
from nnm_core.model import FIXED_NAMES, Model
from nnm_core.types import BoolArray, FloatArray, IntArray

Weighting = Literal["damped", "alike"]
_IN_TABLES: dict[Weighting, str] = {"damped": "damped", "alike": "every item alike"}
RATINGS_PER_STEREOTYPE = 5.0  # an item with this many ratings for every stereotype counts half in its tag's mean
AVERAGE_ITEMS = 2.0  # items of average appeal added to every tag, so that a tag with two items cannot look extreme
MIN_ITEMS, MIN_RATINGS = 5, 50  # below this a tag is shown as thin and nothing is said about it
MIN_EVIDENCE = 10  # ratings by people of a stereotype below which nothing is said about its taste
CHANCE = 0.05  # how likely it may be that anything at all is called clear where tags are attached at random


@dataclass(frozen=True, slots=True, eq=False)
class Towers:
    """How likely each stereotype of taste is to like an item of each tag; arrays are read-only.

    ``likes`` (n_tags, n_stereotypes): means over the tag's items. With the ``weighting`` "damped", items with few
    ratings count less and cannot make a tag extreme. With "alike", every item counts alike, as the paper defines it.
    ``plain`` (n_tags, n_stereotypes): the paper's E_g whatever the weighting; not a number for a tag without items.
    ``levels`` (n_stereotypes,): the same mean over all items, which is how generous a stereotype is.
    ``weights`` (n_stereotypes,): shares of the audience, generosity set aside, with which ``audience`` is taken.
    ``n_items``, ``n_ratings`` (n_tags,); ``evidence`` (n_tags, n_stereotypes): how many of the ratings come from people
    of each stereotype.
    ``errors`` (n_tags, n_stereotypes): how much ``taste`` would vary if the tag were attached to items at random.
    ``is_supported`` (n_tags,): whether the tag has the minimum of items and ratings.
    """

    tags: tuple[str, ...]
    likes: FloatArray
    plain: FloatArray
    levels: FloatArray
    weights: FloatArray
    n_items: IntArray
    n_ratings: IntArray
    evidence: FloatArray
    errors: FloatArray
    is_supported: BoolArray
    weighting: Weighting = "damped"

    def __post_init__(self) -> None:
        for field in fields(self)[1:-1]:
            getattr(self, field.name).flags.writeable = False

    @property
    def audience(self) -> FloatArray:
        """What the audience's tastes together make of each tag, (n_tags,)."""
        return np.asarray(self.likes @ self.weights)

    @property
    def relative(self) -> FloatArray:
        """How much more each stereotype likes each tag than the audience does, (n_tags, n_stereotypes).

        Weighted by share, a tag's row sums to 0.
        """
        return self.likes - self.audience[:, None]

    @property
    def leanings(self) -> FloatArray:
        """How much more each stereotype likes everything than the audience does, (n_stereotypes,)."""
        return np.asarray(self.levels - self.levels @ self.weights)

    @property
    def taste(self) -> FloatArray:
        """``relative`` without the stereotype's own generosity: what is left is taste, (n_tags, n_stereotypes)."""
        return self.relative - self.leanings

    @property
    def is_clear(self) -> BoolArray:
        """Where taste is more than chance: beyond what random tags would show anywhere, (n_tags, n_stereotypes).

        Only for tags with enough data, and for stereotypes whose people have rated the tag's items.
        """
        n_bars = max(int(self.is_supported.sum()) * len(self.levels), 1)
        threshold = float(-ndtri(CHANCE / 2 / n_bars))
        enough = self.is_supported[:, None] & (self.evidence >= MIN_EVIDENCE)
        return np.asarray(enough & (np.abs(self.taste) > threshold * self.errors))

    @property
    def is_reliable(self) -> BoolArray:
        """Where taste is clear and has the same sign as ``relative``, (n_tags, n_stereotypes).

        A generous stereotype may like a tag more than the audience does although its taste is against it.
        """
        return np.asarray(self.is_clear & (np.sign(self.relative) == np.sign(self.taste)))

    def row(self, tag: str) -> int:
        """Return the row of a tag."""
        if tag not in self.tags:
            raise InputError(f"There is no tag {tag!r}; there are {len(self.tags):,} others.")
        return self.tags.index(tag)

    def table(self, names: Iterable[str]) -> pd.DataFrame:
        """Return one row per tag and stereotype; ``names`` are those of the stereotypes.

        The names of columns that depend on the weighting say which it is.
        """
        weighting = _IN_TABLES[self.weighting]
        columns = {
            f"likes ({weighting})": self.likes,
            f"audience ({weighting})": self.audience,
            f"more than the audience ({weighting})": self.relative,
            f"taste ({weighting})": self.taste,
            "clear": self.is_clear,
            "full bar": self.is_reliable,
            f"likes ({_IN_TABLES['alike']})": self.plain,
            "items": self.n_items,
            "ratings": self.n_ratings,
            "ratings by its people": self.evidence,
            "enough data": self.is_supported,
            "share of taste": np.broadcast_to(self.weights, self.likes.shape),
        }
        return tag_table(self.tags, names, columns)


@dataclass(frozen=True, slots=True)
class Generosity:
    """A stereotype that gives every item the same rating: a habit, not a taste.

    ``rating``: what it gives, on the scale; ``share`` of the audience that it makes up.
    """

    name: str
    rating: float
    like: float
    share: float


def compute_towers(
    model: Model, dataset: Dataset, tags: Labels | None = None, *, weighting: Weighting = "damped"
) -> Towers:
    """Compute how likely each stereotype of taste is to like an item of each tag.

    ``tags`` are labels of the items, by default those of the data set. ``weighting``: how items count in the mean of
    a tag, see ``Towers``.

    >>> bars = compute_towers(model, dataset)
    >>> bars.tags[bars.taste[:, 0].argmax()]
    'Horror'
    """
    tags = dataset.tags if tags is None else tags
    check_same_rows(model, dataset.ratings)
    if tags.member.shape[0] != model.n_items:
        raise InputError(f"Tags are given for {tags.member.shape[0]:,} of the model's {model.n_items:,} items.")
    likes = model.likes[:, : model.n_stereotypes]
    counts = dataset.ratings.by_item.counts
    damped = weighting == "damped"
    weights = counts / (counts + RATINGS_PER_STEREOTYPE * model.n_stereotypes) if damped else np.ones(len(counts))
    levels = np.asarray(weights @ likes) / weights.sum()
    member = tags.member.astype(np.float64).T.tocsr()
    # A tag without items is as average as can be, however items are weighted.
    n_average = np.where(tags.counts > 0, AVERAGE_ITEMS if damped else 0.0, 1.0)[:, None]
    total = np.asarray(member @ weights)[:, None] + n_average
    bars = (member @ (weights[:, None] * likes) + n_average * levels) / total
    n_items, n_ratings = tags.counts, np.asarray(member @ counts).astype(np.int64)
    # The standard deviation of the taste for a tag that is attached to items at random.
    own = likes - levels
    per_item = own - (own @ taste_shares(model))[:, None]
    spread = np.sqrt(np.asarray(weights @ per_item**2) / weights.sum())
    errors = spread * np.sqrt(np.asarray(member @ weights**2)[:, None]) / total
    return Towers(
        tags=tags.names,
        likes=bars,
        plain=tag_vectors(model, tags),
        levels=levels,
        weights=taste_shares(model),
        n_items=n_items,
        n_ratings=n_ratings,
        evidence=np.asarray(member @ evidence(model, dataset.ratings)[:, : model.n_stereotypes]),
        errors=errors,
        is_supported=(n_items >= MIN_ITEMS) & (n_ratings >= MIN_RATINGS),
        weighting=weighting,
    )


def tag_vectors(model: Model, tags: Labels) -> FloatArray:
    """Return the paper's E_g, the mean liking of a tag's items by each stereotype of taste, (n_tags, n_stereotypes).

    Not a number for a tag without items.

    >>> tag_vectors(model, dataset.tags).shape
    (5, 3)
    """
    sums = tags.member.astype(np.float64).T.tocsr() @ model.likes[:, : model.n_stereotypes]
    with np.errstate(invalid="ignore"):
        return np.asarray(sums) / tags.counts[:, None]


def tag_table(tags: tuple[str, ...], names: Iterable[str], columns: Mapping[str, NDArray[Any]]) -> pd.DataFrame:
    """Return one row per tag and stereotype, from columns of values per tag, or per tag and stereotype."""
    names = list(names)
    n_stereotypes = next(iter(columns.values())).shape[1]
    if len(names) != n_stereotypes:
        raise InputError(f"{len(names)} names for {n_stereotypes} stereotypes.")
    found = {"tag": np.repeat(np.array(tags, dtype=object), n_stereotypes), "stereotype": names * len(tags)}
    for title, values in columns.items():
        found[title] = values.ravel() if values.ndim == 2 else np.repeat(values, n_stereotypes)
    return pd.DataFrame(found)


def generosity(model: Model) -> tuple[Generosity, ...]:
    """Describe the enthusiast and the skeptic; empty if the model has neither.

    >>> from nnm_core import fit, preset
    >>> [(part.name, part.rating) for part in generosity(fit(dataset.ratings, preset("recommended")))]
    [('enthusiast', 5.0), ('skeptic', 1.0)]
    """
    if not model.n_fixed:
        return ()
    fixed = model.likes[0, model.n_stereotypes :]
    ratings = model.scale.clip(model.scale.from_unit(fixed))
    parts = zip(FIXED_NAMES, ratings.tolist(), fixed.tolist(), shares(model)[model.n_stereotypes :], strict=True)
    return tuple(Generosity(name, rating, like, float(share)) for name, rating, like, share in parts)
