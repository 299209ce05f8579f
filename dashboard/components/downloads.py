"""Files to download: the tables and pictures of a page, and whatever else it offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import session
from dashboard.export import files
from dashboard.wording import md
from nnm_core.datasets.sources import format_bytes

_CAMERAS = {
    "": "there on pointing, saves PNG",
    "PNG": "always there, saves PNG",
    "SVG": "always there, saves SVG",
}


def offer_files(
    page: str,
    tables: Mapping[str, Callable[[], pd.DataFrame]],
    figures: Mapping[str, go.Figure],
    more: Mapping[str, tuple[Callable[[], str | bytes], str, str]] | None = None,
) -> None:
    """Offer everything on a page: tables as CSV, figures as HTML, and ``more`` as {label: (make, file, mime)}."""
    with st.expander("Take it away", icon=":material/download:", key=f"take-{page}", on_change="rerun") as opened:
        if not opened.open:
            return
        with st.container(horizontal=True):
            for name, table in tables.items():
                make_csv = partial(_csv, table)
                button, file = f"{md(name, 80)} (CSV)", f"{_file_name(name)}.csv"
                download_button(button, make_csv, file, "text/csv", key=f"csv-{page}-{name}")
            for name, figure in figures.items():
                make_html = partial(files.figure_html, figure, name, session.look())
                button, file = f"{md(name, 80)} (HTML)", f"{_file_name(name)}.html"
                download_button(button, make_html, file, "text/html", key=f"html-{page}-{name}")
            for name, (make, file, mime) in (more or {}).items():
                download_button(name, make, file, mime, key=f"more-{page}-{name}")
        if figures:
            st.caption(
                f"A picture as HTML stays alive, needs no network, and takes {format_bytes(files.library_size())}, "
                "since it brings along the program that draws it. For a PNG or an SVG, press the camera in the upper "
                "right corner of a picture."
            )
            st.selectbox(
                "The camera of every picture",
                list(_CAMERAS),
                format_func=_CAMERAS.__getitem__,
                key="camera",
                persist_state="session",
                width=420,
            )


def download_button(
    label: str,
    make: Callable[[], str | bytes],
    file: str,
    mime: str,
    *,
    icon: str | None = None,
    primary: bool = False,
    key: str | None = None,
) -> None:
    """Show a button that makes a file when it is pressed.

    ``make`` runs outside the page's thread: what it needs of the session it must bring along. The page does not run
    again at a press, for that could forget ``make`` before it was called.
    """
    kind = session.look().main_button if primary else "secondary"
    st.download_button(label, make, file, mime, icon=icon, type=kind, key=key, on_click="ignore")


def _csv(table: Callable[[], pd.DataFrame]) -> bytes:
    return files.csv_bytes(table())


def _file_name(name: str) -> str:
    return "".join(mark if mark.isalnum() else "-" for mark in name.lower()).strip("-")
