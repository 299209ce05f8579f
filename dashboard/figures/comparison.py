"""Two views side by side: a matched pair of stereotypes, tag by tag."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import label, name_axis
from dashboard.theme import Look, make_figure, translucent
from dashboard.wording import signed
from nnm_core.types import BoolArray, FloatArray


def pair_figure(
    tags: Sequence[str],
    first: FloatArray,
    second: FloatArray,
    differs: BoolArray,
    look: Look,
    *,
    stereotype: int,
    widest: float,
) -> go.Figure:
    """Draw a filled dot for the first view and an open one for the second, per tag, joined by a line.

    ``first``, ``second`` (n_tags,): taste, as shares; ``differs`` (n_tags,): where the line is in full colour;
    ``widest``: the largest value of all pairs, so that their axes are the same.
    """
    color, rows = look.color(stereotype), np.arange(len(tags))
    traces = [
        drawing.line([a, b], [row, row], color if clear else translucent(color, 0.3), 3)
        for row, a, b, clear in zip(rows.tolist(), first.tolist(), second.tolist(), differs.tolist(), strict=True)
    ]
    for name, values, symbol in (("This view", first, "circle"), ("The other", second, "circle-open")):
        marker = {"symbol": symbol, "size": 10, "color": color, "line": {"width": 2, "color": color}}
        hover = f"{name}, %{{customdata}}<extra></extra>"
        says = [f"{label(tag, 60)}: {signed(100 * value)}" for tag, value in zip(tags, values.tolist(), strict=True)]
        traces.append(
            drawing.points(np.column_stack([values, rows]), marker)
            | {"name": name, "customdata": says, "hovertemplate": hover}
        )
    layout = {
        "height": 66 + 22 * max(len(tags), 2),
        "margin": {"l": 14 + 7 * max((min(len(tag), 20) for tag in tags), default=0), "r": 26, "t": 4, "b": 50},
        "showlegend": False,
        "xaxis": drawing.points_axis(drawing.points_reach(widest)),
        "yaxis": name_axis([label(tag, 20) for tag in tags], automargin=False),
    }
    return make_figure(traces, layout, look)
