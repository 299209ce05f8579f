"""Who a visitor is: the one place that says so, for pages and for routes.

With ``sign_in = open`` a visitor is a browser, known by its cookie. Otherwise a visitor is an account, named by the
cookie that Streamlit's sign-in leaves (``oidc``) or by a header of the proxy (``header``). Everything that somebody
keeps belongs to what ``owner_of`` returns.
"""

from __future__ import annotations

import hashlib
import ipaddress
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Protocol

from dashboard import streamlit_compat
from dashboard.serving import owner_cookie
from nnm_core.cli.server_settings import current

_MOST_SESSIONS = 10_000  # whose visitors are remembered
_lock = threading.Lock()
_visitors: OrderedDict[str, str] = OrderedDict()
has_guard = threading.Event()  # which stops requests with a header of untrusted machines; else none is believed


class Visit(Protocol):
    """A request, a websocket, or ``st.context`` on a page."""

    @property
    def cookies(self) -> Mapping[str, str]:
        """The cookies that the browser sent."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the request."""


def owner_of(visit: Visit) -> str:
    """Return under which name things of this visitor are kept; empty if nobody is signed in, or without cookies."""
    if current().sign_in == "open":
        return owner_cookie.owner_of(visit.cookies.get(owner_cookie.name(), ""))
    account = _account(visit)
    return "account-" + hashlib.sha256("\n".join(account).encode()).hexdigest() if all(account) else ""


def name_of(visit: Visit) -> str:
    """Return what to call a visitor who is signed in; empty if nobody is."""
    if current().sign_in == "oidc":
        user = streamlit_compat.signed_in_user(visit.cookies, current().sign_in_days)
        return str(user.get("email") or user.get("name") or user.get("sub") or "")
    return _account(visit)[1] if current().sign_in == "header" else ""


def may_enter(visit: Visit) -> bool:
    """Whether this visitor may use the service."""
    return current().sign_in == "open" or bool(owner_of(visit))


def is_trusted(peer: str) -> bool:
    """Whether the machine that sent a request may say who the visitor is."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    return any(address in network for network in current().proxies)


def note_session(session: str, visit: Visit) -> None:
    """Remember whose session this is."""
    with _lock:
        _visitors[session] = owner_of(visit)
        _visitors.move_to_end(session)
        while len(_visitors) > _MOST_SESSIONS:
            _visitors.popitem(last=False)


def has_session(session: str, visit: Visit) -> bool:
    """Whether a session is this visitor's."""
    with _lock:
        return _visitors.get(session) == owner_of(visit)


def _account(visit: Visit) -> tuple[str, str]:
    """Return who vouches for an account, and what they call it."""
    if current().sign_in == "header":
        believed = visit.headers.get(current().user_header, "") if has_guard.is_set() else ""
        return "header", believed.strip()
    user = streamlit_compat.signed_in_user(visit.cookies, current().sign_in_days)
    return str(user.get("iss", "")), str(user.get("sub", ""))
