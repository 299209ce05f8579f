"""Every other picture by the numbers in its traces."""

import numpy as np
import pandas as pd
import pytest

from dashboard.export import files
from dashboard.export.report import Report, report_html
from dashboard.figures.barcode import MOST_LINES, barcode_figure
from dashboard.figures.convergence import errors_figure, objective_figure
from dashboard.figures.error_curve import error_curve_figure
from dashboard.figures.hierarchy import Chosen, hierarchy_figure, name_of_class
from dashboard.figures.items import distribution_figure, divisive_figure, likes_figure
from dashboard.figures.lineage import Stage, lineage_figure
from dashboard.figures.mixture import mixture_figure
from dashboard.figures.profile import curve_figure, ratings_figure, tags_figure
from dashboard.figures.simplex import MOST_POINTS, NOT_KNOWN, OTHERS, Audience, corners, sample, simplex_figure
from dashboard.figures.witness import witness_figure
from dashboard.theme import DARK, LIGHT
from dashboard.wording import FILMS
from nnm_core import fit, preset
from nnm_core.datasets.demo import demo
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of
from nnm_core.interpret.text.portraits import write_portraits
from nnm_core.model import Trace

VECTORS = np.array([[0.9, 0.9], [0.8, 0.2], [0.1, 0.7], [0.1, 0.1]])
HIERARCHY = hierarchy_of(["all", "left", "<i>right</i>", "none"], VECTORS)


def test_the_graph_has_a_node_per_class_and_a_point_per_edge():
    order = HIERARCHY.at(0.3)
    figure = hierarchy_figure(order, LIGHT)
    edges, nodes = figure.data[-2], figure.data[-1]
    assert len(nodes.x) == len(order.classes)
    assert len(edges.x) == order.reduced.sum()
    for narrow, broad in edges.customdata:
        birth = HIERARCHY.births[HIERARCHY.tags.index(narrow), HIERARCHY.tags.index(broad)]
        assert birth <= 0.3
    assert "<i>" not in str(nodes.text)
    every = hierarchy_figure(order, LIGHT, every_edge=True)
    assert len(every.data[-2].x) == order.between.sum() >= order.reduced.sum()


def test_the_chosen_tag_stands_out():
    order = HIERARCHY.at(0.3)
    plain, chosen = hierarchy_figure(order, LIGHT), hierarchy_figure(order, LIGHT, chosen=Chosen("left"))
    assert len(chosen.data) == len(plain.data) + 2
    assert LIGHT.accent in list(chosen.data[-1].marker.color)
    both = hierarchy_figure(order, LIGHT, chosen=Chosen("left", "all")).data[-1]
    marked = [tag for tag, color in zip(both.customdata, both.marker.line.color, strict=True) if color == LIGHT.accent]
    assert sorted(marked) == ["all", "left"]


def test_large_classes_are_named_in_part():
    assert name_of_class(["a", "b"]) == "a = b"
    assert name_of_class([str(k) for k in range(12)]).endswith("3 more")
    assert name_of_class(["Documentary", "<Film-Noir>"], 15) == "Documentary =<br>&lt;Film-Noir&gt;"


def test_the_barcode_has_a_stroke_per_birth_or_a_density():
    strokes, line = barcode_figure(HIERARCHY.births, 0.25, LIGHT).data
    own = ~np.eye(4, dtype=bool)
    assert np.allclose(np.sort(HIERARCHY.births[own]), np.array(strokes.x)[::3])
    assert list(line.x) == [0.25, 0.25]
    many = np.random.default_rng(0).random((60, 60))
    bars = barcode_figure(many, 0.5, DARK).data[0]
    assert MOST_LINES < 60 * 59
    assert sum(bars.customdata) == 60 * 59


def test_the_witness_adds_up_to_the_birth():
    witness = HIERARCHY.witness("left", "all")
    inside, outside = witness_figure(witness, ["a", "b"], LIGHT).data
    assert sum(outside.x) == pytest.approx(witness.birth)
    assert sum(inside.x) + sum(outside.x) == pytest.approx(1)


