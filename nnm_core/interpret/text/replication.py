"""Whether what is said about the stereotypes of some people holds for the stereotypes of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnm_core.datasets.dataset import Dataset
from nnm_core.interpret.compare import match_stereotypes
from nnm_core.interpret.exemplars import item_taste
from nnm_core.interpret.text.portraits import write_portraits
from nnm_core.interpret.themes import find_themes
from nnm_core.interpret.towers import compute_towers
from nnm_core.model import Model
from nnm_core.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Replicated:
    """A leaning of a stereotype, and whether the matching stereotype of other people leans the same way.

    ``kind``: to a theme, or to an item by which one recognises the stereotype; ``what``: its phrase or title.
    ``in_name``: the name mentions it; other leanings are mentioned in the text or shown under the name.
    """

    stereotype: int
    kind: Literal["theme", "item"]
    what: str
    likes: bool
    in_name: bool
    holds: bool


def replicate(first: tuple[Model, Dataset], second: tuple[Model, Dataset]) -> list[Replicated]:
    """Check every leaning that portraits of the first model mention against the second model.

    Both are models of the same items, each with the ratings that it was fitted to, such as those of two halves of the
    people. Stereotypes are matched by what they like, generosity set aside.

    >>> all(leaning.holds for leaning in replicate((model, dataset), (model, dataset)))
    True
    """
    (model, dataset), (other, others) = first, second
    themes = find_themes(dataset)
    counts = (dataset.ratings.by_item.counts + others.ratings.by_item.counts).astype(np.float64)
    item_tastes = item_taste(other, others, damped=False)
    matches = _match_by_taste(item_taste(model, dataset, damped=False), item_tastes, counts)
    tastes = compute_towers(other, others, themes.labels).taste
    found = []
    for portrait in write_portraits(model, dataset)[: model.n_stereotypes]:
        k, liked = portrait.stereotype, set() if portrait.claims is None else set(portrait.claims.likes)
        for row in dict.fromkeys((*portrait.themes, *portrait.mentioned)):
            holds = bool((tastes[row, matches[k]] > 0) == (row in liked))
            in_name = row in portrait.themes
            found.append(Replicated(k, "theme", themes.phrases[row], row in liked, in_name, holds))
        for row, title in zip(portrait.items, portrait.titles, strict=True):
            holds = bool(item_tastes[row, matches[k]] > 0)
            found.append(Replicated(k, "item", title, True, portrait.is_named_after_items, holds))
    return found


def _match_by_taste(first: FloatArray, second: FloatArray, weights: FloatArray) -> IntArray:
    """Return the stereotype of the second model for each of the first, by the correlation of their tastes."""
    between = (first * weights[:, None]).T @ second
    sizes = np.outer(np.sqrt(weights @ first**2), np.sqrt(weights @ second**2))
    return match_stereotypes(-between / np.maximum(sizes, 1e-12))
