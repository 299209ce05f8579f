"""What pictures share: lines, points, bars, axes, and texts that are safe in a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from nnm_core.phrases import shortened
from nnm_core.types import FloatArray, IntArray

_INSIDE_WORD = re.compile(r"(?<=[-/‐–])(?=.)")
_OVERHANG = 2
"""Characters by which a word may be longer than its line."""


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


def hidden_axis(low: float, high: float) -> dict[str, Any]:
    """Return an axis that only says what is within the picture."""
    return axis(visible=False, range=[low, high])


def name_axis(names: Sequence[str], top: float = -0.6, **more: Any) -> dict[str, Any]:
    """Return the vertical axis of horizontal bars, the first on top; names must be safe to show."""
    rows = list(range(len(names)))
    ends = [len(names) - 0.4, top]
    return axis(tickvals=rows, ticktext=list(names), range=ends, showgrid=False, zeroline=False, **more)


def legend_below(height: int, **more: Any) -> dict[str, Any]:
    """Return a legend of that height, one name to a row: how many fit side by side depends on the screen."""
    return {"orientation": "v", "y": 0, "maxheight": 2 * height} | more


def opacity(selected: float, others: float) -> dict[str, Any]:
    """Return how opaque the points of a trace are once one of them is selected."""
    return {"selected": {"marker": {"opacity": selected}}, "unselected": {"marker": {"opacity": others}}}


UNCHANGED = opacity(1, 1)
"""A selection changes nothing about the points of the trace."""


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
