"""Which tags and traits are sure enough to be ordered, what became of the others, and what counting people says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnm_core.datasets.dataset import Labels
from nnm_core.interpret.audience import shares
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Hierarchy, births, tag_hierarchy
from nnm_core.interpret.traits import fitted_values, trait_hierarchy, value_names
from nnm_core.model import Model
from nnm_core.types import BoolArray, FloatArray, IntArray

MIN_ITEMS = 5
"""Items that a tag needs at least."""

MIN_PEOPLE = 20
"""People that a value of a trait needs at least: random halves of fewer than ten are no test of anything."""

MOST_ERROR = 0.15
"""The largest standard error of a value's births, from random halves of the people, with which it is ordered."""

_CLEARLY = 2.0
"""Standard errors by which people must fall short of everybody before that counts."""

_SPLITS = 20
"""Times that the people are halved at random."""

_OF_NO_TASTE = 0.05
"""A value is of no taste if the stereotypes of taste account for less than this part of its people."""

_UNLIKED = 0.01
"""A tag is liked by nobody if all stereotypes together like it less than this part of what the best liked one gets."""

Why = Literal["few", "unsure", "empty"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tag or a value of a trait that is not ordered.

    ``count``: its items or people. ``why``: "few" of them; "unsure" where random halves of the people disagree about
    it; "empty" where no stereotype of taste has it, so that it would be included in everything.
    """

    name: str
    count: int
    why: Why


@dataclass(frozen=True, slots=True)
class Screened:
    """A hierarchy of what is sure enough, and what was left out of it."""

    hierarchy: Hierarchy
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Contradicted:
    """An inclusion that holds between stereotypes, but not between people.

    Fewer than half of those with ``narrow`` have ``broad``, or clearly fewer than of everybody. ``both`` of ``people``:
    those who have both, of those who have ``narrow`` and of whom the other trait is known. ``rate``: the share of
    everybody who has ``broad``.
    """

    narrow: str
    broad: str
    both: int
    people: int
    rate: float


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """How many people have two values of traits.

    ``both`` (n_values, n_values): people with the row's and the column's value. ``people`` (n_values, n_values): people
    with the row's value of whom the column's trait is known. ``rates`` (n_values,): the share of people with a value
    among those of whom its trait is known.
    """

    names: tuple[str, ...]
    both: IntArray
    people: IntArray
    rates: FloatArray

    def of(self, narrow: str, broad: str) -> tuple[int, int]:
        """How many people with ``narrow`` have ``broad``, and of how many of them that is known."""
        row, column = self.names.index(narrow), self.names.index(broad)
        return int(self.both[row, column]), int(self.people[row, column])

    def contradicted(self, order: Order) -> tuple[Contradicted, ...]:
        """The inclusions of an order that the people themselves do not bear out, those with the smallest part first."""
        found = []
        for broad, narrow in np.argwhere(order.includes).tolist():
            both, people = self.of(order.tags[narrow], order.tags[broad])
            rate = float(self.rates[self.names.index(order.tags[broad])])
            chance = _CLEARLY * math.sqrt(people * rate * (1.0 - rate))
            if both < max(people / 2, people * rate - chance):
                found.append(Contradicted(order.tags[narrow], order.tags[broad], both, people, rate))
        return tuple(sorted(found, key=lambda one: one.both / one.people))


def ordered_tags(model: Model, tags: Labels, *, min_items: int = MIN_ITEMS) -> Screened:
    """The hierarchy of tags with enough items that somebody likes; where fewer than two have enough, of all tags."""
    whole = tag_hierarchy(model, tags)
    empty = _unliked(whole.vectors)
    few = whole.counts < min_items
    if (~few & ~empty).sum() < 2:
        few = np.zeros_like(few)
    return _screened(whole, (few, "few"), (empty, "empty"))


def ordered_traits(
    model: Model,
    traits: Iterable[tuple[str, Labels]],
    *,
    min_people: int = MIN_PEOPLE,
    most_error: float = MOST_ERROR,
) -> Screened:
    """The hierarchy of the values of traits that enough people have, and about which random halves of them agree."""
    traits = list(traits)
    whole = trait_hierarchy(model, traits)
    rates = _base_rates(traits)
    present = np.flatnonzero(rates > 0)
    few = whole.counts < min_people
    of_taste = whole.vectors @ shares(model)[: model.n_stereotypes]
    empty = of_taste < _OF_NO_TASTE * rates[present]
    errors = birth_errors(model, traits)[np.ix_(present, present)]
    unsure = np.where(few, 0.0, errors).max(axis=1, initial=0.0) > most_error
    return _screened(whole, (few, "few"), (empty, "empty"), (unsure, "unsure"))


def birth_errors(model: Model, traits: Sequence[tuple[str, Labels]]) -> FloatArray:
    """The standard error of the birth of every value in every other, (n_values, n_values), 0 for a value in itself.

    Half the root mean square difference between births from two random halves of the people: each half has twice the
    variance of the whole, and their difference four times.
    """
    rng = np.random.default_rng(0)
    n_values = sum(len(labels.names) for _, labels in traits)
    squares = np.zeros((n_values, n_values))
    for _ in range(_SPLITS):
        people = rng.permutation(model.n_users)
        first, second = (_births_of(model, traits, half) for half in np.array_split(people, 2))
        squares += np.square(first - second)
    np.fill_diagonal(squares, 0.0)
    return np.sqrt(squares / _SPLITS) / 2


def overlap(traits: Iterable[tuple[str, Labels]]) -> Overlap:
    """How many people have any two values of the traits, of which there is at least one."""
    traits = list(traits)
    members = [labels.member.astype(np.int64) for _, labels in traits]
    known = np.stack([np.diff(member.indptr) > 0 for member in members], axis=1).astype(np.int64)
    both = np.block([[(one.T @ other).toarray() for other in members] for one in members])
    people = np.concatenate([one.T @ known for one in members])
    trait_of = np.repeat(np.arange(len(traits)), [len(labels.names) for _, labels in traits])
    return Overlap(value_names(traits), both, people[:, trait_of], _base_rates(traits))


def _births_of(model: Model, traits: Sequence[tuple[str, Labels]], people: IntArray) -> FloatArray:
    vectors = [fitted_values(model.mixtures[people], labels.member[people]) for _, labels in traits]
    return births(np.concatenate([np.zeros((0, model.n_columns)), *vectors])[:, : model.n_stereotypes])


def _base_rates(traits: Sequence[tuple[str, Labels]]) -> FloatArray:
    """The share of people with each value among those of whom its trait is known, (n_values,)."""
    known = [max(int(np.count_nonzero(np.diff(labels.member.indptr))), 1) for _, labels in traits]
    rates = [labels.counts / n_people for (_, labels), n_people in zip(traits, known, strict=True)]
    return np.concatenate([np.zeros(0), *rates])


def _unliked(vectors: FloatArray) -> BoolArray:
    totals = vectors.sum(axis=1)
    return np.asarray((totals <= 0) | (totals < _UNLIKED * totals.max(initial=0.0)))


def _screened(whole: Hierarchy, *reasons: tuple[BoolArray, Why]) -> Screened:
    """The hierarchy without the rows for which any reason holds; the first that holds is the one that is told."""
    left_out = []
    for row, (name, count) in enumerate(zip(whole.tags, whole.counts.tolist(), strict=True)):
        why = next((why for holds, why in reasons if holds[row]), None)
        if why is not None:
            left_out.append(LeftOut(name, count, why))
    return Screened(whole.without([one.name for one in left_out]), tuple(left_out))
