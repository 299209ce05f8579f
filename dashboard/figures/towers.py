"""A tower: how likely one stereotype is to like an item of each tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, drawn, translucent
from dashboard.wording import label, signed
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray, FloatArray

_LONGEST = 20
"""Characters of a label beside the bars, which need room as well; all of it appears over the bar."""

ROW_HEIGHT = 22

_ROOM = 0.01
"""Between the longest bar or line and the edge."""


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """What all towers of a row share and what each has of its own.

    ``labels``: tags or titles, the first on top. ``likes`` (n_labels, n_stereotypes) and ``audience`` (n_labels,):
    probabilities of liking, or differences from the audience, which is 0 then. ``firm`` (n_labels, n_stereotypes):
    drawn in full colour, others pale. ``low``, ``high`` (n_labels, n_stereotypes): the ends of the bars over fits from
    other random starts, where they were made.
    """

    labels: Sequence[str]
    likes: FloatArray
    audience: FloatArray
    firm: BoolArray
    low: FloatArray | None = None
    high: FloatArray | None = None


def tower_figure(
    bars: Bars, stereotype: int, style: Look, *, relative: bool = False, chosen: int | None = None, like: str = "like"
) -> go.Figure:
    """One bar per label, the first on top, and a tick where the whole audience stands.

    ``relative``: ``bars`` are measured from the audience, and all towers share one symmetric axis. ``chosen``: the bar
    that somebody picked. ``like``: what people do with items.
    """
    color, values = style.color(stereotype), bars.likes[:, stereotype].tolist()
    places = list(range(len(bars.labels)))
    names = [label(text, _LONGEST) for text in bars.labels]
    whole = [label(text, 120) for text in bars.labels]
    fills = [color if firm else translucent(color, 0.45) for firm in bars.firm[:, stereotype]]
    edge = [style.ink if place == chosen else "rgba(0,0,0,0)" for place in places]
    said = "%{text} points against the audience" if relative else f"{like}s %{{x:.0%}} of them"
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": values,
            "y": places,
            "orientation": "h",
            "marker": {"color": fills, "line": {"color": edge, "width": 1.5}},
            "customdata": whole,
            "text": [signed(100 * value) for value in values] if relative else None,
            "textposition": "none",
            "hovertemplate": f"%{{customdata}}: {said}<extra></extra>",
            "error_x": _band(bars, stereotype, style),
            "selected": {"marker": {"opacity": 1}},
            "unselected": {"marker": {"opacity": 1}},
        }
    ]
    if not relative:
        traces.append(
            {
                "type": "scatter",
                "x": bars.audience.tolist(),
                "y": places,
                "mode": "markers",
                "marker": {"symbol": "line-ns-open", "size": 13, "color": style.muted, "line": {"width": 2}},
                "customdata": whole,
                "hovertemplate": f"%{{customdata}}: the audience {like}s %{{x:.0%}}<extra></extra>",
            }
        )
    longest = max((len(shortened(text, _LONGEST)) for text in bars.labels), default=0)
    layout = {
        "height": 66 + ROW_HEIGHT * max(len(names), 2),
        "bargap": 0.28,
        "margin": {"l": 14 + 7 * longest, "r": 26, "t": 4, "b": 50},
        "xaxis": _across(bars, relative, like),
        "yaxis": {
            "range": [len(names) - 0.4, -0.6],
            "tickvals": places,
            "ticktext": names,
            "automargin": False,  # finding the margin draws everything twice
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
    }
    return drawn(traces, layout, style)


def _across(bars: Bars, relative: bool, like: str) -> dict[str, object]:
    """The axis of the probabilities; against the audience it is symmetric and the same in all towers."""
    if not relative:
        return {
            "range": [0, 1],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".0%",
            "title": {"text": f"chance to {like} one"},
            "zeroline": False,
            "fixedrange": True,
            "automargin": False,
        }
    parts = [part for part in (bars.likes, bars.low, bars.high) if part is not None]
    widest = max([0.05, *(float(np.abs(part).max(initial=0)) for part in parts)])
    reach = float(np.ceil(20 * (widest + _ROOM)) / 20)
    return {
        "range": [-reach, reach],
        "tickvals": [-reach, 0, reach],
        "ticktext": [signed(-100 * reach), "0", signed(100 * reach)],
        "title": {"text": "points against the audience"},
        "zeroline": True,
        "fixedrange": True,
        "automargin": False,
    }


def _band(bars: Bars, stereotype: int, style: Look) -> dict[str, object] | None:
    if bars.low is None or bars.high is None:
        return None
    values = bars.likes[:, stereotype]
    return {
        "type": "data",
        "symmetric": False,
        "array": np.maximum(bars.high[:, stereotype] - values, 0.0).tolist(),
        "arrayminus": np.maximum(values - bars.low[:, stereotype], 0.0).tolist(),
        "color": style.ink,
        "thickness": 1.2,
        "width": 3,
    }
