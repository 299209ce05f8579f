"""Two views of an audience side by side: parts of the audience, matched stereotypes, and where their tastes differ.

``part_of`` restricts a data set to some of its people. ``compare_sides`` matches the stereotypes of two models, which
may differ in their options, their number of stereotypes, their people or their items, and compares their towers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.errors import InputError
from nnm_core.interpret.audience import shares
from nnm_core.interpret.compare import match_stereotypes, stereotype_distances
from nnm_core.interpret.text.leanings import find_leanings
from nnm_core.interpret.towers import CHANCE, Towers
from nnm_core.model import Model
from nnm_core.phrases import listed, percent, tag_in_words
from nnm_core.types import BoolArray, FloatArray, IntArray

FEWEST_TAGS = 3
"""Tags that two data sets need in common to be compared."""

_LEAST_DIFFERENCE = 0.02
_MOST_NAMED = 3
_OF_HALVES = 2.0  # chosen on random halves of the same people, which few comparisons should find to differ


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two views: a model, the data that it was fitted to, and its towers over their tags."""

    model: Model
    dataset: Dataset
    towers: Towers


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The towers of two views over the tags that both have, with matched stereotypes.

    ``matches`` (n_first,): which stereotype of the second view corresponds to each of the first, -1 where none does.
    ``first`` (n_tags, n_first), ``second`` (n_tags, n_second): how much more each stereotype likes the tag than its
    audience does, its generosity set aside. ``first_shares``, ``second_shares``: of the audiences.
    ``differs`` (n_tags, n_first): where the tastes of a matched pair differ by more than chance.
    """

    tags: tuple[str, ...]
    matches: IntArray
    first: FloatArray
    second: FloatArray
    first_shares: FloatArray
    second_shares: FloatArray
    differs: BoolArray

    @property
    def unmatched(self) -> list[int]:
        """The stereotypes of the second view that correspond to none of the first."""
        return [k for k in range(self.second.shape[1]) if k not in self.matches.tolist()]

    def change(self, stereotype: int) -> FloatArray:
        """Return how much more the matched stereotype of the second view likes each tag, (n_tags,)."""
        return np.asarray(self.second[:, self.matches[stereotype]] - self.first[:, stereotype])

    def in_words(self, stereotype: int) -> str:
        """Say how a stereotype of the first view differs from the one that it is matched with."""
        other = int(self.matches[stereotype])
        if other < 0:
            return "The other view has no stereotype like this one."
        share, theirs = self.first_shares[stereotype], self.second_shares[other]
        size = f"{percent(share)} of the audience here, {percent(theirs)} there."
        change = np.where(self.differs[:, stereotype], self.change(stereotype), 0.0)
        order = np.argsort(-np.abs(change), kind="stable")[:_MOST_NAMED]
        named = [(self.tags[row], float(change[row])) for row in order if change[row]]
        if not named:
            return f"{size} No difference in taste beyond chance."
        parts = [
            f"{tag_in_words(tag)} {'more' if by > 0 else 'less'} ({abs(100 * by):.0f} points)" for tag, by in named
        ]
        return f"{size} There it likes {listed(parts)}."


def part_of(dataset: Dataset, people: BoolArray, name: str) -> Dataset:
    """Return the data of some of the ``people`` (n_users,) under another name; all items stay.

    Raises InputError if none of them rated anything.

    >>> thriller_fans = dataset.traits["nearest stereotype"].member[:, [0]].toarray()[:, 0] > 0
    >>> part_of(dataset, thriller_fans, "fans").ratings.n_users == thriller_fans.sum()
    np.True_
    """
    chosen, rows = np.flatnonzero(people), people[dataset.ratings.users]
    if not rows.any():
        raise InputError(f"Nobody in {name!r} has rated anything.")
    part = dataset.ratings.among(chosen, np.arange(dataset.ratings.n_items))
    traits = {trait: Labels(labels.names, labels.member[chosen]) for trait, labels in dataset.traits.items()}
    days = None if dataset.days is None else dataset.days[rows]
    return replace(dataset, name=name, ratings=part, traits=traits, days=days)


def compare_sides(first: Side, second: Side) -> Comparison:
    """Match the stereotypes of two views and compare their tastes over the tags that both have.

    Stereotypes are matched by their likes where both models have the same items, otherwise by their towers.

    Raises
    ------
    InputError
        If the items differ and there are fewer than three common tags.

    Examples
    --------
    >>> from nnm_core.interpret import compute_towers
    >>> side = Side(model, dataset, compute_towers(model, dataset))
    >>> compare_sides(side, side).in_words(0)
    '33% of the audience here, 33% there. No difference in taste beyond chance.'
    """
    common = [tag for tag in first.towers.tags if tag in set(second.towers.tags)]
    rows = np.array([[first.towers.row(tag), second.towers.row(tag)] for tag in common], dtype=np.int64).reshape(-1, 2)
    enough = first.towers.is_supported[rows[:, 0]] & second.towers.is_supported[rows[:, 1]]
    rows, tags = rows[enough], tuple(np.array(common, dtype=object)[enough])
    ours, theirs = first.towers.taste[rows[:, 0]], second.towers.taste[rows[:, 1]]
    if first.model.item_ids == second.model.item_ids:
        distances = stereotype_distances(first.model, second.model, first.dataset.ratings)
    elif len(tags) >= FEWEST_TAGS:
        distances = np.abs(ours[:, :, None] - theirs[:, None, :]).mean(axis=0)
    else:
        raise InputError(
            f"The two have {len(tags)} tags in common, and other items; at least {FEWEST_TAGS} tags are needed to "
            "compare them."
        )
    matches = match_stereotypes(distances)
    change = theirs[:, matches] - ours
    differs = _stands_out(first, second, rows, matches, change) & (np.abs(change) > _LEAST_DIFFERENCE) & (matches >= 0)
    return Comparison(
        tags=tags,
        matches=matches,
        first=ours,
        second=theirs,
        first_shares=shares(first.model)[: first.model.n_stereotypes],
        second_shares=shares(second.model)[: second.model.n_stereotypes],
        differs=differs,
    )


def _stands_out(first: Side, second: Side, rows: IntArray, matches: IntArray, change: FloatArray) -> BoolArray:
    """Return where the ratings bear a change of taste out by more than chance, (n_tags, n_first).

    What the people of the two stereotypes gave differs by so many standard errors over people. Fits of random halves of
    the same people differ as well, by up to twice what these errors say: what stands out must exceed that.
    """
    ours, theirs = (find_leanings(side.model, side.dataset, side.dataset.tags) for side in (first, second))
    difference = theirs.means[rows[:, 1]][:, matches] - ours.means[rows[:, 0]]
    errors = np.hypot(ours.errors[rows[:, 0]], theirs.errors[rows[:, 1]][:, matches])
    scores = np.divide(difference, errors, out=np.zeros_like(difference), where=errors > 0)
    threshold = _OF_HALVES * NormalDist().inv_cdf(1 - CHANCE / 2 / max(scores.size, 1))
    return np.asarray((np.abs(scores) > threshold) & (np.sign(scores) == np.sign(change)))
