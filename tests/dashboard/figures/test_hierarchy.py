"""The picture of the hierarchy: one can tell which arrow goes where, on a phone too."""

from itertools import pairwise

import numpy as np
import pytest

from dashboard.figures.hierarchy import Chosen, hierarchy_figure, name_of_class
from dashboard.theme import LIGHT
from nnm_core.interpret.hierarchy.graph import order_at
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of

VECTORS = np.array([[0.9, 0.9], [0.8, 0.2], [0.1, 0.7], [0.1, 0.1]])
HIERARCHY = hierarchy_of(["all", "left", "<i>right</i>", "none"], VECTORS)
PHONE, DESK = 340, 560


def boxes(figure, width):
    """Per node, the rectangles (left, right, top, bottom) in pixels of its mark and of its name."""
    nodes = figure.data[-1]
    found = []
    for x, y, size, text in zip(nodes.x, nodes.y, nodes.marker.size, nodes.text, strict=True):
        lines = text.split("<br>")
        half, right = size / 2, x * width + size / 2
        name = (right, right + 4 + 7 * max(map(len, lines)), y - 8.5 * len(lines), y + 8.5 * len(lines))
        found.append(((x * width - half, right, y - half, y + half), name))
    return found


def arrows(figure, width):
    """Every arrow as points in pixels, closely spaced."""
    pairs = [pair for line in figure.data if line.mode == "lines" for pair in zip(line.x, line.y, strict=True)]
    points = np.array([(np.nan if x is None else x * width, np.nan if y is None else y) for x, y in pairs])
    parts = np.split(points, np.flatnonzero(np.isnan(points[:, 0])) + 1)
    grid = np.linspace(0, 1, 500)
    return [
        np.column_stack([np.interp(grid, np.linspace(0, 1, len(part) - 1), part[:-1, axis]) for axis in (0, 1)])
        for part in parts
        if len(part) > 1
    ]


def run_through(figure, width):
    """How many arrows run through the mark or the name of a node at which they neither begin nor end."""
    nodes = np.column_stack([np.array(figure.data[-1].x) * width, figure.data[-1].y])
    count = 0
    for arrow in arrows(figure, width):
        ends = {int(np.abs(nodes - end).sum(axis=1).argmin()) for end in (arrow[0], arrow[-1])}
        others = [box for k, pair in enumerate(boxes(figure, width)) if k not in ends for box in pair]
        x, y = arrow.T
        count += any(((x > left) & (x < right) & (y > top) & (y < low)).any() for left, right, top, low in others)
    return count


def one_above_all(n):
    return hierarchy_of(
        ["broad", *(f"narrow number {k}" for k in range(n))], np.vstack([np.ones((1, n)), np.eye(n) * 0.5])
    )


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("every_edge", [False, True])
def test_no_arrow_runs_through_another_node(width, every_edge):
    n_arrows = 0
    for seed in range(4):
        vectors = np.random.default_rng(seed).beta(4, 2, (20, 4))
        found = hierarchy_of([f"a genre {k}" for k in range(20)], vectors)
        for epsilon in np.quantile(found.births, (0.05, 0.15, 0.3, 0.5)):
            figure = hierarchy_figure(found.at(float(epsilon)), LIGHT, every_edge=every_edge)
            assert run_through(figure, width) == 0
            n_arrows += len(arrows(figure, width))
    assert n_arrows > 100


def test_no_arrow_runs_through_another_node_where_one_includes_all():
    figure = hierarchy_figure(one_above_all(17).at(0.01), LIGHT)
    assert len(arrows(figure, PHONE)) == 17
    assert run_through(figure, PHONE) == run_through(figure, DESK) == 0


def test_arrows_from_one_node_do_not_cross_and_keep_apart():
    lines = arrows(hierarchy_figure(one_above_all(17).at(0.01), LIGHT), PHONE)
    for upper, lower in pairwise(lines):
        shared = np.interp(upper[:, 1], lower[:, 1], lower[:, 0])  # where the lower is, at the heights of the upper
        assert (upper[:, 0] - shared >= -1e-9).all()
        assert upper[-1, 0] - shared[-1] > 10
    dots = hierarchy_figure(one_above_all(17).at(0.01), LIGHT).data[-2]
    places = np.column_stack([np.array(dots.x) * PHONE, dots.y])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[~np.eye(17, dtype=bool)]
    assert apart.min() > 9


def test_names_keep_apart_and_within_the_picture_on_a_phone():
    vectors = np.random.default_rng(1).beta(4, 2, (24, 4))
    found = hierarchy_of([f"a genre with a name, number {k}" for k in range(24)], vectors)
    for epsilon in np.quantile(found.births, (0.05, 0.2, 0.4)):
        figure = hierarchy_figure(found.at(float(epsilon)), LIGHT)
        names = [name for _, name in boxes(figure, PHONE)]
        for k, one in enumerate(names):
            assert one[1] <= PHONE
            assert 0 <= one[2] < one[3] <= figure.layout.height
            assert all(one[3] <= other[2] or other[3] <= one[2] for other in names[:k])


def test_nodes_keep_their_order_while_epsilon_moves():
    """Of two tags that stand alone or in a class of their own and have arrows at both ε, the same one is above."""
    vectors = np.random.default_rng(3).beta(4, 2, (18, 3))
    found = hierarchy_of([f"t{k}" for k in range(18)], vectors)
    kept = swapped = 0
    before = None
    for epsilon in np.linspace(found.births.min(), found.births.max(), 40):
        order = found.at(float(epsilon))
        joined = (order.reduced.any(axis=0) | order.reduced.any(axis=1))[order.class_of]
        single = np.array([len(order.classes[k]) == 1 for k in order.class_of])
        rows = order.stairs()[0][order.class_of]
        if before is not None:
            both = np.flatnonzero(joined & single & before[1])
            changed = (rows[both][:, None] < rows[both]) != (before[0][both][:, None] < before[0][both])
            swapped += int(changed.sum())
            kept += int((~changed).sum())
        before = rows, joined & single
    assert kept > 500
    assert swapped < kept / 100


def test_arrows_that_hold_for_a_part_are_dashed():
    births = np.ones((4, 4))
    births[0, 1] = births[1, 0] = births[2, 0] = births[3, 0] = births[3, 1] = 0.1  # a = b; c in a alone, d in both
    order = order_at(["a", "b", "c", "d"], births, 0.2)
    assert order.holding[order.class_of[0]].tolist() == [1 / 2, 1 / 2, 1.0]  # of four in itself, the two to the other
    figure = hierarchy_figure(order, LIGHT)
    lines = {trace.line.dash: trace for trace in figure.data if trace.mode == "lines"}
    assert {dash: line.x.count(None) for dash, line in lines.items()} == {"solid": 1, "dash": 1}
    dots = dict(zip(map(tuple, figure.data[-2].customdata), figure.data[-2].text, strict=True))
    assert "1 of 2 such inclusions hold" in dots["c", "a"]
    assert "such inclusions" not in dots["d", "a"]


def test_arrows_that_are_doubted_are_dashed():
    births = np.ones((3, 3))
    births[0, 2] = births[1, 2] = 0.1
    order = order_at(["a", "b", "c"], births, 0.2)
    figure = hierarchy_figure(order, LIGHT, doubted={("a", "c")}, chosen=Chosen("a"))
    dashed = [trace for trace in figure.data if trace.mode == "lines" and trace.line.dash == "dash"]
    assert len(dashed) == 1
    assert dashed[0].line.color == LIGHT.accent  # it is the chosen one's


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
