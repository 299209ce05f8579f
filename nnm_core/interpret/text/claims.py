"""What can be said about a stereotype, as fields: the claims that portraits put into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.interpret.audience import shares
from nnm_core.interpret.exemplars import distinctive_rows
from nnm_core.interpret.towers import MIN_EVIDENCE, Towers, compute_towers
from nnm_core.model import Model
from nnm_core.types import BoolArray, FloatArray, IntArray

MIN_EFFECT = 0.03  # smaller differences in the probability of liking are not mentioned
GENEROUS = 0.05  # from this difference to the audience on, a stereotype is called generous or hard to please
MOST_TAGS = 3  # named on either side
FILMS = 3  # items to recognise a stereotype by

Manner = Literal["taste", "open", "strict", "plain"]
Generous = Literal["generous", "hard to please", "average", "unknown"]


@dataclass(frozen=True, slots=True)
class Claims:
    """What is claimed about one stereotype of taste; tags and items are rows, the strongest first.

    ``manner``: ``"open"`` if it is generous and likes every tag with enough data more than the audience does,
    ``"strict"`` if it is hard to please and likes every such tag less, ``"taste"`` if neither and there are tags to
    name, ``"plain"`` if the data carry no claim on tags.
    ``likes``: tags that it clearly favours when its generosity is set aside. In the manner ``"taste"`` it also likes
    them more than the audience does; in the manner ``"strict"`` it likes them less, but by less than usual.
    ``avoids``: the same downwards.
    ``lean``: by how much its liking of everything differs from the audience's; ``generosity``: what that amounts to,
    ``"unknown"`` for a stereotype of which there are hardly any people. ``share`` of the audience.
    ``items``: widely known items that it likes and that set it apart, one of each tag in ``likes`` where there is one.
    """

    stereotype: int
    manner: Manner
    likes: tuple[int, ...]
    avoids: tuple[int, ...]
    share: float
    lean: float
    generosity: Generous
    items: tuple[int, ...]


def find_claims(
    model: Model, dataset: Dataset, bars: Towers | None = None, *, firm: BoolArray | None = None
) -> tuple[Claims, ...]:
    """Find what can be said about each stereotype of taste.

    A tag is named only where taste is more than chance (``Towers.is_clear``), large enough to mention and, if given,
    ``firm`` (n_tags, n_stereotypes), see ``Stability.is_firm``. ``bars`` are the model's towers, if at hand.

    >>> [dataset.tags.names[tag] for tag in find_claims(model, dataset)[0].likes]
    ['Horror', 'Thriller']
    """
    bars = compute_towers(model, dataset) if bars is None else bars
    named = bars.is_clear & (np.abs(bars.taste) >= MIN_EFFECT)
    if firm is not None:
        named &= firm
    items = distinctive_rows(model, dataset, model.n_items)
    return tuple(
        _claims_of(k, bars, named[:, k], float(share), len(dataset.ratings), items[k], dataset.tags)
        for k, share in enumerate(shares(model)[: model.n_stereotypes])
    )


def _claims_of(
    stereotype: int, bars: Towers, clear: BoolArray, share: float, n_ratings: int, items: list[int], tags: Labels
) -> Claims:
    relative, taste = bars.relative[:, stereotype], bars.taste[:, stereotype]
    lean = float(bars.leanings[stereotype])
    generous: Generous = "generous" if lean >= GENEROUS else "hard to please" if lean <= -GENEROUS else "average"
    if share * n_ratings < MIN_EVIDENCE:
        generous = "unknown"
    manner = _manner(generous, relative[bars.is_supported])
    above, below = clear & (taste > 0), clear & (taste < 0)
    if manner == "taste":
        above, below = above & (relative >= MIN_EFFECT), below & (relative <= -MIN_EFFECT)
    likes, avoids = _strongest(above, taste), _strongest(below, -taste)
    if manner == "taste" and not likes and not avoids:
        manner = "plain"
    shown = likes if manner == "taste" and bars.tags == tags.names else ()
    return Claims(stereotype, manner, likes, avoids, share, lean, generous, _to_recognise(items, shown, tags))


def _to_recognise(rows: list[int], likes: tuple[int, ...], tags: Labels) -> tuple[int, ...]:
    """Return the first items and, among them, one of every tag in ``likes`` where there is one."""
    chosen: list[int] = []
    has = tags.member.tocsc()
    for tag in likes:
        members = set(has.indices[has.indptr[tag] : has.indptr[tag + 1]].tolist())
        chosen += [row for row in rows if row in members and row not in chosen][:1]
    chosen += [row for row in rows if row not in chosen][: max(FILMS - len(chosen), 0)]
    return tuple(sorted(chosen, key=rows.index))


def _manner(generous: Generous, relative: FloatArray) -> Manner:
    """Return whether a generous or strict stereotype is so with every tag."""
    if len(relative) > 1 and generous == "generous" and (relative >= MIN_EFFECT).all():
        return "open"
    if len(relative) > 1 and generous == "hard to please" and (relative <= -MIN_EFFECT).all():
        return "strict"
    return "taste"


def _strongest(among: BoolArray, strength: FloatArray) -> tuple[int, ...]:
    rows: IntArray = np.flatnonzero(among)
    order = np.argsort(-strength[rows], kind="stable")[:MOST_TAGS]
    return tuple(int(row) for row in rows[order])
