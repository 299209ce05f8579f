"""Data sets, models and names that outlive the server, each with its owner."""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import secrets
import sys
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import platformdirs
import sqlalchemy as sql
from sqlalchemy import Connection, Engine, Table

from dashboard.storage.blobs import Blobs
from dashboard.storage.database import DATASETS, MODELS, NAMES, SECRETS, open_database
from nnm_core import Model
from nnm_core.datasets import Dataset, ImportReport
from nnm_core.datasets.sources import format_bytes
from nnm_core.datasets.storage import dataset_bytes, dataset_from_bytes
from nnm_core.errors import DataError, NnmError
from nnm_core.phrases import counted
from nnm_core.storage import model_bytes, model_from_bytes

_A_DAY = 24 * 3600.0
_QUOTA_MB = 2000  # that each person may keep
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptDataset:
    """A data set that somebody gave the server, without its content."""

    key: str
    name: str
    n_bytes: int
    created: datetime


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that database and blobs do not agree about."""

    what: str
    key: str


class KeptWork:
    """Everything that people gave to this server or made with it, in a database and in blobs."""

    def __init__(self, database: Engine, blobs: Blobs) -> None:
        self._database, self._blobs = database, blobs

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """Open a transaction; raise DataError if the database cannot be reached, or has no room left."""
        try:
            with self._database.begin() as connection:
                yield connection
        except sql.exc.OperationalError as error:
            _log.warning("the database failed: %s", error)
            raise DataError("What is kept on this server cannot be reached just now. Try again in a moment.") from error

    def keep_dataset(self, key: str, owner: str, dataset: Dataset, report: ImportReport) -> None:
        """Keep a data set for its owner; once this returns, it outlives the server."""
        content = dataset_bytes(dataset, report)
        quota = 10**6 * int(os.environ.get("NNM_QUOTA_MB", _QUOTA_MB))
        if sum(each.n_bytes for each in self.datasets(owner)) + len(content) > quota:
            raise DataError(f"You may keep {format_bytes(quota)} on this server. Remove some data on the page Data.")
        digest = self._blobs.put(content)
        row = {
            "key": key,
            "owner": owner,
            "name": dataset.name,
            "content_hash": dataset.content_hash,
            "ratings_hash": dataset.ratings.content_hash,
            "digest": digest,
            "n_bytes": len(content),
            "created": datetime.now(UTC),
        }
        with self._transaction() as connection:
            connection.execute(DATASETS.insert().values(row))
        if not self._blobs.has(digest):  # somebody removed the same content just before
            self._blobs.put(content)

    def datasets(self, owner: str) -> list[KeptDataset]:
        """Return what an owner has, oldest first."""
        columns = DATASETS.c.key, DATASETS.c.name, DATASETS.c.n_bytes, DATASETS.c.created
        query = sql.select(*columns).where(DATASETS.c.owner == owner).order_by(DATASETS.c.created)
        with self._transaction() as connection:
            return [KeptDataset(*row) for row in connection.execute(query)]

    def dataset(self, key: str, owner: str) -> tuple[Dataset, ImportReport] | None:
        """Return a data set with the report of its import, for its owner only."""
        query = sql.select(DATASETS.c.digest).where(DATASETS.c.key == key, DATASETS.c.owner == owner)
        with self._transaction() as connection:
            digest = connection.scalar(query)
        return None if digest is None else dataset_from_bytes(self._blobs.get(digest))

    def has_data(self, content_hash: str) -> bool:
        """Whether somebody's data with this content, or these ratings, are kept."""
        with self._transaction() as connection:
            return content_hash in _hashes_in_use(connection)

    def remove_dataset(self, key: str, owner: str) -> None:
        """Remove a data set of this owner, and the models and names that nobody else has the data for."""
        with self._transaction() as connection:
            mine = sql.select(DATASETS).where(DATASETS.c.key == key, DATASETS.c.owner == owner)
            row = connection.execute(mine).one_or_none()
            if row is None:
                return
            connection.execute(DATASETS.delete().where(DATASETS.c.key == key))
            hashes = {row.content_hash, row.ratings_hash} - _hashes_in_use(connection)
            digests = {row.digest, *_column(connection, MODELS, "digest", hashes)}
            for table in (MODELS, NAMES):
                connection.execute(table.delete().where(table.c.content_hash.in_(hashes)))
            gone = digests - _digests_in_use(connection)
        for digest in gone:
            self._blobs.remove(digest)

    def keep_model(self, key: Hashable, content_hash: str, model: Model) -> None:
        """Keep a model, of which the key says all that it was fitted with."""
        content = model_bytes(model)
        row = {
            "key": _digest_of(key),
            "content_hash": content_hash,
            "digest": self._blobs.put(content),
            "n_bytes": len(content),
            "created": datetime.now(UTC),
        }
        with self._transaction() as connection:
            connection.execute(MODELS.delete().where(MODELS.c.key == row["key"]))
            connection.execute(MODELS.insert().values(row))

    def model(self, key: Hashable) -> Model | None:
        """Return a model that was kept; None if there is none that can be read, for it can be fitted again."""
        with self._transaction() as connection:
            digest = connection.scalar(sql.select(MODELS.c.digest).where(MODELS.c.key == _digest_of(key)))
        if digest is not None:
            with suppress(NnmError):
                return model_from_bytes(self._blobs.get(digest))
        return None

    def keep_names(self, owner: str, key: Hashable, content_hash: str, names: Sequence[str]) -> None:
        """Keep the names that an owner gave to the stereotypes of a model; none if all are empty."""
        digest = _digest_of(key)
        with self._transaction() as connection:
            connection.execute(NAMES.delete().where(NAMES.c.owner == owner, NAMES.c.key == digest))
            if any(names):
                row = {"owner": owner, "key": digest, "content_hash": content_hash, "names": list(names)}
                connection.execute(NAMES.insert().values(row))

    def names(self, owner: str, key: Hashable) -> tuple[str, ...]:
        """Return the names that an owner gave to the stereotypes of a model; nothing if there are none."""
        query = sql.select(NAMES.c.names).where(NAMES.c.owner == owner, NAMES.c.key == _digest_of(key))
        with self._transaction() as connection:
            return tuple(connection.scalar(query) or ())

    def secret(self, name: str) -> str:
        """Return a random secret of this service, the same for all its servers and after every restart."""
        query = sql.select(SECRETS.c.value).where(SECRETS.c.name == name)
        with suppress(sql.exc.IntegrityError), self._transaction() as connection:
            if connection.scalar(query) is None:
                connection.execute(SECRETS.insert().values(name=name, value=secrets.token_hex(32)))
        with self._transaction() as connection:
            return str(connection.scalar(query))

    def sweep(self, older_than: float = _A_DAY) -> int:
        """Remove blobs that nothing refers to; not new ones, whose row may be on its way. Return how many they were."""
        candidates = self._blobs.digests(older_than)
        with self._transaction() as connection:
            unused = set(candidates) - _digests_in_use(connection)
        for digest in unused:
            self._blobs.remove(digest)
        self._blobs.remove_unfinished(older_than)
        return len(unused)

    def is_reachable(self) -> bool:
        """Whether the database answers and blobs can be looked up."""
        try:
            with self._database.connect() as connection:
                connection.execute(sql.select(1))
            self._blobs.has("0" * 64)
        except Exception:  # why: whatever a driver or a file system raises, the answer is no
            _log.warning("what is kept cannot be reached", exc_info=True)
            return False
        return True

    def n_bytes(self) -> int:
        """Return the size of everything that is kept."""
        sizes = [sql.select(sql.func.coalesce(sql.func.sum(table.c.n_bytes), 0)) for table in (DATASETS, MODELS)]
        with self._transaction() as connection:
            return sum(int(connection.scalar(size) or 0) for size in sizes)

    def check(self) -> list[Fault]:
        """Return everything that database and blobs do not agree about: what is missing, damaged or unused."""
        with self._transaction() as connection:
            used = _digests_in_use(connection)
        faults = []
        for digest in sorted(used):
            try:
                self._blobs.get(digest)
            except DataError as error:
                faults.append(Fault(str(error), digest))
        unused = sorted(set(self._blobs.digests()) - used)
        return faults + [Fault("Nothing refers to this blob; it will be swept.", digest) for digest in unused]


