"""The picture of the hierarchy: one can tell which arrow goes where, on a phone too."""

from itertools import combinations

import numpy as np
import pytest

from dashboard.figures.hierarchy import Chosen, hierarchy_figure, rounded_up
from dashboard.figures.hierarchy_layout import MARGIN, name_of_class
from dashboard.theme import LIGHT, contrast
from nnm_core.interpret.hierarchy.graph import order_at
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of, leanings

VECTORS = np.array([[0.9, 0.9], [0.8, 0.2], [0.1, 0.7], [0.1, 0.1]])
HIERARCHY = hierarchy_of(["all", "left", "<i>right</i>", "none"], VECTORS)
PHONE, DESK = 340, 560


def across(x, width):
    """Pixels from the left."""
    return MARGIN + np.array(x) * (width - 2 * MARGIN)


def boxes(figure, width):
    """Per node, the rectangles (left, right, top, bottom) in pixels of its mark and of its name, which is below it."""
    nodes = figure.data[-1]
    found = []
    for x, y, size, text in zip(across(nodes.x, width), nodes.y, nodes.marker.size, nodes.text, strict=True):
        lines = text.split("<br>")
        half, side, below = size / 2, 3.5 * max(map(len, lines)), y + size / 2
        found.append(((x - half, x + half, y - half, below), (x - side, x + side, below, below + 16 * len(lines))))
    return found


def arrows(figure, width):
    """Every arrow as points in pixels, closely spaced."""
    pairs = [pair for line in figure.data if line.mode == "lines" for pair in zip(line.x, line.y, strict=True)]
    points = np.array([(np.nan if x is None else across(x, width), np.nan if y is None else y) for x, y in pairs])
    parts = np.split(points, np.flatnonzero(np.isnan(points[:, 0])) + 1)
    grid = np.linspace(0, 1, 500)
    return [
        np.column_stack([np.interp(grid, np.linspace(0, 1, len(part) - 1), part[:-1, axis]) for axis in (0, 1)])
        for part in parts
        if len(part) > 1
    ]


def run_through(figure, width):
    """How many arrows run through the mark of a node at which they neither begin nor end."""
    nodes = np.column_stack([across(figure.data[-1].x, width), figure.data[-1].y])
    count = 0
    for arrow in arrows(figure, width):
        ends = {int(np.abs(nodes - end).sum(axis=1).argmin()) for end in (arrow[0], arrow[-1])}
        radii = np.array(figure.data[-1].marker.size) / 2
        apart = np.linalg.norm(arrow[:, None] - nodes[None], axis=2).min(axis=0)
        count += any(apart[k] < radii[k] for k in range(len(nodes)) if k not in ends)
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


def test_dots_on_arrows_keep_apart():
    dots = hierarchy_figure(one_above_all(17).at(0.01), LIGHT).data[-2]
    places = np.column_stack([across(dots.x, PHONE), dots.y])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[~np.eye(17, dtype=bool)]
    assert apart.min() > 9


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_names_and_marks_keep_apart_and_within_the_picture(width):
    vectors = np.random.default_rng(1).beta(4, 2, (24, 4))
    found = hierarchy_of([f"a genre with a name, number {k}" for k in range(24)], vectors)
    for epsilon in np.quantile(found.births, (0.0, 0.05, 0.2, 0.4)):
        figure = hierarchy_figure(found.at(float(epsilon)), LIGHT)
        both = [(min(m[0], n[0]), max(m[1], n[1]), m[2], n[3]) for m, n in boxes(figure, width)]
        for k, (left, right, top, low) in enumerate(both):
            assert left >= 0
            assert right <= width
            assert 0 <= top < low <= figure.layout.height
            for other in both[:k]:
                assert right <= other[0] or other[1] <= left or low <= other[2] or other[3] <= top


