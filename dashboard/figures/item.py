"""One item as the stereotypes see it: how likely each likes it, or how often each gives which rating."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.drawing import axis, bars, label, legend_below, line, name_axis
from dashboard.theme import Look, make_figure, written_on
from nnm_core.types import FloatArray


def likes_figure(likes: FloatArray, look: Look, *, audience: float, names: Sequence[str]) -> go.Figure:
    """Draw a bar per stereotype, ``likes`` (n_stereotypes,), and a line where the audience stands."""
    colors = [look.color(k) for k in range(len(likes))]
    answers = {
        **bars(likes, {"color": colors}),
        "text": [f"{value:.0%}" for value in likes],
        "textposition": "auto",
        "textangle": 0,
        "insidetextanchor": "start",
        "insidetextfont": {"color": [written_on(color) for color in colors]},
        "outsidetextfont": {"color": look.ink},
        "customdata": [label(name, 80) for name in names],
        "hovertemplate": "%{customdata} likes it with %{x:.0%}<extra></extra>",
    }
    mean = line([audience, audience], [-0.6, len(likes) - 0.45], look.ink, 2, "dot")
    font = {"size": 13, "color": look.muted}
    note = {"x": audience, "y": -0.85, "text": f"audience {audience:.0%}", "showarrow": False, "font": font}
    layout = {
        "height": 70 + 34 * max(len(likes), 2),
        "annotations": [note],
        "xaxis": axis(range=[0, 1.02], tickvals=[0, 0.5, 1], tickformat=".0%", zeroline=False),
        "yaxis": name_axis([label(name, 30) for name in names], top=-1.1),
    }
    return make_figure([answers, mean], layout, look)


def distribution_figure(answers: FloatArray, look: Look, *, levels: FloatArray, names: Sequence[str]) -> go.Figure:
    """Draw a line per stereotype over the ratings: ``answers`` (n_levels, n_stereotypes) at ``levels`` (n_levels,).

    The names stand below, so that however many and long they are, they do not lie on the lines.
    """
    lines = [
        {
            "type": "scatter",
            "x": levels.tolist(),
            "y": answers[:, k].tolist(),
            "mode": "lines+markers",
            "name": label(name, 40),
            "line": {"color": look.color(k), "width": 2.5, "shape": "spline", "smoothing": 0.4},
            "marker": {"size": 7},
            "hovertemplate": "%{x:g}: %{y:.0%}<extra></extra>",
        }
        for k, name in enumerate(names)
    ]
    below = 60 + 19 * len(names)
    layout = {
        "height": 270 + below,
        "showlegend": True,
        "legend": legend_below(below, yref="container", yanchor="bottom"),
        "margin": {"t": 12, "b": below},
        "xaxis": axis("rating", tickvals=levels.tolist()),
        "yaxis": axis("how often", tickformat=".0%", rangemode="tozero"),
    }
    return make_figure(lines, layout, look)
