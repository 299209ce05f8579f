"""Pictures of the page Learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.drawing import axis, bars, label, line
from dashboard.theme import Look, make_figure, translucent
from nnm_core.types import BoolArray, FloatArray

_ABOVE = {"y": 1.02, "yanchor": "bottom"}  # a legend that lies on no curve


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
        "height": 300,
        "showlegend": True,
        "legend": _ABOVE,
        "margin": {"t": 30},
        "xaxis": axis("stereotypes", range=[0.7, most + 0.3], dtick=1),
        "yaxis": axis("error in stars", range=[0, 1.5]),
    }
    return make_figure(traces, layout, look)


def fill_figure(
    tags: Sequence[str],
    with_zeros: FloatArray,
    without: FloatArray,
    truth: FloatArray | None,
    names: Sequence[str],
    look: Look,
) -> go.Figure:
    """Draw the towers of each stereotype: pale without zeros, full and slim with them, and the truth as a line.

    Values are (n_tags, n_names).
    """
    mark = {"symbol": "line-ns", "size": 20, "line": {"color": look.ink, "width": 4}}
    layout: dict[str, Any] = {"height": 255, "barmode": "overlay", "annotations": [], "margin": {"t": 54}}
    layout |= {
        "showlegend": True,
        "legend": {"yref": "container", "y": 1, "yanchor": "top", "xref": "container", "x": 0},
    }
    labels, size = [label(tag, 14) for tag in tags], 13 if len(tags) < 12 else 10
    traces = _fill_legend(labels[:1], mark, truth is not None, look)
    for k, name in enumerate(names):
        number, color = str(k + 1) if k else "", look.color(k)
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        styles = ((without, translucent(color, 0.3), 0.8, "without zeros"), (with_zeros, color, 0.4, "with zeros"))
        for values, fill, width, kind in styles:
            marker = {"color": fill, "line": {"color": color, "width": 1}}
            more = {"y": labels, "width": width, "hovertemplate": f"%{{y}}: %{{x:.2f}}<extra>{kind}</extra>"}
            more["showlegend"] = False
            traces.append(bars(values[:, k], marker) | more | axes)
        if truth is not None:
            places = {"x": truth[:, k].tolist(), "y": labels, "hovertemplate": "%{y}: %{x:.2f}<extra>truth</extra>"}
            traces.append({"type": "scatter", "mode": "markers", "marker": mark, "showlegend": False} | places | axes)
        left = k / len(names) + (0.02 if k else 0.0)
        lines = {"gridcolor": look.faint, "zerolinecolor": look.muted}  # the house style sets those of the first axes
        domain = [left, (k + 0.96) / len(names)]
        layout[f"xaxis{number}"] = axis(domain=domain, range=[0, 1], tickvals=[0.5, 1], **lines)
        layout[f"yaxis{number}"] = axis(showticklabels=k == 0, autorange="reversed", anchor=f"x{number}", dtick=1,
                                        tickfont={"size": size, "color": look.ink}, **lines)  # fmt: skip
        title = {"text": label(name), "x": left, "y": 1.0, "xref": "paper", "yref": "paper"}
        layout["annotations"].append(title | {"showarrow": False, "xanchor": "left", "yanchor": "bottom"})
    return make_figure(traces, layout, look)


def _fill_legend(row: list[str], mark: dict[str, Any], has_truth: bool, look: Look) -> list[dict[str, Any]]:
    """Return traces that draw nothing and stand in the legend: each stereotype has a colour of its own."""
    pale = {"color": translucent(look.ink, 0.3), "line": {"color": look.ink, "width": 1}}
    kinds: dict[str, dict[str, Any]] = {
        "with zeros": {"type": "bar", "marker": {"color": look.ink}},
        "without": {"type": "bar", "marker": pale},
    }
    if has_truth:
        kinds["truth"] = {"type": "scatter", "mode": "markers", "marker": mark}
    return [{"name": name, "x": [None], "y": row, "hoverinfo": "skip"} | kind for name, kind in kinds.items()]


def rate_figure(wins: BoolArray, promised: float, expected: float | None, look: Look) -> go.Figure:
    """Draw how often Bob's rule has won by each round, beside its promise and what may be expected of these people."""
    rounds = np.unique(np.geomspace(1, len(wins), 200).astype(np.int64))
    rates = np.cumsum(wins)[rounds - 1] / rounds
    ends = [1, len(wins)]
    traces = [line(ends, [promised] * 2, look.muted, 2, "dot") | {"name": "promised"}]
    if expected is not None:
        traces.append(line(ends, [expected] * 2, look.muted, 2, "dash") | {"name": "expected"})
    traces.append(line(rounds.tolist(), rates.tolist(), look.accent, 3) | {"name": "won so far"})
    xaxis = axis(
        "rounds", type="log", tickvals=[1, 10, 100, 1000, 10_000], ticktext=["1", "10", "100", "1,000", "10,000"]
    )
    layout = {
        "height": 180,
        "showlegend": True,
        "legend": _ABOVE,
        "margin": {"t": 30},
        "xaxis": xaxis,
        "yaxis": axis(range=[0, 1], tickformat=".0%", dtick=0.5),
    }
    return make_figure(traces, layout, look)
