"""One item and what divides the audience, by the numbers in the traces."""

import numpy as np

from dashboard.figures.items import Items, distribution_figure, divisive_figure, likes_figure
from dashboard.theme import LIGHT
from dashboard.wording import FILMS


def test_items():
    bars, line = likes_figure(np.array([0.2, 0.8]), LIGHT, audience=0.5, names=["a", "b"]).data
    assert list(bars.x) == [0.2, 0.8]
    assert list(line.x) == [0.5, 0.5]
    lines = distribution_figure(
        np.array([[0.1, 0.7], [0.9, 0.3]]), LIGHT, levels=np.array([1.0, 2.0]), names=["a", "b"]
    ).data
    assert [list(part.y) for part in lines] == [[0.1, 0.9], [0.7, 0.3]]
    assert {part.type for part in lines} == {"bar"}
    dots = divisive_figure(
        Items(
            ["1", "2"],
            ["<x>", "y"],
            np.array([5, 9]),
            np.array([0.5, 0.6]),
            np.array([0.1, 0.4]),
            np.array([10, 41]),
            np.array([1, 0]),
        ),
        LIGHT,
        words=FILMS,
        names=["a", "b"],
    )
    assert [list(trace.y) for trace in dots.data] == [[40.0], [10.0]]  # each with whoever likes it most
    assert [trace.marker.color for trace in dots.data] == [LIGHT.color(0), LIGHT.color(1)]
    assert "41 points between" in dots.data[0].hovertext[0]
    assert [list(trace.customdata) for trace in dots.data] == [["2"], ["1"]]
    assert "<x>" not in "".join(dots.data[1].hovertext)
    assert "<x>" not in str(dots.layout.annotations)


def test_points_out_of_a_hundred_end_at_a_hundred():
    figure = divisive_figure(
        Items(
            ["1", "2"],
            ["x", "y"],
            np.array([1, 9]),
            np.array([0.5, 0.6]),
            np.array([0.01, 0.97]),
            np.array([1, 97]),
            np.array([0, 0]),
        ),
        LIGHT,
        words=FILMS,
        names=["a"],
    )
    assert figure.layout.yaxis.tickvals[-1] == 100
    assert figure.data[0].hovertext[0] == "x<br>1 point between the stereotypes, 1 rating"


def test_every_name_among_the_points_leads_to_its_own():
    rng = np.random.default_rng(1)
    gaps, likes = rng.random(400) * 0.6, 0.4 + 0.5 * rng.random(400)
    titles = [f"The film with number {k}" for k in range(400)]
    points, ids = np.round(100 * gaps).astype(int), [str(k) for k in range(400)]
    items = Items(ids, titles, np.arange(1, 401), likes, gaps, points, np.arange(400) % 3)
    figure = divisive_figure(items, LIGHT, words=FILMS, names=list("abc"))
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
