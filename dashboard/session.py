"""What belongs to one session: who it is, what it looks at, the names it gave, and how all that gets into the link."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin

import streamlit as st

from dashboard import streamlit_compat, theme
from nnm_core import FitOptions, Model
from nnm_core.model import FIXED_NAMES, LONGEST_NAME
from nnm_core.phrases import distinct

T = TypeVar("T")

_NAMES = "names"
_MODEL = "model"
_BETWEEN_NAMES = "~"


@dataclass(frozen=True, slots=True)
class Spec:
    """What to show: the key of a data set, the options of a fit and its seed."""

    data: str
    options: FitOptions
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class OwnModel:
    """A model from a file that this session loaded; it stays in this session."""

    name: str
    key: str
    model: Model


def who() -> str:
    """The server's own name for this session, under which it asks for jobs; nobody where no page runs."""
    return streamlit_compat.session_id()


def owner() -> str:
    """Whose uploads these are: this browser's, so that a reload keeps them; without cookies, this session's."""
    if "owner" not in st.session_state:
        token = _browser_token(st.context.cookies.get("_streamlit_xsrf", ""))
        st.session_state["owner"] = hashlib.sha256(token).hexdigest() if token else secrets.token_hex(16)
    return str(st.session_state["owner"])


def _browser_token(cookie: str) -> bytes:
    """The secret within Streamlit's own cookie, which masks it afresh with every page; empty if it has another form."""
    parts = cookie.strip('"').split("|")
    try:
        if len(parts) != 4 or parts[0] != "2":
            return b""
        mask, masked = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
    except ValueError:
        return b""
    return bytes(byte ^ mask[k % len(mask)] for k, byte in enumerate(masked)) if mask and len(masked) >= 16 else b""


def look() -> theme.Look:
    """The colours of the theme that this browser shows."""
    return theme.look(st.context.theme.get("type"))


def later(key: str, value: Any) -> None:
    """Give a widget this value in the next run: within a run, one that is drawn already cannot be changed."""
    st.session_state.setdefault("for later", {})[key] = value


def begin() -> None:
    """At the start of a run, before any widget is drawn: do what was put off."""
    for key, value in st.session_state.pop("for later", {}).items():
        st.session_state[key] = value


def select(
    label: str,
    options: Sequence[T],
    key: str,
    *,
    default: T | None = None,
    form: Callable[[Any], str] = str,
    **more: Any,
) -> T | None:
    """A select box whose choice is in the link as the option itself, whatever people read; the default is not.

    Streamlit's own binding would write the text that people read, which changes with the data and the wording. It
    also tells options apart by that text alone, so texts that are alike are numbered.
    """
    by_text = {str(option): option for option in options}
    texts = dict(zip(options, distinct(map(form, options)), strict=True))
    told = st.session_state.get(key, by_text.get(st.query_params.get(key, "")))
    put(key, told if told in options else default)
    index = None if default is None else 0  # the session's state holds the choice; this only says whether none is one
    chosen: T | None = st.selectbox(
        label,
        options,
        index=index,
        format_func=lambda option: texts.get(option, form(option)),
        key=key,
        persist_state="session",
        **more,
    )
    set_link(key, "" if chosen is None or chosen == default else str(chosen))
    return chosen


def segments(label: str, texts: Mapping[str, str], key: str, **more: Any) -> str:
    """A choice among a few things side by side, {option: text}, the first is the default; in the link as the option."""
    options = list(texts)
    told = st.session_state.get(key, st.query_params.get(key))
    put(key, told if told in options else options[0])
    chosen = st.segmented_control(
        label,
        options,
        required=True,
        format_func=lambda option: texts[option],
        key=key,
        persist_state="session",
        **more,
    )
    set_link(key, "" if chosen == options[0] else str(chosen))
    return str(chosen)


def put(key: str, value: Any) -> None:
    """Move a widget if it stands elsewhere: one that is set takes back what somebody did to it in the meantime."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def set_link(key: str, value: str) -> None:
    """Put something into the link that no widget holds; an empty text takes it out."""
    if value and st.query_params.get(key) != value:
        st.query_params[key] = value
    elif not value and key in st.query_params:
        del st.query_params[key]


def link(page: str) -> str:
    """The address of a page, given by its path, in the view that this session shows."""
    told = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    return urljoin(str(st.context.url or ""), page) + ("?" + urlencode(told) if told else "")


def given_names(key: Hashable, n_stereotypes: int) -> tuple[str, ...]:
    """The names that this session gave to a model's stereotypes, empty where it gave none; kept in the link."""
    store: dict[Hashable, tuple[str, ...]] = st.session_state.setdefault("given names", {})
    if not store.get("link was read"):
        store["link was read"] = ("yes",)
        told = st.query_params.get(_NAMES, "").split(_BETWEEN_NAMES)
        if any(told) and len(told) == n_stereotypes:
            store[key] = _usable(told)
    names = store.get(key, ("",) * n_stereotypes)
    set_link(_NAMES, _BETWEEN_NAMES.join(names) if any(names) else "")
    return names


def give_names(key: Hashable, names: Sequence[str]) -> None:
    """Keep the names for this model, as far as they can be used."""
    store: dict[Hashable, tuple[str, ...]] = st.session_state.setdefault("given names", {})
    store[key] = _usable(names)


def _usable(names: Sequence[str]) -> tuple[str, ...]:
    """The names as a model takes them: empty where one belongs to another stereotype already."""
    taken = set(FIXED_NAMES)
    usable = []
    for name in map(_tidy, names):
        usable.append("" if name.casefold() in taken else name)
        taken.add(name.casefold())
    return tuple(usable)


def _tidy(name: str) -> str:
    printable = "".join(mark if mark.isprintable() and mark != _BETWEEN_NAMES else " " for mark in name)
    return " ".join(printable.split())[:LONGEST_NAME].strip()


def own_model() -> OwnModel | None:
    """The model from a file that is shown instead of a fit, if there is one; the link says that there is."""
    found: OwnModel | None = st.session_state.get("own model")
    if found is not None:
        set_link(_MODEL, found.key[:12])
    return found


def show_own_model(own: OwnModel | None) -> None:
    """Show this model instead of a fit, or fits again."""
    st.session_state["own model"] = own
    if own is None:
        set_link(_MODEL, "")


def link_has_lost_model(spec: Spec) -> bool:
    """Whether the link was made with a model from a file that is not here; until something else is asked for."""
    if own_model() is not None:
        return False
    if _MODEL in st.query_params:
        set_link(_MODEL, "")
        st.session_state["lost model"] = spec
    return bool(st.session_state.get("lost model") == spec)
