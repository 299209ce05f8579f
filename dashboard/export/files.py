"""Files that pages and the report are made of: tables as CSV, pictures and pages as HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from dashboard.theme import SANS, SERIF, Look
from nnm_core import Model
from nnm_core.datasets import Dataset
from nnm_core.phrases import distinct

_STARTS_A_FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r")
_SAVE = """
<p><button onclick="save('png')">Save as PNG</button> <button onclick="save('svg')">Save as SVG</button></p>
<script>function save(format) {
  const plot = document.querySelector('.plotly-graph-div');
  Plotly.downloadImage(plot, {format: format, filename: 'picture', scale: format === 'png' ? 3 : 1});
}</script>
"""


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as CSV in UTF-8, with numbers rounded to a few digits.

    A text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
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
    if isinstance(cell, str) and cell.startswith(_STARTS_A_FORMULA) and not _is_number(cell):
        return "'" + cell
    return cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def figure_html(figure: go.Figure, title: str, look: Look) -> str:
    """Return a page with one interactive picture, and buttons that save it as PNG and SVG."""
    return page_html(title, figure_div(figure, with_library=True) + _SAVE, look)


def figure_div(figure: go.Figure, *, with_library: bool) -> str:
    """Return a picture as part of a page; the first of a page brings the library along."""
    config = {"displaylogo": False, "showSendToCloud": False, "responsive": True}
    return str(figure.to_html(include_plotlyjs=with_library, full_html=False, config=config))


@lru_cache(maxsize=1)
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


def _css(look: Look) -> str:
    return (
        f"body{{margin:0;background:{look.paper};color:{look.ink};font:17px/1.55 {SANS}}}"
        "main{max-width:64rem;margin:0 auto;padding:2.5rem 1.25rem}"
        f"h1,h2,h3{{font-family:{SERIF};font-weight:600;line-height:1.2}}h1{{font-size:2.3rem}}"
        f"small,.quiet{{color:{look.muted}}}table{{border-collapse:collapse;width:100%}}"
        f"td,th{{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid {look.faint}}}"
        "main{overflow-wrap:break-word}td{overflow-wrap:anywhere}"  # an address or a name may be one long word
        f".kind{{border-left:5px solid;padding-left:1rem;margin:2rem 0}}button{{font:inherit;padding:.3rem .8rem}}"
    )


def ratings_table(dataset: Dataset) -> pd.DataFrame:
    """Return every rating with ids and titles."""
    ratings = dataset.ratings
    levels = [f"{level:.12g}" for level in ratings.levels.tolist()]
    return pd.DataFrame(
        {
            "user": np.array(ratings.user_ids, dtype=object)[ratings.users],
            "item": np.array(ratings.item_ids, dtype=object)[ratings.items],
            "title": np.array(dataset.titles, dtype=object)[ratings.items],
            "rating": np.array(levels, dtype=object)[ratings.by_user.codes],
        }
    )


def mixtures_table(model: Model, names: Sequence[str]) -> pd.DataFrame:
    """Return everybody's mixture, one line each."""
    person, *columns = distinct(["person", *names])
    table = pd.DataFrame(model.mixtures, columns=columns)
    table.insert(0, person, list(model.user_ids))
    return table
