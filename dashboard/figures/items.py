"""Items: what the stereotypes make of one, and which of them divide the audience."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import axis, label, points
from dashboard.theme import Look, make_figure, written_on
from dashboard.wording import Words, counted
from nnm_core.phrases import shortened, split_year
from nnm_core.scale import written
from nnm_core.types import FloatArray, IntArray

NAMED = 3  # the highest points always have their names; a text may speak of them
_MOST_NAMES = 6
_SCREENS = ((290, 380), (480, 380))  # pixels across and up that the points have on a phone and on a desk
_LETTER, _LINE = 6.6, 18  # pixels across a letter, and of a line
_NEAR = ((14, -18), (14, 0), (14, 18), (30, -34), (30, 34))
# Pixels from a point to the near end of its name, the best place first; the far ones for names that must be there
_FAR = ((20, -52), (60, -34), (60, -52), (100, -20))


def likes_figure(likes: FloatArray, look: Look, *, audience: float, names: Sequence[str]) -> go.Figure:
    """Draw a bar per stereotype, ``likes`` (n_stereotypes,), and a line where the audience stands."""
    colors = [look.color(k) for k in range(len(likes))]
    answers = {
        **drawing.bars(likes, {"color": colors}),
        "text": [f"{value:.0%}" for value in likes],
        "textposition": "auto",
        "textangle": 0,
        "insidetextanchor": "start",
        "insidetextfont": {"color": [written_on(color) for color in colors]},
        "outsidetextfont": {"color": look.ink},
        "customdata": [label(name, 80) for name in names],
        "hovertemplate": "%{customdata} likes it with %{x:.0%}<extra></extra>",
    }
    mean = drawing.line([audience, audience], [-0.7, len(likes) - 0.45], look.ink, 2, "dot")
    font = {"size": 13, "color": look.muted}
    side = "left" if audience < 0.3 else "right" if audience > 0.7 else "center"
    note = {"x": audience, "y": -0.7, "text": f"audience {audience:.0%}", "showarrow": False, "font": font}
    notes = [note | {"xanchor": side, "yanchor": "bottom"}]
    for k, name in enumerate(names):  # above its bar: beside it, a narrow column has no room for a name
        place = {"x": 0, "y": k - 0.28, "xanchor": "left", "yanchor": "bottom", "showarrow": False, "borderpad": 1}
        notes.append(place | {"text": label(name, 44), "font": {"size": 13, "color": look.ink}})
    x = axis(range=[0, 1.02], tickvals=[0, 0.5, 1], tickformat=".0%", zeroline=False)
    y = axis(visible=False, range=[len(likes) - 0.4, -1.1])
    layout = {"height": 60 + 50 * max(len(likes), 2), "margin": {"l": 0}, "annotations": notes, "xaxis": x, "yaxis": y}
    return make_figure([answers | {"width": 0.5}, mean], layout, look)


def distribution_figure(answers: FloatArray, look: Look, *, levels: FloatArray, names: Sequence[str]) -> go.Figure:
    """Draw a bar per rating and stereotype, ``answers`` (n_levels, n_stereotypes), with all names below."""
    places, bars = list(range(len(levels))), []
    for k, name in enumerate(names):
        often = {"type": "bar", "x": places, "y": answers[:, k].tolist(), "marker": {"color": look.color(k)}}
        hover = {"customdata": levels.tolist(), "hovertemplate": "%{customdata:g}: %{y:.0%}<extra></extra>"}
        bars.append(often | hover | {"name": label(name, 40)})
    below = 60 + 19 * len(names)
    legend = drawing.legend_below(below, yref="container", yanchor="bottom")
    x = axis("rating", zeroline=False, tickvals=places, ticktext=[written(level) for level in levels.tolist()])
    axes = {"xaxis": x, "yaxis": axis("how often", tickformat=".0%", rangemode="tozero"), "bargap": 0.25}
    layout = {"height": 270 + below, "margin": {"t": 12, "b": below}, "showlegend": True, "legend": legend, **axes}
    return make_figure(bars, {"barmode": "group", **layout}, look)


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items to compare; arrays of shape (n_items,)."""

    ids: Sequence[str]
    titles: Sequence[str]
    counts: IntArray  # ratings
    audience: FloatArray  # how likely the audience is to like each
    gaps: FloatArray  # how far the stereotypes are apart, from 0 to 1
    points: IntArray  # the same between whole percents, which may differ by one from the rounded gaps
    fans: IntArray  # the stereotype that likes each most


