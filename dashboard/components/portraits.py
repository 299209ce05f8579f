"""Stereotypes in words: a name with what to recognise it by, what it likes, and a name of one's own."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.components.common import widgets
from dashboard.compute.current import View
from dashboard.wording import md
from nnm_core.interpret.compare import Stability
from nnm_core.interpret.text.portraits import Portrait
from nnm_core.model import FIXED_NAMES
from nnm_core.phrases import quoted


def heading(view: View, stereotype: int) -> str:
    """Return the name of a stereotype, its share and the items to recognise it by, as Markdown.

    In one piece, which a browser lays out faster than several.
    """
    portrait = view.portraits[stereotype]
    titles = [title for title in portrait.titles if view.has_taste and title not in portrait.name]
    shown = "".join(f" · {md(quoted(title, 40))}" for title in titles)
    return f"## {md(portrait.name, 80)}\n\n:small[**{portrait.share_in_words}**{shown}]"


def show_words(view: View, told: tuple[Portrait, ...], found: Stability | None) -> None:
    """Show every stereotype of taste in words, as many to a row as have room."""
    st.subheader("In words", anchor=False)
    with st.container(key="towers-words"):
        columns = st.columns(view.model.n_stereotypes)
    for k, column in enumerate(columns):
        with column:
            show_one(view, told[k], found)


def show_one(view: View, told: Portrait, found: Stability | None) -> None:
    """Show one stereotype in words, which may be renamed there; ``found``: what other fits agree on, if made."""
    k, atlas = told.stereotype, view.model.atlas
    text = f"**{md(view.names[k], 80)}**\n\n**{told.share_in_words}.** {md(told.text, 800)}"
    if found is not None:
        text += f"\n\n:small[{md(found.in_words(k), 800)}]"
    if atlas is not None:
        text += f"\n\n:small[Found by {atlas.found_by[k]} of {atlas.n_starts} random starts.]"
    with st.container(key=f"words-{k}"):
        st.markdown(text)
        if session.shared() is None and view.is_settled:  # a name belongs to a stereotype that stays
            _offer_name(view, told)


def _offer_name(view: View, portrait: Portrait) -> None:
    """Show a button; once pressed, a field for the name as well."""
    k = portrait.stereotype
    is_open = session.state().renaming == (view.key, k)
    if is_open:
        field: dict[str, Any] = {"key": _key(view, k), "placeholder": view.names[k], "max_chars": 80}
        st.text_input("A name of your own", view.given_names[k], on_change=_rename, args=(view, k), **field)
        st.caption("Leave it empty for the program's own name. Names are in the link and in the model file.")
    label, args = ("Save", (None,)) if is_open else ("Rename", ((view.key, k),))
    st.button(label, key=f"name-{k}", icon=":material/edit:", type="tertiary", on_click=_open, args=args)


def _open(which: tuple[Hashable, int] | None) -> None:
    session.state().renaming = which
    if which is not None:
        widgets.lead_to(f"words-{which[1]}")


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
