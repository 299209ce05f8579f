"""Error against the number of stereotypes, raw and rounded, with the spread over the folds and peers beside it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from dashboard.theme import Look, apply
from dashboard.wording import label


def error_curve_figure(
    table: pd.DataFrame, unit: str, style: Look, *, measure: str = "mae", chosen: int | None = None,
    peers: Mapping[str, float] | None = None,
) -> go.Figure:  # fmt: skip
    """Two lines over D: raw and rounded predictions; ``table`` as ``Curve.table`` gives it.

    ``unit``: what ratings are counted in. ``measure``: ``"mae"`` or ``"rmse"``. ``peers``: errors of other
    methods, not rounded, as dotted lines.
    """
    figure = go.Figure()
    dims = table["stereotypes"].tolist()
    for column, name, color in (
        (measure, "as predicted", style.accent),
        (f"{measure}_rounded", "rounded to a rating", style.muted),
    ):
        figure.add_scatter(
            x=dims,
            y=table[column].tolist(),
            mode="lines+markers",
            name=name,
            error_y={"type": "data", "array": table[f"{column}_spread"].tolist(), "thickness": 1.2, "width": 4},
            line={"color": color, "width": 2.5},
            marker={
                "size": [15 if d == chosen else 9 for d in dims],
                "symbol": "circle" if column == measure else "square",
                "opacity": 1,
            },
            customdata=dims,
            hovertemplate=f"D = %{{x}}: off by %{{y:.3f}} {unit}<extra></extra>",
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
        )
    for name, error in (peers or {}).items():
        figure.add_hline(
            y=error,
            line={"color": style.muted, "dash": "dot", "width": 1.2},
            annotation={
                "text": label(name, 60),
                "font": {"size": 12, "color": style.muted},
                "xanchor": "right",
                "x": 1,
            },
        )
    figure.update_layout(showlegend=True, margin={"t": 36})
    figure.update_xaxes(title="kinds of taste (D)", tickvals=dims, fixedrange=True, zeroline=False)
    name = "average miss" if measure == "mae" else "typical miss"
    figure.update_yaxes(title=f"{name} in {unit} ({measure.upper()})", fixedrange=True, zeroline=False)
    return apply(figure, style, 420)
