"""My work: everything that belongs to whoever looks, with its size; to rename, revoke and delete."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard import session
from dashboard.compute import own_work, sharing, store
from dashboard.compute.current import remove_data
from dashboard.compute.own_work import OwnData
from dashboard.compute.sharing import Share
from dashboard.wording import counted, day, md, message
from nnm_core import NnmError
from nnm_core.datasets import catalogue
from nnm_core.datasets.reading.sources import format_bytes
from nnm_core.phrases import shortened

_LONGEST = 80


def show() -> None:
    """Show data sets with their models, shared links, and how much room is left."""
    owner = session.owner()
    mine, shares = own_work.datasets(owner), sharing.listed(owner)
    used, most = own_work.usage(owner)
    if owner.startswith(store.ONE_SESSION):
        st.warning("Your browser takes no cookies: what you load is gone when you close this page.")
    elif most is None:
        st.warning("This server has no place to keep anything: what you load is gone when it ends.")
    else:
        st.caption(f"{format_bytes(used)} of {format_bytes(most)} used. Only you see this list.")
    st.header("Data sets", anchor=False)
    for data in mine:
        _dataset(data, [share for share in shares if share.data == data.key])
    if not mine:
        st.markdown("None yet. **Load your own** above brings in a table of ratings.")
    st.header("Shared links", anchor=False)
    for share in shares:
        _share(share)
    if not shares:
        st.markdown("None. **Share** in the sidebar makes a link to what a page shows.")
    if mine or shares:
        with st.expander("Delete everything", icon=":material/delete_forever:"):
            st.markdown("Your data sets, their models, your links, and all names that you gave to stereotypes.")
            if st.button("Delete everything of mine", key="delete-all"):
                _delete_all(owner, mine)


def tell_interrupted() -> None:
    """Say which files were being imported when the server stopped, and what to do about it."""
    for each in own_work.interrupted_imports(session.owner()):
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{md(each.title, _LONGEST)}** was being imported when the server stopped, on {day(each.started)}. "
                "If it is not among your data sets, upload it again."
            )
            if st.button("Dismiss", key=f"dismiss-{each.key}", icon=":material/close:"):
                own_work.forget_import(session.owner(), each)
                st.rerun()


def _dataset(data: OwnData, shares: list[Share]) -> None:
    """Show one data set, with what can be done with it."""
    with st.container(border=True):
        about = [day(data.created)] if data.created is not None else ["in memory only: gone when the server ends"]
        about += [format_bytes(data.n_bytes)] if data.n_bytes else []
        about += [counted(len(shares), "shared link")] if shares else []
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{md(data.name, _LONGEST)}**  \n{' · '.join(about)}")
            if st.button("Open", key=f"open-{data.key}", icon=":material/folder_open:"):
                session.later("data", data.key)
                session.later("part", "profile")
                st.rerun()
            with st.popover("Rename", icon=":material/edit:"):
                name = st.text_input("Name", data.name, max_chars=_LONGEST, key=f"rename-{data.key}")
                if st.button("Save", key=f"save-{data.key}") and name.strip():
                    _try(lambda: store.rename_own(data.key, session.owner(), " ".join(name.split())))
            with st.popover("Delete", icon=":material/delete:"):
                more = f" {counted(len(shares), 'shared link')} of it will stop working." if shares else ""
                st.markdown(f"The data, all that was computed from them, and the names you gave are deleted.{more}")
                label = f"Delete {shortened(data.name, 40)}"
                if st.button(md(label), key=f"delete-{data.key}"):
                    _try(lambda: _delete(data.key))
        for model in data.models:
            with st.container(horizontal=True, vertical_alignment="center"):
                title = model.title or "A model"
                st.caption(f"Model: {md(title, 200)} · {day(model.created)} · {format_bytes(model.n_bytes)}")
                about_delete = "It took long to fit, so it was kept. It can be fitted again."
                if st.button("Delete model", key=f"delete-model-{model.key}", help=about_delete, type="tertiary"):
                    _try(partial(own_work.remove_model, model, data, session.owner()))


def _share(share: Share) -> None:
    """Show one shared link."""
    page = share.page.capitalize() or "Stereotypes"
    until = "until revoked" if share.expires is None else f"until {day(share.expires)}"
    until = f"expired on {day(share.expires)}" if share.has_expired and share.expires is not None else until
    may = "may download the data" if share.may_download else "look only"
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        about = f"{page} · {may} · {until} · made on {day(share.created)} · {format_bytes(share.n_bytes)}"
        st.markdown(f"**{md(share.title, _LONGEST)}**  \n{about}")
        label = "Remove" if share.has_expired else "Revoke"
        if st.button(label, key=f"revoke-{share.id}", icon=":material/link_off:"):
            _try(lambda: sharing.revoke(share.id, session.owner()))


def _delete(key: str) -> None:
    if session.state().spec.data == key:
        session.later("data", catalogue.BUNDLED)
    remove_data(key)


def _delete_all(owner: str, mine: list[OwnData]) -> None:
    def delete() -> None:
        for data in mine:
            _delete(data.key)
        own_work.remove_rest(owner)
        session.state().names = {}

    _try(delete)


def _try(action: Callable[[], None]) -> None:
    """Do something and show the page again; or say why it could not be done."""
    try:
        action()
    except NnmError as error:
        st.error(message(str(error)))
    else:
        st.rerun()
