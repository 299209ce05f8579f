"""State that can be seen: a chip for every option that is not at its default, and what a link could not show."""

from __future__ import annotations

import streamlit as st

from dashboard import link
from dashboard.components.common import sidebar

_REMOVE = ":material/close:"


def show_options() -> None:
    """Show every option that is not at its default; a click sets it back."""
    changed = sidebar.changed_options()
    if not changed:
        return
    with st.container(horizontal=True, key="chips-options"):
        for key, (text, default) in changed.items():
            about = "Set this option back to its default"
            st.button(
                text,
                f"chip-{key}",
                about,
                on_click=link.set_widget,
                args=(key, default),
                icon=_REMOVE,
                icon_position="right",
            )


def show_notes() -> None:
    """Say which values of the link could not be used, until somebody has read it."""
    notes = link.notes()
    if not notes:
        return
    with st.container(key="link-notes"):
        st.warning("  \n".join(notes), icon=":material/link_off:")
        st.button("Dismiss", on_click=link.clear_notes)
