"""What Streamlit has no widgets for: sliders that act while dragged, scrolling to a place, searching by title."""

from __future__ import annotations

import re
import secrets
from collections.abc import Container
from typing import Any

import streamlit as st

from dashboard import link, session, streamlit_compat
from dashboard.compute import store
from dashboard.compute.current import View

_EVERY = 120  # milliseconds between two values that a dragged slider sends: a page needs about as long to follow
_watch = st.components.v2.component("live_slider", js=streamlit_compat.WATCH_SLIDER)
_lead = st.components.v2.component("lead", js=streamlit_compat.SCROLL_TO)
_history = st.components.v2.component("history", js=streamlit_compat.KEEP_HISTORY)
_YEAR = re.compile(r"\(\d{4}\)$")


def dragged(slider: str) -> float | None:
    """Return where somebody holds the slider of that key just now, perhaps beyond its ends; None while nobody does."""
    data = {"slider": slider, "every": _EVERY}
    held = _watch(key=f"live-{slider}", data=data, on_value_change=lambda: None).value
    return float(held) if isinstance(held, (int, float)) else None


def keep_history() -> None:
    """Let the browser's back button undo one action at a time."""
    _history(key="live-history")


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


def search_field(label: str, key: str, chosen: str, **more: Any) -> str:
    """Return what somebody searches for; a new search clears the select box with the key ``chosen``."""

    def clear() -> None:
        if st.session_state[key].strip():
            st.session_state[chosen] = None
            link.set_param(chosen, "")

    sought: str = st.text_input(label, key=key, bind="query-params", on_change=clear, **more)
    return sought.strip()


def with_asked(offered: list[str], key: str, known: Container[str]) -> list[str]:
    """Return the options of the select box with this key, with what the session or the link asks for among them."""
    asked = st.session_state.get(key) or st.query_params.get(key)
    return [str(asked), *offered] if asked in known and asked not in offered else offered


def _words(title: str) -> list[str]:
    """Return the words of a title without its year, in any order: "Matrix, The (1999)" is "the matrix"."""
    return sorted(_YEAR.sub("", title).replace(",", " ").split())
