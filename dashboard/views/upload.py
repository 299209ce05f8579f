"""Load your own ratings: a file in, the guess about its columns shown and corrected, the report read, and go."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

import streamlit as st

from dashboard import cache, jobs, state
from dashboard.jobs import Job
from dashboard.views import file_form, mapping_form, parts
from dashboard.wording import counted, md, message
from nnm_core import NnmError
from nnm_core.datasets import (
    Cleaning,
    ColumnMapping,
    Dataset,
    ImportReport,
    ItemColumns,
    Prefill,
    RatingColumns,
    doubt,
    load_dataset,
    sniff,
)
from nnm_core.datasets.formats import sniff_table
from nnm_core.datasets.guessing import Sniffed, guess_items, guess_ratings, guess_users
from nnm_core.datasets.movielens import find_layout
from nnm_core.datasets.sources import Source, SourceFile, open_source


def show() -> None:
    """The whole way from a file to a data set; what was loaded before stays until the end."""
    job_key = ("upload", state.who())
    job = jobs.find(job_key)
    if job is not None and _finish(job):
        return
    _ask_about_doubtful()
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
        if st.button("Load these ratings", type=parts.emphasis(), icon=":material/upload:"):
            _start(job_key, content, file.name, None, Cleaning(), sides)
        return
    source = open_source(content, file.name)
    table, guess = _reading(source, content, sides)
    ratings = mapping_form.ratings(table, guess.ratings if guess else None)
    if ratings is None:
        return
    mapping = ColumnMapping(ratings)
    if guess is not None and guess.items is not None and not _beside_nothing(ratings, guess.items):
        mapping = replace(mapping, items=mapping_form.items(guess.items))
    if guess is not None and guess.users is not None:
        mapping = replace(mapping, users=mapping_form.users(guess.users))
    ratings_file = next(part for part in source.files if part.path == mapping.ratings.file)
    missing = mapping_form.not_rated(ratings_file, mapping.ratings, hashlib.sha256(content).hexdigest())
    cleaning = mapping_form.cleaning(missing or ())
    if missing is None:
        st.caption("Answer the question above first: it decides what is loaded.")
    if st.button("Load these ratings", type=parts.emphasis(), icon=":material/upload:", disabled=missing is None):
        _start(job_key, content, file.name, mapping, cleaning, sides)


def _beside_nothing(ratings: RatingColumns, items: ItemColumns) -> bool:
    """Whether titles would stand beside the ratings of a table that has no column of items."""
    return ratings.layout == "wide" and items.file == ratings.file


def _reading(source: Source, content: bytes, sides: dict[str, Any]) -> tuple[Sniffed, ColumnMapping | None]:
    """The table of ratings and which column means what, as far as that can be guessed.

    Guessed from the files as they are or, where somebody corrects that, as they are told. Shows how each file begins,
    and what is worth knowing about the guess.
    """
    files = {file.path: file for file in source.files}
    files |= {role: open_source(side, role).files[0] for role, side in sides.items() if side is not None}
    try:
        guess = sniff(content, filename=source.label, **sides)
    except NnmError as error:
        return _from_scratch(source, error)
    for note in guess.notes:
        st.caption(f"Note: {md(note, 400)}")
    found = guess.mapping
    rated, changed = _table(guess, files, found.ratings.file)
    ratings = guess_ratings(rated)[0] if changed else found.ratings
    items, users = found.items, found.users
    if items is not None and items.file == ratings.file:
        items = replace(items, dialect=rated.dialect) if rated.columns == items.columns else None
    elif items is not None:
        table, changed = _table(guess, files, items.file)
        items = guess_items(table) if changed else items
    if users is not None:
        table, changed = _table(guess, files, users.file)
        users = guess_users(table) if changed else users
    return rated, ColumnMapping(ratings, items, users)


def _table(guess: Prefill, files: Mapping[str, SourceFile], path: str) -> tuple[Sniffed, bool]:
    """A file as the guess or somebody reads it, and whether somebody corrected the guess."""
    table = guess.table(path)
    told = file_form.show(table, files.get(path) or files[path.split(" (")[0]])
    return replace(told, file=path), told is not table


def _from_scratch(source: Source, error: NnmError) -> tuple[Sniffed, ColumnMapping | None]:
    """Where nothing could be made of the file as it was read: people may say how it is written, and what is what."""
    if len(source.files) != 1:
        raise error
    table = sniff_table(source.files[0])
    told = file_form.show(table, source.files[0], wrong=True)
    if len(told.columns) < 2:
        raise error
    try:
        return told, ColumnMapping(guess_ratings(told)[0])
    except NnmError as still:
        st.warning(message(str(still)))
        return told, None


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

    st.session_state.pop("doubtful upload", None)
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
    if doubt(dataset, report):
        st.session_state["doubtful upload"] = job.result
        return False
    _take_over(dataset, report)


def _ask_about_doubtful() -> None:
    """Data from which nothing can be learned: why that is so, and a way to use them all the same."""
    if "doubtful upload" not in st.session_state:
        return
    dataset, report = st.session_state["doubtful upload"]
    st.warning(
        f"**Nothing can be learned from “{md(dataset.name, 60)}”.** {md(doubt(dataset, report), 400)} "
        "What you looked at before is still there.",
        icon=":material/warning:",
    )
    with st.expander("What became of every row", icon=":material/receipt_long:"):
        parts.show_report(report)
    with st.container(horizontal=True):
        if st.button("Use it all the same"):
            del st.session_state["doubtful upload"]
            _take_over(dataset, report, ":material/warning:")
        if st.button("Leave it"):
            del st.session_state["doubtful upload"]
            st.rerun()


def _take_over(dataset: Dataset, report: ImportReport, icon: str = ":material/check_circle:") -> NoReturn:
    """Look at these data from now on."""
    state.later("data", cache.keep_own(dataset, report, state.owner()))
    state.later("part", "profile")
    state.later("just loaded", True)
    st.toast(f"Loaded {counted(len(dataset.ratings), 'rating')}.", icon=icon)
    st.rerun()
