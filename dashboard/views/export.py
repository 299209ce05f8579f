"""Page: the model as a file, a model from a file, and a report of the current view."""

from __future__ import annotations

import hashlib
from functools import partial

import streamlit as st

from dashboard import link, session
from dashboard.components import accuracy, display, ordering, towers
from dashboard.components.audience import summarise_audience
from dashboard.components.current import current
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.export import Report, mixtures_table, ratings_table, report_html
from dashboard.session import OwnModel
from dashboard.wording import md, message, plain
from nnm_core import ModelFileError, NnmError
from nnm_core.interpret.towers import Weighting
from nnm_core.phrases import listed
from nnm_core.storage import model_bytes, model_from_bytes


def render() -> None:
    """Show the page."""
    view = current()
    st.title("Take it away")
    st.markdown(
        "Everything you see can be kept. At the foot of a page, under **Take it away**, are its tables as CSV and its "
        "pictures as HTML; a picture's own camera saves it as PNG or SVG. Here are the whole report and the model "
        f"itself. The address of a page holds {_in_the_address(view)}"
    )
    left, right = st.columns(2, gap="large")
    with left:
        _offer_report_and_model(view)
    with right:
        _load_model(view)
    tables = {
        "Mixtures": lambda: mixtures_table(view.model, view.names),
        "Ratings": lambda: ratings_table(view.dataset),
    }
    display.offer_files("take-away", tables, {})


def _in_the_address(view: View) -> str:
    """Say what a link contains, and what has to be sent with it."""
    missing = ["the data"] if view.spec.data.startswith(store.OWN) else []
    missing += ["the model"] if session.own_model() is not None else []
    if not missing:
        return "the whole view: send it to somebody and they see the same."
    return f"the view, but not {listed(missing)} that you loaded: whoever opens it has to load the same file."


def _offer_report_and_model(view: View) -> None:
    name = "".join(mark if mark.isalnum() else "-" for mark in view.title)[:40] or "model"
    st.header("Out", anchor=False)
    st.markdown("**A report** of what you see: words, towers, hierarchy and how it was made, in one file.")
    asked, address, own = ordering.asked(), link.address("."), session.own_model()
    weighting = towers.weighting()
    file = own.name if own is not None else ""
    icon, file_name = ":material/article:", f"{name}-report.html"
    make = partial(_report, view, asked, address, file, weighting)
    display.download_button("Report (HTML)", make, file_name, "text/html", icon=icon, primary=True)
    st.markdown("**The model**, with the names you gave. `nnm info` and `nnm_core.load_model` read it too.")
    icon, file_name = ":material/inventory_2:", f"{name}-D{view.model.n_stereotypes}.nnm"
    make_model = partial(model_bytes, view.named_model)
    display.download_button("Model (.nnm)", make_model, file_name, "application/octet-stream", icon=icon)


def _load_model(view: View) -> None:
    st.header("In", anchor=False)
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
    if st.button("Show this model", type=view.style.main_button):
        session.show_own_model(OwnModel(file.name, key, model))
        st.rerun()


def _report(view: View, asked: ordering.Asked, address: str, file: str, weighting: Weighting) -> str:
    """Return the report of the view; ``file``: where the model came from, empty for a fit."""
    picture, words = ordering.for_report(view, asked) or (None, "")
    report = Report(
        title=view.title,
        dataset=view.dataset,
        model=view.named_model,
        portraits=view.portraits,
        opening=plain(summarise_audience(view, weighting)),
        towers=towers.first_towers(view, weighting),
        hierarchy=picture,
        hierarchy_words=plain(words),
        address=address,
        how_good=plain(accuracy.known_verdict(view)),
        model_file=file,
    )
    return report_html(report, view.style)
