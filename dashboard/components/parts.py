"""Pieces that several pages share: a picture, a job's progress, a mixture in bars, files to take away."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import session
from dashboard.compute import jobs
from dashboard.compute.jobs import Job
from dashboard.export import files
from dashboard.wording import Words, counted, duration, md, message
from nnm_core.datasets import ImportReport
from nnm_core.datasets.sources import format_bytes
from nnm_core.fitting.progress import Sweep

__all__ = ["Job", "Sweep", "background", "picked", "picture", "show_job", "take_away"]

REFRESH = 1.0
"""Seconds between two looks at a job."""

_CAMERAS = {
    "": "there on pointing, saves PNG",
    "PNG": "always there, saves PNG",
    "SVG": "always there, saves SVG",
}


def picture(
    figure: go.Figure,
    key: str,
    alt: str,
    *,
    on_select: Callable[[], None] | None = None,
) -> None:
    """A figure across its column; its camera, always there once asked for under "Take it away", saves it."""
    asked = st.session_state.get("camera")
    chosen = str(asked or "PNG").lower()
    config: dict[str, Any] = {
        "displayModeBar": True if asked else "hover",
        "displaylogo": False,
        "showSendToCloud": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": chosen, "filename": key, "scale": 1 if chosen == "svg" else 3},
    }
    if on_select is None:
        st.plotly_chart(figure, width="stretch", theme=None, key=key, config=config, alt=alt)
    else:
        # What Streamlit would set after the first drawing, and so bring about a second one.
        figure.update_layout(clickmode="event+select", hovermode="closest", dragmode="pan")
        st.plotly_chart(
            figure,
            width="stretch",
            theme=None,
            key=key,
            config=config,
            alt=alt,
            on_select=on_select,
            selection_mode="points",
        )


def title_column(words: Words) -> Any:
    """The column with an item's title: as wide as leaves room for a number beside it on a phone."""
    return st.column_config.TextColumn(
        words.item.capitalize(), width=220, help="Double-click a long title to read all of it."
    )


def number_column(title: str, form: str) -> Any:
    """A narrow column of numbers."""
    return st.column_config.NumberColumn(title, format=form, width=68)


def picked(key: str) -> dict[str, Any] | None:
    """The point of a picture that was picked last."""
    chart: Any = st.session_state.get(key) or {}
    points = (chart.get("selection") or {}).get("points") or []
    return dict(points[0]) if points else None


def show_job(job: Job) -> None:
    """The progress of a job, with the time left and a way to stop it; the page runs again when it is done.

    A job that failed is dropped, so that it can be started again, and its error is shown.
    """
    if job.state == "failed":
        jobs.forget(job.key)
        st.error(message(job.error))
        return

    @st.fragment(run_every=REFRESH)
    def panel() -> None:
        if job.is_finished:
            st.rerun(scope="app")
        left = job.seconds_left
        rest = f", {duration(left)} left" if left is not None else ""
        bar, stop = st.columns([5, 1], vertical_alignment="center")
        bar.progress(job.share, text=f"{md(job.title)}: {md(job.step)}{rest}")
        if stop.button("Cancel", key=f"cancel-{abs(hash(job.key))}", icon=":material/close:", width="stretch"):
            session.cancel(job)
            job.wait(5.0)
            st.rerun(scope="app")

    # A refresh that begins before the page's own messages are sent drops the fragment's among them, and the browser
    # fails at the gap. A container that belongs to the page keeps the place.
    with st.container():
        panel()


def offer_restart(button: str, keys: Sequence[Hashable]) -> None:
    """Say that jobs were cancelled, and offer to start them after all."""
    st.caption("This was cancelled; it can be started again.")
    if st.button(button, icon=":material/play_arrow:"):
        for key in keys:
            session.allow(key)
        st.rerun()


