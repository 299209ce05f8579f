"""The layout and type that all pictures share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io

from dashboard.streamlit_compat import unchecked_figure
from dashboard.theme.palette import LIGHT, Look

SANS = '"Source Sans", "Source Sans Pro", "Helvetica Neue", Arial, sans-serif'
SERIF = '"Source Serif", "Source Serif Pro", Georgia, serif'
TRANSPARENT = "rgba(0,0,0,0)"


def make_figure(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], look: Look) -> go.Figure:
    """Return a figure in the house style; what ``layout`` says comes first.

    Plotly does not validate it, since that takes most of the time.
    """
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
    drawing = (Path(__file__).parent / "wordmark.svg").read_text(encoding="utf-8")
    for light, own in zip((LIGHT.ink, *LIGHT.colors[:3]), (look.ink, *look.colors[:3]), strict=True):
        drawing = drawing.replace(light, own)
    return drawing
