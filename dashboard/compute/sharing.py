"""Shared views: made by their owner, opened by whoever has the link, gone when they are revoked or have expired."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import NamedTuple

from dashboard.compute import downloads
from dashboard.compute.bounded_store import kept
from dashboard.storage import Share as Share
from dashboard.storage import SharedView as SharedView
from dashboard.storage import kept_work
from nnm_core import Model
from nnm_core.datasets import Dataset, ImportReport
from nnm_core.errors import DataError

SHARED = "shared-"  # what the keys of shared data begin with; the rest is the id of the share


class Content(NamedTuple):
    """What a share shows; the model has the names that its owner gave."""

    dataset: Dataset
    report: ImportReport
    model: Model | None


def make(owner: str, view: SharedView, *, may_download: bool, lasts: timedelta | None) -> str:
    """Share a view as it is now, for some time or without end; return the token for the link."""
    if (work := kept_work()) is None:
        raise DataError("Nothing can be shared, because this server has no place to keep it.")
    return work.shares.make(owner, view, may_download=may_download, lasts=lasts)


def find(token: str) -> Share | None:
    """Return what a link leads to; None if there is no such share, or no longer."""
    return None if (work := kept_work()) is None else work.shares.find(token)


def content(share: Share) -> Content:
    """Return what a share shows."""
    if (work := kept_work()) is None:
        raise DataError("What is shared cannot be reached just now. Try again in a moment.")
    key = (share.id, share.content_hash, share.ratings_hash)
    return kept.get_or_compute("shared", key, lambda: Content(*work.shares.content(share)))


def is_live(share: str) -> bool:
    """Whether a share is there, and was neither revoked nor has expired."""
    return (work := kept_work()) is not None and work.shares.get(share) is not None


def content_of(key: str) -> Content | None:
    """Return what is shared under the key of a data set; None if it is no longer."""
    work = kept_work()
    share = None if work is None else work.shares.get(key.removeprefix(SHARED))
    return None if share is None else content(share)


def listed(owner: str) -> list[Share]:
    """Return what an owner shares, newest first."""
    return [] if (work := kept_work()) is None else work.shares.listed(owner)


def revoke(share: str, owner: str) -> None:
    """End a share of this owner, and let go of everything that was computed from it."""
    if (work := kept_work()) is not None and work.shares.revoke(share, owner):
        forget([share])


def forget(shares: Collection[str]) -> None:
    """Let go of everything in memory that belongs to shares which are gone."""
    downloads.withdraw_shared(frozenset(shares))
    kept.remove_mentioning(frozenset(shares))
