"""How a fit came to rest: its objective and its errors, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply
from nnm_core.model import Trace
from nnm_core.types import FloatArray


def objective_figure(traces: Sequence[Trace], style: Look) -> go.Figure:
    """The objective after every half-step, one line per alternation; rounds with the fill are left out."""
    figure = go.Figure()
    for trace in traces:
        rounds = (np.arange(len(trace.objectives)) + 1) / 2
        figure.add_scatter(
            x=rounds[trace.shown_from :].tolist(),
            y=trace.objectives[trace.shown_from :].tolist(),
            mode="lines+markers",
            line={"color": style.accent, "width": 2},
            marker={"size": 5},
            hovertemplate="after round %{x:g}: %{y:,.1f}<extra></extra>",
        )
    figure.update_xaxes(title="round", fixedrange=True, zeroline=False)
    figure.update_yaxes(title="sum of squared misses", fixedrange=True, zeroline=False)
    return apply(figure, style, 320)


def errors_figure(
    training: FloatArray, held_out: FloatArray | None, unit: str, style: Look, *, skipped: int = 0
) -> go.Figure:
    """Root mean squared error after every round, of ratings that the fit saw and of ratings that it did not.

    ``skipped``: rounds with the fill, whose errors would hide all others.
    """
    figure = go.Figure()
    for values, name, color in (
        (training, "ratings it has seen", style.muted),
        (held_out, "ratings held out", style.accent),
    ):
        if values is None:
            continue
        figure.add_scatter(
            x=list(range(skipped + 1, len(values) + 1)),
            y=values[skipped:].tolist(),
            mode="lines+markers",
            name=name,
            line={"color": color, "width": 2.5},
            marker={"size": 5},
            hovertemplate="after round %{x}: %{y:.4f}<extra></extra>",
        )
    figure.update_layout(showlegend=held_out is not None, margin={"t": 36})
    figure.update_xaxes(title="round", fixedrange=True, zeroline=False)
    figure.update_yaxes(title=f"typical miss in {unit} (RMSE)", fixedrange=True, zeroline=False)
    return apply(figure, style, 320)
