"""Why one tag is included in another: what each stereotype keeps inside and what falls outside."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.drawing import axis, bars, label, name_axis
from dashboard.theme import Look, make_figure, translucent
from nnm_core.interpret.hierarchy.inclusion import Witness


def witness_figure(witness: Witness, look: Look, *, names: Sequence[str]) -> go.Figure:
    """Draw a bar per stereotype: the part of the narrow tag that stays inside, and the part that falls outside."""
    n = len(witness.carried)
    colors = [look.color(k) for k in range(n)]
    pale = {"color": [translucent(color, 0.3) for color in colors], "line": {"color": colors, "width": 1}}
    parts = [
        bars(part, marker) | {"hovertemplate": f"{verb}: %{{x:.1%}} of the whole<extra></extra>", "name": name}
        for name, verb, part, marker in (
            ("inside", "stays inside", witness.carried, {"color": colors}),
            ("outside", "falls outside", witness.losses, pale),
        )
    ]
    layout = {
        "height": 75 + 30 * max(n, 2),
        "barmode": "stack",
        "bargap": 0.35,
        "xaxis": axis(f"part of “{label(witness.narrow, 34)}”", tickformat=".0%", rangemode="tozero", nticks=5),
        "yaxis": name_axis([label(name, 34) for name in names[:n]]),
    }
    return make_figure(parts, layout, look)
