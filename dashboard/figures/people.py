"""People: everybody between the stereotypes, and one person as a mixture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.figures import drawing
from dashboard.figures.drawing import axis, hidden_axis, label, points
from dashboard.theme import TRANSPARENT, Look, make_figure, translucent, written_on
from nnm_core.phrases import shortened
from nnm_core.types import FloatArray, IntArray

MOST_POINTS = 5000  # more people than this are drawn as a density with a sample of points
# Colour groups of people of whom a trait is not known, and who have a value that got no colour of its own
NOT_KNOWN, OTHERS = -1, -2
_GREY = {OTHERS: ("other values", "circle"), NOT_KNOWN: ("not known", "circle-open")}
# Characters of a name in one line, which is what has room beside a corner on a phone, and in all
_LINE, _LONGEST = 14, 44
_WIDE, _HIGH, _GAP = 7, 18, 12  # pixels across a letter, of a line, and between a corner and its name
# Pixels across and up that a unit has on a phone and on a desk: of a line, and of a triangle, whose sides are equal
_LINE_SCREENS, _SCREENS = ((248, 260), (400, 380)), ((248, 248), (300, 300))
_SIDES = {"bottom": (0, 1), "top": (0, -1), "right": (1, 0), "left": (-1, 0)}
_EDGE = 0.22  # room to the left and right of the outermost corners
_SPREAD = 0.3  # how far people on a line are spread across it
# The enthusiast is dotted and the skeptic hatched, on a darker grey: different without colours as well
_PATTERNS = (".", "/")


@dataclass(frozen=True, slots=True, eq=False)
class Audience:
    """People as points."""

    ids: Sequence[str]
    tastes: FloatArray  # (n_people, n_stereotypes): rows on the simplex, generosity set aside
    groups: IntArray  # (n_people,): indices into the two below, or NOT_KNOWN or OTHERS
    group_names: Sequence[str]
    group_colors: Sequence[str]
    rows: IntArray | None = None  # (n_people,): their rows in the model, if they are only a part of the people
    kinds: Sequence[int] | None = None  # (n_stereotypes,): which stereotypes the columns are, if only some


def corners(tastes: FloatArray) -> FloatArray:
    """Return where each stereotype is drawn, (n_stereotypes, 2): on a line, in a triangle, or flattened.

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
    """Return the rows of people who are drawn as points: all, or an even selection that includes ``keep``."""
    if n_people <= MOST_POINTS:
        return np.arange(n_people)
    some = np.linspace(0, n_people - 1, MOST_POINTS).astype(np.int64)
    return np.unique(np.concatenate([some, np.asarray(keep, dtype=np.int64)]))


def simplex_figure(audience: Audience, look: Look, *, names: Sequence[str], chosen: int | None = None) -> go.Figure:
    """Draw everybody between the stereotypes; whoever is all of one kind lies in its corner.

    There is a trace of points per group, the grey ones undermost, whose customdata are rows. A corner beside which its
    name has no room is named in the legend. Shades show where people are dense if there are very many of them, or more
    stereotypes than a triangle has corners.
    """
    places = corners(audience.tastes)
    colors = [look.color(k) for k in audience.kinds or range(len(places))]
    people = audience.tastes @ places
    on_a_line = len(places) <= 2
    if on_a_line:
        # They would hide each other: spread them across it by the fractions of the golden ratio, always the same.
        people[:, 1] += _SPREAD * ((np.arange(len(people)) * 0.6180339887) % 1.0 - 0.5)
    above_people = np.array([0.0, _SPREAD / 2 if on_a_line else 0.0])
    notes = _corner_names(places + above_people, names, look)
    rows = np.arange(len(people)) if audience.rows is None else audience.rows
    marked = np.flatnonzero(rows == chosen)
    groups = list(_people(audience, people, sample(len(people), marked.tolist()), rows, look))
    is_named = all(note is not None for note in notes) and [*audience.group_names] == [*names[: len(notes)]]
    traces = [
        *([_density(people, look)] if len(people) > MOST_POINTS or len(places) > 3 else []),
        _edges(places, look),
        *groups,
        *_unnamed_corners(notes, names, {trace["name"] for trace in groups}, colors),
        _corners(places, names, colors),
    ]
    if len(marked):
        ring = {"size": 18, "color": TRANSPARENT, "line": {"width": 3, "color": look.ink}}
        traces.append(points(people[marked], ring) | {"hoverinfo": "skip", "showlegend": False})
    beside = [note for note in notes if note is not None]
    return make_figure(traces, _layout(places, beside, has_legend=not is_named), look)


