"""Colours and type that mean the same on every page, in light and in dark."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import plotly.graph_objects as go
import plotly.io

from dashboard import streamlit_compat

Mood = Literal["light", "dark"]

SANS = '"Source Sans", "Source Sans Pro", "Helvetica Neue", Arial, sans-serif'
SERIF = '"Source Serif", "Source Serif Pro", Georgia, serif'

_LIGHT_COLORS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b8578f",
    "#a07a00",
    "#3d9bd1",
    "#7f5ab6",
    "#8c564b",
    "#5f6b73",
    "#3a7d44",
    "#b03a48",
    "#2f4b7c",
)
_DARK_COLORS = (
    "#4aa8e0",
    "#f0843c",
    "#2fc79a",
    "#df8fbd",
    "#d3ac33",
    "#8fd0f5",
    "#ab8ee0",
    "#bd8a7e",
    "#9aa7b0",
    "#71b87c",
    "#e07a86",
    "#7f9fd6",
)
_LIGHT_TRAITS = ("#2d2d87", "#c3b44b", "#960f00", "#87c387", "#f087b4", "#8778f0", "#691e2d", "#4b2d5a")
_DARK_TRAITS = ("#f0f069", "#695ad2", "#78ffd2", "#b44b00", "#5a965a", "#a55a78", "#b4f096", "#875aa5")


@dataclass(frozen=True, slots=True)
class Look:
    """Every colour a picture needs.

    ``colors``: one per stereotype, after Okabe and Ito; the first six stay apart for colour-blind eyes, and a
    stereotype has the same place in the light and in the dark list. Beyond the list colours are made up; names say who
    is who. ``traits``: for values of a trait, since a colour of a stereotype must not mean anything else; they stay
    apart for colour-blind eyes from one another, from the first six stereotypes and from grey.
    """

    mood: Mood
    ink: str
    muted: str
    faint: str
    paper: str
    panel: str
    accent: str
    colors: tuple[str, ...]
    traits: tuple[str, ...]

    def color(self, stereotype: int) -> str:
        """The colour of a stereotype."""
        known = len(self.colors)
        return self.colors[stereotype] if stereotype < known else _further(stereotype - known, self.mood)


def _further(number: int, mood: Mood) -> str:
    """Colours beyond the list: ten hues round the circle, then ten between them in another strength."""
    turn, place = divmod(number, 10)
    hue = (0.02 + 0.3 * place + 0.05 * turn) % 1.0
    strengths = (0.45, 0.25) if mood == "light" else (0.62, 0.82)
    red, green, blue = colorsys.hls_to_rgb(hue, strengths[turn % 2], 0.65)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


LIGHT = Look("light", "#101418", "#5e656d", "#e6e1d6", "#fdfcf9", "#f3f0e9", "#0b5c8a", _LIGHT_COLORS, _LIGHT_TRAITS)
DARK = Look("dark", "#e9e6df", "#a7adb4", "#343a41", "#16191d", "#1f2429", "#6db7e0", _DARK_COLORS, _DARK_TRAITS)


def look(mood: str | None) -> Look:
    """The look of a mood; light if it is not known."""
    return DARK if mood == "dark" else LIGHT


def translucent(color: str, opacity: float) -> str:
    """A hex colour seen through: ``rgba(…)``."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def contrast(one: str, other: str) -> float:
    """How well two hex colours can be told apart, from 1 to 21; text needs 4.5 (WCAG 2, level AA)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def written_on(color: str) -> str:
    """Black or white, whichever can be read on this colour."""
    return max("#ffffff", "#000000", key=lambda ink: contrast(ink, color))


def apply(figure: go.Figure, style: Look, height: int) -> go.Figure:
    """The figure in the house style, that many pixels high; what it says of itself stays."""
    plotly.io.templates.default = None  # here, since Streamlit sets its own whenever it is imported
    layout = {key: value for key, value in figure.layout.to_plotly_json().items() if key != "template"}
    figure.layout = _on_top(layout | {"height": height}, _house(style))
    return figure


def drawn(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], style: Look) -> go.Figure:
    """A figure in the house style, built in one go and unchecked: plotly's checks take most of the time."""
    plotly.io.templates.default = None
    return streamlit_compat.unchecked_figure(traces, _on_top(layout, _house(style)))


def _on_top(upper: Mapping[str, Any], lower: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        key: _on_top(value, lower[key])
        for key, value in upper.items()
        if isinstance(value, Mapping) and isinstance(lower.get(key), Mapping)
    }
    return {**lower, **upper, **both}


@lru_cache(maxsize=2)
def _house(style: Look) -> dict[str, Any]:
    """What the layouts of all pictures of a look have in common.

    Streamlit hands every picture to plotly twice, the second time as a copy, and plotly draws again what it cannot tell
    from something new: a template, an array that is not a list, and lists without a revision that stays the same.
    So this is no template, figures hold lists, and there is a revision.
    """
    axis = {
        "gridcolor": style.faint,
        "zerolinecolor": style.muted,
        "zerolinewidth": 1,
        "showline": False,
        "tickcolor": style.faint,
        "ticks": "",
        "title": {"font": {"size": 13, "color": style.muted}, "standoff": 8},
        "tickfont": {"size": 13, "color": style.ink},
        "automargin": True,
        "ticklabeloverflow": "allow",  # looking for labels that reach beyond the picture takes half of all drawing
    }
    return {
        "font": {"family": SANS, "size": 14, "color": style.ink},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(style.colors),
        "xaxis": axis,
        "yaxis": axis,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 32},
        "showlegend": False,
        "legend": {"orientation": "h", "y": 1.08, "x": 0, "font": {"size": 13}, "bgcolor": "rgba(0,0,0,0)"},
        "hoverlabel": {
            "bgcolor": style.panel,
            "bordercolor": style.faint,
            "font": {"family": SANS, "size": 13, "color": style.ink},
            "align": "left",
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": style.muted, "activecolor": style.ink},
        "dragmode": False,
        "barcornerradius": 2,
        "datarevision": 1,
    }


@lru_cache(maxsize=2)
def wordmark(style: Look) -> str:
    """The mark and the name, as the text of an SVG."""
    drawing = (Path(__file__).parent / "wordmark.svg").read_text(encoding="utf-8")
    for light, own in zip((LIGHT.ink, *LIGHT.colors[:3]), (style.ink, *style.colors[:3]), strict=True):
        drawing = drawing.replace(light, own)
    return drawing
