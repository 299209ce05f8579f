"""The audience as points: a line between two stereotypes, a triangle of three, a flattened simplex of more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboard.theme import Look, apply, translucent
from dashboard.wording import in_lines, in_picture, label
from nnm_core.phrases import shortened
from nnm_core.types import FloatArray, IntArray

MOST_POINTS = 5000
"""More people than this are drawn as a density with a sample of points."""

NOT_KNOWN, OTHERS = -1, -2
"""Colour groups of people of whom a trait is not known, and who have a value that got no colour of its own."""

_GREY = {OTHERS: ("other values", "circle"), NOT_KNOWN: ("not known", "circle-open")}

_LINE, _LONGEST = 14, 44
"""Characters of a name in one line, which is what has room beside a corner on a phone, and in all."""

_WIDE, _HIGH, _GAP = 7, 18, 12
"""Pixels across a letter, of a line, and between a corner and its name."""

_SCREENS = ((248, 260), (560, 380))
"""Pixels across and up that a unit has on a phone and on a desk."""

_SIDES = {"bottom": (0, 1), "top": (0, -1), "right": (1, 0), "left": (-1, 0)}
_EDGE = 0.22
"""Room to the left and right of the outermost corners."""

_SPREAD = 0.3
"""How far people on a line are spread across it."""

_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Audience:
    """People as points. ``tastes`` (n_people, n_stereotypes): rows on the simplex, generosity set aside.

    ``groups`` (n_people,): the colour group of each, an index into ``group_names``, or ``NOT_KNOWN`` or ``OTHERS``.
    ``group_colors``: one per group.
    """

    ids: Sequence[str]
    tastes: FloatArray
    groups: IntArray
    group_names: Sequence[str]
    group_colors: Sequence[str]


def corners(tastes: FloatArray) -> FloatArray:
    """Where each stereotype is drawn, (n_stereotypes, 2): a line, a triangle, or the flattest view of the simplex.

    For more than three, the plane in which the people spread most (the two main axes of the mixtures).
    """
    n = tastes.shape[1]
    if n == 1:
        return np.array([[0.5, 0.5]])
    if n == 2:
        return np.array([[0.0, 0.5], [1.0, 0.5]])
    if n == 3:
        return np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
    centred = tastes - tastes.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    flat = axes[:, ::-1][:, :2]
    flat = flat * np.where(flat[np.abs(flat).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    low, span = flat.min(axis=0), np.ptp(flat, axis=0)
    return np.asarray((flat - low) / max(float(span.max()), 1e-9))


def sample(n_people: int, keep: Sequence[int] = ()) -> IntArray:
    """Which people are drawn as points: all, or an even selection; ``keep`` are always among them."""
    if n_people <= MOST_POINTS:
        return np.arange(n_people)
    some = np.linspace(0, n_people - 1, MOST_POINTS).astype(np.int64)
    return np.unique(np.concatenate([some, np.asarray(keep, dtype=np.int64)]))


def simplex_figure(audience: Audience, names: Sequence[str], style: Look, *, chosen: int | None = None) -> go.Figure:
    """Everybody between the stereotypes; whoever is all of one kind lies in its corner.

    The first traces are the edges and, for many people, the density; then one trace of points per group, the grey ones
    undermost, whose customdata are rows; then the corners. A corner beside which its name has no room is named in the
    legend.
    """
    places = corners(audience.tastes)
    points = audience.tastes @ places
    on_a_line = len(places) <= 2
    if on_a_line:
        # People would hide each other: spread them across it, in a fixed order.
        points = points + np.column_stack([np.zeros(len(points)), _spread(len(points))])
    figure = go.Figure()
    if len(points) > MOST_POINTS:
        _density(figure, points, style)
    _frame(figure, places, style)
    _people(figure, audience, points, sample(len(points), [] if chosen is None else [chosen]), style)
    above_people = np.array([0.0, _SPREAD / 2 if on_a_line else 0.0])
    notes = _captions(places + above_people, names, style)
    _unnamed_corners(figure, notes, names, style)
    _corners(figure, places, names, style)
    figure.update_layout(annotations=[note for note in notes if note is not None])
    if chosen is not None:
        figure.add_scatter(
            x=points[[chosen], 0].tolist(),
            y=points[[chosen], 1].tolist(),
            mode="markers",
            marker={"size": 18, "color": "rgba(0,0,0,0)", "line": {"width": 3, "color": style.ink}},
            hoverinfo="skip",
            showlegend=False,
        )
    return _laid_out(figure, places, style)


def _density(figure: go.Figure, points: FloatArray, style: Look) -> None:
    """How many people there are where, as shades of grey."""
    counts, across, up = np.histogram2d(points[:, 0], points[:, 1], bins=(90, 80))
    figure.add_heatmap(
        x=((across[:-1] + across[1:]) / 2).tolist(),
        y=((up[:-1] + up[1:]) / 2).tolist(),
        z=np.sqrt(counts.T).tolist(),
        colorscale=[[0, "rgba(0,0,0,0)"], [0.02, translucent(style.muted, 0.15)], [1, style.ink]],
        showscale=False,
        hoverinfo="skip",
    )


def _people(figure: go.Figure, audience: Audience, points: FloatArray, rows: IntArray, style: Look) -> None:
    """The people in these rows as points, a trace per group."""
    many = len(rows) > 1500
    for group in range(min(_GREY), len(audience.group_names)):
        members = rows[audience.groups[rows] == group]
        if not len(members):
            continue
        named = group >= 0
        name, symbol = (label(audience.group_names[group], 40), "circle") if named else _GREY[group]
        figure.add_scatter(
            x=points[members, 0].tolist(),
            y=points[members, 1].tolist(),
            mode="markers",
            name=name,
            legendrank=1 if named else 2,
            marker={
                "size": 5 if many else 8,
                "symbol": symbol,
                "color": audience.group_colors[group] if named else style.muted,
                "opacity": 0.55 if many else 0.75,
            },
            customdata=members.tolist(),
            text=[label(audience.ids[row], 40) for row in members],
            hovertemplate="%{text}<extra></extra>",
            selected={"marker": {"opacity": 0.9}},
            unselected={"marker": {"opacity": 0.55}},
        )


def _unnamed_corners(
    figure: go.Figure, notes: Sequence[dict[str, object] | None], names: Sequence[str], style: Look
) -> None:
    """Corners beside which there is no room for a name, in the legend unless they are there already."""
    in_legend = {trace.name for trace in figure.data}
    for k, note in enumerate(notes):
        if note is None and label(names[k], 40) not in in_legend:
            figure.add_scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=label(names[k], 40),
                marker={"color": style.color(k), "symbol": "diamond"},
            )


def _spread(n: int) -> FloatArray:
    """Heights around 0 that never change: the golden ratio's fractions."""
    return np.asarray(_SPREAD * ((np.arange(n) * 0.6180339887) % 1.0 - 0.5), dtype=np.float64)


