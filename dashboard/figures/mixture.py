"""A person as a mixture: one bar, divided."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.theme import Look, apply, written_on
from dashboard.wording import label
from nnm_core.types import FloatArray

_ROW = 19
"""Pixels of a name below the bar. One name to a row: how many would stand side by side depends on the screen."""

_HABITS = (".", "/")
"""The enthusiast is dotted and the skeptic hatched, on a darker grey: apart without colours as well."""


def mixture_figure(mixture: FloatArray, names: Sequence[str], n_stereotypes: int, style: Look) -> go.Figure:
    """One segment per stereotype, those of generosity hatched in grey; a trace each, in the order of the columns."""
    figure = go.Figure()
    for k, (share, name) in enumerate(zip(mixture.tolist(), names, strict=True)):
        habit = k >= n_stereotypes
        color = (style.muted, style.ink)[(k - n_stereotypes) % 2] if habit else style.color(k)
        figure.add_bar(
            x=[share],
            y=[0],
            orientation="h",
            name=label(name, 40),
            marker={
                "color": color,
                "line": {"color": style.paper, "width": 1.5},
                "pattern": {
                    "shape": _HABITS[(k - n_stereotypes) % 2] if habit else "",
                    "fgcolor": style.paper,
                    "size": 8,
                    "solidity": 0.12,
                    "fillmode": "overlay",
                    "fgopacity": 0.4,
                },
            },
            text=f"{share:.0%}" if share >= 0.06 else "",
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": written_on(color), "size": 14},
            hovertemplate=f"{label(name, 60).replace('%', '&#37;')}: %{{x:.0%}}<extra></extra>",
        )
    legend = 12 + _ROW * len(names)
    figure.update_layout(
        barmode="stack",
        showlegend=True,
        legend={"orientation": "v", "y": 0, "yanchor": "top", "traceorder": "normal", "maxheight": 2 * legend},
        margin={"l": 0, "r": 0, "t": 0, "b": legend},
    )
    figure.update_xaxes(visible=False, range=[0, 1], fixedrange=True)
    figure.update_yaxes(visible=False, fixedrange=True)
    return apply(figure, style, 60 + legend)
