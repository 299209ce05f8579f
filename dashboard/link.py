"""What is in the link: choices of widgets, names of stereotypes, and whatever else a page puts there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin

import streamlit as st

from nnm_core.model import FIXED_NAMES, LONGEST_NAME
from nnm_core.phrases import distinct

T = TypeVar("T")
_NAMES = "names"
_BETWEEN_NAMES = "~"


def select(
    label: str,
    options: Sequence[T],
    key: str,
    *,
    default: T | None = None,
    form: Callable[[Any], str] = str,
    **more: Any,
) -> T | None:
    """Draw a select box whose choice is in the link as the option itself, whatever people read; the default is not.

    Streamlit's own binding would write the text that people read, which changes with the data and the wording. It
    also tells options apart by that text alone, so texts that are alike are numbered.
    """
    by_text = {str(option): option for option in options}
    texts = dict(zip(options, distinct(map(form, options)), strict=True))
    asked = st.session_state.get(key, by_text.get(st.query_params.get(key, "")))
    set_widget(key, asked if asked in options else default)
    index = None if default is None else 0  # the session's state holds the choice; this only says whether none is one
    more |= {"key": key, "persist_state": "session", "format_func": lambda option: texts.get(option, form(option))}
    chosen: T | None = st.selectbox(label, options, index=index, **more)
    set_param(key, "" if chosen is None or chosen == default else str(chosen))
    return chosen


def segments(label: str, texts: Mapping[str, str], key: str, **more: Any) -> str:
    """Draw a choice among a few {option: text}, the first is the default; it is in the link as the option."""
    options = list(texts)
    asked = st.session_state.get(key, st.query_params.get(key))
    set_widget(key, asked if asked in options else options[0])
    more |= {"key": key, "persist_state": "session", "format_func": texts.__getitem__}
    chosen = st.segmented_control(label, options, required=True, **more)
    set_param(key, "" if chosen == options[0] else str(chosen))
    return str(chosen)


def set_widget(key: str, value: Any) -> None:
    """Set a widget if it has another value: setting it anyway would undo what somebody did to it meanwhile."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def set_param(key: str, value: str) -> None:
    """Put something into the link that no widget holds; an empty text takes it out."""
    if value and st.query_params.get(key) != value:
        st.query_params[key] = value
    elif not value and key in st.query_params:
        del st.query_params[key]


def address(page: str) -> str:
    """Return the address of a page, given by its path, in the view that this session shows."""
    params = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    return urljoin(str(st.context.url or ""), page) + ("?" + urlencode(params) if params else "")


def names() -> tuple[str, ...]:
    """Return the names of stereotypes in the link, as far as they can be used; empty if there are none."""
    found = st.query_params.get(_NAMES, "").split(_BETWEEN_NAMES)
    return usable_names(found) if any(found) else ()


def set_names(names: Sequence[str]) -> None:
    """Put names of stereotypes into the link."""
    set_param(_NAMES, _BETWEEN_NAMES.join(names) if any(names) else "")


def usable_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as a model takes them: empty where one belongs to another stereotype already."""
    taken, usable = set(FIXED_NAMES), []
    for name in names:
        printable = "".join(mark if mark.isprintable() and mark != _BETWEEN_NAMES else " " for mark in name)
        tidy = " ".join(printable.split())[:LONGEST_NAME].strip()
        usable.append("" if tidy.casefold() in taken else tidy)
        taken.add(tidy.casefold())
    return tuple(usable)
