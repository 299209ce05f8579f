"""Finding room for names beside points, on a phone and on a desk at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core.types import BoolArray, FloatArray

Box = tuple[float, float, float, float]
"""Left, right, top and bottom in pixels, downwards from the top."""


def box_at(x: float, y: float, size: tuple[float, float], side: tuple[int, int]) -> Box:
    """Return the box of a text of that size at a point.

    ``side``: where the text stands, across (−1 left, 0 centred, 1 right) and down (−1 above, 0 centred, 1 below).
    """
    left, top = (at + (to - 1) * length / 2 for at, to, length in zip((x, y), side, size, strict=True))
    return (left, left + size[0], top, top + size[1])


def boxes_around(centres: FloatArray, sizes: FloatArray | float) -> FloatArray:
    """Return the boxes, (n_points, 4), of points at ``centres`` (n_points, 2) that are ``sizes`` pixels across."""
    (x, y), half = centres.T, np.asarray(sizes) / 2
    return np.column_stack([x - half, x + half, y - half, y + half])


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """One width at which a picture is shown: where names may stand, and what they should not cover.

    ``points`` (n_points, 4): the boxes of what is drawn.
    """

    left: float
    right: float
    top: float
    points: FloatArray

    def holds(self, box: Box) -> bool:
        """Return whether a box lies within the picture."""
        return box[0] >= self.left and box[1] <= self.right and box[2] >= self.top


class LabelPlacer:
    """Places names one after the other; none lies on an earlier one."""

    def __init__(self, screens: Sequence[Screen]) -> None:
        self._screens = screens
        self._taken: list[list[Box]] = [[] for _ in screens]

    def place(self, places: Sequence[Sequence[Box]], *, required: bool = False) -> int | None:
        """Return which of the places covers no points, the first if there are several; None if there is none.

        ``places``: for each possible place, its box on every screen. ``required``: points may be covered, as few as
        possible.
        """
        covered = {number: self._n_covered(boxes) for number, boxes in enumerate(places) if self._is_free(boxes)}
        best = min(covered, key=covered.__getitem__, default=None)
        if best is None or (covered[best] and not required):
            return None
        for taken, box in zip(self._taken, places[best], strict=True):
            taken.append(box)
        return best

    def _is_free(self, boxes: Sequence[Box]) -> bool:
        return all(
            screen.holds(box) and not (taken and _overlaps(box, np.array(taken)).any())
            for screen, taken, box in zip(self._screens, self._taken, boxes, strict=True)
        )

    def _n_covered(self, boxes: Sequence[Box]) -> int:
        return sum(int(_overlaps(box, one.points).sum()) for one, box in zip(self._screens, boxes, strict=True))


def _overlaps(box: Box, others: FloatArray) -> BoolArray:
    """Return which of the other boxes, (n, 4), a box overlaps."""
    left, right, top, bottom = others.T
    return np.asarray((left < box[1]) & (right > box[0]) & (top < box[3]) & (bottom > box[2]))
