"""The current view as one page of HTML that needs nothing else: words, towers, hierarchy, options, licence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from dashboard.export import files
from dashboard.theme import Look
from dashboard.wording import NAME, a, fit_in_words, words_for
from nnm_core import Model
from nnm_core.datasets import Dataset
from nnm_core.interpret.text.portraits import Portrait
from nnm_core.phrases import percent, shortened


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What goes into the page.

    ``title``: of the data; ``opening``: sentences in plain text; ``towers``: one figure per stereotype of taste;
    ``how_good``: how far off the model is on ratings it has not seen, empty where nobody looked.
    ``model_file``: the file that the model came from, empty for a fit.
    """

    title: str
    dataset: Dataset
    model: Model
    portraits: Sequence[Portrait]
    opening: str
    towers: Sequence[go.Figure]
    hierarchy: go.Figure | None
    hierarchy_words: str
    address: str
    how_good: str = ""
    model_file: str = ""


def report_html(report: Report, look: Look) -> str:
    """Return the report as a page of HTML."""
    name = report.title
    body = [f"<h1>The audience of {_text(name, 100)}</h1>", f"<p>{_text(report.opening, 1500)}</p>"]
    for k, (portrait, tower) in enumerate(zip(report.portraits, report.towers, strict=False)):
        color = look.color(portrait.stereotype)
        body.append(
            f'<section class="kind" style="border-color:{color}"><h2>{_text(portrait.name)} '
            f"<small>{escape(percent(portrait.share))} of the audience</small></h2><p>{_text(portrait.text, 1000)}</p>"
            f"{files.figure_div(tower, with_library=k == 0)}</section>"
        )
    if report.towers:
        body.append(f'<p class="quiet">{_text(_how_to_read(report), 600)}</p>')
    body += [
        f'<p class="quiet"><b>{_text(habit.name)}.</b> {_text(habit.text, 500)}</p>'
        for habit in report.portraits[report.model.n_stereotypes :]
    ]
    if report.hierarchy is not None:
        body.append(
            f"<h2>What includes what</h2><p>{_text(report.hierarchy_words, 2000)}</p>"
            '<p class="quiet">Arrows lead from the broad to the narrow; ε is the part that may fall outside.</p>'
        )
        body.append(files.figure_div(report.hierarchy, with_library=not report.towers))
    body.append(_facts(report))
    return files.page_html(f"{NAME}: {shortened(name)}", "\n".join(body), look)


def _how_to_read(report: Report) -> str:
    """Say what a bar and its shade mean."""
    words = words_for(report.dataset)
    item = a(words.item)
    if not report.dataset.tags.names:
        return f"A bar says how likely a stereotype is to {words.like} this {words.item}; a grey tick is the audience."
    return (
        "A bar says by how many points out of 100 a stereotype is likelier, or less likely, than the whole audience "
        f"to {words.like} {item} of that {words.tag}. Pale bars could be chance, or come from liking everything more "
        "or less than others do."
    )


def _facts(report: Report) -> str:
    """Return a table of how the model was made, so that it can be made again."""
    ratings = report.dataset.ratings
    rows = {
        "People, items, ratings": f"{ratings.n_users:,}, {ratings.n_items:,}, {len(ratings):,}",
        "Rating scale": report.dataset.scale_in_words,
        "Fit": fit_in_words(report.model.options, report.model.seed),
        "How good": report.how_good or "not looked at: the page “How good” of the view says it",
        "Ratings (content hash)": report.model.data_hash[:16],
        "Data": report.title,
        "Licence": report.dataset.licence or "not stated",
        "This view": report.address,
    }
    if report.model_file:
        rows["Model"] = (
            f"from the file {report.model_file}; the address above shows it only to who has loaded this file"
        )
    cells = "".join(f"<tr><th>{escape(key)}</th><td>{_text(value, 1000)}</td></tr>" for key, value in rows.items())
    return f"<h2>How it was made</h2><table>{cells}</table>"


def _text(text: str, longest: int = 200) -> str:
    return escape(shortened(text, longest))
