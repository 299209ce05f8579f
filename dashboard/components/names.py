"""Giving a stereotype a name of one's own."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from dashboard import session
from dashboard.components import live
from dashboard.compute.current import View
from nnm_core.interpret.text.portraits import Portrait
from nnm_core.model import FIXED_NAMES


def offer_name(view: View, portrait: Portrait) -> None:
    """Show a button; once pressed, a field for the name as well."""
    k = portrait.stereotype
    is_open = session.state().renaming == (view.key, k)
    if is_open:
        st.text_input(
            "A name of your own",
            value=view.given_names[k],
            max_chars=80,
            key=_key(view, k),
            placeholder=portrait.name,
            on_change=_rename,
            args=(view, k),
        )
        st.caption("Leave it empty for the program's own name. Names are in the link and in the model file.")
    st.button(
        "Keep the name" if is_open else "Rename",
        key=f"name-{k}",
        icon=":material/edit:",
        type="tertiary",
        on_click=_open,
        args=(None if is_open else (view.key, k),),
    )


def _open(which: tuple[Hashable, int] | None) -> None:
    session.state().renaming = which
    if which is not None:
        live.lead_to(f"portrait-{which[1]}")


def _rename(view: View, stereotype: int) -> None:
    names = list(view.given_names)
    wanted = " ".join(str(st.session_state[_key(view, stereotype)]).split())
    others = {name.casefold() for k, name in enumerate(names) if k != stereotype and name}
    if wanted.casefold() in others | set(FIXED_NAMES):
        st.toast("Another stereotype has this name; choose a different one.", icon=":material/error:")
        return
    session.state().renaming = None
    names[stereotype] = wanted
    session.give_names(view.key, names)


def _key(view: View, stereotype: int) -> str:
    return f"rename-{abs(hash((view.key, stereotype)))}"
