"""Figures and tables on a page, what is selected in them, and both as files to download."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import export, session
from dashboard.compute import downloads
from dashboard.compute.downloads import Offer
from dashboard.wording import Words, md
from nnm_core.datasets.reading.sources import format_bytes

_CAMERAS = {"": "there on pointing, saves PNG", "PNG": "always there, saves PNG", "SVG": "always there, saves SVG"}


def show_figure(
    figure: go.Figure, key: str, alt: str, *, on_select: Callable[[], None] | None = None, has_camera: bool = True
) -> None:
    """Show a figure across its column; its camera, always visible once chosen under "Download", saves it."""
    camera = st.session_state.get("camera")
    image = str(camera or "PNG").lower()
    options = {"format": image, "filename": key, "scale": 1 if image == "svg" else 3}
    config: dict[str, Any] = {
        "displayModeBar": has_camera and (True if camera else "hover"),
        "modeBarButtons": [["toImage"]],
    }
    config |= {"displaylogo": False, "showSendToCloud": False, "scrollZoom": False, "toImageButtonOptions": options}
    selecting: dict[str, Any] = {}
    if on_select is not None:
        # What Streamlit would set after the first drawing, and so cause a second one.
        figure.update_layout(clickmode="event+select", hovermode="closest", dragmode="pan")
        selecting = {"on_select": on_select, "selection_mode": "points"}
    st.plotly_chart(figure, width="stretch", theme=None, key=key, config=config, alt=alt, **selecting)


def selected_point(key: str) -> dict[str, Any] | None:
    """Return the point that was selected last in the figure with this key."""
    chart: Any = st.session_state.get(key) or {}
    points = (chart.get("selection") or {}).get("points") or []
    return dict(points[0]) if points else None


def selected_data(key: str) -> Any:
    """Return the customdata of the point that was selected last: of a list with one value, that value."""
    data = (selected_point(key) or {}).get("customdata")
    return data[0] if isinstance(data, (list, tuple)) and len(data) == 1 else data


def show_table(
    table: pd.DataFrame, key: str, columns: Mapping[str, Any], *, height: int | Literal["auto"] = "auto"
) -> None:
    """Show a table across its column, without its index."""
    st.dataframe(table, hide_index=True, width="stretch", height=height, key=key, column_config=columns)


def title_column(words: Words) -> Any:
    """Return the column with an item's title: so wide that a phone has room for a number beside it."""
    hint = "Double-click a long title to read all of it."
    return st.column_config.TextColumn(words.item.capitalize(), width=220, help=hint)


def number_column(title: str, form: str) -> Any:
    """Return a narrow column of numbers."""
    return st.column_config.NumberColumn(title, format=form, width=68)


def distance_columns() -> dict[str, Any]:
    """Return the columns of what two people or items have in common, and how far they are apart."""
    return {"both": number_column("Both", "localized"), "distance": number_column("Distance", "%.1f")}


def percent_column(title: str) -> Any:
    """Return a column of percents, each with a bar."""
    return st.column_config.ProgressColumn(title, format="%.0f%%", min_value=0.0, max_value=100.0, width=104)


def offer_files(
    page: str,
    tables: Mapping[str, Callable[[], pd.DataFrame]],
    figures: Mapping[str, go.Figure],
    more: Mapping[str, tuple[Callable[[], str | bytes], str, str]] | None = None,
) -> None:
    """Offer everything on a page: tables as CSV, figures as HTML, and ``more`` as {label: (make, file, mime)}."""
    if not session.may_download():
        return
    with st.expander("Download", icon=":material/download:", key=f"take-{page}", on_change="rerun") as opened:
        if not opened.open:
            return
        with st.container(horizontal=True):
            for name, table in tables.items():
                button, file = f"{md(name, 80)} (CSV)", f"{_file_name(name)}.csv"
                make_csv = partial(lambda table: export.csv_bytes(table()), table)
                download_button(button, make_csv, file, "text/csv", key=f"csv-{page}-{name}")
            for name, figure in figures.items():
                button, file = f"{md(name, 80)} (HTML)", f"{_file_name(name)}.html"
                make_html = partial(export.figure_html, figure, name, session.look())
                download_button(button, make_html, file, "text/html", key=f"html-{page}-{name}")
            for name, (make, file, mime) in (more or {}).items():
                download_button(name, make, file, mime, key=f"more-{page}-{name}")
        if figures:
            st.caption(
                f"A picture as HTML stays alive, needs no network, and takes {format_bytes(export.library_size())}, "
                "since it brings along the program that draws it. For a PNG or an SVG, press the camera in the upper "
                "right corner of a picture."
            )
            form = _CAMERAS.__getitem__
            label = "The camera of every picture"
            st.selectbox(label, list(_CAMERAS), format_func=form, key="camera", persist_state="session", width=420)


def download_button(
    label: str, make: Callable[[], str | bytes], file: str, mime: str, *, primary: bool = False, **more: Any
) -> None:
    """Show a button that makes a file when it is pressed, outside the page's thread and without the session."""
    if not session.may_download():
        return
    share, key = session.shared(), more.pop("key", label)
    offer = Offer(session.who(), session.owner(), make, file, mime, "" if share is None else share.id)
    kind = session.look().main_button if primary else "secondary"
    st.link_button(label, f"download/{downloads.offer(key, offer)}", type=kind, **more)


def _file_name(name: str) -> str:
    return "".join(mark if mark.isalnum() else "-" for mark in name.lower()).strip("-")