def audience(tastes):
    n = tastes.shape[1]
    ids = [str(k) for k in range(len(tastes))]
    return Audience(ids, tastes, tastes.argmax(axis=1), [f"kind {k}" for k in range(n)], LIGHT.colors[:n])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_pure_people_lie_in_their_corners(n):
    figure = simplex_figure(audience(np.eye(n)), [f"k{k}" for k in range(n)], LIGHT)
    places = corners(np.eye(n))
    drawn = {
        int(row): (x, y)
        for trace in figure.data
        if trace.customdata is not None
        for row, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }
    for k in range(n):
        assert drawn[k][0] == pytest.approx(places[k, 0])
        if n > 2:
            assert drawn[k][1] == pytest.approx(places[k, 1])


@pytest.mark.parametrize("across", [248, 560])
def test_names_of_corners_lie_neither_on_one_another_nor_on_corners(across):
    names = [f"Hard to please, less so with number {k}" for k in range(7)]
    tastes = np.random.default_rng(2).dirichlet(np.full(7, 0.3), 300)
    people = Audience([str(k) for k in range(300)], tastes, np.zeros(300, dtype=int), ["all"], LIGHT.traits)
    figure = simplex_figure(people, names, LIGHT)
    boxes = [(across * x - 8, across * x + 8, -380 * y - 8, -380 * y + 8) for x, y in corners(tastes)]
    for note in figure.layout.annotations:
        lines = note.text.split("<br>")
        wide, high = 6.5 * max(map(len, lines)), 17 * len(lines)
        left = across * note.x + note.xshift - {"left": 0, "center": wide / 2, "right": wide}[note.xanchor]
        top = -380 * note.y - note.yshift - {"top": 0, "middle": high / 2, "bottom": high}[note.yanchor]
        boxes.append((left, left + wide, top, top + high))
        assert -0.22 * across <= left < left + wide <= 1.22 * across
        for other in boxes[:-1]:
            one = boxes[-1]
            assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
    beside = {note.text.replace("<br>", " ") for note in figure.layout.annotations}
    in_legend = {trace.name for trace in figure.data if trace.showlegend is not False}
    assert beside
    assert {name for name in names if name not in beside} == in_legend - {"all"}


def test_on_a_line_names_stand_above_the_people():
    figure = simplex_figure(audience(np.tile(np.eye(2), (50, 1))), ["one kind", "another kind"], LIGHT)
    highest = max(max(trace.y) for trace in figure.data if trace.customdata is not None)
    low, high = figure.layout.yaxis.range
    assert low < 0.35
    assert highest < high
    assert [note.text for note in figure.layout.annotations] == ["one kind", "another kind"]
    assert all(note.y >= highest and note.yanchor == "bottom" for note in figure.layout.annotations)


def test_a_name_with_room_beside_its_corner_is_not_cut():
    names = ["Fan of “American Psycho (2000)”", "Film-Noir and Musical fan", "IMAX fan"]
    figure = simplex_figure(audience(np.eye(3)), names, LIGHT)
    assert [note.text.replace("<br>", " ") for note in figure.layout.annotations] == names


def test_values_without_a_colour_are_not_called_unknown():
    tastes = np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    people = Audience(list("abcdef"), tastes, np.array([0, 1, OTHERS, NOT_KNOWN, OTHERS, 0]), ["x", "y"], LIGHT.traits)
    drawn = {trace.name: trace for trace in simplex_figure(people, list("abc"), LIGHT).data[1:-1]}
    assert {name: list(trace.customdata) for name, trace in drawn.items()} == {
        "other values": [2, 4],
        "not known": [3],
        "x": [0, 5],
        "y": [1],
    }
    assert drawn["other values"].marker.symbol != drawn["not known"].marker.symbol
    assert drawn["x"].legendrank < drawn["other values"].legendrank


