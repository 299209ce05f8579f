"""How stereotypes split: bands, blocks and names that keep apart."""

import numpy as np

from dashboard.figures.stereotypes import Stage, lineage_figure
from dashboard.theme import LIGHT


def test_lineage_bands_are_as_many_as_the_flows():
    stages = [Stage("1 kind", ["all"], [1.0], ["#000000"]), Stage("2", ["a", "b"], [0.6, 0.4], ["#0000ff", "#ff0000"])]
    figure = lineage_figure(stages, LIGHT, flows=[np.array([[0.6, 0.4]])])
    assert len(figure.data) == 2 + 3
    low, high = figure.layout.xaxis.range
    for note in figure.layout.annotations:  # nothing reaches beyond the edges
        assert {"left": low <= note.x, "right": note.x <= high}[note.xanchor]


def test_lineage_names_lie_on_no_block_and_keep_apart_on_a_phone():
    names = ["a name of many words, which takes lines", "Hard to please, less so with Action", "Film-Noir fan"]
    stages = [Stage(f"{n} kinds", (names * 2)[:n], [1.0, *[0.02] * (n - 1)], ["#123456"] * n) for n in (4, 5, 6)]
    figure = lineage_figure(stages, LIGHT, flows=[np.full((n, n + 1), 0.02) for n in (4, 5)])
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
