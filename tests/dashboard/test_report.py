"""Files to download: a picture as HTML, and the report."""

import numpy as np

from dashboard import export
from dashboard.export import Report, report_html
from dashboard.figures.hierarchy import hierarchy_figure
from dashboard.figures.people import mixture_figure
from dashboard.theme import LIGHT
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import demo
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of
from nnm_core.interpret.text.portraits import write_portraits

VECTORS = np.array([[0.9, 0.9], [0.8, 0.2], [0.1, 0.7], [0.1, 0.1]])
HIERARCHY = hierarchy_of(["all", "left", "<i>right</i>", "none"], VECTORS)


def test_a_picture_as_html_stands_alone():
    figure = mixture_figure(np.array([0.5, 0.5]), LIGHT, names=["<script>alert(1)</script>", "b"], n_stereotypes=2)
    html = export.figure_html(figure, "<t>", LIGHT)
    assert html.startswith("<!doctype html>")
    assert "<title>&lt;t&gt;</title>" in html
    assert "<script>alert(1)" not in html
    assert 'src="http' not in html
    assert '"showSendToCloud": false' in html


def test_a_report_says_what_pale_bars_and_epsilon_mean():
    dataset = demo().dataset
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    tower, order = (
        mixture_figure(np.array([0.5, 0.5]), LIGHT, names=["a", "b"], n_stereotypes=2),
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
    assert "method “As in the paper”" in html


def test_a_report_says_where_its_model_came_from():
    dataset = demo().dataset
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    parts = ("the demo", dataset, model, (), "Words.", (), None, "", "http://here/")
    assert "from the file" not in report_html(Report(*parts), LIGHT)
    assert "from the file &lt;mine&gt;.nnm" in report_html(Report(*parts, model_file="<mine>.nnm"), LIGHT)
    assert "not looked at" in report_html(Report(*parts), LIGHT)
    assert "<td>Off by 1 &lt;b&gt;.</td>" in report_html(Report(*parts, how_good="Off by 1 <b>."), LIGHT)
