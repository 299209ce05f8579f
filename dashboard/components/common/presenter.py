"""Presenter mode, for a projector: large type, high contrast, no sidebar, and keys that turn the pages."""

from __future__ import annotations

import streamlit as st

from dashboard import link, session, streamlit_compat

_keys = st.components.v2.component("presenter_keys", js=streamlit_compat.PRESENTER_KEYS)
_ABOUT = "Large type and nothing else: for a projector. The key p does the same, Esc ends it; arrow keys turn the {}."


def follow() -> int:
    """Follow the keys that somebody pressed, and draw in large type if so; return where to turn: −1, 0 or 1."""
    mine = session.state()
    mine.presenting = mine.presenting or st.query_params.get("present") == "1"
    action = _keys(key="live-keys", data={"presenting": mine.presenting}, on_action_change=lambda: None).action
    if action == "present":
        _toggle()
        st.rerun()  # for the component has the former mode by now
    link.set_param("present", "1" if mine.presenting else "")
    if mine.presenting:
        st.html(streamlit_compat.PRESENT_STYLE)
    return {"next": 1, "previous": -1}.get(str(action), 0)


def button(what: str) -> None:
    """Draw the button that begins and ends presenter mode; arrow keys turn ``what``."""
    label = "Leave" if session.state().presenting else "Present"
    st.button(label, key="present-button", icon=":material/present_to_all:", on_click=_toggle, help=_ABOUT.format(what))


def _toggle() -> None:
    mine = session.state()
    mine.presenting = not mine.presenting
    link.set_param("present", "1" if mine.presenting else "")
