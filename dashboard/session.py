"""What belongs to one session: who it is, what it looks at, and what it keeps besides the values of its widgets."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from dashboard import link, streamlit_compat, theme
from dashboard.compute import downloads, jobs, sharing, store
from dashboard.compute.bounded_store import kept, mentions
from dashboard.compute.jobs import Job
from dashboard.compute.sharing import Share
from dashboard.serving import visitors
from nnm_core import FitOptions, Model, preset
from nnm_core.datasets import Dataset, ImportReport, catalogue
from nnm_core.datasets.personal import PersonalRatings
from nnm_core.errors import NnmError

_log = logging.getLogger(__name__)
_MODEL = "model"
_SHARE = "share"


@dataclass(frozen=True, slots=True)
class Spec:
    """What to show: the key of a data set, the options of a fit and its seed."""

    data: str
    options: FitOptions
    seed: int


FIRST = Spec(catalogue.BUNDLED, preset("recommended", n_stereotypes=3), 0)  # what a link without any choice shows


@dataclass(frozen=True, slots=True, eq=False)
class OwnModel:
    """A model from a file that this session loaded; it stays in this session."""

    name: str
    key: str
    model: Model


@dataclass(slots=True)
class State:
    """What a session keeps besides the values of its widgets."""

    owner: str = ""
    spec: Spec = FIRST  # what the sidebar asks for
    shown: Spec | None = None  # what a page last showed
    drawn: tuple[Hashable, bool] | None = None  # the model on the page, and whether the test of its taste was known
    waiting: list[Job] = field(default_factory=list)  # work that the page was drawn without, as it ends
    pinned: Spec | None = None  # what the page Compare keeps to compare others with
    asked: tuple[Hashable, ...] = ()  # the fit asked for last
    next_values: dict[str, Any] = field(default_factory=dict)  # of widgets, in the next run
    names: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)  # of stereotypes, by the key of the model
    names_in_link_are_read: bool = False
    own_model: OwnModel | None = None
    share_token: str = ""  # of the link that somebody follows
    share: Share | None = None  # what that link leads to
    made_link: tuple[Hashable, str] | None = None  # what was shared last, and the link to it
    lost_model: Spec | None = None  # what was asked for when the link named a model that is not here
    lost_data: tuple[str, bool] | None = None  # the key of data that are not here, and whether they were
    just_loaded: bool = False
    presenting: bool = False  # whether pages are shown in large type, for a projector
    doubtful_upload: tuple[Dataset, ImportReport] | None = None
    renaming: tuple[Hashable, int] | None = None  # the model and the stereotype that gets a name
    scroll_to: str = ""  # the container to bring into sight
    epsilon_start: float | None = None  # where the slider of ε stands until somebody moves it
    epsilon_range: tuple[float, float] | None = None
    rated_in: str = ""  # the data whose items somebody rated
    n_brought: int = 0  # how often the field for such a file was emptied
    brought: PersonalRatings | None = None  # what they rated elsewhere and brought along in a file
    guessed_from: dict[str, Hashable] = field(default_factory=dict)  # what a guess in the upload form rests on
    sniffed: dict[str, tuple[str, Any]] = field(default_factory=dict)  # found in uploads, with the upload's id


def state() -> State:
    """Return what this session keeps."""
    found: State = st.session_state.setdefault("state", State())
    return found


def who() -> str:
    """Return the server's own name for this session, under which it asks for jobs."""
    return streamlit_compat.session_id()


def owner() -> str:
    """Return whose uploads these are: the account's or this browser's; without cookies, this session's."""
    mine = state()
    if not mine.owner:
        mine.owner = visitors.owner_of(st.context) or store.ONE_SESSION + secrets.token_hex(16)
    return mine.owner


def shared() -> Share | None:
    """Return the shared view that this session looks at; None if it looks at data of its own choice."""
    return state().share


def has_lost_share() -> bool:
    """Whether the link leads to a shared view that is not there, or no longer."""
    return bool(state().share_token) and state().share is None


def may_download() -> bool:
    """Whether files with the data may be offered: always, unless somebody shared them to be looked at only."""
    share = shared()
    return share is None or share.may_download


def leave_share() -> None:
    """Look at data of one's own choice again."""
    mine = state()
    mine.share_token, mine.share, mine.shown, mine.pinned = "", None, None, None
    link.set_param(_SHARE, "")


def look() -> theme.Look:
    """Return the colours of the theme that this browser shows."""
    return theme.look(st.context.theme.get("type"))


def later(key: str, value: Any) -> None:
    """Give a widget this value in the next run: within a run, one that is drawn already cannot be changed."""
    state().next_values[key] = value


