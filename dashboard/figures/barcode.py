"""The barcode of a hierarchy: at which ε something changes."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply, translucent
from nnm_core.types import FloatArray

MOST_LINES = 1500
"""More births than this are drawn as a density."""

_BINS = 250


def barcode_figure(
    births: FloatArray, epsilon: float, style: Look, reach: tuple[float, float] = (0.0, 1.0)
) -> go.Figure:
    """A stroke at every ε at which a tag becomes included in another, and a line where ε stands now.

    ``births`` (n_tags, n_tags), the diagonal left out. The first trace has the strokes or, where there are very many,
    how many there are in each of 250 bins; the last the line. ``reach``: the ends of the slider above.
    """
    own = np.eye(len(births), dtype=np.bool_)
    values = np.sort(births[~own])
    figure = go.Figure()
    if len(values) <= MOST_LINES:
        x = np.repeat(values, 3)
        x[2::3] = np.nan
        y = np.tile([0.0, 1.0, np.nan], len(values))
        strength = 0.55 if len(values) <= 400 else 0.3
        figure.add_scatter(
            x=x, y=y, mode="lines", line={"color": translucent(style.muted, strength), "width": 1}, hoverinfo="skip"
        )
    else:
        counts, edges = np.histogram(values, bins=_BINS, range=reach)
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=np.sqrt(counts / max(counts.max(), 1)),
            width=(reach[1] - reach[0]) / _BINS,
            marker={"color": style.muted, "line": {"width": 0}},
            customdata=counts,
            hovertemplate="%{customdata:,} inclusions begin near ε = %{x:.2f}<extra></extra>",
        )
    figure.add_scatter(
        x=[epsilon, epsilon], y=[-0.1, 1.1], mode="lines", line={"color": style.accent, "width": 3}, hoverinfo="skip"
    )
    margin = 0.006 * (reach[1] - reach[0])
    figure.update_xaxes(
        range=[reach[0] - margin, reach[1] + margin], nticks=7, fixedrange=True, showgrid=False, zeroline=False
    )
    figure.update_yaxes(visible=False, range=[-0.12, 1.12], fixedrange=True)
    figure.update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 22}, bargap=0)
    return apply(figure, style, 74)
