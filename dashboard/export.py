"""What leaves the dashboard: tables as CSV, pictures and pages as HTML, and the report of the current view."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from dashboard.theme import SANS, SERIF, Look
from dashboard.wording import NAME, a, fit_in_words, nearest_preset, words_for
from nnm_core import FitOptions, Model
from nnm_core.datasets import Dataset
from nnm_core.interpret.text.portraits import Portrait
from nnm_core.phrases import distinct, percent, shortened

_BROWSER = Path(__file__).with_name("browser")  # style sheets and scripts
_FLAG = re.compile("--?[a-zA-Z]")
_LINE = 26  # characters of a command that have room beside something else


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A part of a report: a heading, text, and figures with what they show."""

    title: str
    text: str  # plain
    figures: Sequence[tuple[str, go.Figure]] = ()
    note: str = ""  # how to read it


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What goes into the page."""

    title: str  # of the data
    dataset: Dataset
    model: Model
    portraits: Sequence[Portrait]
    opening: str  # sentences in plain text
    towers: Sequence[go.Figure]  # one per stereotype of taste
    sections: Sequence[Section] = ()
    address: str = ""  # of the view; empty for a report from the shell
    command: str = ""  # that makes the report again
    model_file: str = ""  # that the model came from, empty for a fit


def report_html(report: Report, look: Look) -> str:
    """Return the report as a page of HTML that needs no network."""
    name = report.title
    library = f"<script>{get_plotlyjs()}</script>{_script('report_print.js')}"  # and what fits pictures to paper
    body = [library, f"<h1>The audience of {_text(name, 100)}</h1>", f"<p>{_text(report.opening, 1500)}</p>"]
    for portrait, tower in zip(report.portraits, report.towers, strict=False):
        color = look.color(portrait.stereotype)
        body.append(
            f'<section class="kind" style="border-color:{color}"><h2>{_text(portrait.name)} '
            f"<small>{escape(percent(portrait.share))} of the audience</small></h2><p>{_text(portrait.text, 1000)}</p>"
            f"{_figure(tower, f'What {portrait.name} likes')}</section>"
        )
    if report.towers:
        body.append(f'<p class="quiet">{_text(_how_to_read(report), 600)}</p>')
    body += [
        f'<p class="quiet"><b>{_text(habit.name)}</b>, {habit.share_in_words}. {_text(habit.text, 500)}</p>'
        for habit in report.portraits[report.model.n_stereotypes :]
    ]
    body += [_section_html(section) for section in report.sections]
    body.append(_facts(report))
    return page_html(f"{NAME}: {shortened(name)}", "\n".join(body), look)


def _section_html(section: Section) -> str:
    """Return a section; its first figure stays with the heading when it is printed."""
    figures = [_figure(figure, caption) for caption, figure in section.figures]
    note = f'<p class="quiet">{_text(section.note, 2000)}</p>' if section.note else ""
    first, rest = "".join(figures[:1]), "".join(figures[1:])
    top = f"<h2>{_text(section.title)}</h2><p>{_text(section.text, 3000)}</p>{first}"
    return f'<section><div class="whole">{top}</div>{rest}{note}</section>'


def _figure(figure: go.Figure, caption: str) -> str:
    return f'<figure aria-label="{_text(caption)}">{figure_div(figure, with_library=False)}</figure>'


def shell_command(
    data: str, options: FitOptions, seed: int, columns: Sequence[str] = (), names: Sequence[str] = ()
) -> str:
    """Return the command that fits the same model and writes the same report.

    ``columns``: how to read the data; ``names``: those that were given to the stereotypes.

    >>> from nnm_core import PRESETS
    >>> shell_command("bundled", PRESETS["recommended"], 0)
    'nnm report bundled -D 3 --preset recommended --seed 0 -o report.html'
    """
    preset, changes = nearest_preset(options)
    flags = ["-D", str(options.n_stereotypes), "--preset", preset, "--seed", str(seed)]
    for one in changes:
        value = getattr(options, one.name)
        if one.kind is bool:
            flags.append(one.flag if value else one.flag.replace("--", "--no-", 1))
        elif isinstance(value, tuple):
            flags += ["--anchors", *map(str, value)]
        else:
            flags += [one.flag, str(value)]
    if any(names):
        flags += ["--names", *names]
    return shlex.join(["nnm", "report", data, *flags, "-o", "report.html", *columns])


def in_lines(command: str) -> str:
    """Return a command with an option or two to a line, since browsers would break it within one.

    >>> print(in_lines("nnm report bundled -D 3 --seed 0 -o report.html"))
    nnm report bundled -D 3 \\
      --seed 0 -o report.html
    """
    options: list[list[str]] = [[]]  # each with its values
    for word in shlex.split(command):
        if _FLAG.match(word):
            options.append([])
        options[-1].append(word)
    lines = [""]
    for text in map(shlex.join, options):
        if lines[-1] and len(lines[-1]) + len(text) > _LINE:
            lines.append(" ")
        lines[-1] += f" {text}" if lines[-1] else text
    return " \\\n".join(lines)


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
        "Ratings (content hash)": report.model.data_hash[:16],
        "Data": report.title,
        "Licence": report.dataset.licence or "not stated",
        "This view": report.address,
        "This report again": report.command,
    }
    if report.model_file:
        rows["Model"] = f"from the file {report.model_file}; the address shows it only to those who have loaded it"
    cells = "".join(
        f"<tr><th>{escape(key)}</th><td>{_text(value, 5000)}</td></tr>" for key, value in rows.items() if value
    )
    return f'<section class="whole"><h2>How it was made</h2><table>{cells}</table></section>'


def _text(text: str, longest: int = 200) -> str:
    return escape(shortened(text, longest))


_STARTS_A_FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r")
_SAVE = """
<p><button onclick="save('png')">Save as PNG</button> <button onclick="save('svg')">Save as SVG</button></p>
"""


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as CSV, numbers rounded; a text that a spreadsheet would run gets an apostrophe in front."""
    safe = table.copy()
    for column in safe.columns:
        if pd.api.types.is_float_dtype(safe[column]):
            safe[column] = _rounded(safe[column])
        if not pd.api.types.is_numeric_dtype(safe[column]) and not pd.api.types.is_bool_dtype(safe[column]):
            safe[column] = safe[column].map(_harmless)
    safe.columns = pd.Index([_harmless(name) for name in safe.columns])
    return safe.to_csv(index=False).encode("utf-8-sig", "replace")


