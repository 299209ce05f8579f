"""Towers: for every stereotype, how likely it likes an item of each tag."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nnm_core.types import FloatArray

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b08900", "#56b4e9", "#7f5ab6", "#8c564b", "#5f6b73", "#111111")
"""One colour per stereotype, after Okabe and Ito; they stay apart for colour-blind eyes."""

_ROW_HEIGHT = 24


def towers_figure(likes: FloatArray, tags: Sequence[str], names: Sequence[str]) -> go.Figure:
    """One tower per stereotype side by side, over the same tags, those that divide the stereotypes most on top.

    ``likes`` (n_tags, n_stereotypes): the probability of liking a random item of the tag.
    """
    order = np.argsort(likes.max(axis=1) - likes.min(axis=1), kind="stable")
    labels = [escape(tags[k]) for k in order]
    figure = make_subplots(
        cols=len(names), shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=[escape(name) for name in names]
    )
    for column in range(len(names)):
        values = likes[order, column]
        figure.add_bar(
            x=values,
            y=labels,
            orientation="h",
            name=names[column],
            marker_color=COLORS[column % len(COLORS)],
            text=[f"{value:.0%}" for value in values],
            hovertemplate="%{y}: likes %{x:.0%} of them<extra></extra>",
            col=column + 1,
            row=1,
        )
    figure.update_xaxes(range=[0, 1], tickformat=".0%", showgrid=True, nticks=3, fixedrange=True)
    figure.update_yaxes(showgrid=False, fixedrange=True)
    figure.update_layout(
        height=120 + _ROW_HEIGHT * len(labels),
        showlegend=False,
        bargap=0.25,
        margin={"l": 0, "r": 10, "t": 50, "b": 30},
    )
    return figure
