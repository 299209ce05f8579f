"""What to show of a hierarchy: tags and traits that are certain enough, and the ε at which to open it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnm_core.datasets.dataset import Labels
from nnm_core.interpret.audience import shares, taste_shares
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import (
    BIRTHS,
    By,
    Hierarchy,
    leanings,
    tag_hierarchy,
    taste_hierarchy,
    trait_hierarchy,
    value_names,
)
from nnm_core.interpret.towers import Towers
from nnm_core.interpret.traits import fitted_values
from nnm_core.model import Model
from nnm_core.types import BoolArray, FloatArray, IntArray

MIN_ITEMS = 5  # that a tag needs at least
MIN_PEOPLE = 20  # that a value of a trait needs at least: random halves of fewer than ten are no test of anything
MOST_ERROR = 0.15  # the largest standard error of a value's births with which it is ordered
_CLEARLY = 2.0  # standard errors by which people must fall short of everybody before that counts
_SPLITS = 20  # times that the people are halved at random
_OF_NO_TASTE = 0.05  # a value is "empty" if the stereotypes of taste account for less than this part of its people
_FEWEST_SHOWN = 3  # tags that must be left for those that include everything to be left out
_UNLIKED = 0.01  # a tag is "empty" if all stereotypes together like it less than this part of the best liked one
_TRIED = 48  # values of ε that `opening_epsilon` compares
_DRAWABLE = 60  # up to so many tags a picture shows all levels
# The part of the tags that may be equal to others. By liking, one that is goes on to be equal to nearly all.
_FEW_EQUAL: dict[By, float] = {"liking": 1 / 6, "taste": 1 / 3}

Why = Literal["few", "unsure", "empty", "faint"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tag or a value of a trait that is not ordered.

    ``count``: its items or people. ``why``: "few" of them; "unsure" where random halves of the people disagree about
    it; "empty" where no stereotype of taste has it, so that it would be included in everything; "faint" where the
    stereotypes lean toward it no more than they would by chance.
    """

    name: str
    count: int
    why: Why


