"""Shared views: links with a random token to data and a model as they were, for as long as their owner wants."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sql
from sqlalchemy import Connection, Engine, Row

from dashboard.storage.blobs import Blobs
from dashboard.storage.database import SHARES, forget_deleted, transaction
from dashboard.storage.references import add_referring, check_quota, remove_unused
from nnm_core import Model
from nnm_core.datasets import Dataset, ImportReport
from nnm_core.datasets.storage import dataset_bytes, dataset_from_bytes
from nnm_core.storage import model_bytes, model_from_bytes

_LISTED_AFTER_END = timedelta(days=7)  # for which the owner still sees that a share has expired


@dataclass(frozen=True, slots=True)
class Share:
    """A shared view, without its content; ``data`` is its owner's key of the data set."""

    id: str
    data: str
    title: str
    page: str
    content_hash: str
    ratings_hash: str
    digest: str
    model_digest: str | None
    n_bytes: int
    may_download: bool
    created: datetime
    expires: datetime | None

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires is not None and self.expires <= datetime.now(UTC)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What is shared: the data set with its key, and the model, with the names that were given, if there is one."""

    data: str
    title: str
    page: str
    dataset: Dataset
    report: ImportReport
    model: Model | None


class Shares:
    """All shared views."""

    def __init__(self, database: Engine, blobs: Blobs) -> None:
        self._database, self._blobs = database, blobs

    def make(self, owner: str, view: View, *, may_download: bool, lasts: timedelta | None) -> str:
        """Share a view for some time, or without end; return the token for the link, which is kept nowhere."""
        token, now = secrets.token_urlsafe(24), datetime.now(UTC)
        contents = [dataset_bytes(view.dataset, view.report)]
        contents += [] if view.model is None else [model_bytes(view.model)]
        sizes = {hashlib.sha256(content).hexdigest(): len(content) for content in contents}
        with transaction(self._database) as connection:
            check_quota(connection, owner, sizes)
        digests = [self._blobs.put(content) for content in contents]
        row = {
            "id": _id_of(token),
            "owner": owner,
            "data": view.data,
            "title": view.title,
            "page": view.page,
            "content_hash": view.dataset.content_hash,
            "ratings_hash": view.dataset.ratings.content_hash,
            "digest": digests[0],
            "n_bytes": len(contents[0]),
            "model_digest": digests[1] if digests[1:] else None,
            "model_n_bytes": len(contents[1]) if contents[1:] else 0,
            "may_download": may_download,
            "created": now,
            "expires": None if lasts is None else now + lasts,
        }
        add_referring(self._database, self._blobs, SHARES, row, contents)
        return token

    def find(self, token: str) -> Share | None:
        """Return what a link leads to; None if there is no such share, or no longer."""
        return self.get(_id_of(token))

    def get(self, share: str) -> Share | None:
        """Return a share by its id, unless it has expired."""
        with transaction(self._database) as connection:
            row = connection.execute(sql.select(SHARES).where(SHARES.c.id == share)).one_or_none()
        found = None if row is None else _share(row)
        return None if found is None or found.has_expired else found

    def content(self, share: Share) -> tuple[Dataset, ImportReport, Model | None]:
        """Return the data set, the report of its import and the model of a share."""
        dataset, report = dataset_from_bytes(self._blobs.get(share.digest))
        content = None if share.model_digest is None else self._blobs.get(share.model_digest)
        return dataset, report, None if content is None else model_from_bytes(content)

    def listed(self, owner: str) -> list[Share]:
        """Return what an owner shares, newest first; also what expired a short while ago."""
        query = sql.select(SHARES).where(SHARES.c.owner == owner).order_by(SHARES.c.created.desc())
        with transaction(self._database) as connection:
            return [_share(row) for row in connection.execute(query)]

    def revoke(self, share: str, owner: str) -> bool:
        """End a share of this owner at once; whether there was one."""
        return bool(self._remove((SHARES.c.id == share) & (SHARES.c.owner == owner)))

    def remove_expired(self) -> None:
        """Remove what expired a while ago."""
        self._remove(SHARES.c.expires < datetime.now(UTC) - _LISTED_AFTER_END)

    def _remove(self, which: sql.ColumnElement[bool]) -> Sequence[str]:
        with transaction(self._database, alone=True) as connection:
            ids, digests = remove_shares(connection, which)
        remove_unused(self._database, self._blobs, digests)
        forget_deleted(self._database)
        return ids


def remove_shares(connection: Connection, which: sql.ColumnElement[bool]) -> tuple[list[str], set[str]]:
    """Remove shares; return their ids, and the digests of what they referred to."""
    rows = connection.execute(sql.select(SHARES).where(which)).all()
    connection.execute(SHARES.delete().where(which))
    digests = {digest for row in rows for digest in (row.digest, row.model_digest) if digest is not None}
    return [row.id for row in rows], digests


def _share(row: Row[tuple[object, ...]]) -> Share:
    parts = row._asdict()
    del parts["owner"]
    parts["n_bytes"] += parts.pop("model_n_bytes")
    return Share(**parts)


def _id_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
