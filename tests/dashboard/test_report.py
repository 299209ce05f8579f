"""Files to download: a picture as HTML, and the report."""

import shlex

import numpy as np
import pytest
from plotly.offline import get_plotlyjs

from dashboard import export
from dashboard.export import Report, Section, report_html, shell_command
from dashboard.figures.hierarchy import hierarchy_figure
from dashboard.figures.people import mixture_figure
from dashboard.theme import LIGHT
from nnm_core import cli, fit, preset
from nnm_core.cli.arguments import options_of
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


PARTS = ("the demo", demo().dataset, fit(demo().dataset.ratings, preset("paper", n_stereotypes=2)))


def report(**parts):
    dataset, model = PARTS[1:]
    towers = [mixture_figure(np.array([0.5, 0.5]), LIGHT, names=["a", "b"], n_stereotypes=2)] * 2
    fields = {"portraits": write_portraits(model, dataset), "opening": "Words.", "towers": towers}
    return Report(*PARTS, **(fields | parts))


def test_a_report_says_what_pale_bars_mean_and_how_it_was_fitted():
    html = report_html(report(), LIGHT)
    assert "Pale bars could be chance" in html
    assert "method “As in the paper”" in html


def test_a_report_says_where_its_model_came_from():
    assert "from the file" not in report_html(report(), LIGHT)
    assert "from the file &lt;mine&gt;.nnm" in report_html(report(model_file="<mine>.nnm"), LIGHT)


def test_sections_keep_their_first_figure_with_the_heading_and_escape_texts():
    order = hierarchy_figure(HIERARCHY.at(0.3), LIGHT)
    section = Section("A <b>", "Off & on.", [("first", order), ("second", order)], "Read it so.")
    html = report_html(report(sections=[section]), LIGHT)
    start = html.index('<div class="whole"><h2>A &lt;b&gt;</h2><p>Off &amp; on.</p><figure aria-label="first">')
    assert html.index("</figure></div>", start) < html.index('<figure aria-label="second">', start)
    assert "break-inside: avoid" in html


def test_a_report_brings_the_drawing_library_once_and_asks_for_nothing_else():
    html = report_html(report(), LIGHT)
    assert html.count(get_plotlyjs()) == 1
    assert "//" not in html.replace(get_plotlyjs(), "")  # no address of any kind


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("recommended", {}),
        ("recommended", {"n_stereotypes": 5, "starts": 8}),
        ("paper", {"momentum": True, "tol": 0.001, "n_sweeps": 50}),
        ("paper", {"generosity": True, "anchors": (40, 60)}),
        ("recommended", {"generosity": False, "shrinkage": 0.25, "mode": "stars"}),
        ("accurate", {"n_chains": 2}),
    ],
)
def test_the_command_in_a_report_asks_for_the_same_fit(name, changes):
    options = preset(name, **changes)
    command = shell_command("my file.csv", options, 7, ("--columns", "who", "what", "stars"))
    program, *arguments = shlex.split(command)
    parsed = cli.make_parser().parse_args(arguments)
    assert program == "nnm"
    assert (parsed.data, parsed.seed, str(parsed.output)) == ("my file.csv", 7, "report.html")
    assert parsed.columns == ["who", "what", "stars"]
    assert options_of(parsed) == options
