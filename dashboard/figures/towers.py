"""A tower: how likely one stereotype is to like an item of each tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import UNCHANGED, axis, label, name_axis
from dashboard.theme import TRANSPARENT, Look, make_figure, translucent
from dashboard.wording import signed
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray, FloatArray

_LONGEST = 20
"""Characters of a label beside the bars, which need room as well; all of it appears over the bar."""


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """The bars of all towers of a row.

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
    bars: Bars, look: Look, *, stereotype: int, relative: bool = False, chosen: int | None = None, like: str = "like"
) -> go.Figure:
    """Draw a bar per label, the first on top, and a tick where the whole audience stands.

    ``relative``: ``bars`` are measured from the audience, and all towers share one symmetric axis. ``chosen``: the bar
    that is selected. ``like``: what people do with items.
    """
    color, values = look.color(stereotype), bars.likes[:, stereotype]
    rows = range(len(bars.labels))
    full_names = [label(text, 120) for text in bars.labels]
    fills = [color if firm else translucent(color, 0.45) for firm in bars.firm[:, stereotype]]
    edges = [look.ink if row == chosen else TRANSPARENT for row in rows]
    says = "%{text} points against the audience" if relative else f"{like}s %{{x:.0%}} of them"
    traces: list[dict[str, Any]] = [
        {
            **drawing.bars(values, {"color": fills, "line": {"color": edges, "width": 1.5}}),
            "customdata": full_names,
            "text": [signed(100 * value) for value in values.tolist()] if relative else None,
            "textposition": "none",
            "hovertemplate": f"%{{customdata}}: {says}<extra></extra>",
            "error_x": _error_bars(bars, stereotype, look),
            **UNCHANGED,
        }
    ]
    if not relative:
        tick = {"symbol": "line-ns-open", "size": 13, "color": look.muted, "line": {"width": 2}}
        ticks = {
            **drawing.points(np.column_stack([bars.audience, rows]), tick),
            "customdata": full_names,
            "hovertemplate": f"%{{customdata}}: the audience {like}s %{{x:.0%}}<extra></extra>",
        }
        traces.append(ticks)
    longest = max((len(shortened(text, _LONGEST)) for text in bars.labels), default=0)
    layout = {
        "height": 66 + 22 * max(len(rows), 2),
        "bargap": 0.28,
        "margin": {"l": 14 + 7 * longest, "r": 26, "t": 4, "b": 50},
        "xaxis": _relative_axis(bars) if relative else _absolute_axis(like),
        # finding the margin automatically draws everything twice
        "yaxis": name_axis([label(text, _LONGEST) for text in bars.labels], automargin=False),
    }
    return make_figure(traces, layout, look)


def _absolute_axis(like: str) -> dict[str, Any]:
    title = f"chance to {like} one"
    return axis(title, range=[0, 1], tickvals=[0, 0.5, 1], tickformat=".0%", zeroline=False, automargin=False)


def _relative_axis(bars: Bars) -> dict[str, Any]:
    """Return the axis of differences from the audience: symmetric, and the same in all towers."""
    parts = [part for part in (bars.likes, bars.low, bars.high) if part is not None]
    widest = max([0.05, *(float(np.abs(part).max(initial=0)) for part in parts)])
    reach = float(np.ceil(20 * (widest + 0.01)) / 20)  # so that no bar touches the edge
    ticks = {"tickvals": [-reach, 0, reach], "ticktext": [signed(-100 * reach), "0", signed(100 * reach)]}
    return axis("points against the audience", range=[-reach, reach], zeroline=True, automargin=False, **ticks)


def _error_bars(bars: Bars, stereotype: int, look: Look) -> dict[str, Any] | None:
    if bars.low is None or bars.high is None:
        return None
    values = bars.likes[:, stereotype]
    return {
        "type": "data",
        "symmetric": False,
        "array": np.maximum(bars.high[:, stereotype] - values, 0.0).tolist(),
        "arrayminus": np.maximum(values - bars.low[:, stereotype], 0.0).tolist(),
        "color": look.ink,
        "thickness": 1.2,
        "width": 3,
    }