def _density(people: FloatArray, look: Look) -> dict[str, Any]:
    """Return how many people there are where, as shades of grey."""
    bins, smooth = ((90, 80), False) if len(people) > MOST_POINTS else ((30, 27), "best")
    counts, across, up = np.histogram2d(people[:, 0], people[:, 1], bins=bins)
    x, y = (((edges[:-1] + edges[1:]) / 2).tolist() for edges in (across, up))
    shades = [[0, TRANSPARENT], [0.02, translucent(look.muted, 0.15)], [1, look.ink]]
    density = {"type": "heatmap", "x": x, "y": y, "z": np.sqrt(counts.T).tolist(), "colorscale": shades}
    return density | {"showscale": False, "showlegend": False, "hoverinfo": "skip", "zsmooth": smooth}


def _edges(places: FloatArray, look: Look) -> dict[str, Any]:
    """Return the edges of the simplex, as one trace."""
    n = len(places)
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)] if n <= 8 else []
    x, y = ([value for a, b in pairs for value in (places[a, k], places[b, k], None)] for k in (0, 1))
    return drawing.line(x, y, look.faint, 1.5) | {"showlegend": False}


def _people(
    audience: Audience, places: FloatArray, drawn: IntArray, rows: IntArray, look: Look
) -> Iterator[dict[str, Any]]:
    """Yield the people who are drawn as points, a trace per group; ``rows`` of all people are the customdata."""
    size = {"size": 5, "opacity": 0.55} if len(drawn) > 1500 else {"size": 8, "opacity": 0.75}
    for group in range(min(_GREY), len(audience.group_names)):
        members = drawn[audience.groups[drawn] == group]
        if not len(members):
            continue
        named = group >= 0
        color = audience.group_colors[group] if named else look.muted
        name, symbol = (label(audience.group_names[group], 40), "circle") if named else _GREY[group]
        yield {
            **points(places[members], {"symbol": symbol, "color": color, **size}),
            "name": name,
            "legendrank": 1 if named else 2,
            "customdata": rows[members].tolist(),
            "text": [label(audience.ids[row], 40) for row in members],
            "hovertemplate": "%{text}<extra></extra>",
            **drawing.opacity(0.9, 0.55),
        }


def _unnamed_corners(
    notes: Sequence[dict[str, Any] | None], names: Sequence[str], in_legend: set[str], colors: Sequence[str]
) -> list[dict[str, Any]]:
    """Return legend entries for corners beside which there is no room for a name, unless they are there already."""
    return [
        points(np.array([[None, None]]), {"color": colors[k], "symbol": "diamond"}) | {"name": label(names[k], 40)}
        for k, note in enumerate(notes)
        if note is None and label(names[k], 40) not in in_legend
    ]


def _corners(places: FloatArray, names: Sequence[str], colors: Sequence[str]) -> dict[str, Any]:
    diamonds = points(places, {"size": 16, "color": list(colors), "symbol": "diamond", "opacity": 1})
    hover = {"hovertext": [label(name, 80) for name in names[: len(places)]], "hoverinfo": "text"}
    return diamonds | hover | {"cliponaxis": False, "showlegend": False, "name": "stereotypes"}


def _corner_names(places: FloatArray, names: Sequence[str], look: Look) -> list[dict[str, Any] | None]:
    """Return each corner's name beside it, outward where that has room; None where it has room nowhere."""
    middle, sizes = places.mean(axis=0), _LINE_SCREENS if len(places) <= 2 else _SCREENS
    centres = [places * [across, -up] for across, up in sizes]
    screens = [
        drawing.Screen(-_EDGE * across, (1 + _EDGE) * across, -np.inf, drawing.boxes_around(at, 16))
        for at, (across, _) in zip(centres, sizes, strict=True)
    ]
    placer = drawing.LabelPlacer(screens)
    notes: list[dict[str, Any] | None] = []
    for k, (x, y) in enumerate(places.tolist()):
        lines = drawing.in_lines(shortened(names[k], _LONGEST), _LINE)
        size = (_WIDE * max(map(len, lines), default=0), _HIGH * len(lines))
        outward = "top" if y >= middle[1] else "bottom"
        sides = [_SIDES[side] for side in sorted(_SIDES, key=lambda side: side != outward)]
        found = placer.place(
            [
                [drawing.box_at(at[k, 0] + _GAP * dx, at[k, 1] + _GAP * dy, size, (dx, dy)) for at in centres]
                for dx, dy in sides
            ]
        )
        notes.append(None if found is None else _note(x, y, lines, sides[found], look))
    return notes