def test_a_crowd_is_a_density_with_a_sample():
    tastes = np.random.default_rng(0).dirichlet([1, 1, 1], 200_000)
    figure = simplex_figure(audience(tastes), list("abc"), LIGHT, chosen=77_777)
    assert (np.array(figure.data[0].z) ** 2).sum() == pytest.approx(200_000)
    points = sum(len(trace.customdata) for trace in figure.data if trace.customdata is not None)
    assert MOST_POINTS <= points <= MOST_POINTS + 1
    assert 77_777 in sample(200_000, [77_777])


def test_a_mixture_is_one_bar_of_all_parts():
    parts = mixture_figure(np.array([0.5, 0.3, 0.15, 0.05]), list("abcd"), 2, LIGHT).data
    assert [part.x[0] for part in parts] == [0.5, 0.3, 0.15, 0.05]
    assert [part.marker.color for part in parts[:2]] == [LIGHT.color(0), LIGHT.color(1)]
    assert [part.text for part in parts] == ["50%", "30%", "15%", ""]
    habits = [(part.marker.color, part.marker.pattern.shape) for part in parts[2:]]
    assert len({color for color, _ in habits}) == len({shape for _, shape in habits}) == 2


@pytest.mark.parametrize("n", [1, 3, 12])
def test_legends_below_have_a_row_for_every_name_and_no_void(n):
    names = [f"Hard to please, less so with number {k}" for k in range(n)]
    one = mixture_figure(np.full(n, 1 / n), names, n, LIGHT).layout
    assert one.legend.orientation == "v"
    assert one.height - one.margin.b == 60
    assert 19 * n <= one.margin.b <= 19 * n + 20
    stars = distribution_figure(np.full((5, n), 0.2), np.arange(1.0, 6), names, LIGHT).layout
    assert stars.legend.orientation == "v"
    assert stars.legend.y == 0
    assert stars.height - stars.margin.b > 250


def test_items():
    bars, line = likes_figure(np.array([0.2, 0.8]), 0.5, ["a", "b"], LIGHT).data
    assert list(bars.x) == [0.2, 0.8]
    assert list(line.x) == [0.5, 0.5]
    lines = distribution_figure(np.array([[0.1, 0.7], [0.9, 0.3]]), np.array([1.0, 2.0]), ["a", "b"], LIGHT).data
    assert [list(part.y) for part in lines] == [[0.1, 0.9], [0.7, 0.3]]
    dots = divisive_figure(
        np.array([0.5, 0.6]),
        np.array([0.1, 0.4]),
        np.array([10, 41]),
        np.array([5, 9]),
        ["<x>", "y"],
        ["1", "2"],
        FILMS,
        LIGHT,
    )
    assert list(dots.data[0].y) == [10.0, 40.0]
    assert "41 points between" in dots.data[0].hovertext[1]
    assert list(dots.data[0].customdata) == ["1", "2"]
    assert "<x>" not in "".join(dots.data[0].hovertext)
    assert "<x>" not in str(dots.layout.annotations)


def test_points_out_of_a_hundred_end_at_a_hundred():
    figure = divisive_figure(
        np.array([0.5, 0.6]),
        np.array([0.01, 0.97]),
        np.array([1, 97]),
        np.array([1, 9]),
        ["x", "y"],
        ["1", "2"],
        FILMS,
        LIGHT,
    )
    assert figure.layout.yaxis.tickvals[-1] == 100
    assert figure.data[0].hovertext[0] == "x<br>1 point between the stereotypes, 1 rating"


def test_every_name_among_the_points_leads_to_its_own():
    rng = np.random.default_rng(1)
    gaps, likes = rng.random(400) * 0.6, 0.4 + 0.5 * rng.random(400)
    titles = [f"The film with number {k}" for k in range(400)]
    figure = divisive_figure(
        likes,
        gaps,
        np.round(100 * gaps).astype(int),
        np.arange(1, 401),
        titles,
        [str(k) for k in range(400)],
        FILMS,
        LIGHT,
    )
    assert 3 <= len(figure.layout.annotations) <= 6
    highest = [titles[row][:17] for row in np.argsort(-gaps)[:3]]
    assert [note.text[:17] for note in figure.layout.annotations[:3]] == highest
    for note in figure.layout.annotations:
        row = next(k for k, gap in enumerate(gaps) if 100 * gap == note.y)
        assert titles[row].startswith(note.text.removesuffix("…"))
        assert note.x == likes[row]
        assert note.showarrow is not False
        low, high = figure.layout.xaxis.range
        width = 290 / (high - low) * ((high if note.ax > 0 else note.x) - (note.x if note.ax > 0 else low)) - 16
        assert 6.6 * len(note.text) <= width  # it is not cut on a phone