def test_layers_run_from_left_to_right_over_the_whole_width():
    vectors = leanings(np.random.default_rng(3).beta(4, 2, (18, 3)), np.full(3, 1 / 3), centred=True)
    order = hierarchy_of([f"t{k}" for k in range(18)], vectors, by="taste").at(0.05)
    assert order.layers.max() >= 3
    figure = hierarchy_figure(order, LIGHT)
    nodes = figure.data[-1]
    assert (min(nodes.x), max(nodes.x)) == (0, 1)
    column = dict(zip(nodes.customdata, nodes.x, strict=True))
    for broad, narrow in np.argwhere(order.between):
        first, second = (column[order.tags[order.classes[k][0]]] for k in (broad, narrow))
        assert first < second
    assert figure.layout.height < 700


def test_size_says_how_many_items_and_shade_how_well_liked():
    counts, liked = np.array([100, 25, 1]), np.array([0.5, 0.9, 0.7])
    vectors = np.array([[0.9, 0.1, 0.1], [0.1, 0.9, 0.1], [0.1, 0.1, 0.9]])
    found = hierarchy_of(["a", "b", "c"], vectors, counts, liked=liked)
    nodes = hierarchy_figure(found.at(0.1), LIGHT, hierarchy=found, items="films").data[-1]
    by_tag = {tag: k for k, tag in enumerate(nodes.customdata)}
    sizes = [nodes.marker.size[by_tag[tag]] for tag in "abc"]
    assert sizes[0] > sizes[1] > sizes[2]
    np.testing.assert_allclose((sizes[1] - 11) / (sizes[0] - 11), 0.5)  # a quarter of the items, half across
    darkness = [contrast(nodes.marker.color[by_tag[tag]], LIGHT.paper) for tag in "abc"]
    assert darkness[1] > darkness[2] > darkness[0]
    assert "100 films, liked with a probability of 0.50" in nodes.hovertext[by_tag["a"]]
    unknown = hierarchy_of(["a", "b", "c"], vectors, counts)
    plain = hierarchy_figure(unknown.at(0.1), LIGHT, hierarchy=unknown, items="people").data[-1]
    assert set(plain.marker.color) == {LIGHT.panel}
    assert "liked" not in str(plain.hovertext)


def test_nodes_keep_their_order_while_epsilon_moves():
    """Of two tags in one column at both ε, that stand alone and have arrows, the same one is above."""
    vectors = np.random.default_rng(3).beta(4, 2, (18, 3))
    found = hierarchy_of([f"t{k}" for k in range(18)], vectors)
    kept = swapped = 0
    before = {}
    for epsilon in np.linspace(found.births.min(), found.births.max(), 40):
        order = found.at(float(epsilon))
        joined = order.reduced.any(axis=0) | order.reduced.any(axis=1)
        nodes = hierarchy_figure(order, LIGHT).data[-1]
        now = {
            order.tags[members[0]]: (nodes.x[k], nodes.y[k])
            for k, members in enumerate(order.classes)
            if len(members) == 1 and joined[k]
        }
        for one, other in combinations(sorted(now.keys() & before.keys()), 2):
            if now[one][0] == now[other][0] and before[one][0] == before[other][0]:
                same = (now[one][1] < now[other][1]) == (before[one][1] < before[other][1])
                kept, swapped = kept + same, swapped + (not same)
        before = now
    assert kept > 100
    assert swapped == 0


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
    assert LIGHT.accent in list(chosen.data[-1].marker.line.color)
    both = hierarchy_figure(order, LIGHT, chosen=Chosen("left", "all")).data[-1]
    marked = [tag for tag, color in zip(both.customdata, both.marker.line.color, strict=True) if color == LIGHT.accent]
    assert sorted(marked) == ["all", "left"]


def test_where_an_inclusion_begins_is_rounded_up_to_a_step_of_the_slider():
    assert [rounded_up(birth) for birth in (0.0, 0.3, 0.3001, 0.2999, -1e-12)] == [
        "0.000", "0.300", "0.301", "0.300", "0.000",
    ]  # fmt: skip


def test_large_classes_are_named_in_part():
    assert name_of_class(["a", "b"]) == "a = b"
    assert name_of_class([str(k) for k in range(12)]).endswith("3 more")
    assert name_of_class(["Documentary", "<Film-Noir>"], 15) == "Documentary =<br>&lt;Film-Noir&gt;"