def background(
    key: tuple[Any, ...],
    title: str,
    work: Callable[[Job], Any],
    button: str,
    *,
    at_once: bool = False,
    patience: float = 0.3,
) -> Any:
    """The result of long work, None while it is not there; started by a button or, once, without one.

    Progress, faults and a cancelled job are shown. ``patience``: seconds to wait for what is started at once.
    """
    job = jobs.find(key)
    if job is None and at_once and not session.has_cancelled(key):
        job = jobs.start(key, title, work, session.who(), "long")
        job.wait(patience)
    if job is not None and job.state == "done":
        return job.result
    if job is not None and not job.is_finished and not session.has_cancelled(key):
        jobs.join(job, session.who())
        show_job(job)
        return None
    if job is not None and job.state == "failed":
        st.error(job.error)
    if job is not None and job.state == "cancelled":
        st.caption("This was cancelled; it can be started again.")
    if st.button(button, icon=":material/play_arrow:", key=f"start-{abs(hash(key))}"):
        session.allow(key)
        jobs.forget(key)
        jobs.start(key, title, work, session.who(), "long")
        st.rerun()
    return None


def take_away(
    page: str,
    tables: Mapping[str, Callable[[], pd.DataFrame]],
    figures: Mapping[str, go.Figure],
    more: Mapping[str, tuple[Callable[[], str | bytes], str, str]] | None = None,
) -> None:
    """Everything on a page as files: tables as CSV, pictures as HTML, and ``more`` as {label: (text, file, mime)}."""
    with st.expander("Take it away", icon=":material/download:", key=f"take-{page}", on_change="rerun") as opened:
        if not opened.open:
            return
        with st.container(horizontal=True):
            for name, table in tables.items():
                download(
                    f"{md(name, 80)} (CSV)",
                    _lazy_csv(table),
                    f"{_file(name)}.csv",
                    "text/csv",
                    key=f"csv-{page}-{name}",
                )
            for name, figure in figures.items():
                make = _lazy_html(figure, name)
                download(f"{md(name, 80)} (HTML)", make, f"{_file(name)}.html", "text/html", key=f"html-{page}-{name}")
            for name, (content, file, mime) in (more or {}).items():
                download(name, content, file, mime, key=f"more-{page}-{name}")
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


def download(
    label: str,
    make: Callable[[], str | bytes],
    file: str,
    mime: str,
    *,
    icon: str | None = None,
    primary: bool = False,
    key: str | None = None,
) -> None:
    """A button that makes a file when it is pressed.

    ``make`` runs outside the page's thread: what it needs of the session it must bring along. The page does not run
    again at a press, for that could forget ``make`` before it was called.
    """
    kind = emphasis() if primary else "secondary"
    st.download_button(label, make, file, mime, icon=icon, type=kind, key=key, on_click="ignore")


def emphasis() -> Literal["primary", "secondary"]:
    """The kind of a page's main button: Streamlit writes white on a primary one, unreadable on the dark accent."""
    return "primary" if session.look().mood == "light" else "secondary"


def _lazy_csv(table: Callable[[], pd.DataFrame]) -> Callable[[], bytes]:
    return lambda: files.csv_bytes(table())


def _lazy_html(figure: go.Figure, title: str) -> Callable[[], str]:
    style = session.look()
    return lambda: files.figure_html(figure, title, style)


def _file(name: str) -> str:
    return "".join(mark if mark.isalnum() else "-" for mark in name.lower()).strip("-")


def show_report(report: ImportReport) -> None:
    """Rows read, kept and dropped with the reasons, and what else is worth knowing."""
    st.markdown(
        f"**{report.rows_kept:,}** of {counted(report.rows_read, 'row')} kept"
        + (f", {report.rows_dropped:,} left out." if report.rows_dropped else "; nothing was left out.")
    )
    for group in report.dropped:
        examples = "".join(f"\n    - {md(str(example), 160)}" for example in group.examples)
        st.markdown(f"- {counted(group.count, 'row')}: {md(group.reason, 200)}{examples}")
    for file in report.files:
        st.caption(f"{md(file.label, 160)}, {counted(file.n_rows, 'row')}")
    for note in report.notes:
        st.caption(f"Note: {md(note, 400)}")
