"""Inclusion at ε between tags or traits: one matrix of births answers every ε at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core.datasets.dataset import Labels
from nnm_core.errors import InputError
from nnm_core.interpret.hierarchy.graph import Order, order_at
from nnm_core.interpret.towers import tag_vectors
from nnm_core.model import Model
from nnm_core.phrases import quoted, tag_in_words
from nnm_core.types import FloatArray, IntArray

ROUNDING = 1e-12
"""Births this close to ε count as reached, so that an inclusion that holds exactly is not lost to rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Why one tag is included in another from a certain ε on.

    ``birth``: the smallest ε at which it is; the sum of ``losses``.
    ``carried`` (n_stereotypes,): the part of the narrow tag's weight that each stereotype keeps inside the broad tag;
    ``losses`` (n_stereotypes,): the part that falls outside. Together they sum to 1.
    ``carrier`` and ``breaker``: the stereotypes with the largest of each.
    ``likes`` (2, n_stereotypes): how much each stereotype likes the narrow tag, and the broad one.
    """

    narrow: str
    broad: str
    birth: float
    carried: FloatArray
    losses: FloatArray
    carrier: int
    breaker: int
    likes: FloatArray

    def in_words(self, names: Sequence[str]) -> str:
        """From which ε on, and whose liking carries it most and strains it most; ``names`` of the stereotypes."""
        if len(names) < len(self.losses):
            raise InputError(f"{len(names)} names for {len(self.losses)} stereotypes.")
        narrow, broad = tag_in_words(self.narrow), tag_in_words(self.broad)
        carrier, breaker = (
            f"{quoted(names[k])} (likes {narrow} at {self.likes[0, k]:.2f} and {broad} at {self.likes[1, k]:.2f})"
            for k in (self.carrier, self.breaker)
        )
        held = f"{carrier} carries it most"
        held += f", {breaker} strains it most" if self.breaker != self.carrier else " and strains it most"
        # Rounded up: at the ε that is named, the inclusion must already hold.
        return f"{narrow} is included in {broad} from ε = {np.ceil(1e3 * self.birth - 1e-9) / 1e3:.3f} on; {held}."


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Tags, or traits, with the ε at which each becomes included in each other; arrays are read-only.

    ``vectors`` (n_tags, n_stereotypes) with entries from 0 to 1.
    ``births`` (n_tags, n_tags): the smallest ε at which the row's tag is included in the column's. The diagonal is a
    tag's own: at an ε below it the tag is not even included in itself, which the graphs leave out.
    ``counts`` (n_tags,): how many items, or people, have the tag.
    """

    tags: tuple[str, ...]
    vectors: FloatArray
    births: FloatArray
    counts: IntArray

    def __post_init__(self) -> None:
        for name in ("vectors", "births", "counts"):
            getattr(self, name).flags.writeable = False

    def at(self, epsilon: float) -> Order:
        """The graph at ε with everything that is read off it."""
        return order_at(self.tags, self.births, epsilon, rounding=ROUNDING)

    def only(self, tags: Iterable[str]) -> Hierarchy:
        """The same hierarchy of these tags alone, in its own order."""
        wanted = set(self.rows(tags).tolist())
        return self._at_rows([row for row in range(len(self.tags)) if row in wanted])

    def without(self, tags: Iterable[str]) -> Hierarchy:
        """The same hierarchy with these tags left out."""
        left_out = set(self.rows(tags).tolist())
        return self._at_rows([row for row in range(len(self.tags)) if row not in left_out])

    def witness(self, narrow: str, broad: str) -> Witness:
        """Which stereotypes carry and which break the inclusion of ``narrow`` in ``broad``."""
        inner, outer = self.rows([narrow, broad]).tolist()
        vector = self.vectors[inner]
        total = vector.sum()
        if total <= 0:
            raise InputError(f"No stereotype likes {narrow!r}: nothing carries or breaks its inclusion in {broad!r}.")
        carried = vector * self.vectors[outer] / total
        losses = vector * (1.0 - self.vectors[outer]) / total
        birth = float(self.births[inner, outer])
        likes = np.array([vector, self.vectors[outer]])
        return Witness(narrow, broad, birth, carried, losses, int(carried.argmax()), int(losses.argmax()), likes)

    def share_of_the_broad(self) -> float:
        """The part of the variance of births, from 0 to 1, that is explained by which tag is the broad one.

        Near 1, tags come to include everything else in the order in which they are liked.
        """
        own = np.eye(len(self.tags), dtype=np.bool_)
        births = np.ma.masked_array(self.births, own)
        spread = float(births.var()) if len(self.tags) > 1 else 0.0
        return 1.0 - float((births - births.mean(axis=0)).var()) / spread if spread > 0 else 0.0

    def rows(self, tags: Iterable[str]) -> IntArray:
        """The rows of the given tags."""
        index = {tag: row for row, tag in enumerate(self.tags)}
        wanted = [tags] if isinstance(tags, str) else list(tags)
        unknown = [tag for tag in wanted if tag not in index]
        if unknown:
            raise InputError(f"There is no tag {unknown[0]!r} in this hierarchy of {len(self.tags):,} tags.")
        return np.array([index[tag] for tag in wanted], dtype=np.int64)

    def _at_rows(self, rows: Sequence[int]) -> Hierarchy:
        chosen = np.array(rows, dtype=np.int64)
        return Hierarchy(
            tuple(self.tags[row] for row in rows),
            self.vectors[chosen],
            self.births[np.ix_(chosen, chosen)],
            self.counts[chosen],
        )