def begin() -> None:
    """Set widgets to what the browser's history or an earlier run asks for; at the start, before any is drawn."""
    visitors.note_session(who(), st.context)
    link.follow_history()
    store.forget_removed()
    _follow_share()
    st.session_state.update(state().next_values)
    state().next_values = {}
    state().waiting = []


def _follow_share() -> None:
    """Look up what the link shares, in every run: it may have been revoked since. The menu leaves its token out."""
    mine = state()
    token = st.query_params.get(_SHARE, "") or mine.share_token
    if token != mine.share_token:  # what one view lets people download says nothing about another
        mine.share_token, mine.shown, mine.pinned = token, None, None
    if mine.share_token:
        try:
            mine.share = sharing.find(mine.share_token)
            _ = mine.share and sharing.content(mine.share)
        except NnmError as error:
            _log.warning("a shared view could not be read: %s", error)
            mine.share = None
        link.set_param(_SHARE, mine.share_token)


def cancel(job: Job) -> None:
    """Cancel a job for this session, and start it by itself on no page of this owner, also after a reload."""
    kept.put("cancelled", (owner(), job.key), True)
    jobs.cancel(job, who())


def has_cancelled(key: Hashable) -> bool:
    """Whether this owner cancelled the job of that key; false where another tab did, while this one waits for it."""
    return kept.has("cancelled", (owner(), key)) and not jobs.is_awaited(key, who())


def is_interrupted(key: Hashable) -> bool:
    """Whether the job of that key was under way for this owner when its server ended."""
    if jobs.find(key) is not None:
        return False
    return store.ask_kept(owner(), lambda work: work.running.is_interrupted(owner(), key), False)


def allow(key: Hashable) -> None:
    """Take back that the job of that key was cancelled or interrupted."""
    kept.remove("cancelled", (owner(), key))
    store.ask_kept(owner(), lambda work: work.running.end(key), None)


def given_names(key: Hashable, n_stereotypes: int) -> tuple[str, ...]:
    """Return the names that this session gave to a model's stereotypes, empty where it gave none; kept in the link.

    A shared view has its own, which nobody else changes.
    """
    mine = state()
    if shared() is not None:
        return ("",) * n_stereotypes
    if not mine.names_in_link_are_read:
        mine.names_in_link_are_read = True
        if len(link.names()) == n_stereotypes:
            mine.names[_names_key(key)] = link.names()
    names = names_of(key, n_stereotypes)
    link.set_names(names)
    return names


def names_of(key: Hashable, n_stereotypes: int) -> tuple[str, ...]:
    """Return the names that this owner gave to the stereotypes of any model, empty where there are none."""
    names, mine = _names_key(key), state().names
    if names not in mine:
        mine[names] = store.kept_names(owner(), names)
    return mine[names] if len(mine[names]) == n_stereotypes else ("",) * n_stereotypes


def give_names(key: Hashable, names: Sequence[str]) -> None:
    """Keep the names for this model, as far as they can be used."""
    usable = state().names[_names_key(key)] = link.usable_names(names)
    store.keep_names(owner(), _names_key(key), usable)


def _names_key(key: Hashable) -> tuple[Hashable, ...]:
    """Return the key of the names: the best of several starts keeps those that were given to the first."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(replace(part, starts=1) if isinstance(part, FitOptions) else part for part in parts)


def own_model() -> OwnModel | None:
    """Return the model that is shown instead of a fit, if there is one: a shared one, or one from a file.

    The link says that there is.
    """
    share = shared()
    if share is not None:
        model = sharing.content(share).model
        return None if model is None else OwnModel(share.title, share.id, model)
    found = state().own_model
    if found is not None:
        link.set_param(_MODEL, found.key[:12])
    return found


def show_own_model(own: OwnModel | None) -> None:
    """Show this model instead of a fit, or fits again."""
    state().own_model = own
    if own is None:
        link.set_param(_MODEL, "")


def link_has_lost_model() -> bool:
    """Whether the link was made with a model from a file that is not here; until something else is asked for."""
    mine = state()
    if own_model() is not None:
        return False
    if _MODEL in st.query_params:
        link.set_param(_MODEL, "")
        mine.lost_model = mine.spec
    return mine.lost_model == mine.spec


def forget_data(hashes: Collection[str]) -> None:
    """Drop what this session keeps of data with these content hashes, and all files that it uploaded."""
    mine = state()
    downloads.withdraw(owner())
    show_own_model(None)
    mine.shown, mine.pinned, mine.asked, mine.renaming, mine.sniffed = None, None, (), None, {}
    mine.names = {key: names for key, names in mine.names.items() if not mentions(key, hashes)}
    for key in ("person", "film"):
        st.session_state.pop(key, None)
    streamlit_compat.remove_uploaded_files()
