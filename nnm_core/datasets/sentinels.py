"""Numbers among ratings that may mean "seen, not rated", such as -1, 0 and 99."""

from __future__ import annotations

import numpy as np

from nnm_core.datasets.report import Offer
from nnm_core.scale import written
from nnm_core.types import FloatArray, IntArray

_MIN_REST = 4  # so many ratings must lie together before another one can be said to lie far from them
_CODES = frozenset({77, 88, 96, 97, 98, 99, *range(996, 1000), *range(9996, 10000), *range(-9, 0), -77, -88, -97})
_CODES |= {-98, -99, -998, -999, -9999}  # what surveys write for "refused", "does not know" and the like


def find_offers(levels: FloatArray, counts: IntArray) -> list[Offer]:
    """Find ratings that may mean "seen, not rated" among increasing ``levels`` (n,) with their ``counts`` (n,).

    >>> levels = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 98.0, 99.0])
    >>> [offer.value for offer in find_offers(levels, np.ones(7, dtype=int))]
    [98.0, 99.0]
    """
    found: dict[int, str] = {}
    for n_outer in (3, 2, 1):  # surveys have several codes beyond the scale
        for outer in (range(n_outer), range(len(levels) - n_outer, len(levels))):
            rest = np.delete(levels, [*outer, *found]) if len(levels) >= n_outer + 2 else levels[:0]
            if len(rest) < 2 or set(outer) & found.keys() or (n_outer > 1 and not _CODES.issuperset(levels[outer])):
                continue
            whys = {k: _why_missing(float(levels[k]), rest) for k in outer}
            found |= whys if all(whys.values()) else {}
    return [Offer(float(levels[k]), int(counts[k]), why) for k, why in sorted(found.items())]


def _why_missing(value: float, rest: FloatArray) -> str:
    """Say why an outermost rating may be no rating; empty if nothing speaks for it."""
    lowest, highest = float(rest[0]), float(rest[-1])
    span, gap = highest - lowest, max(lowest - value, value - highest)
    others = f"all other ratings are from {written(lowest)} to {written(highest)}"
    if len(rest) >= _MIN_REST and gap > max(span, 1.0) * 1.5:
        return f"it lies far from all other ratings, {written(lowest)} to {written(highest)}"
    if value == -1 and lowest >= 0 and highest > 1:
        return f"all other ratings are {written(lowest)} or more"
    if value == 0 and lowest >= 0.5 and span >= 2:
        return f"{others}, and 0 is often written for “not rated”"
    if value in _CODES and gap > max(1.0, 0.5 * span):
        return f"it is often written for “not rated”, and {others}"
    return ""
