"""What is in the link: choices of widgets, names of stereotypes, and whatever else a page puts there.

A value comes from the link when a widget is first drawn, and again after the browser's back or forward button;
otherwise the session's state holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin

import streamlit as st

from dashboard import streamlit_compat
from dashboard.wording import md
from nnm_core.model import FIXED_NAMES, LONGEST_NAME
from nnm_core.phrases import distinct

T = TypeVar("T")
_NAMES = "names"
_BETWEEN_NAMES = "~"
_ROUNDED = 0.001  # numbers that differ by less are the same: some are in the link with more digits than are used
_KEYS = "keys of the link"  # in the session's state: the widgets whose values are in the link
_TEXTS = "texts of lists"  # in the session's state: {key: how the chosen option was called when a list was drawn}
_NOTES = "notes on the link"  # in the session's state: {key: sentence} for values that could not be used


def select(
    label: str,
    options: Sequence[T],
    key: str,
    *,
    default: T | None = None,
    form: Callable[[Any], str] = str,
    note: bool = True,
    **more: Any,
) -> T | None:
    """Draw a select box whose choice is in the link as the option itself, whatever people read; the default is not.

    Streamlit's own binding would write the text that people read, which changes with the data and the wording. It
    also tells options apart by that text alone, so texts that are alike are numbered. With ``note``, the page says so
    if the link asks for something that is not among the options.
    """
    by_text = {str(option): option for option in options}
    texts = dict(zip(options, distinct(map(form, options)), strict=True))
    in_link = asked_for(key)
    asked = st.session_state.get(key, by_text.get(in_link or ""))
    if isinstance(asked, str) and asked not in options:  # what an option was called when the browser drew the field
        asked = by_text.get(st.query_params.get(key, ""))
    value: Any = asked if asked in options else default
    set_widget(key, value)
    shown, text = st.session_state.setdefault(_TEXTS, {}), texts.get(value)
    if shown.get(key, text) != text:
        st.session_state[key] = value  # the same option has another name now: the browser would keep the old one
    shown[key] = text
    if note and in_link and in_link not in by_text:
        note_change(key, label, in_link, "" if default is None else texts.get(default, form(default)))
    index = None if default is None else 0  # the session's state holds the choice; this only says whether none is one
    more |= {"key": key, "persist_state": "session", "format_func": lambda option: texts.get(option, form(option))}
    chosen: T | None = st.selectbox(label, options, index=index, **more)
    set_param(key, "" if chosen is None or chosen == default else str(chosen))
    return chosen


def segments(label: str, texts: Mapping[str, str], key: str, **more: Any) -> str:
    """Draw a choice among a few {option: text}, the first is the default; it is in the link as the option."""
    options, in_link = list(texts), asked_for(key)
    asked = st.session_state.get(key, in_link)
    set_widget(key, asked if asked in options else options[0])
    if in_link and in_link not in options:
        note_change(key, label, in_link, texts[options[0]])
    more |= {"key": key, "persist_state": "session", "format_func": texts.__getitem__}
    chosen = st.segmented_control(label, options, required=True, **more)
    set_param(key, "" if chosen == options[0] else str(chosen))
    return str(chosen)


def slider(label: str, lowest: int, highest: int, default: int, key: str, **more: Any) -> int:
    """Draw a slider whose whole number is in the link, unless it is the default."""
    in_link = asked_for(key)
    chosen = int(st.slider(label, lowest, highest, default, key=key, bind="query-params", **more))
    compare(key, label, in_link, chosen)
    return chosen


def number(label: str, key: str, *, value: float | None, **more: Any) -> Any:
    """Draw a field for a number, which is in the link unless it is the default, ``value``."""
    in_link = asked_for(key)
    chosen = st.number_input(label, value=value, key=key, bind="query-params", **more)
    compare(key, label, in_link, chosen)
    return chosen


def several(options: Sequence[str], key: str, label: str) -> list[str]:
    """Return which of the options a multiselect with this key has or, before it is first drawn, the link asks for."""
    asked_for(key)
    in_link = [] if key in st.session_state else st.query_params.get_all(key)
    unknown = [option for option in in_link if option not in options]
    if unknown:
        note_change(key, label, ", ".join(unknown), "")
    return [option for option in st.session_state.get(key, in_link) if option in options]


def asked_for(key: str) -> str | None:
    """Return what the link asks for, if the link decides: that is, until the widget with this key has been drawn."""
    st.session_state.setdefault(_KEYS, set()).add(key)
    return None if key in st.session_state else st.query_params.get(key)


def note_change(key: str, label: str, asked: str, shown: str) -> None:
    """Keep a sentence for the page: the link asks for something that cannot be shown."""
    instead = f" Shown instead: {md(shown, 60)}." if shown else ""
    st.session_state.setdefault(_NOTES, {})[key] = (
        f"The link asks for “{md(asked, 60)}” under “{md(label, 60)}”, which is not available here.{instead}"
    )


def notes() -> list[str]:
    """Return what the link asked for and could not be shown, a sentence each, until somebody has read them."""
    return list(st.session_state.get(_NOTES, {}).values())


def clear_notes() -> None:
    """Forget the sentences about the link: somebody has read them."""
    st.session_state.pop(_NOTES, None)


def follow_history() -> None:
    """After the browser's back or forward button, let the link decide what every widget shows; before any is drawn."""
    if streamlit_compat.is_history_navigation():
        for key in st.session_state.get(_KEYS, ()):
            st.session_state.pop(key, None)


def compare(key: str, label: str, in_link: str | None, chosen: float | None) -> None:
    """Note it if the link asks for another number than the one that is shown."""
    if in_link is None:
        return
    try:
        is_shown = chosen is not None and abs(float(in_link) - chosen) < _ROUNDED
    except ValueError:
        is_shown = False
    if not is_shown:
        note_change(key, label, in_link, "" if chosen is None else f"{chosen:g}")


def set_widget(key: str, value: Any) -> None:
    """Set a widget if it has another value: setting it anyway would undo what somebody did to it meanwhile."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def set_param(key: str, value: str) -> None:
    """Put something into the link that no widget holds; an empty text takes it out."""
    st.session_state.setdefault(_KEYS, set()).add(key)
    if value and st.query_params.get(key) != value:
        st.query_params[key] = value
    elif not value and key in st.query_params:
        del st.query_params[key]


def address(page: str, without: Collection[str] = (), more: Mapping[str, str] | None = None) -> str:
    """Return the address of a page, given by its path, in the view that this session shows.

    ``without``: parameters to leave out; ``more``: others, with their values.
    """
    left_out = {*without, *(more or {})}
    own = [(key, value) for key in st.query_params for value in st.query_params.get_all(key) if key not in left_out]
    params = [*(more or {}).items(), *own]
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
