"""What every page and picture looks like, in light and in dark: colours, layout, type and wordmark.

- ``Look.color(k)``: stereotype ``k``. Every bar, corner, segment or block of a stereotype has it, on every page.
- ``Look.traits``: values of a trait, on the map of people.
- ``accent``: what is chosen, and single curves; ``muted``: what is only there to compare with.
- ``ink``, ``paper``, ``panel``, ``faint``: text, page, boxes, grid lines.

Pale means "could be chance": the same colour through :func:`translucent`.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import plotly.graph_objects as go
import plotly.io

from dashboard.streamlit_compat import unchecked_figure

SANS = '"Source Sans", "Source Sans Pro", "Helvetica Neue", Arial, sans-serif'
SERIF = '"Source Serif", "Source Serif Pro", Georgia, serif'
TRANSPARENT = "rgba(0,0,0,0)"
# fmt: off
_LIGHT_COLORS = (
    "#0072b2", "#d55e00", "#009e73", "#b8578f", "#a07a00", "#3d9bd1",
    "#7f5ab6", "#8c564b", "#5f6b73", "#3a7d44", "#b03a48", "#2f4b7c",
)
_DARK_COLORS = (
    "#4aa8e0", "#f0843c", "#2fc79a", "#df8fbd", "#d3ac33", "#8fd0f5",
    "#ab8ee0", "#bd8a7e", "#9aa7b0", "#71b87c", "#e07a86", "#7f9fd6",
)
# fmt: on
_LIGHT_TRAITS = ("#2d2d87", "#c3b44b", "#960f00", "#87c387", "#f087b4", "#8778f0", "#691e2d", "#4b2d5a")
_DARK_TRAITS = ("#f0f069", "#695ad2", "#78ffd2", "#b44b00", "#5a965a", "#a55a78", "#b4f096", "#875aa5")


@dataclass(frozen=True, slots=True)
class Look:
    """Every colour that a picture needs; the first six, after Okabe and Ito, differ for colour-blind eyes too."""

    mood: Literal["light", "dark"]
    ink: str
    muted: str
    faint: str
    paper: str
    panel: str
    accent: str
    colors: tuple[str, ...]
    traits: tuple[str, ...]  # which differ from one another, from the first six and from grey

    def color(self, stereotype: int) -> str:
        """Return the colour of a stereotype; beyond the list ten hues, then ten between them in another lightness."""
        number = stereotype - len(self.colors)
        if number < 0:
            return self.colors[stereotype]
        turn, place = divmod(number, 10)
        lightness = ((0.45, 0.25) if self.mood == "light" else (0.62, 0.82))[turn % 2]
        rgb = colorsys.hls_to_rgb((0.02 + 0.3 * place + 0.05 * turn) % 1.0, lightness, 0.65)
        return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)

    @property
    def main_button(self) -> Literal["primary", "secondary"]:
        """The type of a page's main button: Streamlit writes white on a primary one, unreadable on the dark accent."""
        return "primary" if self.mood == "light" else "secondary"


LIGHT = Look("light", "#101418", "#5e656d", "#e6e1d6", "#fdfcf9", "#f3f0e9", "#0b5c8a", _LIGHT_COLORS, _LIGHT_TRAITS)
DARK = Look("dark", "#e9e6df", "#a7adb4", "#343a41", "#16191d", "#1f2429", "#6db7e0", _DARK_COLORS, _DARK_TRAITS)


def look(mood: str | None) -> Look:
    """Return the look of a mood; the light one if it is not known."""
    return DARK if mood == "dark" else LIGHT


def translucent(color: str, opacity: float) -> str:
    """Return a hex colour with an opacity, as ``rgba(…)``."""
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def mixed(one: str, other: str, part: float) -> str:
    """Return the hex colour that is this part of the way from one to the other."""
    pairs = ((int(one[k : k + 2], 16), int(other[k : k + 2], 16)) for k in (1, 3, 5))
    return "#" + "".join(f"{round(low + part * (high - low)):02x}" for low, high in pairs)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two hex colours, from 1 to 21; text needs 4.5 (WCAG 2, level AA)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def written_on(color: str) -> str:
    """Return black or white, whichever has the higher contrast on this colour."""
    return max("#ffffff", "#000000", key=lambda ink: contrast(ink, color))


def make_figure(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], look: Look) -> go.Figure:
    """Return a figure in the house style, over which ``layout`` wins; not validated, which takes most of the time."""
    plotly.io.templates.default = None  # here, since Streamlit sets its own whenever it is imported
    return unchecked_figure(traces, _merge(layout, _base_layout(look)))


def _merge(upper: Mapping[str, Any], lower: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two nested mappings; ``upper`` wins."""
    both = {
        key: _merge(value, lower[key])
        for key, value in upper.items()
        if isinstance(value, Mapping) and isinstance(lower.get(key), Mapping)
    }
    return {**lower, **upper, **both}


@lru_cache(maxsize=2)
def _base_layout(look: Look) -> dict[str, Any]:
    """Return what the layouts of all pictures have in common.

    Streamlit hands every picture to plotly twice, and plotly draws again whatever it takes for new: a template, an
    array that is not a list, lists without a constant ``datarevision``. So this is no template, and figures hold lists.
    """
    axis = {
        "gridcolor": look.faint,
        "zerolinecolor": look.muted,
        "zerolinewidth": 1,
        "showline": False,
        "tickcolor": look.faint,
        "ticks": "",
        "title": {"font": {"size": 13, "color": look.muted}, "standoff": 8},
        "tickfont": {"size": 13, "color": look.ink},
        "automargin": True,
        "ticklabeloverflow": "allow",  # looking for labels that reach beyond the picture takes half of all drawing
    }
    return {
        "font": {"family": SANS, "size": 14, "color": look.ink},
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "colorway": list(look.colors),
        "xaxis": axis,
        "yaxis": axis,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 32},
        "showlegend": False,
        "legend": {"orientation": "h", "y": 1.08, "x": 0, "font": {"size": 13}, "bgcolor": TRANSPARENT},
        "hoverlabel": {
            "bgcolor": look.panel,
            "bordercolor": look.faint,
            "font": {"family": SANS, "size": 13, "color": look.ink},
            "align": "left",
        },
        "modebar": {"bgcolor": TRANSPARENT, "color": look.muted, "activecolor": look.ink},
        "dragmode": False,
        "barcornerradius": 2,
        "datarevision": 1,
    }


@lru_cache(maxsize=2)
def wordmark(look: Look) -> str:
    """Return the mark and the name of the program as the text of an SVG."""
    drawing = Path(__file__).with_name("wordmark.svg").read_text(encoding="utf-8")
    for light, own in zip((LIGHT.ink, *LIGHT.colors[:3]), (look.ink, *look.colors[:3]), strict=True):
        drawing = drawing.replace(light, own)
    return drawing
