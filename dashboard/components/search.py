"""Searching items by their titles, and a field in which somebody searches for what a select box then shows."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

import streamlit as st

from dashboard import link
from dashboard.compute import store
from dashboard.compute.current import View

_YEAR = re.compile(r"\(\d{4}\)$")


def items(view: View, sought: str) -> list[int]:
    """Return the rows of items whose titles have all words that are sought: exact titles first, then the best known."""
    dataset = view.dataset
    wanted = sought.casefold().split()
    titles = store.derived(("folded titles", dataset.content_hash), lambda: [t.casefold() for t in dataset.titles])
    found = [row for row, title in enumerate(titles) if all(part in title for part in wanted)]
    counts, exact = dataset.ratings.by_item.counts, _words(sought.casefold())
    return sorted(found, key=lambda row: (_words(titles[row]) != exact, -int(counts[row])))


def field(label: str, key: str, chosen: str, **more: Any) -> str:
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