def tag_hierarchy(model: Model, tags: Labels, *, min_items: int = 1, leave_out: Iterable[str] = ()) -> Hierarchy:
    """The hierarchy of tags over the stereotypes of taste, from the paper's plain tag vectors.

    Tags with fewer than ``min_items`` items, and those in ``leave_out``, are not in it.
    """
    if tags.member.shape[0] != model.n_items:
        raise InputError(f"Tags are given for {tags.member.shape[0]:,} of the model's {model.n_items:,} items.")
    enough = np.flatnonzero(tags.counts >= max(min_items, 1))
    names = tuple(tags.names[row] for row in enough)
    found = hierarchy_of(names, tag_vectors(model, tags)[enough], tags.counts[enough])
    return found.without(leave_out)


def hierarchy_of(tags: Sequence[str], vectors: FloatArray, counts: IntArray | None = None) -> Hierarchy:
    """The hierarchy of any vectors (n_tags, n_stereotypes) of probabilities; names must differ."""
    vectors = np.array(vectors, dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(tags):
        raise InputError(f"{len(tags):,} tags need as many rows of vectors, not the shape {vectors.shape}.")
    if len(set(tags)) != len(tags):
        raise InputError("Two tags have the same name; names must differ.")
    if not ((vectors >= -ROUNDING) & (vectors <= 1 + ROUNDING)).all():
        raise InputError("Tag vectors must be probabilities from 0 to 1.")
    counts = np.zeros(len(tags), dtype=np.int64) if counts is None else np.array(counts)
    return Hierarchy(tuple(tags), vectors, births(vectors), counts)


def births(vectors: FloatArray) -> FloatArray:
    """The smallest ε at which the row's tag is included in the column's, (n_tags, n_tags), from 0 to 1.

    1 - E_τ'·E_τ / ‖E_τ‖₁. A tag that nobody likes at all, whose vector is zero, is included in everything from 0 on.
    """
    totals = vectors.sum(axis=1)
    result: FloatArray = vectors @ vectors.T
    result /= -np.where(totals > 0, totals, 1.0)[:, None]
    result += 1.0
    result[totals <= 0] = 0.0
    return np.clip(result, 0.0, 1.0, out=result)