def _frame(figure: go.Figure, places: FloatArray, style: Look) -> None:
    """The edges of the simplex, as one trace."""
    n = len(places)
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)] if n <= 8 else []
    x = [value for a, b in pairs for value in (places[a, 0], places[b, 0], None)]
    y = [value for a, b in pairs for value in (places[a, 1], places[b, 1], None)]
    figure.add_scatter(
        x=x, y=y, mode="lines", line={"color": style.faint, "width": 1.5}, hoverinfo="skip", showlegend=False
    )


def _corners(figure: go.Figure, places: FloatArray, names: Sequence[str], style: Look) -> None:
    n = len(places)
    figure.add_scatter(
        x=places[:, 0].tolist(),
        y=places[:, 1].tolist(),
        mode="markers",
        marker={"size": 16, "color": [style.color(k) for k in range(n)], "symbol": "diamond", "opacity": 1},
        hovertext=[label(name, 80) for name in names[:n]],
        hoverinfo="text",
        cliponaxis=False,
        showlegend=False,
        name="stereotypes",
    )


def _captions(places: FloatArray, names: Sequence[str], style: Look) -> list[dict[str, object] | None]:
    """For each corner its name beside it, outward where that has room; None where it would lie on another anywhere."""
    middle = places.mean(axis=0)
    notes: list[dict[str, object] | None] = []
    taken = [[_box(across * x, -up * y, 0, 0, (16, 16)) for x, y in places.tolist()] for across, up in _SCREENS]
    for k, (x, y) in enumerate(places.tolist()):
        lines = in_lines(shortened(names[k], _LONGEST), _LINE)
        size = (_WIDE * max(map(len, lines), default=0), _HIGH * len(lines))
        outward = "top" if y >= middle[1] else "bottom"
        notes.append(None)
        for side in sorted(_SIDES, key=lambda one: one != outward):
            dx, dy = _SIDES[side]
            boxes = [_box(across * x, -up * y, dx, dy, size) for across, up in _SCREENS]
            placed = zip(boxes, taken, _SCREENS, strict=True)
            if all(_has_room(box, others, across) for box, others, (across, _) in placed):
                for box, others in zip(boxes, taken, strict=True):
                    others.append(box)
                notes[-1] = {
                    "x": x,
                    "y": y,
                    "text": "<br>".join(map(in_picture, lines)),
                    "showarrow": False,
                    "xanchor": {0: "center", 1: "left", -1: "right"}[dx],
                    "yanchor": {0: "middle", 1: "top", -1: "bottom"}[dy],
                    "xshift": _GAP * dx,
                    "yshift": -_GAP * dy,
                    "borderpad": 0,
                    "bgcolor": translucent(style.paper, 0.7),
                    "font": {"color": style.ink, "size": 14},
                }
                break
    return notes


def _box(x: float, y: float, dx: int, dy: int, size: tuple[int, int]) -> _Box:
    """Where a name would stand, in pixels: left, right, top, bottom."""
    wide, high = size
    across, down = x + dx * (_GAP + wide / 2), y + dy * (_GAP + high / 2)
    return (across - wide / 2, across + wide / 2, down - high / 2, down + high / 2)


def _has_room(box: _Box, taken: list[_Box], across: int) -> bool:
    """Whether a name would lie within the picture and on nothing that is taken."""
    return (
        -_EDGE * across <= box[0]
        and box[1] <= (1 + _EDGE) * across
        and not any(
            box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3] for other in taken
        )
    )


def _laid_out(figure: go.Figure, places: FloatArray, style: Look) -> go.Figure:
    top = float(places[:, 1].max())
    lines = 1 + max((note.text.count("<br>") for note in figure.layout.annotations), default=0)
    room = 0.07 + 0.045 * lines
    figure.update_xaxes(visible=False, range=[-_EDGE, 1 + _EDGE], fixedrange=True)
    on_a_line = len(places) <= 2
    low, high = (0.5 - _SPREAD / 2 - 0.05, 0.5 + _SPREAD / 2 + room) if on_a_line else (-room, max(top, 0.86) + room)
    figure.update_yaxes(visible=False, range=[low, high], fixedrange=True)
    figure.update_layout(
        showlegend=True,
        legend={"itemsizing": "constant", "y": -0.02, "yanchor": "top"},
        hovermode="closest",
        margin={"l": 0, "r": 0, "t": 0, "b": 40},
    )
    return apply(figure, style, 320 if on_a_line else 560)
