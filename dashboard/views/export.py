"""Page: the model as a file, a model from a file, and a report of the current view."""

from __future__ import annotations

import hashlib
from functools import partial

import streamlit as st

from dashboard import link, session
from dashboard.components import accuracy, ordering, report, towers
from dashboard.components.common import display
from dashboard.components.common.current import current_and_settled
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.export import csv_bytes, in_lines, mixtures_table, ratings_table, stereotypes_table
from dashboard.session import OwnModel
from dashboard.wording import md, message
from nnm_core import ModelFileError, NnmError
from nnm_core.phrases import listed
from nnm_core.storage import model_bytes, model_from_bytes


def render() -> None:
    """Show the page."""
    st.title("Export")
    view = current_and_settled()
    if not session.may_download():
        st.info(
            "Whoever shared this view lets you look at it, and keeps the data, the model and the tables. A picture’s "
            "camera saves the picture.",
            icon=":material/visibility:",
        )
        return
    st.markdown(
        f"The report, the model and the tables of this view. The address of a page holds {_in_the_address(view)}"
    )
    left, right = st.columns(2, gap="large")
    with left:
        _offer_report_and_model(view)
    with right:
        if session.shared() is None:
            _load_model(view)
    _offer_tables(view)


def _offer_tables(view: View) -> None:
    st.header("Tables", anchor=False)
    tables = {
        "mixtures.csv": ("everybody’s mixture", lambda: mixtures_table(view.model, view.names)),
        "stereotypes.csv": (
            f"how likely each stereotype is to {view.words.like} each {view.words.item}",
            lambda: stereotypes_table(view.model, view.dataset, view.names),
        ),
        "ratings.csv": ("the ratings as they were read", lambda: ratings_table(view.dataset)),
    }
    _, found = accuracy.known(view)
    if found.curve.evaluations:
        tables["errors.csv"] = ("the error for each number of stereotypes", lambda: accuracy.scores_table(view, found))
    with st.container(horizontal=True):
        for name, (about, table) in tables.items():
            make = partial(lambda table: csv_bytes(table()), table)
            display.download_button(name, make, name, "text/csv", help=about, key=name)
    st.caption("Every page offers its own tables and pictures under **Download**; a picture’s camera saves it as PNG.")


def _in_the_address(view: View) -> str:
    """Say what a link contains, and how to show others what it does not."""
    missing = ["the data"] if view.spec.data.startswith(store.OWN) else []
    missing += ["the model"] if session.own_model() is not None else []
    if not missing or session.shared() is not None:
        return "the whole view: send it to somebody and they see the same."
    return f"the view, but not {listed(missing)} that you loaded: **Share** in the sidebar makes a link that does."


def _offer_report_and_model(view: View) -> None:
    name = "".join(mark if mark.isalnum() else "-" for mark in view.title)[:40] or "model"
    st.header("Download", anchor=False)
    st.markdown(
        "**The report**: stereotypes, hierarchy, people, accuracy and how it was made, in one file that opens without "
        "a network and prints well. From the shell:"
    )
    st.code(
        in_lines(report.command(view)), language=None, wrap_lines=True
    )  # the colours of a language are too faint to read
    asked, address, own = ordering.asked(), link.address("."), session.own_model()
    file = own.name if own is not None else ""
    icon, file_name = ":material/article:", f"{name}-report.html"
    make = partial(report.make_report, view, asked, towers.weighting(), address=address, model_file=file)
    display.download_button("Report (HTML)", make, file_name, "text/html", icon=icon, primary=True)
    st.markdown("**The model**, with the names you gave. `nnm info` and `nnm_core.load_model` read it too.")
    icon, file_name = ":material/inventory_2:", f"{name}-D{view.model.n_stereotypes}.nnm"
    make_model = partial(model_bytes, view.named_model)
    display.download_button("Model (.nnm)", make_model, file_name, "application/octet-stream", icon=icon)


def _load_model(view: View) -> None:
    st.header("Open a saved model", anchor=False)
    st.markdown("**A model file** that was made here or by `nnm fit`, shown with the data that are loaded.")
    # Any file is accepted, and what is wrong with it is said here: Streamlit would only name the ending.
    file = st.file_uploader("Model file (.nnm)", key="model file")
    if file is None:
        return
    content = file.getvalue()
    key = hashlib.sha256(content).hexdigest()
    own = session.own_model()
    if own is not None and own.key == key:
        st.success("This model is shown now. “Fit again instead” in the sidebar takes it away.")
        return
    try:
        model = model_from_bytes(content, file.name)
        if model.data_hash != view.dataset.ratings.content_hash:
            raise ModelFileError(
                f"{file.name} was fitted to other ratings than those of {view.title}, which are loaded. Choose "
                "its data set in the sidebar, or load it on the page Data, and then load the model again."
            )
    except NnmError as error:
        st.error(message(str(error)))
        if not file.name.lower().endswith(".nnm"):
            st.info(
                "A model file ends in .nnm: it is what the button **Model (.nnm)** on this page gives. Ratings are "
                "loaded on the page **Data**, under “Load your own”.",
                icon=":material/help:",
            )
        return
    st.markdown(f"**{md(file.name)}**: D = {model.n_stereotypes}, seed {model.seed}.")
    if st.button("Show this model", type=view.look.main_button):
        session.show_own_model(OwnModel(file.name, key, model))
        st.rerun()
