"""Load your own ratings: a file in, the guess about its columns shown and corrected, the report read, and go."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import streamlit as st

from dashboard import session
from dashboard.components import file_form, import_report, job_panel, mapping_form
from dashboard.compute import jobs, store
from dashboard.compute.jobs import Job
from dashboard.wording import counted, md, message
from nnm_core import NnmError
from nnm_core.datasets import (
    Cleaning,
    ColumnMapping,
    Dataset,
    ImportReport,
    ItemColumns,
    RatingColumns,
    UserColumns,
    doubt,
    load_dataset,
)
from nnm_core.datasets.formats import sniff_table
from nnm_core.datasets.guessing import Sniffed, guess_items, guess_ratings, guess_users
from nnm_core.datasets.loading import open_together
from nnm_core.datasets.movielens import find_layout
from nnm_core.datasets.prefill import prefill
from nnm_core.datasets.sides import sniff_side
from nnm_core.datasets.sources import Source, SourceFile, open_source


def show() -> None:
    """The whole way from a file to a data set; what was loaded before stays until the end."""
    job_key = ("upload", session.who())
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
    sides = {"items": items, "users": users}  # as open files, which bring their names along
    if items is None and users is None and find_layout(open_source(content, file.name)) is not None:
        st.success("This is a MovieLens archive, so its columns are known.", icon=":material/check_circle:")
        if st.button("Load these ratings", type=session.look().main_button, icon=":material/upload:"):
            _start(job_key, content, file.name, None, Cleaning(), sides)
        return
    source = open_source(content, file.name)
    guess = _reading(source, content, sides)
    ratings = mapping_form.ratings(guess.table, guess.ratings)
    if ratings is None:
        return
    mapping = ColumnMapping(ratings)
    if guess.items is not None and not _beside_nothing(ratings, guess.items):
        mapping = replace(mapping, items=mapping_form.items(guess.items))
    if guess.users is not None:
        mapping = replace(mapping, users=mapping_form.users(guess.users))
    ratings_file = next(part for part in source.files if part.path == mapping.ratings.file)
    missing = mapping_form.not_rated(ratings_file, mapping.ratings, hashlib.sha256(content).hexdigest())
    cleaning = mapping_form.cleaning(missing or ())
    if missing is None:
        st.caption("Answer the question above first: it decides what is loaded.")
    if st.button(
        "Load these ratings", type=session.look().main_button, icon=":material/upload:", disabled=missing is None
    ):
        _start(job_key, content, file.name, mapping, cleaning, sides)


def _beside_nothing(ratings: RatingColumns, items: ItemColumns) -> bool:
    """Whether titles would stand beside the ratings of a table that has no column of items."""
    return ratings.layout == "wide" and items.file == ratings.file


@dataclass(frozen=True, slots=True)
class _Guess:
    """The table of ratings, and which column of which file means what, as far as that can be guessed."""

    table: Sniffed
    ratings: RatingColumns | None
    items: ItemColumns | None
    users: UserColumns | None


def _reading(source: Source, content: bytes, sides: dict[str, Any]) -> _Guess:
    """The guess about the files as they are or, where somebody corrects that, as they are told.

    Shows how each file begins, and what is worth knowing about the guess.
    """
    together, item_file, user_file = open_together(content, **sides, filename=source.label)
    files = {file.path: file for file in together.files}
    # Looked at first: what is wrong with them must not be taken for a fault of the ratings, which people may correct.
    item_table = sniff_side(item_file, "items") if item_file else None
    user_table = sniff_side(user_file, "users") if user_file else None
    try:
        guess = prefill(together, item_file, user_file)
    except NnmError as error:
        rated, ratings = _from_scratch(source, error)
        tables = {table.file: table for table in (item_table, user_table) if table is not None}
        items = guess_items(item_table) if item_table else None
        users = guess_users(user_table) if user_table else None
    else:
        for note in guess.notes:
            st.caption(f"Note: {md(note, 400)}")
        tables = {table.file: table for table in guess.tables}
        found = guess.mapping
        rated, changed = _told(tables[found.ratings.file], files)
        ratings = guess_ratings(rated)[0] if changed else found.ratings
        items, users = found.items, found.users
    if items is not None and items.file == rated.file:
        items = replace(items, dialect=rated.dialect) if rated.columns == items.columns else None
    elif items is not None:
        table, changed = _told(tables[items.file], files)
        items = guess_items(table) if changed else items
    if users is not None:
        table, changed = _told(tables[users.file], files)
        users = guess_users(table) if changed else users
    return _Guess(rated, ratings, items, users)


def _told(table: Sniffed, files: Mapping[str, SourceFile]) -> tuple[Sniffed, bool]:
    """A table as the guess or somebody reads it, and whether somebody corrected the guess."""
    told = file_form.show(table, files[table.file])
    return told, told is not table


def _from_scratch(source: Source, error: NnmError) -> tuple[Sniffed, RatingColumns | None]:
    """Where nothing could be made of the file as it was read: people may say how it is written, and what is what."""
    if len(source.files) != 1:
        raise error
    table = sniff_table(source.files[0])
    told = file_form.show(table, source.files[0], wrong=True)
    if len(told.columns) < 2:
        raise error
    try:
        return told, guess_ratings(told)[0]
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

    session.state().doubtful_upload = None
    job = jobs.start(job_key, f"Loading {name[:60]}", work, session.who())
    job.wait(store.PATIENCE)
    st.rerun()


def _finish(job: Job) -> bool:  # noqa: RET503 - st.rerun() never returns
    """Show how the import goes, or take over what it gave; whether the page is done with that."""
    if not job.is_finished:
        job_panel.show_job(job)
        return True
    result = job.result
    jobs.forget(job.key)
    if job.state == "failed":
        st.error(f"{message(job.error)}\n\nWhat was loaded before is unchanged.")
        return False
    if job.state == "cancelled":
        st.caption("Loading was cancelled; what was loaded before is unchanged.")
        return False
    dataset, report = result
    if doubt(dataset, report):
        session.state().doubtful_upload = dataset, report
        return False
    _take_over(dataset, report)


def _ask_about_doubtful() -> None:
    """Data from which nothing can be learned: why that is so, and a way to use them all the same."""
    found = session.state().doubtful_upload
    if found is None:
        return
    dataset, report = found
    st.warning(
        f"**Nothing can be learned from “{md(dataset.name, 60)}”.** {md(doubt(dataset, report), 400)} "
        "What you looked at before is still there.",
        icon=":material/warning:",
    )
    with st.expander("What became of every row", icon=":material/receipt_long:"):
        import_report.show_report(report)
    with st.container(horizontal=True):
        if st.button("Use it all the same"):
            session.state().doubtful_upload = None
            _take_over(dataset, report, ":material/warning:")
        if st.button("Leave it"):
            session.state().doubtful_upload = None
            st.rerun()


def _take_over(dataset: Dataset, report: ImportReport, icon: str = ":material/check_circle:") -> NoReturn:
    """Look at these data from now on."""
    session.later("data", store.keep_own(dataset, report, session.owner()))
    session.later("part", "profile")
    session.state().just_loaded = True
    st.toast(f"Loaded {counted(len(dataset.ratings), 'rating')}.", icon=icon)
    st.rerun()