def test_lineage_bands_are_as_many_as_the_flows():
    stages = [Stage("1 kind", ["all"], [1.0], ["#000000"]), Stage("2", ["a", "b"], [0.6, 0.4], ["#0000ff", "#ff0000"])]
    figure = lineage_figure(stages, [np.array([[0.6, 0.4]])], LIGHT)
    assert len(figure.data) == 2 + 3
    low, high = figure.layout.xaxis.range
    for note in figure.layout.annotations:  # nothing reaches beyond the edges
        assert {"left": low <= note.x, "right": note.x <= high}[note.xanchor]


def test_lineage_names_lie_on_no_block_and_keep_apart_on_a_phone():
    names = ["a name of many words, which takes lines", "Hard to please, less so with Action", "Film-Noir fan"]
    stages = [Stage(f"{n} kinds", (names * 2)[:n], [1.0, *[0.02] * (n - 1)], ["#123456"] * n) for n in (4, 5, 6)]
    figure = lineage_figure(stages, [np.full((n, n + 1), 0.02) for n in (4, 5)], LIGHT)
    width = 340 / (figure.layout.xaxis.range[1] - figure.layout.xaxis.range[0])
    boxes = []
    for note in figure.layout.annotations:
        if note.text.startswith("<b>"):
            continue
        lines = note.text.split("<br>")
        left = note.x * width - (6.8 * max(map(len, lines)) if note.xanchor == "right" else 0)
        right = left + 6.8 * max(map(len, lines))
        boxes.append((left, right, note.y - 8.5 * len(lines), note.y + 8.5 * len(lines)))
        assert not any("…" in line for line in lines)
    blocks = [trace for trace in figure.data if trace.hoveron == "fills"]
    assert len(boxes) == len(blocks) == 15
    marks = [(min(b.x) * width, max(b.x) * width, min(b.y), max(b.y)) for b in blocks]
    for k, one in enumerate(boxes):
        assert one[3] <= figure.layout.height
        for other in [*boxes[:k], *marks]:
            apart = one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
            assert apart, (one, other)


def test_convergence_leaves_the_fill_out():
    trace = Trace("like", np.array([90.0, 80, 9, 8, 7, 6]), 2, np.array([3.0, 1.0, 0.9]), 1e-12)
    line = objective_figure([trace], LIGHT).data[0]
    assert list(line.x) == [1.5, 2.0, 2.5, 3.0]
    assert list(line.y) == [9, 8, 7, 6]
    throughout = Trace("like", np.array([4.0, 3, 2, 1]), 4, np.array([3.0, 1.0]), 1e-12)
    assert list(objective_figure([throughout], LIGHT).data[0].y) == [4, 3, 2, 1]
    seen, held_out = errors_figure(trace.training_errors, np.array([3.1, 1.2, 1.1]), "stars", LIGHT, skipped=1).data
    assert list(seen.x) == [2, 3]
    assert list(held_out.y) == [1.2, 1.1]


def test_the_curve_shows_raw_and_rounded_with_their_spread():
    table = pd.DataFrame(
        {
            "stereotypes": [1, 2],
            "mae": [0.7, 0.6],
            "mae_spread": [0.01, 0.02],
            "mae_rounded": [0.65, 0.55],
            "mae_rounded_spread": [0.03, 0.04],
        }
    )
    figure = error_curve_figure(table, "stars", LIGHT, chosen=2, peers={"user means": 0.75})
    assert figure.layout.yaxis.title.text == "average miss in stars (MAE)"
    raw, rounded = figure.data
    assert list(raw.y) == [0.7, 0.6]
    assert list(rounded.error_y.array) == [0.03, 0.04]
    assert list(raw.marker.size) == [9, 15]


