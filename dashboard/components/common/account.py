"""Who is signed in, and how to sign out."""

from __future__ import annotations

import streamlit as st

from dashboard.serving import visitors
from nnm_core.cli.server_settings import current


def show() -> None:
    """Show the account at the end of the sidebar; nothing in a service that is open to everybody."""
    name = visitors.name_of(st.context)
    if not name:
        return
    st.text(f"Signed in as {name[:80]}")  # as Markdown, an address would become a link
    if current().sign_in == "oidc":
        st.button("Sign out", on_click=st.logout, width="stretch")
    elif current().sign_out_url:
        st.link_button("Sign out", current().sign_out_url, width="stretch")
