"""Long work on a page: its progress, a way to cancel it, and its result once it is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import streamlit as st

from dashboard import session
from dashboard.compute import jobs
from dashboard.compute.jobs import Job, Lane
from dashboard.wording import duration, md, message

T = TypeVar("T")
REFRESH = 1.0  # seconds between two looks at a job


def show_job(job: Job, has_news: Callable[[], bool] | None = None) -> None:
    """Show the progress of a job and a button to cancel it; of one that failed, the error and a button to try again.

    ``has_news``: whether there is a part of the result that the page does not show yet; the page then runs again.
    """
    if job.state == "failed":
        st.error(message(job.error))
        key = f"again-{abs(hash(job.key))}"
        st.button("Try again", key=key, icon=":material/refresh:", on_click=jobs.forget, args=(job.key,))
        return
    jobs.remember(job, session.owner())
    pressed = []

    def cancel() -> None:  # before the panel runs, which may find that the page has to run first
        session.cancel(job)
        job.wait(5.0)
        pressed.append(True)

    @st.fragment(run_every=REFRESH)
    def panel() -> None:
        if job.is_finished or pressed or (has_news is not None and has_news()):
            st.rerun(scope="app")
        jobs.note_that_it_runs(job)
        left = job.seconds_left
        rest = f", {duration(left)} left" if left is not None else ""
        row = st.container(horizontal=True, vertical_alignment="center")
        row.progress(job.share, text=f"{md(job.title)}: {md(job.step)}{rest}")
        key = f"cancel-{abs(hash(job.key))}"
        row.button("Cancel", key=key, icon=":material/close:", on_click=cancel)

    # A refresh that begins before the page's own messages are sent drops the fragment's among them, and the browser
    # fails at the gap. A container that belongs to the page keeps the place.
    with st.container():
        panel()


def watch(waiting: Sequence[Job], says: str = "") -> None:
    """Run the page again when one of the jobs, which it was drawn without, is done; a line says what is under way.

    ``says``: what it says of the first of them instead, and nothing of the others, as Markdown.
    """
    running = [job for job in waiting if not job.is_finished]
    if any(job.state == "done" for job in waiting):  # since the page was drawn
        st.rerun()
    if not running:
        return

    @st.fragment(run_every=REFRESH)
    def line() -> None:
        if any(job.is_finished for job in running):
            st.rerun(scope="app")
        parts = [f"{md(job.title)} in the background: {job.share:.0%}." for job in running]
        st.caption(f"{says}, {running[0].share:.0%}" if says else " ".join(parts))

    with st.container():
        line()


def offer_restart(button: str, keys: Sequence[Hashable]) -> None:
    """Say that jobs were cancelled, and offer to start them after all."""
    st.caption("This was cancelled; it can be started again.")
    if st.button(button, icon=":material/play_arrow:"):
        for key in keys:
            session.allow(key)
        st.rerun()


def run_job(
    key: Hashable,
    title: str,
    work: Callable[[Job], T],
    button: str,
    *,
    at_once: bool = False,
    patience: float = 0.3,
    lane: Lane = "long",
    has_news: Callable[[], bool] | None = None,
) -> T | None:
    """Return the result of long work, None while it is not there; it starts by a button or, once, without one.

    Progress, errors and a cancelled job are shown. ``patience``: seconds to wait for what is started at once;
    ``has_news`` as for ``show_job``.
    """
    job = jobs.find(key)
    interrupted = job is None and session.is_interrupted(key)
    if job is None and at_once and not interrupted and not session.has_cancelled(key):
        job = jobs.start(key, title, work, session.who(), lane)
        job.wait(patience)
    if job is not None and job.state == "done":
        result: T = job.result
        return result
    if job is not None and not job.is_finished and not session.has_cancelled(key):
        jobs.join(job, session.who())
        show_job(job, has_news)
        return None
    if job is not None and job.state == "failed":
        st.error(message(job.error))
    if job is not None and job.state == "cancelled":
        st.caption("This was cancelled; it can be started again.")
    if interrupted:
        st.caption("This was interrupted, because the server stopped.")
    label = "Run again" if interrupted else button
    if st.button(label, icon=":material/play_arrow:", key=f"start-{abs(hash(key))}"):
        session.allow(key)
        jobs.forget(key)
        jobs.start(key, title, work, session.who(), lane)
        st.rerun()
    return None
