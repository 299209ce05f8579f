"""What pictures share: lines, points, bars, axes, safe texts, and finding room for names beside points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from dashboard.wording import signed
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray, FloatArray, IntArray

_INSIDE_WORD = re.compile(r"(?<=[-/‐–])(?=.)")
_OVERHANG = 2  # characters by which a word may be longer than its line
Box = tuple[float, float, float, float]  # left, right, top and bottom in pixels, downwards from the top


def line(x: Sequence[Any], y: Sequence[Any], color: str, width: float, dash: str = "solid") -> dict[str, Any]:
    """Return a line that says nothing when pointed at."""
    style = {"color": color, "width": width} | ({} if dash == "solid" else {"dash": dash})
    return {"type": "scatter", "x": list(x), "y": list(y), "mode": "lines", "line": style, "hoverinfo": "skip"}


def points(places: FloatArray, marker: dict[str, Any]) -> dict[str, Any]:
    """Return markers at these places, (n_points, 2)."""
    x, y = places.T.tolist()
    return {"type": "scatter", "x": x, "y": y, "mode": "markers", "marker": marker}


def bars(values: FloatArray | IntArray, marker: dict[str, Any]) -> dict[str, Any]:
    """Return horizontal bars, the first on top."""
    rows = list(range(len(values)))
    return {"type": "bar", "x": values.tolist(), "y": rows, "orientation": "h", "marker": marker}


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """Return an axis that cannot be zoomed."""
    return ({"title": {"text": title}} if title else {}) | {"fixedrange": True} | more


def points_reach(widest: float) -> float:
    """Return where an axis of differences ends, so that nothing of that size touches its edge."""
    return float(np.ceil(20 * (max(0.05, widest) + 0.01)) / 20)


def points_axis(reach: float) -> dict[str, Any]:
    """Return an axis of differences from the audience, symmetric, in points."""
    ticks = {"tickvals": [-reach, 0, reach], "ticktext": [signed(-100 * reach), "0", signed(100 * reach)]}
    return axis("points vs. audience", range=[-reach, reach], zeroline=True, automargin=False, **ticks)


def hidden_axis(low: float, high: float) -> dict[str, Any]:
    """Return an axis that only says what is within the picture."""
    return axis(visible=False, range=[low, high])


def name_axis(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return the vertical axis of horizontal bars, the first on top; names must be safe to show."""
    rows = list(range(len(names)))
    ends = [len(names) - 0.4, -0.6]
    return axis(tickvals=rows, ticktext=list(names), range=ends, showgrid=False, zeroline=False, **more)


def legend_below(height: int, **more: Any) -> dict[str, Any]:
    """Return a legend of that height, one name to a row: how many fit side by side depends on the screen."""
    return {"orientation": "v", "y": 0, "maxheight": 2 * height} | more


def opacity(selected: float, others: float) -> dict[str, Any]:
    """Return how opaque the points of a trace are once one of them is selected."""
    return {"selected": {"marker": {"opacity": selected}}, "unselected": {"marker": {"opacity": others}}}


UNCHANGED = opacity(1, 1)  # a selection changes nothing about the points of the trace


def label(text: str, longest: int = 26) -> str:
    """Return a text from outside as plotly shows it: never markup, and short enough for an axis."""
    return escaped(shortened(text, longest))


def escaped(text: str) -> str:
    """Return a text as plotly shows it: what looks like markup stays text, and a quotation mark is one."""
    return escape(text, quote=False)


def in_lines(text: str, width: int) -> list[str]:
    """Break a text into lines of about that many characters, at spaces or behind slashes and hyphens of long words.

    No word is broken elsewhere: one that is much longer than a line is shortened.
    """
    lines: list[str] = []
    for word in text.split():
        pieces = [word] if len(word) <= width + _OVERHANG else _INSIDE_WORD.split(word)
        for k, piece in enumerate(pieces):
            joint = "" if k else " "
            if lines and len(lines[-1]) + len(joint) + len(piece) <= width:
                lines[-1] += joint + piece
            else:
                lines.append(piece if len(piece) <= width + _OVERHANG else shortened(piece, width))
    return lines


def box_at(x: float, y: float, size: tuple[float, float], side: tuple[int, int]) -> Box:
    """Return the box of a text at a point; ``side``: across and down, −1 left or above, 0 centred, 1 right or below."""
    left, top = (at + (to - 1) * length / 2 for at, to, length in zip((x, y), side, size, strict=True))
    return (left, left + size[0], top, top + size[1])


def boxes_around(centres: FloatArray, sizes: FloatArray | float) -> FloatArray:
    """Return the boxes, (n_points, 4), of points at ``centres`` (n_points, 2) that are ``sizes`` pixels across."""
    (x, y), half = centres.T, np.asarray(sizes) / 2
    return np.column_stack([x - half, x + half, y - half, y + half])


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """One width at which a picture is shown: where names may stand, and the boxes of what they should not cover."""

    left: float
    right: float
    top: float
    points: FloatArray


class LabelPlacer:
    """Places names one after the other; none lies on an earlier one."""

    def __init__(self, screens: Sequence[Screen]) -> None:
        self._screens = screens
        self._taken: list[list[Box]] = [[] for _ in screens]

    def place(self, places: Sequence[Sequence[Box]], *, required: bool = False) -> int | None:
        """Return which of the ``places``, boxes on every screen, covers no points, or the fewest if ``required``."""
        covered = {
            number: sum(int(_overlaps(box, one.points).sum()) for one, box in zip(self._screens, boxes, strict=True))
            for number, boxes in enumerate(places)
            if self._is_free(boxes)
        }
        best = min(covered, key=covered.__getitem__, default=None)
        if best is None or (covered[best] and not required):
            return None
        for taken, box in zip(self._taken, places[best], strict=True):
            taken.append(box)
        return best

    def _is_free(self, boxes: Sequence[Box]) -> bool:
        return all(
            screen.left <= box[0]
            and box[1] <= screen.right
            and screen.top <= box[2]
            and not _overlaps(box, taken).any()
            for screen, taken, box in zip(self._screens, self._taken, boxes, strict=True)
        )


def _overlaps(box: Box, others: FloatArray | Sequence[Box]) -> BoolArray:
    """Return which of the other boxes, (n, 4), a box overlaps."""
    left, right, top, bottom = np.reshape(others, (-1, 4)).T
    return np.asarray((left < box[1]) & (right > box[0]) & (top < box[3]) & (bottom > box[2]))
