"""Colours that mean the same on every page."""

from __future__ import annotations

STEREOTYPE_COLORS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b08900",
    "#56b4e9",
    "#7f5ab6",
    "#8c564b",
    "#5f6b73",
    "#3a7d44",
)
"""One colour per stereotype, after Okabe and Ito; the first six stay apart for colour-blind eyes."""


def stereotype_color(stereotype: int) -> str:
    """The colour of a stereotype."""
    return STEREOTYPE_COLORS[stereotype % len(STEREOTYPE_COLORS)]
