"""Share: a link to what a page shows now, for others to open; and what they see when it is gone."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from dashboard import link, session
from dashboard.components.common import sidebar
from dashboard.compute import sharing, store
from dashboard.compute.current import known_view
from dashboard.compute.sharing import SharedView
from dashboard.wording import message
from nnm_core import NnmError
from nnm_core.option_table import OPTIONS

LASTS = {"7": "7 days", "30": "30 days", "365": "a year", "": "until I revoke it"}
MAY = {"view": "Look only", "download": "Look and download the data"}
# In a link of one's own, but not in one to a shared view, which has its own data and names
_OF_THE_OWNER = {"data", "names", "model", "share", "present", "part"}
_OF_THE_FIT = {"D", "fit", "seed", *(option.key for option in OPTIONS)}  # which a shared model makes superfluous


def button(page: str) -> None:
    """Draw the button that shares what the page of that address shows; not on a view that somebody else shared.

    It opens a popover: a run of the page, which may come at any moment, would close a dialog.
    """
    if session.shared() is None:
        about = "Make a link to this view that others can open, with your own data too."
        with st.popover("Share", key="share-popover", icon=":material/share:", width="stretch", help=about):
            _ask(page)


def _ask(page: str) -> None:
    """Ask for how long and what for; once the link is made, show it instead."""
    mine = session.state()
    shown = (link.address(page or "."), st.session_state.get("eps"))  # a link to something else is not offered here
    if mine.made_link is not None and mine.made_link[0] == shown:
        st.code(mine.made_link[1], language=None, wrap_lines=True)
        st.caption("Anybody who has this link can open it. **My work** on the page **Data** lists and revokes links.")
        st.button("Make another link", key="share-again", on_click=_forget_link)
        return
    st.markdown("Whoever has the link sees the data, the model and your names as they are now, and changes nothing.")
    may = st.radio("They may", list(MAY), format_func=MAY.__getitem__, key="share-may")
    days = st.selectbox("The link works for", list(LASTS), index=1, format_func=LASTS.__getitem__, key="share-days")
    if not st.button("Make a link", type=session.look().main_button, icon=":material/add_link:", key="share-make"):
        return
    view = current_view(page)
    if view is None:
        st.info("There is nothing to share yet: the data are not loaded.")
        return
    try:
        lasts = timedelta(days=int(days)) if days else None
        mine.made_link = (shown, make_link(view, may_download=may == "download", lasts=lasts))
    except NnmError as error:
        st.error(message(str(error)))
    else:
        st.rerun()


def _forget_link() -> None:
    session.state().made_link = None


def current_view(page: str) -> SharedView | None:
    """Return what the page of that address shows now; None while the data are not there."""
    spec = session.state().spec
    loaded = store.known_dataset(spec.data, session.owner())
    if loaded is None:
        return None
    view = known_view(spec)
    title = sidebar.plain_title_of(spec.data)
    model = None if view is None or not view.is_settled else view.named_model  # otherwise it is fitted again
    return SharedView(spec.data, title, page, loaded.dataset, loaded.report, model)


def make_link(view: SharedView, *, may_download: bool, lasts: timedelta | None) -> str:
    """Share a view; return the link, which holds a new token and the choices of the page."""
    token = sharing.make(session.owner(), view, may_download=may_download, lasts=lasts)
    left_out = _OF_THE_OWNER | (set() if view.model is None else _OF_THE_FIT)
    epsilon = st.session_state.get("eps") if view.page == "hierarchy" else None
    more = {"share": token} | ({} if epsilon is None else {"eps": f"{epsilon:.3f}"})
    return link.address(view.page or ".", without=left_out, more=more)


def show_gone() -> None:
    """Say that a link leads nowhere, and where to go instead."""
    st.title("This shared view is gone")
    st.markdown(
        "The link was revoked, has expired, or was not copied whole. Ask the person who sent it to you for a new one."
    )
    if st.button("Go to the data that come with the program", icon=":material/arrow_forward:"):
        session.leave_share()
        st.rerun()