def _note(x: float, y: float, lines: Sequence[str], side: tuple[int, int], look: Look) -> dict[str, Any]:
    dx, dy = side
    anchors = {
        "xanchor": {0: "center", 1: "left", -1: "right"}[dx],
        "yanchor": {0: "middle", 1: "top", -1: "bottom"}[dy],
    }
    place = {"x": x, "y": y, "xshift": _GAP * dx, "yshift": -_GAP * dy, **anchors}
    style = {"borderpad": 0, "bgcolor": translucent(look.paper, 0.7), "font": {"color": look.ink, "size": 14}}
    return {**place, **style, "text": "<br>".join(map(drawing.escaped, lines)), "showarrow": False}


def _layout(places: FloatArray, notes: Sequence[dict[str, Any]], *, has_legend: bool) -> dict[str, Any]:
    lines = 1 + max((note["text"].count("<br>") for note in notes), default=0)
    room = 0.07 + 0.045 * lines
    on_a_line = len(places) <= 2
    low, high = -room, max(float(places[:, 1].max()), 0.86) + room
    if on_a_line:
        low, high = 0.5 - _SPREAD / 2 - 0.05, 0.5 + _SPREAD / 2 + room
    frame = {
        "height": 320 if on_a_line else 480,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 40 if has_legend else 0},
        "hovermode": "closest",
    }
    legend = {"showlegend": has_legend, "legend": {"itemsizing": "constant", "y": -0.02, "yanchor": "top"}}
    equal = {} if on_a_line else {"scaleanchor": "x"}  # so that all sides of a triangle are equally long
    axes = {"xaxis": hidden_axis(-_EDGE, 1 + _EDGE), "yaxis": hidden_axis(low, high) | equal}
    return {**frame, **legend, **axes, "annotations": notes}


def mixture_figure(mixture: FloatArray, look: Look, *, names: Sequence[str], n_stereotypes: int) -> go.Figure:
    """Draw a segment per stereotype, those of generosity hatched in grey; a trace each, in the order of the columns."""
    segments = []
    for k, (share, name) in enumerate(zip(mixture.tolist(), names, strict=True)):
        color, pattern = look.color(k), ""
        if k >= n_stereotypes:
            habit = (k - n_stereotypes) % 2
            color, pattern = (look.muted, look.ink)[habit], _PATTERNS[habit]
        style = {"fgcolor": look.paper, "size": 8, "solidity": 0.12, "fgopacity": 0.4, "fillmode": "overlay"}
        hatching = {"shape": pattern, **style}
        text = {"text": f"{share:.0%}" if share >= 0.06 else "", "textposition": "inside", "insidetextanchor": "middle"}
        segments.append(
            {
                "name": label(name, 40),
                **drawing.bars(mixture[k : k + 1], {}),
                "marker": {"color": color, "line": {"color": look.paper, "width": 1.5}, "pattern": hatching},
                **text,
                "textangle": 0,
                "textfont": {"color": written_on(color), "size": 14},
                "hovertemplate": f"{label(name, 60).replace('%', '&#37;')}: %{{x:.0%}}<extra></extra>",
            }
        )
    below = 12 + 19 * len(names)
    legend = {"showlegend": True, "legend": drawing.legend_below(below, yanchor="top", traceorder="normal")}
    axes = {"xaxis": hidden_axis(0, 1), "yaxis": axis(visible=False), "margin": {"l": 0, "r": 0, "t": 0, "b": below}}
    return make_figure(segments, {"height": 60 + below, "barmode": "stack", **legend, **axes}, look)
