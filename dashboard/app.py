"""The script that Streamlit runs for every session: ``nnm``, or ``streamlit run dashboard/app.py``."""

from __future__ import annotations

import logging
from pathlib import Path

import streamlit as st

from dashboard import session, streamlit_compat, theme
from dashboard.components.common import account, chips, presenter, share, sidebar, tour, widgets
from dashboard.components.common.current import improve
from dashboard.compute import jobs, sharing, store
from dashboard.serving import metrics, visitors
from dashboard.views import about, accuracy, compare, data, export, films, hierarchy, learn, people, stereotypes
from dashboard.wording import NAME, message, words_for
from nnm_core import NnmError

_log = logging.getLogger(__name__)


@metrics.RUNS.time()
@jobs.drawing()
def main() -> None:
    """Set the page up, draw the sidebar, and show the page that the address names."""
    # Before the pages are: otherwise the browser would fetch an icon of theirs from elsewhere.
    st.set_page_config(page_title=NAME, page_icon=str(Path(__file__).with_name("mark.svg")), layout="wide")
    if not visitors.may_enter(st.context):  # the guard lets nobody so far, but this script may run without it
        st.error("Sign in first.")
        return
    session.begin()
    st.html(streamlit_compat.STYLE)
    st.logo(theme.wordmark(session.look()), size="large")
    pages = _pages()
    page = st.navigation([*pages, *_former_pages()], position="top")
    if session.has_lost_share():
        share.show_gone()
        return
    st.set_page_config(page_title=f"{page.title} · {NAME}")
    if page.url_path == "learn":
        st.set_page_config(initial_sidebar_state="collapsed")  # scenes need the room, and few of its choices
    with st.sidebar:
        session.state().spec = sidebar.render()
        share.button(page.url_path)
        account.show()
    if not session.may_download():
        st.html(streamlit_compat.VIEW_ONLY_STYLE)
    widgets.attend_page()
    chips.show_options()
    notes = st.container()
    if page.url_path != "learn":  # where a class may be looking at a scene
        tour.show()
    place = [each.title for each in pages].index(page.title)
    if page.url_path != "learn" and (step := presenter.follow()):  # there, keys turn the scenes
        st.switch_page(pages[(place + step) % len(pages)])
    try:
        page.run()
        if page.url_path != "learn":  # which leads from scene to scene
            with st.container(horizontal=True, vertical_alignment="center"):
                for following in pages[place + 1 : place + 2]:  # on a phone the others are out of sight
                    st.page_link(following, label=f"Next: {following.title}", icon=":material/arrow_forward:")
                presenter.button("pages")
        improve()
    except streamlit_compat.PageStopped:
        pass
    except NnmError as error:
        st.error(message(str(error)))
    except Exception:  # why: whatever happens, people read a sentence and the log keeps the rest
        _log.exception("the page %r failed", page.title)
        st.error(
            "Something unexpected happened on this page. Try another choice in the sidebar, or load the page again; "
            "the server's log has the details."
        )
    finally:
        with notes:
            chips.show_notes()


def _pages() -> list[st.Page]:
    return [
        st.Page(stereotypes.render, title="Stereotypes", icon=":material/groups:", default=True),
        st.Page(hierarchy.render, title="Hierarchy", icon=":material/account_tree:", url_path="hierarchy"),
        st.Page(people.render, title="People", icon=":material/person_search:", url_path="people"),
        st.Page(films.render, title=_items_title(), icon=":material/movie:", url_path="films"),
        st.Page(compare.render, title="Compare", icon=":material/compare_arrows:", url_path="compare"),
        st.Page(accuracy.render, title="Accuracy", icon=":material/monitoring:", url_path="accuracy"),
        st.Page(data.render, title="Data", icon=":material/database:", url_path="data"),
        st.Page(export.render, title="Export", icon=":material/download:", url_path="export"),
        st.Page(learn.render, title="Learn", icon=":material/school:", url_path="learn"),
        st.Page(about.render, title="About", icon=":material/info:", url_path="about"),
    ]


def _former_pages() -> list[st.Page]:
    """Return the pages under their former addresses, so that old links work."""
    return [
        st.Page(accuracy.render, title="Accuracy", url_path="how-good", visibility="hidden"),
        st.Page(export.render, title="Export", url_path="take-away", visibility="hidden"),
    ]


def _items_title() -> str:
    """Return "Films", or what items of uploaded data are called."""
    shared = session.shared()
    key = str(st.session_state.get("data", st.query_params.get("data", "")))
    key = key if shared is None else sharing.SHARED + shared.id
    own = store.known_dataset(key, session.owner())
    return "Films" if own is None else words_for(own.dataset).items.capitalize()


if __name__ == "__main__":
    main()
