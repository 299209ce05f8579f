"""How the shares of the stereotypes moved: a line for each, in its colour, with a band for the sampling error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures.drawing import axis, label, legend_below
from dashboard.theme import TRANSPARENT, Look, make_figure, translucent
from nnm_core.interpret.over_time import SharesOverTime

FEW = 4  # so many stereotypes have room for a band each
BAND = 1.96  # standard errors to either side: 95 of 100 such bands hold the share of a large audience
_ROOM = 40  # this part of the axis is left free at either end
_PLOT, _BELOW, _ENTRY = 300, 40, 22  # pixels: the height of the plot, of its ticks, and of a name in the legend


def shares_figure(found: SharesOverTime, look: Look, *, names: Sequence[str], drawn: Sequence[int]) -> go.Figure:
    """Draw the shares of the stereotypes ``drawn`` over time; ``names`` are those of all of them.

    Where there are many, only those that moved by more than chance have bands.
    """
    x = list(found.starts)
    traces: list[dict[str, Any]] = []
    for k in (k for k in drawn if len(drawn) <= FEW or found.moved[k]):
        color, share, error = look.color(k), found.shares[:, k], BAND * found.errors[:, k]
        edge: dict[str, Any] = {"type": "scatter", "x": x, "mode": "lines", "hoverinfo": "skip", "showlegend": False}
        edge |= {"line": {"width": 0, "color": TRANSPARENT}}
        band = {"fill": "tonexty", "fillcolor": translucent(color, 0.18)}
        traces += [edge | {"y": np.maximum(share - error, 0.0).tolist()}, edge | band | {"y": (share + error).tolist()}]
    for k in drawn:
        says = [
            f"{label(names[k], 60)}, {period}: {share:.0%} ± {100 * BAND * error:.0f} of {n:,} people"
            for period, share, error, n in zip(
                found.periods, found.shares[:, k], found.errors[:, k], found.n_people, strict=True
            )
        ]
        traces.append(
            {
                "type": "scatter", "x": x, "y": found.shares[:, k].tolist(), "mode": "lines+markers",
                "line": {"color": look.color(k), "width": 2.5}, "marker": {"size": 6}, "name": label(names[k], 44),
                "customdata": says, "hovertemplate": "%{customdata}<extra></extra>",
            }
        )  # fmt: skip
    below = _ENTRY * len(drawn)
    layout = {
        "height": 12 + _PLOT + _BELOW + below,
        "showlegend": True,
        "legend": legend_below(below, yanchor="top", y=-_BELOW / _PLOT, x=0, traceorder="normal"),
        "margin": {"l": 48, "r": 16, "t": 12, "b": _BELOW + below},
        "xaxis": axis(type="date", showgrid=False, automargin=False, range=_ends(found.starts)),
        "yaxis": axis("share of the people", tickformat=".0%", rangemode="tozero", zeroline=False, automargin=False),
    }
    return make_figure(traces, layout, look)


def _ends(starts: Sequence[str]) -> list[str]:
    """Return the ends of the axis: a little before the first date, and after the last."""
    first, last = (np.datetime64(starts[at], "h") for at in (0, -1))
    room = (last - first) // _ROOM
    return [str(first - room), str(last + room)]
