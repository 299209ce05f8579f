"""What can be said about a stereotype, as fields: the claims that portraits put into words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, hstack

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.interpret.audience import shares
from nnm_core.interpret.exemplars import distinctive_rows
from nnm_core.interpret.text.leanings import Given, find_leanings, mean_ratings
from nnm_core.interpret.themes import Themes, find_themes
from nnm_core.interpret.towers import Towers, compute_towers
from nnm_core.model import Model
from nnm_core.types import BoolArray, FloatArray

MIN_EFFECT = 0.04  # smaller differences in the probability of liking are not mentioned
MIN_SCORE = 3.0  # standard errors by which the ratings of its people must bear out what is said of a stereotype
SURE_SCORE = 5.0  # the same for names that hold less often: what it does not like, or another stereotype likes more
ITEM_SCORE = 4.0  # the same for an item, unless there is none
MIN_PEOPLE = 20  # all those who lean to a stereotype taken together, below which nothing is said about its themes
GENEROUS = 0.025  # of the scale: from this difference to all people on, the people of a stereotype are called generous
BEST_KNOWN = 250  # of the most rated items are those to recognise a stereotype by
_AT_LEAST = 2  # items to recognise a stereotype by, if so many are sure enough for a theme
_TRIED = 12  # items for each stereotype that are held against the ratings of its people
_TRIED_OF_A_THEME = 4

Manner = Literal["taste", "open", "strict", "plain"]
Generous = Literal["generous", "hard to please", "average"]


@dataclass(frozen=True, slots=True)
class Claims:
    """What is claimed about one stereotype of taste; themes and items are rows, the surest first.

    ``manner``: ``"open"`` if its people are generous and it likes every theme with enough data more than the audience
    does, ``"strict"`` if they are hard to please and it likes every such theme less, ``"taste"`` if neither and there
    are themes to name, ``"plain"`` if the data carry no claim on themes. The first two only in models in which the
    enthusiast and the skeptic do not stand for generosity.
    ``likes``: themes that it favours when generosity is set aside. In the manner ``"taste"`` it also likes them more
    than the audience does; in the manner ``"strict"`` it likes them less, but by less than usual. ``avoids``: the same
    downwards. ``own`` are those of ``likes`` that it favours more than any other stereotype does, and ``own_avoids``
    those of ``avoids`` that it favours least of all; ``shared``: those of ``likes`` that are sure enough for a name
    although another stereotype favours them more.
    ``gave``: the mean rating by its people, everybody counting by how much of it they are; ``all_gave``: the mean of
    all ratings; ``generosity``: what the difference amounts to. ``share`` of the audience; ``has_people``: whether they
    gave enough ratings to say anything.
    ``items``: widely known items that it likes and that set it apart.
    """

    stereotype: int
    manner: Manner
    share: float
    gave: float
    all_gave: float
    generosity: Generous
    has_people: bool
    items: tuple[int, ...]
    likes: tuple[int, ...] = ()
    avoids: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    own_avoids: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()


def find_claims(
    model: Model, dataset: Dataset, themes: Themes | None = None, *, firm: BoolArray | None = None
) -> tuple[Claims, ...]:
    """Find what can be said about each stereotype of taste.

    A theme is named only where taste is more than chance (``Towers.is_clear``) and large enough to mention, where all
    optima that fit the ratings equally well agree on its sign, and where the ratings of the people who lean to the
    stereotype bear it out. ``firm`` (n_tags, n_stereotypes), see ``Stability.is_firm``, says which of the data set's
    tags may be named; ``themes`` are those of the data set, if at hand.

    >>> themes = find_themes(dataset)
    >>> [themes.phrases[row] for row in find_claims(model, dataset, themes)[0].likes]
    ['horror', 'thrillers']
    """
    themes = find_themes(dataset) if themes is None else themes
    bars = compute_towers(model, dataset, themes.labels)
    named = bars.is_clear & (np.abs(bars.taste) >= MIN_EFFECT) & themes.is_nameable[:, None]
    if firm is not None:
        named[: len(firm)] &= firm
    for twin in _equally_good(model):
        named &= np.sign(compute_towers(twin, dataset, themes.labels).taste) == np.sign(bars.taste)
    tried = _items_to_try(model, dataset, themes.labels, named & (bars.taste > 0))
    scores, item_scores = _scores(model, dataset, themes.labels, np.asarray(named.any(axis=1)), tried)
    given, share = mean_ratings(model, dataset.ratings), shares(model)
    has_people = share * np.count_nonzero(dataset.ratings.by_user.counts) >= MIN_PEOPLE
    named &= (scores * np.sign(bars.taste) >= MIN_SCORE) & has_people[: model.n_stereotypes]
    found = []
    for k in range(model.n_stereotypes):
        generous = _generosity(given, k, model.scale.span)
        # Where habits are stereotypes of their own, the others are described by taste alone.
        manner = "taste" if model.n_fixed else _manner(generous, bars.relative[bars.is_supported, k])
        own_items = sorted(tried[k], key=lambda row: -item_scores[row][k])
        items = [row for row in own_items if item_scores[row][k] >= ITEM_SCORE]
        items = items or [row for row in own_items[:_AT_LEAST] if item_scores[row][k] >= MIN_SCORE]
        claims = Claims(
            stereotype=k,
            manner=manner,
            share=float(share[k]),
            gave=float(given.means[k]),
            all_gave=given.overall,
            generosity=generous,
            has_people=bool(has_people[k]),
            items=tuple(items),
        )
        found.append(_with_themes(claims, bars, named[:, k], scores[:, k]))
    return tuple(found)


def _equally_good(model: Model) -> Iterator[Model]:
    """Yield the other optima of the model's atlas that fit the ratings equally well, as far as they were kept."""
    for other in () if model.atlas is None else model.atlas.equally_good:
        if other.mixtures is not None and other.answers is not None:
            yield replace(model, mixtures=other.mixtures, answers=other.answers, atlas=None, given_names=None)


