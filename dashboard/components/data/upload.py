"""Load your own ratings: a file in, the guess about its columns shown and corrected, the report read, and go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, TypeVar

import streamlit as st

from dashboard import session
from dashboard.components.common import job_panel
from dashboard.components.data import mapping_form
from dashboard.compute import jobs, own_work, store
from dashboard.compute.jobs import Job
from dashboard.wording import counted, md, message
from nnm_core import NnmError
from nnm_core.datasets import (
    Cleaning,
    ColumnMapping,
    Dataset,
    Hints,
    ImportReport,
    ItemColumns,
    TableSample,
    UserColumns,
    diagnose,
    load_dataset,
)
from nnm_core.datasets.guessing.roles import guess_ratings
from nnm_core.datasets.guessing.sides import guess_items, guess_users
from nnm_core.datasets.guessing.wide import RatingGuess
from nnm_core.datasets.loading import sniff_sides, sniff_source
from nnm_core.datasets.movielens import find_layout
from nnm_core.datasets.reading.readers import sniff_table
from nnm_core.datasets.reading.sources import Source, open_files
from nnm_core.datasets.report import ROLES
from nnm_core.errors import FitCancelled, without_flags

T = TypeVar("T")
_MOST_FILES = 100
_FEW_COLUMNS = 3


class _Imported(NamedTuple):
    """What an import gave: the key of data that are kept by now; or data of which people have to say what to do."""

    key: str = ""
    n_ratings: int = 0
    problem: str = ""
    doubtful: tuple[Dataset, ImportReport] | None = None


def show() -> None:
    """Show the whole way from a file to a data set; what was loaded before stays until the end."""
    job_key = ("upload", session.who())
    job = jobs.find(job_key)
    if job is not None and _finish(job):
        return
    _ask_about_doubtful()
    st.markdown(
        "Drop a table of ratings: one row for each time somebody rated something, or a survey with one row per person. "
        "CSV and other text, Excel, OpenDocument, SQLite, Parquet, Arrow, JSON, MovieLens, RecBole, plain or packed. "
        "The program guesses which column is what; you correct it. What you load is kept on this server for you "
        "only, until you remove it on this page."
    )
    file = st.file_uploader("Ratings", key="ratings file")
    left, right = st.columns(2)
    items = left.file_uploader("About the items: titles, tags (optional)", key="items file")
    users = right.file_uploader("About the people: traits (optional)", key="users file")
    if file is None:
        st.caption("Nothing is loaded yet, and what you looked at before is still there.")
        return
    try:
        _prepare(job_key, file, items, users)
    except NnmError as error:
        st.error(f"{message(str(error))}\n\nWhat was loaded before is unchanged.")


def _prepare(job_key: tuple[str, str], file: Any, items: Any, users: Any) -> None:
    sides = {"items": items, "users": users}  # as open files, which bring their names along
    # The ids are Streamlit's own: neither the page nor a rerun of it hashes or copies what may be 500 MB.
    upload = " ".join(part.file_id for part in (file, items, users) if part is not None)
    source = open_files(file.getvalue(), items, users, file.name)
    if items is None and users is None and find_layout(source) is not None:
        st.success("This is a MovieLens archive, so its columns are known.", icon=":material/check_circle:")
        if _load_button():
            _start(job_key, file, None, Cleaning(), sides)
        return
    table, guess, item_columns, user_columns = _reading(source, upload)
    ratings, beside = mapping_form.ratings(table, guess)
    if ratings is None:
        return
    if item_columns is not None and ratings.layout == "wide" and item_columns.file == ratings.file:
        item_columns = None  # a wide table has no column of items
    items_map = mapping_form.items(item_columns) if item_columns else None
    mapping = ColumnMapping(ratings, items_map, mapping_form.users(user_columns) if user_columns else beside)
    missing = mapping_form.not_rated(source.get(ratings.file), ratings, upload)
    cleaning = mapping_form.cleaning(missing or ())
    if missing is None:
        st.caption("Answer the question above first: it decides what is loaded.")
    if _load_button(disabled=missing is None):
        _start(job_key, file, mapping, cleaning, sides)


def _load_button(*, disabled: bool = False) -> bool:
    style = session.look().main_button
    return st.button("Load these ratings", type=style, icon=":material/upload:", disabled=disabled)


def _reading(
    source: Source, upload: str
) -> tuple[TableSample, RatingGuess | None, ItemColumns | None, UserColumns | None]:
    """Show how each file begins, and guess what it holds, as it is read or as somebody says that it is written."""
    files = {file.path: file for file in source.files}
    # First: what is wrong with them must not be taken for a fault of the ratings, which people may correct.
    sides = _once("sides", upload, lambda: sniff_sides(source))
    chosen = _choose_file(source, upload)
    try:
        guess = _once("source", f"{upload} {chosen}", lambda: sniff_source(source, sides, Hints(file=chosen)))
    except NnmError as error:
        rated, ratings = _from_scratch(source, chosen, error)
        tables = {table.file: table for table in sides if table is not None}
        items, users = guess_items(sides[0]) if sides[0] else None, guess_users(sides[1]) if sides[1] else None
    else:
        for note in guess.notes:
            st.caption(f"{'Taken as' if note.kind in ROLES else 'Note'}: {md(without_flags(str(note)), 400)}")
        tables = {table.file: table for table in guess.tables}
        found = guess.mapping
        rated = mapping_form.show_file(tables[found.ratings.file], files[found.ratings.file])
        items, users = found.items, found.users
        beside = users if users is not None and users.file == rated.file else None
        ratings = RatingGuess(found.ratings, beside) if rated is tables[rated.file] else guess_ratings(rated)
        users = None if beside else users
    if items is not None and items.file == rated.file:
        items = replace(items, dialect=rated.dialect) if rated.columns == items.columns else None
    elif items is not None:
        table = mapping_form.show_file(tables[items.file], files[items.file])
        items = items if table is tables[items.file] else guess_items(table)
    if users is not None:
        table = mapping_form.show_file(tables[users.file], files[users.file])
        users = users if table is tables[users.file] else guess_users(table)
    return rated, ratings, items, users


def _choose_file(source: Source, upload: str) -> str:
    """Ask which file, sheet or table has the ratings, where there are several; empty for the guess."""
    paths = [file.path for file in source.files if file not in (source.items, source.users)]
    if not 1 < len(paths) <= _MOST_FILES:
        return ""
    label, key = "The ratings are in", f"map-file-{upload}"
    return str(
        st.selectbox(label, ["", *paths], format_func=lambda path: path or "the one that looks like it", key=key)
    )


def _once(what: str, upload: str, compute: Callable[[], T]) -> T:
    """Return what was computed for this upload before, or compute it; the session keeps it until the next upload."""
    kept = session.state().sniffed
    if what not in kept or kept[what][0] != upload:
        kept[what] = (upload, compute())
    found: T = kept[what][1]
    return found


def _from_scratch(source: Source, chosen: str, error: NnmError) -> tuple[TableSample, RatingGuess | None]:
    """Let people say how a file is written and what is what, where nothing could be made of it as it was read."""
    rated = [file for file in source.files if file not in (source.items, source.users) and file.path.endswith(chosen)]
    if len(rated) != 1:
        raise error
    place, first = st.container(), sniff_table(rated[0])
    is_odd = len(first.columns) < _FEW_COLUMNS or not first.named  # perhaps the delimiter is another one
    table = mapping_form.show_file(first, rated[0], wrong=is_odd)
    if len(table.columns) < 2:
        raise error
    try:
        return table, guess_ratings(table)
    except NnmError as still:
        place.warning(message(str(still)), icon=":material/help:")
        return table, None


def _start(
    job_key: tuple[str, str], file: Any, mapping: ColumnMapping | None, cleaning: Cleaning, sides: dict[str, Any]
) -> None:
    content, name, owner = file.getvalue(), file.name, session.owner()

    def work(job: Job) -> _Imported:
        job.report(0.0, "reading the rows")
        dataset, report = load_dataset(content, mapping, filename=name, cleaning=cleaning, **sides)
        if diagnose(dataset, report):
            return _Imported(doubtful=(dataset, report))
        job.report(0.9, "keeping them")
        imported = _keep(dataset, report, owner)
        try:
            job.report(1.0, "done")
        except FitCancelled:
            store.remove_own(imported.key, owner)
            raise
        return imported

    session.state().doubtful_upload = None
    job = jobs.start(job_key, f"Loading {name[:60]}", work, session.who())
    own_work.note_import(job, owner, name)
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
    if result.doubtful is not None:
        session.state().doubtful_upload = result.doubtful
        return False
    _take_over(result)


def _ask_about_doubtful() -> None:
    """Say why nothing can be learned from data, and offer to use them all the same."""
    found = session.state().doubtful_upload
    if found is None:
        return
    dataset, report = found
    st.warning(
        f"**Nothing can be learned from “{md(dataset.name, 60)}”.** {md(diagnose(dataset, report), 400)} "
        "What you looked at before is still there.",
        icon=":material/warning:",
    )
    with st.expander("What became of every row", icon=":material/receipt_long:"):
        show_report(report)
    with st.container(horizontal=True):
        if st.button("Use anyway"):
            session.state().doubtful_upload = None
            _take_over(_keep(dataset, report, session.owner()), ":material/warning:")
        if st.button("Discard"):
            session.state().doubtful_upload = None
            st.rerun()


def show_report(report: ImportReport) -> None:
    """Show rows read, kept and dropped with the reasons, and what else is worth knowing."""
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
        st.caption(f"Note: {md(without_flags(note), 400)}")


def _keep(dataset: Dataset, report: ImportReport, owner: str) -> _Imported:
    key, problem = store.keep_own(dataset, report, owner)
    return _Imported(key, len(dataset.ratings), problem)


def _take_over(imported: _Imported, icon: str = ":material/check_circle:") -> NoReturn:
    """Look at these data from now on."""
    session.later("data", imported.key)
    session.later("part", "profile")
    session.state().just_loaded = True
    st.toast(f"Loaded {counted(imported.n_ratings, 'rating')}.", icon=icon)
    if imported.problem:
        st.toast(f"These data are gone once the server ends. {md(imported.problem, 300)}", icon=":material/warning:")
    st.rerun()