def _rounded(numbers: pd.Series[float]) -> pd.Series[float]:
    """Round to four decimals, and one fewer for every further digit before the point of the largest number."""
    largest = float(numbers.abs().max()) if len(numbers) else 0.0
    before = math.floor(math.log10(largest)) if math.isfinite(largest) and largest >= 1 else 0
    return numbers.round(max(4 - before, 0))


def _harmless(cell: object) -> object:
    if not isinstance(cell, str) or not cell.startswith(_STARTS_A_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell


def figure_html(figure: go.Figure, title: str, look: Look) -> str:
    """Return a page with one interactive picture, and buttons that save it as PNG and SVG."""
    return page_html(title, figure_div(figure, with_library=True) + _SAVE + _script("save_picture.js"), look)


def figure_div(figure: go.Figure, *, with_library: bool) -> str:
    """Return a picture as part of a page; the first of a page brings the library along."""
    config = {"displaylogo": False, "showSendToCloud": False, "responsive": True}
    return str(figure.to_html(include_plotlyjs=with_library, full_html=False, config=config))


@cache
def library_size() -> int:
    """Return how many bytes the drawing library adds to a page."""
    return len(get_plotlyjs().encode())


def page_html(title: str, body: str, look: Look) -> str:
    """Return a whole page in the house style around a body of HTML."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_css(look)}</style></head>\n<body><main>{body}</main></body></html>\n"
    )


def _script(name: str) -> str:
    return f"<script>{(_BROWSER / name).read_text(encoding='utf-8')}</script>"


def _css(look: Look) -> str:
    values = {name: getattr(look, name) for name in ("paper", "ink", "muted", "faint")} | {"sans": SANS, "serif": SERIF}
    variables = ";".join(f"--{name}:{value}" for name, value in values.items())
    return f":root{{{variables}}}\n{(_BROWSER / 'report.css').read_text(encoding='utf-8')}"


def ratings_table(dataset: Dataset) -> pd.DataFrame:
    """Return every rating with ids and titles."""
    ratings = dataset.ratings
    levels = [f"{level:.12g}" for level in ratings.levels.tolist()]
    return pd.DataFrame(
        {
            "user": np.array(_writable(ratings.user_ids), dtype=object)[ratings.users],
            "item": np.array(_writable(ratings.item_ids), dtype=object)[ratings.items],
            "title": np.array(_writable(dataset.titles), dtype=object)[ratings.items],
            "rating": np.array(levels, dtype=object)[ratings.by_user.codes],
        }
    )


def mixtures_table(model: Model, names: Sequence[str]) -> pd.DataFrame:
    """Return everybody's mixture, one line each."""
    person, *columns = distinct(["person", *names])
    table = pd.DataFrame(model.mixtures, columns=columns)
    table.insert(0, person, _writable(model.user_ids))
    return table


def stereotypes_table(model: Model, dataset: Dataset, names: Sequence[str]) -> pd.DataFrame:
    """Return how likely each stereotype is to like each item, one line per item."""
    item, title, *columns = distinct(["item", "title", *names])
    table = pd.DataFrame(model.likes, columns=columns)
    table.insert(0, item, _writable(model.item_ids))
    table.insert(1, title, _writable(dataset.titles))
    return table


def _writable(texts: Sequence[str]) -> list[str]:
    r"""Return texts that a file can hold: half of a character is written as its number, as in ``\ud800``."""
    return [text.encode("utf-8", "backslashreplace").decode() for text in texts]