def _scores(
    model: Model, dataset: Dataset, labels: Labels, wanted: BoolArray, tried: list[list[int]]
) -> tuple[FloatArray, dict[int, FloatArray]]:
    """Return the leanings of people in standard errors, for the wanted themes (else 0) and for the items to try."""
    rows, items = np.flatnonzero(wanted), [row for part in tried for row in part]
    ones = csr_array((np.ones(len(items)), (items, np.arange(len(items)))), shape=(model.n_items, len(items)))
    member = csr_array(hstack([labels.member[:, rows], ones], format="csr"), dtype=np.bool_)
    found = find_leanings(model, dataset, Labels((*map(str, rows), *map(str, items)), member)).scores
    scores = np.zeros((len(wanted), model.n_stereotypes))
    scores[rows] = found[: len(rows)]
    return scores, dict(zip(items, found[len(rows) :], strict=True))


def _generosity(given: Given, stereotype: int, span: float) -> Generous:
    more = float(given.means[stereotype]) - given.overall
    if abs(more) < GENEROUS * span or abs(more) < MIN_SCORE * given.errors[stereotype]:
        return "average"
    return "generous" if more > 0 else "hard to please"


def _with_themes(claims: Claims, bars: Towers, named: BoolArray, scores: FloatArray) -> Claims:
    """Return the claims with the themes that may be named."""
    relative, taste = bars.relative[:, claims.stereotype], bars.taste[:, claims.stereotype]
    above, below, manner = named & (taste > 0), named & (taste < 0), claims.manner
    if manner == "taste":
        above, below = above & (relative >= MIN_EFFECT), below & (relative <= -MIN_EFFECT)
        manner = "taste" if (above | below).any() else "plain"

    def strongest_first(among: BoolArray) -> tuple[int, ...]:
        rows = np.flatnonzero(among)
        return tuple(rows[np.argsort(-np.abs(taste[rows]), kind="stable")].tolist())

    return replace(
        claims,
        manner=manner,
        likes=strongest_first(above),
        avoids=strongest_first(below),
        own=strongest_first(above & (taste == bars.taste.max(axis=1))),
        own_avoids=strongest_first(below & (taste == bars.taste.min(axis=1)) & (-scores >= SURE_SCORE)),
        shared=strongest_first(above & (taste < bars.taste.max(axis=1)) & (scores >= SURE_SCORE)),
    )


def _manner(generous: Generous, relative: FloatArray) -> Manner:
    """Return whether a generous or strict stereotype is so with every theme."""
    if len(relative) > 1 and generous == "generous" and (relative >= MIN_EFFECT).all():
        return "open"
    if len(relative) > 1 and generous == "hard to please" and (relative <= -MIN_EFFECT).all():
        return "strict"
    return "taste"


def _items_to_try(model: Model, dataset: Dataset, labels: Labels, liked: BoolArray) -> list[list[int]]:
    """Return for each stereotype the best known items that set it apart; an item sets only one apart.

    Some of each theme that may be named for it (``liked``, (n_themes, n_stereotypes)) are among them.
    """
    known = set(np.argsort(-dataset.ratings.by_item.counts, kind="stable")[:BEST_KNOWN].tolist())
    found = []
    for k, rows in enumerate(distinctive_rows(model, dataset, model.n_items)):
        apart = [row for row in rows if row in known]
        has = labels.member[apart][:, np.flatnonzero(liked[:, k])].toarray()
        chosen = np.arange(len(apart)) < _TRIED
        chosen |= (has & (np.cumsum(has, axis=0) <= _TRIED_OF_A_THEME)).any(axis=1)
        found.append([row for row, is_chosen in zip(apart, chosen.tolist(), strict=True) if is_chosen])
    return found