def divisive_figure(items: Items, look: Look, *, words: Words, names: Sequence[str]) -> go.Figure:
    """Draw a point per item, the higher the further the stereotypes are apart; ids as customdata.

    A trace per stereotype has the items that it likes most, in its colour.
    """
    sizes = 6 + 14 * np.sqrt(items.counts / max(int(items.counts.max(initial=1)), 1))
    places = np.column_stack([items.audience, 100 * items.gaps])
    hover = [
        f"{label(title, 80)}<br>{counted(apart, 'point')} between the stereotypes, {counted(count, words.rating)}"
        for title, apart, count in zip(items.titles, items.points.tolist(), items.counts.tolist(), strict=True)
    ]
    dots = []
    for k, name in enumerate(names):
        rows = np.flatnonzero(items.fans == k).tolist()
        marker = {"size": sizes[rows].tolist(), "color": look.color(k), "opacity": 0.55, "line": {"width": 0}}
        dots.append(
            {
                **points(places[rows], marker),
                "name": label(name, 40),
                "cliponaxis": False,  # no point is cut in half where nothing divides the stereotypes
                "hovertext": [hover[row] for row in rows],
                "hoverinfo": "text",
                "customdata": [items.ids[row] for row in rows],
                **drawing.opacity(0.9, 0.55),
            }
        )
    across = (float(items.audience.min(initial=1.0)) - 0.04, float(items.audience.max(initial=0.0)) + 0.04)
    top = 120 * max(float(items.gaps.max(initial=0.0)), 0.01)
    step = 20 if top > 50 else 10 if top > 20 else 5
    ticks = [at for at in range(0, 101, step) if at <= top]
    x = axis(f"how likely the audience is to {words.like} it", tickformat=".0%", range=list(across))
    y = axis("points between the stereotypes", range=[0.0, top], tickvals=ticks, zeroline=False)
    below = 75 + 19 * len(names)
    legend = drawing.legend_below(below, yref="container", yanchor="bottom", traceorder="normal")
    frame = {"height": 400 + below, "margin": {"t": 12, "b": below}, "showlegend": True}
    title = {
        "title": {"text": f"the stereotype that {words.likes} it most", "font": {"size": 13}},
        "itemsizing": "constant",
    }
    notes = _names(items, sizes, across, top, look)
    return make_figure(dots, {**frame, "legend": legend | title, "annotations": notes, "xaxis": x, "yaxis": y}, look)


def _names(
    items: Items, sizes: FloatArray, across: tuple[float, float], top: float, look: Look
) -> list[dict[str, object]]:
    """Name the highest points, each with a line to its own; no name is cut or lies on points or on another."""
    y = 100 * items.gaps
    centres = [
        np.column_stack([width * (items.audience - across[0]) / (across[1] - across[0]), height * (top - y) / top])
        for width, height in _SCREENS
    ]
    screens = [
        drawing.Screen(0, width, 0, drawing.boxes_around(at, sizes))
        for at, (width, _) in zip(centres, _SCREENS, strict=True)
    ]
    placer = drawing.LabelPlacer(screens)
    notes: list[dict[str, object]] = []
    for rank, row in enumerate(np.argsort(-y, kind="stable")[:60].tolist()):
        if len(notes) == _MOST_NAMES:
            break
        text = shortened(split_year(items.titles[row])[0], 18)
        shifts = [(side * dx, dy) for dx, dy in _NEAR + (_FAR if rank < NAMED else ()) for side in (1, -1)]
        size = (_LETTER * len(text), _LINE)
        places = [
            [drawing.box_at(at[row, 0] + dx, at[row, 1] + dy, size, (1 if dx > 0 else -1, 0)) for at in centres]
            for dx, dy in shifts
        ]
        found = placer.place(places, required=rank < NAMED)
        if found is not None:
            dx, dy = shifts[found]
            place = {"x": float(items.audience[row]), "y": float(y[row]), "ax": dx, "ay": dy}
            arrow = {"arrowhead": 0, "arrowwidth": 1, "arrowcolor": look.muted, "borderpad": 1}
            font = {"size": 12, "color": look.ink}
            side = "left" if dx > 0 else "right"
            notes.append({**place, **arrow, "text": drawing.escaped(text), "xanchor": side, "font": font})
    return notes