def run_check(_: argparse.Namespace) -> None:
    """Print what is wrong with what this server keeps; the command ``nnm store check``."""
    work = kept_work()
    if work is None:
        raise DataError(f"There is nothing to check: {_place()} cannot be used.")
    faults = work.check()
    lines = [f"{fault.key[:12]}: {fault.what}" for fault in faults]
    sys.stdout.write("\n".join([*lines, f"{_place()}: {counted(len(faults), 'fault')}."]) + "\n")


def _place() -> str:
    """Return where the blobs are, and the database unless another is named."""
    return os.environ.get("NNM_STORE") or platformdirs.user_data_dir("nnm-explorer")


@cache
def kept_work() -> KeptWork | None:
    """Return what this server keeps, where NNM_STORE and NNM_DATABASE say; None if that place cannot be written to."""
    place = _place()
    try:
        if "://" not in place:
            Path(place).mkdir(parents=True, exist_ok=True, mode=0o700)
        database = os.environ.get("NNM_DATABASE") or f"sqlite:///{place}/nnm.sqlite"
        found = KeptWork(open_database(database), Blobs(f"{place}/blobs"))
        found.sweep()
    except (OSError, sql.exc.SQLAlchemyError) as error:
        _log.warning("Nothing is kept when this server ends, because %s cannot be used: %s", place, error)
        return None
    return found


def _digest_of(key: Hashable) -> str:
    return hashlib.sha256(repr(key).encode("utf-8", "surrogatepass")).hexdigest()


def _column(connection: Connection, table: Table, name: str, hashes: Collection[str]) -> set[str]:
    query = sql.select(table.c[name]).where(table.c.content_hash.in_(hashes))
    return set(connection.scalars(query))


def _hashes_in_use(connection: Connection) -> set[str]:
    rows = connection.execute(sql.select(DATASETS.c.content_hash, DATASETS.c.ratings_hash))
    return {each for row in rows for each in row}


def _digests_in_use(connection: Connection) -> set[str]:
    tables = (DATASETS, MODELS)
    return {digest for table in tables for digest in connection.scalars(sql.select(table.c.digest))}