@dataclass(frozen=True, slots=True)
class Screened:
    """A hierarchy of what is certain enough, and what was left out of it."""

    hierarchy: Hierarchy
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Contradicted:
    """An inclusion that holds between stereotypes, but not between people.

    ``both`` of ``people``: those who have both, of those who have ``narrow`` and of whom the other trait is known.
    ``rate``: the share of everybody who has ``broad``.
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
        """Return how many people with ``narrow`` have ``broad``, and of how many of them that is known."""
        row, column = self.names.index(narrow), self.names.index(broad)
        return int(self.both[row, column]), int(self.people[row, column])

    def contradicted(self, order: Order) -> tuple[Contradicted, ...]:
        """Return the inclusions that do not hold between people, those that fewest people have first.

        Fewer than half of those with the narrow value have the broad one, or clearly fewer than of everybody.
        """
        found = []
        for broad, narrow in np.argwhere(order.includes).tolist():
            both, people = self.of(order.tags[narrow], order.tags[broad])
            rate = float(self.rates[self.names.index(order.tags[broad])])
            chance = _CLEARLY * math.sqrt(people * rate * (1.0 - rate))
            if both < max(people / 2, people * rate - chance):
                found.append(Contradicted(order.tags[narrow], order.tags[broad], both, people, rate))
        return tuple(sorted(found, key=lambda one: one.both / one.people))


def screen_tags(model: Model, tags: Labels, *, min_items: int = MIN_ITEMS) -> Screened:
    """Compute the hierarchy of tags with ``min_items`` items, unless fewer than two have them, that somebody likes.

    >>> [(one.name, one.why) for one in screen_tags(model, dataset.tags, min_items=14).left_out]
    [('Family', 'few')]
    """
    whole = tag_hierarchy(model, tags)
    totals = whole.vectors.sum(axis=1)
    empty = (totals <= 0) | (totals < _UNLIKED * totals.max(initial=0.0))
    few = whole.counts < min_items
    if (~few & ~empty).sum() < 2:
        few = np.zeros_like(few)
    return _screened(whole, (few, "few"), (empty, "empty"))


def screen_taste(towers: Towers, *, min_items: int = MIN_ITEMS) -> Screened:
    """Compute the hierarchy by taste of tags with ``min_items`` items, unless fewer than two have them.

    A tag is left out as well if the leanings toward it are no larger in all than those toward a tag that is attached to
    items at random: two standard deviations above what these have on average.

    >>> from nnm_core.interpret import compute_towers
    >>> screen_taste(compute_towers(model, dataset)).hierarchy.tags
    ('Comedy', 'Family', 'Horror', 'Romance', 'Thriller')
    """
    present = np.flatnonzero(towers.n_items)
    few = towers.n_items[present] < min_items
    if (~few).sum() < 2:
        few = np.zeros_like(few)
    rows = present[~few]
    whole = taste_hierarchy(towers, rows)
    # The mean and the variance of max(x, 0) for a normal x with mean 0 and variance 1
    mean, variance = 1 / math.sqrt(2 * math.pi), 0.5 - 0.5 / math.pi
    errors = towers.errors[rows]
    by_chance = mean * errors.sum(axis=1) + 2 * np.sqrt(variance * np.square(errors).sum(axis=1))
    found = _screened(whole, (whole.vectors.sum(axis=1) <= by_chance, "faint"))
    rare = [LeftOut(towers.tags[row], int(towers.n_items[row]), "few") for row in present[few]]
    return Screened(found.hierarchy, (*rare, *found.left_out))


def screen_traits(
    model: Model,
    traits: Iterable[tuple[str, Labels]],
    *,
    min_people: int = MIN_PEOPLE,
    most_error: float = MOST_ERROR,
    by: By = "liking",
) -> Screened:
    """Compute the hierarchy of the values of traits, such as ``dataset.traits.items()``, that are certain enough.

    A value needs ``min_people`` people; ``most_error`` is the largest standard error of its births.

    >>> [(one.name, one.why) for one in screen_traits(model, dataset.traits.items(), min_people=48).left_out]
    [('the thrill seeker', 'few')]
    """
    traits = list(traits)
    whole = trait_hierarchy(model, traits)
    rates = _base_rates(traits)
    present = np.flatnonzero(rates > 0)
    few = whole.counts < min_people
    of_taste = whole.vectors @ shares(model)[: model.n_stereotypes]
    empty = of_taste < _OF_NO_TASTE * rates[present]
    errors = birth_errors(model, traits, by=by)[np.ix_(present, present)]
    unsure = np.where(few, 0.0, errors).max(axis=1, initial=0.0) > most_error
    if by == "taste":
        whole = trait_hierarchy(model, traits, by=by)
    return _screened(whole, (few, "few"), (empty, "empty"), (unsure, "unsure"))


def birth_errors(model: Model, traits: Sequence[tuple[str, Labels]], *, by: By = "liking") -> FloatArray:
    """Return the standard error of the birth of every value in every other, (n_values, n_values).

    Half the root mean square difference between births from two random halves of the people: each half has twice the
    variance of the whole, and their difference four times.
    """
    rng = np.random.default_rng(0)
    n_values = sum(len(labels.names) for _, labels in traits)
    squares = np.zeros((n_values, n_values))
    for _ in range(_SPLITS):
        people = rng.permutation(model.n_users)
        first, second = (_births_of(model, traits, half, by) for half in np.array_split(people, 2))
        squares += np.square(first - second)
    np.fill_diagonal(squares, 0.0)
    return np.sqrt(squares / _SPLITS) / 2


def count_overlap(traits: Iterable[tuple[str, Labels]]) -> Overlap:
    """Count the people who have any two values of the traits, of which there is at least one.

    >>> count_overlap(dataset.traits.items()).of("the parent", "the romantic")
    (0, 48)
    """
    traits = list(traits)
    members = [labels.member.astype(np.int64) for _, labels in traits]
    known = np.stack([np.diff(member.indptr) > 0 for member in members], axis=1).astype(np.int64)
    both = np.block([[(one.T @ other).toarray() for other in members] for one in members])
    people = np.concatenate([one.T @ known for one in members])
    trait_of = np.repeat(np.arange(len(traits)), [len(labels.names) for _, labels in traits])
    return Overlap(value_names(traits), both, people[:, trait_of], _base_rates(traits))


def all_inclusive(order: Order) -> tuple[str, ...]:
    """Return the tags that include all others, whose place says little; none if hardly any others would be left.

    >>> all_inclusive(tag_hierarchy(model, dataset.tags).at(0.35))
    ()
    """
    n_tags = len(order.tags)
    found = np.flatnonzero(order.includes.sum(axis=1) == n_tags - 1)
    return tuple(order.tags[row] for row in found) if len(found) <= n_tags - _FEWEST_SHOWN else ()


def opening_epsilon(hierarchy: Hierarchy, widest: float = 1.0) -> float:
    """Choose the ε up to ``widest``, a multiple of 0.001, at which to open a hierarchy.

    It has many levels, without tags that include all others, and few tags equal to others; among values with as many
    levels, few tags without inclusions, few equal ones and small levels. With too many tags to draw, it is the largest
    at which few are equal.

    >>> opening_epsilon(tag_hierarchy(model, dataset.tags))
    0.313
    """
    if len(hierarchy.tags) > _DRAWABLE:
        return min(_few_equal(hierarchy), widest)
    births = hierarchy.births[~np.eye(len(hierarchy.tags), dtype=np.bool_)]
    steps = np.unique(np.maximum(np.ceil(1000 * births - 1e-6), 0.0)) / 1000
    steps = steps[: max(int((steps <= widest).sum()), 1)]
    candidates = np.unique(steps[np.linspace(0, len(steps) - 1, min(len(steps), _TRIED)).astype(np.int64)]).tolist()
    best, chosen = (-1, 0, 0, 0), float(candidates[0]) if candidates else 0.0
    for epsilon in candidates:
        order = hierarchy.at(epsilon)
        equal = len(order.tags) - sum(len(members) == 1 for members in order.classes)
        if equal > max(2, len(order.tags) * _FEW_EQUAL[hierarchy.by]):
            break  # more ε only makes more of them equal
        order = order.without(all_inclusive(order))
        alone = int((~(order.reduced.any(axis=0) | order.reduced.any(axis=1))).sum())
        score = (int(order.layers.max(initial=0)), -alone, -equal, -int(np.bincount(order.layers).max()))
        if score > best:
            best, chosen = score, float(epsilon)
    return chosen


def _few_equal(hierarchy: Hierarchy) -> float:
    """Return the largest ε at which few tags are each included in another that is included in them."""
    mutual = np.maximum(hierarchy.births, hierarchy.births.T)
    np.fill_diagonal(mutual, np.inf)
    soonest = np.sort(mutual.min(axis=1))
    return max(float(np.floor(1000 * soonest[int(len(soonest) * _FEW_EQUAL[hierarchy.by])]) - 1), 0.0) / 1000


def _births_of(model: Model, traits: Sequence[tuple[str, Labels]], people: IntArray, by: By) -> FloatArray:
    found = [fitted_values(model.mixtures[people], labels.member[people]) for _, labels in traits]
    vectors = np.concatenate([np.zeros((0, model.n_columns)), *found])[:, : model.n_stereotypes]
    return BIRTHS[by](leanings(vectors, taste_shares(model)) if by == "taste" else vectors)


def _base_rates(traits: Sequence[tuple[str, Labels]]) -> FloatArray:
    """Return the share of people with each value among those of whom its trait is known, (n_values,)."""
    known = [max(int(np.count_nonzero(np.diff(labels.member.indptr))), 1) for _, labels in traits]
    rates = [labels.counts / n_people for (_, labels), n_people in zip(traits, known, strict=True)]
    return np.concatenate([np.zeros(0), *rates])


def _screened(whole: Hierarchy, *reasons: tuple[BoolArray, Why]) -> Screened:
    """Leave out the rows for which a reason holds, naming the first that does."""
    left_out = []
    for row, (name, count) in enumerate(zip(whole.tags, whole.counts.tolist(), strict=True)):
        why = next((why for holds, why in reasons if holds[row]), None)
        if why is not None:
            left_out.append(LeftOut(name, count, why))
    return Screened(whole.without([one.name for one in left_out]), tuple(left_out))
