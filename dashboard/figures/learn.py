"""Pictures of the page Learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.figures.drawing import axis, bars, label
from dashboard.theme import Look, make_figure, translucent
from nnm_core.interpret.compare import TowerComparison
from nnm_core.types import FloatArray


def die_figure(probabilities: FloatArray, counts: FloatArray, look: Look) -> go.Figure:
    """Draw the probability of each side of a die; sides that do not count are pale."""
    sides = [f"side {k + 1}" for k in range(len(probabilities))]
    colors = [look.accent if count else translucent(look.accent, 0.3) for count in counts]
    trace = {
        "type": "bar",
        "x": sides,
        "y": probabilities.tolist(),
        "text": [f"{p:g}" for p in probabilities],
        "textposition": "outside",
        "marker": {"color": colors},
        "hoverinfo": "skip",
    }
    layout = {"height": 250, "xaxis": axis(), "yaxis": axis("probability", range=[0, 0.5])}
    return make_figure([trace], layout, look)


def number_figure(seen: FloatArray, hidden: FloatArray, most: int, look: Look) -> go.Figure:
    """Draw the errors on seen and on hidden ratings by the number of stereotypes."""
    numbers = list(range(1, len(seen) + 1))
    styles = (("seen ratings", seen, look.muted, "dot"), ("hidden ratings", hidden, look.accent, "solid"))
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": numbers,
            "y": errors.tolist(),
            "line": {"color": color, "width": 3, "dash": dash},
            "marker": {"size": 9},
            "hovertemplate": "%{x}: %{y:.3f} stars<extra>" + name + "</extra>",
        }
        for name, errors, color, dash in styles
    ]
    layout = {
        "height": 330,
        "showlegend": True,
        "xaxis": axis("stereotypes", range=[0.7, most + 0.3], dtick=1),
        "yaxis": axis("error in stars", range=[0, 1.5]),
    }
    return make_figure(traces, layout, look)


def fill_figure(found: TowerComparison, names: Sequence[str], look: Look) -> go.Figure:
    """Draw the towers of each stereotype side by side: pale without zeros, full with them."""
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"height": 360, "barmode": "overlay", "annotations": [], "margin": {"t": 28}}
    tags = [label(tag, 14) for tag in found.tags]
    for k, name in enumerate(names):
        number = str(k + 1) if k else ""
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        color = look.color(k)
        for values, fill, width in ((found.second, translucent(color, 0.3), 0.8), (found.first, color, 0.4)):
            marker = {"color": fill, "line": {"color": color, "width": 1}}
            kind = "without zeros" if values is found.second else "with zeros"
            hover = "%{y}: %{x:.2f}<extra>" + kind + "</extra>"
            traces.append(bars(values[:, k], marker) | axes | {"y": tags, "width": width, "hovertemplate": hover})
        left = k / len(names)
        room = 0.02 if k else 0.0
        layout[f"xaxis{number}"] = axis(domain=[left + room, left + 0.32], range=[0, 1], dtick=0.5)
        layout[f"yaxis{number}"] = axis(showticklabels=k == 0, autorange="reversed", anchor=f"x{number}")
        title = {"text": label(name), "x": left + room, "y": 1.0, "xref": "paper", "yref": "paper"}
        layout["annotations"].append(title | {"showarrow": False, "xanchor": "left", "yanchor": "bottom"})
    return make_figure(traces, layout, look)