def test_the_profile_counts():
    bars = ratings_figure(np.array([1.0, 2.0]), np.array([1, 3]), LIGHT).data[0]
    assert list(bars.y) == [0.25, 0.75]
    many = ratings_figure(np.arange(1000.0), np.ones(1000, dtype=int), LIGHT).data[0]
    assert sum(many.customdata) == 1000
    line = curve_figure(np.array([3, 0, 9, 1]), "people", FILMS, LIGHT).data[0]
    assert list(line.y) == [9, 3, 1]
    many = curve_figure(np.array([4000, 30, 7]), "people", FILMS, LIGHT).layout
    assert [list(axis.tickvals) for axis in (many.xaxis, many.yaxis)] == [[1, 2], [10, 100, 1000]]
    assert list(tags_figure(["a", "b"], np.array([5, 2]), LIGHT).data[0].x) == [5, 2]


def test_no_axis_line_strikes_through_the_number_of_a_bar():
    assert tags_figure(["a", "b"], np.array([5, 2]), LIGHT).layout.yaxis.zeroline is False


@pytest.mark.parametrize(("counts", "ticks"), [([18, 18, 18], [18]), ([12, 15, 18], [12, 18]), ([1, 1], [1])])
def test_equally_active_people_have_numbers_at_their_axis(counts, ticks):
    figure = curve_figure(np.array(counts), "people", FILMS, LIGHT)
    assert list(figure.layout.yaxis.tickvals) == ticks


def test_a_picture_as_html_stands_alone():
    figure = mixture_figure(np.array([0.5, 0.5]), ["<script>alert(1)</script>", "b"], 2, LIGHT)
    html = files.figure_html(figure, "<t>", LIGHT)
    assert html.startswith("<!doctype html>")
    assert "<title>&lt;t&gt;</title>" in html
    assert "<script>alert(1)" not in html
    assert 'src="http' not in html
    assert '"showSendToCloud": false' in html


def test_a_report_says_what_pale_bars_and_epsilon_mean():
    dataset = demo().dataset
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    tower, order = (
        mixture_figure(np.array([0.5, 0.5]), ["a", "b"], 2, LIGHT),
        hierarchy_figure(HIERARCHY.at(0.3), LIGHT),
    )
    html = report_html(
        Report(
            "the demo",
            dataset,
            model,
            write_portraits(model, dataset),
            "",
            [tower] * 2,
            order,
            "At 0.3.",
            "http://here/",
        ),
        LIGHT,
    )
    assert "Pale bars could be chance" in html
    assert "ε is the part that may fall outside" in html
    assert "way of fitting “As in the paper”" in html


def test_a_report_says_where_its_model_came_from():
    dataset = demo().dataset
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    parts = ("the demo", dataset, model, (), "Words.", (), None, "", "http://here/")
    assert "from the file" not in report_html(Report(*parts), LIGHT)
    assert "from the file &lt;mine&gt;.nnm" in report_html(Report(*parts, model_file="<mine>.nnm"), LIGHT)
    assert "not looked at" in report_html(Report(*parts), LIGHT)
    assert "<td>Off by 1 &lt;b&gt;.</td>" in report_html(Report(*parts, how_good="Off by 1 <b>."), LIGHT)


def test_colours_of_stereotypes_mean_stereotypes_alone():
    table = pd.DataFrame({"stereotypes": [1, 2], "mae": [0.7, 0.6], "mae_rounded": [0.6, 0.5]})
    table = table.assign(mae_spread=0.01, mae_rounded_spread=0.01)
    figures = [
        error_curve_figure(table, "stars", LIGHT),
        errors_figure(np.array([0.9, 0.8]), np.array([1.0, 0.9]), "stars", LIGHT),
        curve_figure(np.array([3, 1]), "people", FILMS, LIGHT),
    ]
    used = {line.line.color for figure in figures for line in figure.data}
    assert used == {LIGHT.accent, LIGHT.muted}
    assert not used & set(LIGHT.colors)
