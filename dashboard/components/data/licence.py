"""A MovieLens set that has to be downloaded first: its licence, the question, and the progress."""

from __future__ import annotations

import streamlit as st

from dashboard import session
from dashboard.components.common import job_panel
from dashboard.compute import jobs
from dashboard.compute.jobs import Job
from dashboard.wording import md, message, title_of
from nnm_core.datasets import catalogue
from nnm_core.datasets.reading.sources import format_bytes


def offer(name: str) -> None:
    """Show what the data set is and under which terms it comes, and download it when somebody agrees."""
    entry = catalogue.entry_of(name)
    key = ("download", name)
    job = jobs.find(key)
    if job is not None and not job.is_finished and not session.has_cancelled(key):
        jobs.join(job, session.who())
        job_panel.show_job(job)
        return
    if job is not None and job.state == "done" and catalogue.find_local(name) is not None:
        st.rerun()
    st.header(title_of(name, name))
    if job is not None and job.state == "failed":
        st.error(message(job.error))
    size = f" It is {format_bytes(entry.size)} to download." if entry.size else ""
    st.markdown(f"**{md(entry.about.capitalize())}.** It is not on this machine yet.{size}")
    with st.container(border=True):
        st.markdown(f"**Terms of use.** {md(entry.licence, 1000)}")
        st.caption(f"To cite: {md(catalogue.CITATION, 400)}")
    label, style, icon = "I accept: download it", session.look().main_button, ":material/download:"
    if st.button(label, type=style, icon=icon, key=f"accept-{name}", help=entry.url):
        session.allow(key)
        jobs.forget(key)
        jobs.start(key, f"Downloading {title_of(name, name)}", lambda job: _download(job, name), session.who(), "long")
        st.rerun()
    st.caption("Or choose another data set in the sidebar; what comes with the program needs no download.")


def _download(job: Job, name: str) -> str:
    def progress(received: int, total: int) -> None:
        of_all = f" of {format_bytes(total)}" if total else ""
        job.report(received / total if total else 0.0, f"{format_bytes(received)}{of_all}")

    return str(catalogue.download(catalogue.entry_of(name), True, progress))
