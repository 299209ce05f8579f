"""Load your own ratings: a file in, the guess about its columns shown and corrected, the report read, and go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import cache, jobs, state
from dashboard.jobs import Job
from dashboard.views import mapping_form, parts
from dashboard.wording import counted, md, message
from nnm_core import NnmError
from nnm_core.datasets import Cleaning, ColumnMapping, Dataset, ImportReport, Prefill, load_dataset, sniff
from nnm_core.datasets.movielens import find_layout
from nnm_core.datasets.sources import open_source

_PREVIEWED = 6


def show() -> None:
    """The whole way from a file to a data set; what was loaded before stays until the end."""
    job_key = ("upload", state.who())
    job = jobs.find(job_key)
    if job is not None and _finish(job):
        return
    st.markdown(
        "Drop a table of ratings: one row for each time somebody rated something. CSV, TSV, Excel's semicolons, "
        "MovieLens, RecBole, Parquet, JSON lines, plain or zipped. The program guesses which column is what; you "
        "correct it. The file is kept in this server's memory for your browser only."
    )
    file = st.file_uploader("Ratings", key="ratings file")
    left, right = st.columns(2)
    items = left.file_uploader("What is known about the items: titles, tags (if you have it)", key="items file")
    users = right.file_uploader("What is known about the people: traits (if you have it)", key="users file")
    if file is None:
        st.caption("Nothing is loaded yet, and what you looked at before is still there.")
        return
    try:
        _prepare(job_key, file, items, users)
    except NnmError as error:
        st.error(f"{message(str(error))}\n\nWhat was loaded before is unchanged.")


def _prepare(job_key: tuple[str, str], file: Any, items: Any, users: Any) -> None:
    content = file.getvalue()
    sides: dict[str, Any] = {"items": items.getvalue() if items else None, "users": users.getvalue() if users else None}
    if items is None and users is None and find_layout(open_source(content, file.name)) is not None:
        st.success("This is a MovieLens archive, so its columns are known.", icon=":material/check_circle:")
        if st.button("Load these ratings", type="primary", icon=":material/upload:"):
            _start(job_key, content, file.name, None, Cleaning(), sides)
        return
    guess = sniff(content, filename=file.name, **sides)
    for note in guess.notes:
        st.caption(f"Note: {md(note, 400)}")
    _preview(guess, guess.mapping.ratings.file)
    mapping = mapping_form.ratings(guess)
    if guess.mapping.items is not None:
        if guess.mapping.items.file != guess.mapping.ratings.file:
            _preview(guess, guess.mapping.items.file)
        mapping = replace(mapping, items=mapping_form.items(guess.mapping.items))
    if guess.mapping.users is not None:
        _preview(guess, guess.mapping.users.file)
        mapping = replace(mapping, users=mapping_form.users(guess.mapping.users))
    cleaning = mapping_form.cleaning()
    if st.button("Load these ratings", type="primary", icon=":material/upload:"):
        _start(job_key, content, file.name, mapping, cleaning, sides)


def _preview(guess: Prefill, file: str) -> None:
    table = guess.table(file)
    st.markdown(f"**{md(table.file or 'The file', 80)}** begins like this:")
    shown = [row[:40] for row in table.sample[:_PREVIEWED]]
    st.dataframe(
        pd.DataFrame(shown, columns=list(table.columns[:40])),
        hide_index=True,
        width="stretch",
        key=f"preview-{file}",
    )


def _start(
    job_key: tuple[str, str],
    content: bytes,
    name: str,
    mapping: ColumnMapping | None,
    cleaning: Cleaning,
    sides: dict[str, Any],
) -> None:
    def work(job: Job) -> tuple[Dataset, ImportReport]:
        job.report(0.0, "reading the rows")
        return load_dataset(content, mapping, filename=name, cleaning=cleaning, **sides)

    job = jobs.start(job_key, f"Loading {name[:60]}", work, state.who())
    job.wait(cache.PATIENCE)
    st.rerun()


def _finish(job: Job) -> bool:  # noqa: RET503 - st.rerun() never returns
    """Show how the import goes, or take over what it gave; whether the page is done with that."""
    if not job.is_finished:
        parts.show_job(job)
        return True
    jobs.forget(job.key)
    if job.state == "failed":
        st.error(f"{message(job.error)}\n\nWhat was loaded before is unchanged.")
        return False
    if job.state == "cancelled":
        st.caption("Loading was cancelled; what was loaded before is unchanged.")
        return False
    dataset, report = job.result
    state.later("data", cache.keep_own(dataset, report, state.owner()))
    state.later("part", "profile")
    state.later("just loaded", True)
    st.toast(f"Loaded {counted(len(dataset.ratings), 'rating')}.", icon=":material/check_circle:")
    st.rerun()
