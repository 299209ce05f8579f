"""Inclusion at ε between tags or traits, by taste or as in the paper, and the smallest ε ("birth") of each."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnm_core.datasets.dataset import Labels
from nnm_core.errors import InputError
from nnm_core.interpret.audience import taste_shares
from nnm_core.interpret.hierarchy.graph import Order, order_at
from nnm_core.interpret.towers import Towers, tag_vectors
from nnm_core.interpret.traits import trait_vectors
from nnm_core.model import Model
from nnm_core.phrases import distinct
from nnm_core.types import FloatArray, IntArray

ROUNDING = 1e-12  # births this close to ε count as reached: one that holds exactly is not lost to rounding

By = Literal["taste", "liking"]
"""What is compared: leanings, or, as in the paper, probabilities of liking."""


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Why one tag is included in another from a certain ε on.

    ``birth``: the smallest ε at which it is; the sum of ``losses``.
    ``carried`` (n_stereotypes,): the part of the narrow tag's weight that each stereotype keeps inside the broad tag;
    ``losses`` (n_stereotypes,): the part that falls outside. Together they sum to 1.
    """

    narrow: str
    broad: str
    birth: float
    carried: FloatArray
    losses: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Tags, or traits, with the ε at which each becomes included in each other; arrays are read-only.

    ``vectors`` (n_tags, n_stereotypes) with entries from 0 to 1: ``by`` "liking", how likely each stereotype is to like
    the tag; by "taste", how far it leans toward it (see ``leanings``).
    ``births`` (n_tags, n_tags): the smallest ε at which the row's tag is included in the column's. The diagonal is a
    tag's own: at an ε below it the tag is not even included in itself, which the graphs leave out.
    ``counts`` (n_tags,): how many items, or people, have the tag.
    ``liked`` (n_tags,): how likely the audience is to like an item of the tag; not a number where that is unknown.
    """

    tags: tuple[str, ...]
    vectors: FloatArray
    births: FloatArray
    counts: IntArray
    liked: FloatArray
    by: By = "liking"

    def __post_init__(self) -> None:
        for name in ("vectors", "births", "counts", "liked"):
            getattr(self, name).flags.writeable = False

    def at(self, epsilon: float) -> Order:
        """Return the graph of inclusions at ε."""
        return order_at(self.tags, self.births, epsilon, rounding=ROUNDING)

    def only(self, tags: Iterable[str]) -> Hierarchy:
        """Return the hierarchy of these tags alone, in its own order."""
        return self._at_rows(np.unique(self.rows(tags)))

    def without(self, tags: Iterable[str]) -> Hierarchy:
        """Return the hierarchy without these tags."""
        return self._at_rows(np.delete(np.arange(len(self.tags)), self.rows(tags)))

    def witness(self, narrow: str, broad: str) -> Witness:
        """Split the birth of ``narrow`` in ``broad`` into the losses of the stereotypes."""
        inner, outer = self.rows([narrow, broad]).tolist()
        vector, other = self.vectors[inner], self.vectors[outer]
        total = vector.sum()
        if total <= 0:
            raise InputError(f"No stereotype likes {narrow!r}: nothing carries or breaks its inclusion in {broad!r}.")
        kept = np.minimum(vector, other) if self.by == "taste" else vector * other
        return Witness(narrow, broad, float(self.births[inner, outer]), kept / total, (vector - kept) / total)

    def share_of_the_broad(self) -> float:
        """Return the part of the variance of births that the broad tag alone explains.

        Near 1 the hierarchy says little: tags come to include all others in the order in which they are liked.
        """
        own = np.eye(len(self.tags), dtype=np.bool_)
        births = np.ma.masked_array(self.births, own)
        spread = float(births.var()) if len(self.tags) > 1 else 0.0
        return 1.0 - float((births - births.mean(axis=0)).var()) / spread if spread > 0 else 0.0

    def one_class_at(self) -> float:
        """Return the smallest ε at which all tags include each other, directly or around a cycle; 0 for one tag."""
        steps = np.unique(np.append(self.births, 0.0))
        place = bisect_left(steps, 1, key=lambda epsilon: int(len(self.at(float(epsilon)).classes) <= 1))
        return float(steps[place])

    def rows(self, tags: Iterable[str]) -> IntArray:
        """Return the rows of the given tags."""
        index = {tag: row for row, tag in enumerate(self.tags)}
        wanted = [tags] if isinstance(tags, str) else list(tags)
        unknown = [tag for tag in wanted if tag not in index]
        if unknown:
            raise InputError(f"There is no tag {unknown[0]!r} in this hierarchy of {len(self.tags):,} tags.")
        return np.array([index[tag] for tag in wanted], dtype=np.int64)

    def _at_rows(self, rows: IntArray) -> Hierarchy:
        tags = tuple(self.tags[row] for row in rows)
        births = self.births[np.ix_(rows, rows)]
        return Hierarchy(tags, self.vectors[rows], births, self.counts[rows], self.liked[rows], self.by)


def tag_hierarchy(model: Model, tags: Labels) -> Hierarchy:
    """Compute the paper's hierarchy of all tags that an item has, from their ``tag_vectors``.

    >>> tag_hierarchy(model, dataset.tags).at(0.35).included("Comedy")
    ('Family', 'Romance')
    """
    if tags.member.shape[0] != model.n_items:
        raise InputError(f"Tags are given for {tags.member.shape[0]:,} of the model's {model.n_items:,} items.")
    present = np.flatnonzero(tags.counts)
    names, vectors = [tags.names[row] for row in present], tag_vectors(model, tags)[present]
    return hierarchy_of(names, vectors, tags.counts[present], liked=vectors @ taste_shares(model))


def taste_hierarchy(towers: Towers, rows: IntArray | None = None) -> Hierarchy:
    """Compute the hierarchy by taste of all tags that an item has, or of those in these ``rows``.

    The leaning toward a tag is how much more a stereotype likes it than the audience does, beyond what the stereotype
    likes more on average over these tags.

    >>> from nnm_core.interpret import compute_towers
    >>> taste_hierarchy(compute_towers(model, dataset)).at(0.25).included("Thriller")
    ('Horror',)
    """
    rows = np.flatnonzero(towers.n_items) if rows is None else rows
    likes = towers.likes[rows]
    names = [towers.tags[row] for row in rows]
    vectors = leanings(likes, towers.weights, centred=True)
    return hierarchy_of(names, vectors, towers.n_items[rows], liked=likes @ towers.weights, by="taste")


def trait_hierarchy(model: Model, traits: Iterable[tuple[str, Labels]], *, by: By = "liking") -> Hierarchy:
    """Compute the hierarchy of all values that somebody has; ``traits`` are pairs of a name and its labels.

    By "taste" it compares in which stereotypes a value is more frequent than in the audience. Rare values are
    uncertain: ``screen_traits`` leaves them out.

    >>> trait_hierarchy(model, dataset.traits.items()).tags
    ('the thrill seeker', 'the romantic', 'the parent')
    """
    traits = list(traits)
    counts = np.concatenate([np.zeros(0, dtype=np.int64), *(labels.counts for _, labels in traits)])
    vectors = [trait_vectors(model, labels, trait)[:, : model.n_stereotypes] for trait, labels in traits]
    stacked = np.concatenate([np.zeros((0, model.n_stereotypes)), *vectors])
    present = np.flatnonzero(counts)
    names = value_names(traits)
    if by == "taste":
        stacked = leanings(stacked, taste_shares(model))
    return hierarchy_of([names[row] for row in present], stacked[present], counts[present], by=by)


def value_names(traits: Iterable[tuple[str, Labels]]) -> tuple[str, ...]:
    """Return the names of all values, trait by trait; a value that occurs twice is preceded by its trait."""
    pairs = [(trait, value) for trait, labels in traits for value in labels.names]
    often = Counter(value for _, value in pairs)
    return distinct(value if often[value] == 1 else f"{trait}: {value}" for trait, value in pairs)


def hierarchy_of(
    tags: Sequence[str],
    vectors: FloatArray,
    counts: IntArray | None = None,
    *,
    liked: FloatArray | None = None,
    by: By = "liking",
) -> Hierarchy:
    """Compute the hierarchy of any vectors of probabilities, (n_tags, n_stereotypes), of tags with distinct names.

    By "taste", the vectors are ``leanings``.

    >>> hierarchy_of(["Drama", "Film-Noir"], np.array([[0.9, 0.8], [0.9, 0.1]])).at(0.2).included("Drama")
    ('Film-Noir',)
    """
    vectors = np.array(vectors, dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(tags):
        raise InputError(f"{len(tags):,} tags need as many rows of vectors, not the shape {vectors.shape}.")
    if len(set(tags)) != len(tags):
        raise InputError("Two tags have the same name; names must differ.")
    if not ((vectors >= -ROUNDING) & (vectors <= 1 + ROUNDING)).all():
        raise InputError("Tag vectors must be probabilities from 0 to 1.")
    counts = np.zeros(len(tags), dtype=np.int64) if counts is None else np.array(counts)
    liked = np.full(len(tags), np.nan) if liked is None else np.array(liked)
    return Hierarchy(tuple(tags), vectors, BIRTHS[by](vectors), counts, liked, by)


def leanings(vectors: FloatArray, shares: FloatArray, *, centred: bool = False) -> FloatArray:
    """Return how far each stereotype leans toward each tag, (n_tags, n_stereotypes); 0 where it leans away.

    That is how much more likely it is to like the tag than the audience, whose stereotypes have these ``shares``
    (n_stereotypes,). ``centred``: less its mean over the tags, which sets a stereotype's general habits aside.

    >>> leanings(np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([0.5, 0.5]))
    array([[0.4, 0. ],
           [0. , 0.2]])
    """
    more = vectors - (vectors @ shares)[:, None]
    if centred and len(more):
        more -= more.mean(axis=0)
    return np.maximum(more, 0.0)


def births(vectors: FloatArray) -> FloatArray:
    """Return the smallest ε at which the row's tag τ is included in the column's τ', (n_tags, n_tags).

    1 - E_τ'·E_τ / ‖E_τ‖₁. A tag that nobody likes, whose vector is zero, is included in everything from 0 on.

    >>> births(np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([[0. , 0.5],
           [0.5, 0.5]])
    """
    totals = vectors.sum(axis=1)
    result: FloatArray = vectors @ vectors.T
    result /= -np.where(totals > 0, totals, 1.0)[:, None]
    result += 1.0
    result[totals <= 0] = 0.0
    return np.clip(result, 0.0, 1.0, out=result)


def taste_births(leanings: FloatArray) -> FloatArray:
    """Return the smallest ε at which the leaning toward the row's tag lies within the column's, (n_tags, n_tags).

    1 - Σ_ω min(P_τω, P_τ'ω) / Σ_ω P_τω, one minus Kosko's fuzzy subsethood. A tag that nobody leans toward is included
    in everything from 0 on.

    >>> taste_births(np.array([[0.2, 0.0], [0.1, 0.3]]))
    array([[0.  , 0.5 ],
           [0.75, 0.  ]])
    """
    totals = leanings.sum(axis=1)
    result = np.zeros((len(leanings), len(leanings)))
    for column in leanings.T:
        result -= np.minimum.outer(column, column)
    result /= np.where(totals > 0, totals, 1.0)[:, None]
    result += 1.0
    result[totals <= 0] = 0.0
    return np.clip(result, 0.0, 1.0, out=result)


BIRTHS = {"liking": births, "taste": taste_births}
"""How births are computed from vectors."""
