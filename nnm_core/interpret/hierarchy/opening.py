"""Where to begin looking at a hierarchy: an ε at which there is something to see."""

from __future__ import annotations

import numpy as np

from nnm_core.interpret.hierarchy.inclusion import Hierarchy

_TRIED = 48
"""Positions of ε that are looked at."""

_MOST = 60
"""Tags of which a picture can show levels."""

_FEW = 1 / 6
"""The part of the tags that may be equal to others."""


def telling_epsilon(hierarchy: Hierarchy, widest: float = 1.0) -> float:
    """An ε up to ``widest`` with as many levels as can be had while few tags are equal, in thousandths.

    Among those with as many levels, one that leaves few tags alone, puts few into one class, and is not too wide. With
    more tags than a picture of all can show, the widest at which few are equal.
    """
    if len(hierarchy.tags) > _MOST:
        return min(_few_equal(hierarchy), widest)
    births = hierarchy.births[~np.eye(len(hierarchy.tags), dtype=np.bool_)]
    steps = np.unique(np.ceil(1000 * births - 1e-6)) / 1000
    steps = steps[: max(int((steps <= widest).sum()), 1)]
    candidates = np.unique(steps[np.linspace(0, len(steps) - 1, min(len(steps), _TRIED)).astype(np.int64)]).tolist()
    best, chosen = (-1, 0, 0, 0), float(candidates[0])
    for epsilon in candidates:
        order = hierarchy.at(epsilon)
        equal = len(order.tags) - sum(len(members) == 1 for members in order.classes)
        if equal > max(2, len(order.tags) * _FEW):
            break  # more ε only makes more of them equal
        alone = int((~(order.reduced.any(axis=0) | order.reduced.any(axis=1))).sum())
        score = (int(order.layers.max(initial=0)), -alone, -equal, -int(np.bincount(order.layers).max()))
        if score > best:
            best, chosen = score, float(epsilon)
    return chosen


def _few_equal(hierarchy: Hierarchy) -> float:
    """The largest ε at which no more than a few tags are each included in another that is included in them."""
    mutual = np.maximum(hierarchy.births, hierarchy.births.T)
    np.fill_diagonal(mutual, np.inf)
    soonest = np.sort(mutual.min(axis=1))
    return max(float(np.floor(1000 * soonest[int(len(soonest) * _FEW)]) - 1), 0.0) / 1000
