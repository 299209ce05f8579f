"""What Streamlit has no widgets for: sliders that act while dragged, scrolling to a place, searching by title."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Container, Sequence
from typing import Any

import streamlit as st

from dashboard import link, session, streamlit_compat
from dashboard.compute import store
from dashboard.compute.current import View
from nnm_core.phrases import split_year

_EVERY = 120  # milliseconds between two values that a dragged slider sends: a page needs about as long to follow
_watch = st.components.v2.component("live_slider", js=streamlit_compat.WATCH_SLIDER)
_lead = st.components.v2.component("lead", js=streamlit_compat.SCROLL_TO)
_attend = st.components.v2.component("page", js=streamlit_compat.PAGE_SCRIPT)
_OFFERED = 60  # of what was found, how many head the list


def dragged(slider: str) -> float | None:
    """Return where somebody holds the slider of that key just now, perhaps beyond its ends; None while nobody does."""
    key = f"live-{slider}"
    # What this run draws: where a run of another cause draws nothing of it, the browser sends it again.
    drawn = getattr(st.session_state.get(key), "value", None)
    data = {"slider": slider, "every": _EVERY, "drawn": drawn}
    held = _watch(key=key, data=data, on_value_change=lambda: None).value
    return float(held) if isinstance(held, (int, float)) else None


def attend_page() -> None:
    """Let the back button undo one action at a time, name controls, close a phone's sidebar, follow light and dark."""
    _attend(key="live-page", on_theme_change=lambda: None)


def lead_to(place: str) -> None:
    """In the next run, bring the container of that key into sight, and the cursor into its text field."""
    session.state().scroll_to = place


def lead() -> None:
    """Scroll to where ``lead_to`` asked for; at the end of a page."""
    mine = session.state()
    if mine.scroll_to:
        _lead(key="live-lead", data={"place": mine.scroll_to, "turn": secrets.token_hex(4)})
        mine.scroll_to = ""


def search_items(view: View, sought: str) -> list[int]:
    """Return the rows of items whose titles have all words that are sought: exact titles first, then the best known."""
    dataset = view.dataset
    wanted = sought.casefold().split()
    titles = store.derived(("folded titles", dataset.content_hash), lambda: [t.casefold() for t in dataset.titles])
    found = [row for row, title in enumerate(titles) if all(part in title for part in wanted)]
    counts, exact = dataset.ratings.by_item.counts, _words(sought.casefold())
    return sorted(found, key=lambda row: (_words(titles[row]) != exact, -int(counts[row])))


def search_select(
    label: str,
    key: str,
    *,
    offered: Sequence[str],
    known: Container[str],
    find: Callable[[str], list[str]],
    form: Callable[[str], str],
    **more: Any,
) -> tuple[str | None, str, list[str]]:
    """Draw one field to search in and to choose from; return the choice, what was typed, and what that found.

    It lists ``offered``, ids that are shown as ``form`` has them. Text that is typed and not chosen from the list is
    looked up by ``find`` among all ``known`` ids: the first found is chosen, and the others head the list.
    """

    def look_up() -> None:
        typed = st.session_state[key]
        if typed is not None and typed not in known:
            found = find(typed)
            st.session_state[_typed(key)], st.session_state[key] = typed, found[0] if found else None

    typed = str(st.session_state.get(_typed(key), ""))
    found = find(typed) if typed else []
    options = list(dict.fromkeys([*found[:_OFFERED], *offered]))
    asked = st.session_state.get(key) or st.query_params.get(key)
    if asked in known and asked not in options:
        options.insert(0, str(asked))
    more |= {"accept_new_options": True, "filter_mode": "contains", "on_change": look_up}
    chosen: str | None = link.select(label, options, key, form=form, **more)
    return chosen, typed, found


def forget_search(key: str) -> None:
    """Forget what was typed into the field of ``search_select``: something was chosen elsewhere."""
    st.session_state.pop(_typed(key), None)


def _typed(key: str) -> str:
    return f"{key}-search"


def _words(title: str) -> list[str]:
    """Return the words of a title without its year, in any order: "Matrix, The (1999)" is "the matrix"."""
    return sorted(split_year(title)[0].replace(",", " ").split())
