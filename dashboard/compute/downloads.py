"""Files that pages offer: each under an id that cannot be guessed, for whom it was offered to and nobody else.

Streamlit's own downloads are named by a hash of parts of their content, answer anybody, and are dropped while others
use the server. A file here is made when it is fetched, every time, and never kept.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass

from dashboard.streamlit_compat import is_connected

LASTS = 600.0  # seconds for which a file can still be fetched when its page is closed
_MOST_IN_SESSION, _MOST = 60, 5000  # offers; what was offered longest ago leaves first
_LOOK = 30.0  # seconds between two looks for pages that are closed


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """A file that somebody may fetch; ``owner``: who, and ``share``: the shared view that it is made from, if any."""

    session: str
    owner: str
    make: Callable[[], str | bytes]
    file: str
    mime: str
    share: str = ""


_lock = threading.Lock()
_offers: OrderedDict[str, tuple[Offer, float]] = OrderedDict()
_ids: dict[tuple[str, Hashable], str] = {}
_last_look = 0.0


def offer(key: Hashable, file: Offer) -> str:
    """Offer a file; return its id, which stays the same for the button of that key on a session's page."""
    with _lock:
        _forget_closed()
        place = (file.session, key)
        found = _ids.setdefault(place, secrets.token_urlsafe(24))
        _offers[found] = (file, time.monotonic())
        _offers.move_to_end(found)
        mine = [each for each, (other, _) in _offers.items() if other.session == file.session]
        for old in mine[: max(len(mine) - _MOST_IN_SESSION, 0)] or list(_offers)[: max(len(_offers) - _MOST, 0)]:
            _drop(old)
        return found


def find(file_id: str, owner: str, *, is_known: Callable[[str], bool]) -> Offer | None:
    """Return what is offered under an id to this owner.

    ``is_known``: whether a request shows that it comes from this owner. Without cookies it does not, and the id alone
    has to do.
    """
    with _lock:
        found = _offers.get(file_id)
        if found is None or (is_known(found[0].owner) and found[0].owner != owner):
            return None
        _offers[file_id] = (found[0], time.monotonic())
        return found[0]


def withdraw(owner: str) -> None:
    """Withdraw everything that is offered to an owner, because something of theirs was removed."""
    _withdraw(lambda each: each.owner == owner)


def withdraw_shared(shares: Collection[str]) -> None:
    """Withdraw everything that is made from these shared views, because they are gone."""
    _withdraw(lambda each: each.share in shares)


def _withdraw(which: Callable[[Offer], bool]) -> None:
    with _lock:
        for file_id in [each for each, (offer, _) in _offers.items() if which(offer)]:
            _drop(file_id)


def _forget_closed() -> None:
    """Drop what pages offered that have been closed for a while."""
    global _last_look
    now = time.monotonic()
    if now < _last_look + _LOOK:
        return
    _last_look = now
    for file_id, (each, used) in list(_offers.items()):
        if now > used + LASTS and not is_connected(each.session):
            _drop(file_id)


def _drop(file_id: str) -> None:
    del _offers[file_id]
    for place in [place for place, each in _ids.items() if each == file_id]:
        del _ids[place]
