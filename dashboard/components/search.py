"""Searching items by their titles, and a field in which somebody searches for what a select box then shows."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from dashboard import link
from dashboard.compute import store
from dashboard.compute.current import View

_YEAR = re.compile(r"\(\d{4}\)$")


def items(view: View, sought: str) -> list[int]:
    """The rows of the items whose titles have all words that are sought: exactly that title first, then by renown."""
    dataset = view.dataset
    wanted = sought.casefold().split()
    titles = store.derived(("folded titles", dataset.content_hash), lambda: [t.casefold() for t in dataset.titles])
    found = [row for row, title in enumerate(titles) if all(part in title for part in wanted)]
    counts, exact = dataset.ratings.by_item.counts, _bare(sought.casefold())
    return sorted(found, key=lambda row: (_bare(titles[row]) != exact, -int(counts[row])))


def field(label: str, key: str, chosen: str, **more: Any) -> str:
    """What somebody searches for; a new search lets go of what the select box with the key ``chosen`` had."""

    def let_go() -> None:
        if st.session_state[key].strip():
            st.session_state[chosen] = None
            link.set_param(chosen, "")

    sought: str = st.text_input(label, key=key, bind="query-params", on_change=let_go, **more)
    return sought.strip()


def _bare(title: str) -> list[str]:
    """The words of a title without its year, in any order: "Matrix, The (1999)" is "the matrix"."""
    return sorted(_YEAR.sub("", title).replace(",", " ").split())
