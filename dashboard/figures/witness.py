"""Why one tag is included in another: what each stereotype keeps inside and what falls outside."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.theme import Look, apply, translucent
from dashboard.wording import label
from nnm_core.interpret.hierarchy.inclusion import Witness


def witness_figure(witness: Witness, names: Sequence[str], style: Look) -> go.Figure:
    """One bar per stereotype: the part of the narrow tag's weight that it keeps inside, and the part that it loses."""
    rows = list(range(len(witness.carried)))
    figure = go.Figure()
    figure.add_bar(
        x=witness.carried.tolist(),
        y=rows,
        orientation="h",
        marker={"color": [style.color(k) for k in rows]},
        hovertemplate="stays inside: %{x:.1%} of the whole<extra></extra>",
        name="inside",
    )
    figure.add_bar(
        x=witness.losses.tolist(),
        y=rows,
        orientation="h",
        marker={
            "color": [translucent(style.color(k), 0.3) for k in rows],
            "line": {"color": [style.color(k) for k in rows], "width": 1},
        },
        hovertemplate="falls outside: %{x:.1%} of the whole<extra></extra>",
        name="outside",
    )
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_xaxes(
        title={"text": f"part of “{label(witness.narrow, 34)}”"},
        tickformat=".0%",
        fixedrange=True,
        rangemode="tozero",
        nticks=5,
    )
    figure.update_yaxes(
        tickvals=rows,
        ticktext=[label(name, 34) for name in names[: len(rows)]],
        range=[len(rows) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    return apply(figure, style, 75 + 30 * max(len(rows), 2))
