"""Data sets, models, names and results that outlive the server, each with its owner."""

from __future__ import annotations

import argparse
import hashlib
import logging
import secrets
import sys
from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
import sqlalchemy as sql
from sqlalchemy import Connection, Engine

from dashboard.storage.blobs import Blobs
from dashboard.storage.database import (
    DATASETS,
    JOBS,
    MODELS,
    NAMES,
    RESULTS,
    SECRETS,
    SHARES,
    forget_deleted,
    open_database,
    transaction,
)
from dashboard.storage.references import (
    add_referring,
    blob_sizes,
    check_quota,
    digest_of,
    hashes_in_use,
    remove_unused,
    write_missing,
)
from dashboard.storage.running import Running
from dashboard.storage.shares import Shares, remove_shares
from nnm_core import Model
from nnm_core.cli.server_settings import current
from nnm_core.datasets import Dataset, ImportReport
from nnm_core.datasets.storage import dataset_bytes, dataset_from_bytes
from nnm_core.errors import DataError, NnmError
from nnm_core.phrases import counted
from nnm_core.storage import model_bytes, model_from_bytes

_A_DAY = 24 * 3600.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptDataset:
    """A data set that somebody gave the server, without its content."""

    key: str
    name: str
    n_bytes: int
    created: datetime


@dataclass(frozen=True, slots=True)
class KeptModel:
    """A model that is kept because it took long to fit, without its content."""

    key: str
    title: str
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
        self.shares, self.running = Shares(database, blobs), Running(database)

    def keep_dataset(self, key: str, owner: str, dataset: Dataset, report: ImportReport) -> None:
        """Keep a data set for its owner; once this returns, it outlives the server."""
        content = dataset_bytes(dataset, report)
        with transaction(self._database) as connection:
            check_quota(connection, owner, {hashlib.sha256(content).hexdigest(): len(content)})
        row = {
            "key": key,
            "owner": owner,
            "name": dataset.name,
            "content_hash": dataset.content_hash,
            "ratings_hash": dataset.ratings.content_hash,
            "digest": self._blobs.put(content),
            "n_bytes": len(content),
            "created": datetime.now(UTC),
        }
        add_referring(self._database, self._blobs, DATASETS, row, [content])

    def datasets(self, owner: str) -> list[KeptDataset]:
        """Return what an owner has, oldest first."""
        columns = DATASETS.c.key, DATASETS.c.name, DATASETS.c.n_bytes, DATASETS.c.created
        query = sql.select(*columns).where(DATASETS.c.owner == owner).order_by(DATASETS.c.created)
        with transaction(self._database) as connection:
            return [KeptDataset(*row) for row in connection.execute(query)]

    def dataset_name(self, key: str, owner: str) -> str | None:
        """Return the name of a data set of this owner; None if there is no such data set."""
        with transaction(self._database) as connection:
            name: str | None = connection.scalar(sql.select(DATASETS.c.name).where(_is_own(key, owner)))
            return name

    def dataset(self, key: str, owner: str) -> tuple[Dataset, ImportReport] | None:
        """Return a data set with the report of its import, for its owner only."""
        query = sql.select(DATASETS.c.digest, DATASETS.c.name).where(_is_own(key, owner))
        with transaction(self._database) as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        dataset, report = dataset_from_bytes(self._blobs.get(row.digest))
        return replace(dataset, name=row.name), report

    def rename_dataset(self, key: str, owner: str, name: str) -> None:
        """Give a data set of this owner another name."""
        with transaction(self._database) as connection:
            connection.execute(DATASETS.update().where(_is_own(key, owner)).values(name=name))

    def usage(self, owner: str) -> int:
        """Return how many bytes an owner keeps: data sets and what is shared, the same content once."""
        with transaction(self._database) as connection:
            return sum(blob_sizes(connection, owner).values())

    def remove_dataset(self, key: str, owner: str) -> list[str]:
        """Remove a data set of this owner and its shares; return the ids of the shares.

        What was computed from it goes as well, unless somebody else has the same data.
        """
        with transaction(self._database, alone=True) as connection:
            row = connection.execute(sql.select(DATASETS).where(_is_own(key, owner))).one_or_none()
            if row is None:
                return []
            connection.execute(DATASETS.delete().where(DATASETS.c.key == key))
            ids, digests = remove_shares(connection, (SHARES.c.data == key) & (SHARES.c.owner == owner))
            hashes = {row.content_hash, row.ratings_hash}
            not_mine = hashes - hashes_in_use(connection, owner)
            for table in (NAMES, JOBS):
                connection.execute(table.delete().where(table.c.owner == owner, table.c.content_hash.in_(not_mine)))
            nobodys = hashes - hashes_in_use(connection)
            models = sql.select(MODELS.c.digest).where(MODELS.c.content_hash.in_(nobodys))
            digests |= {row.digest, *connection.scalars(models)}
            for table in (MODELS, RESULTS):
                connection.execute(table.delete().where(table.c.content_hash.in_(nobodys)))
        remove_unused(self._database, self._blobs, digests)
        forget_deleted(self._database)
        return ids

    def keep_model(
        self, key: Hashable, content_hash: str, model: Model, title: str = "", *, named: bool = True
    ) -> None:
        """Keep a model, of which the key says all that it was fitted with.

        Unless its data are known to everybody by name (``named``), it is not kept when nobody has the data any more.
        """
        content = model_bytes(model)
        row = {
            "key": digest_of(key),
            "content_hash": content_hash,
            "digest": self._blobs.put(content),
            "n_bytes": len(content),
            "created": datetime.now(UTC),
            "title": title,
        }
        with transaction(self._database, alone=True) as connection:
            connection.execute(MODELS.delete().where(MODELS.c.key == row["key"]))
            wanted = named or content_hash in hashes_in_use(connection)
            if wanted:
                connection.execute(MODELS.insert().values(row))
                write_missing(self._blobs, row, [content])
        if not wanted:
            remove_unused(self._database, self._blobs, [str(row["digest"])])

    def model(self, key: Hashable) -> Model | None:
        """Return a model that was kept; None if there is none that can be read, for it can be fitted again."""
        with suppress(NnmError):
            with transaction(self._database) as connection:
                digest = connection.scalar(sql.select(MODELS.c.digest).where(MODELS.c.key == digest_of(key)))
            return None if digest is None else model_from_bytes(self._blobs.get(digest))
        return None

    def models(self, data: str, owner: str) -> list[KeptModel]:
        """Return the models that are kept of a data set of this owner, newest first."""
        columns = MODELS.c.key, MODELS.c.title, MODELS.c.n_bytes, MODELS.c.created
        query = sql.select(*columns).order_by(MODELS.c.created.desc())
        with transaction(self._database) as connection:
            hashes = _hashes_of(connection, data, owner)
            return [KeptModel(*row) for row in connection.execute(query.where(MODELS.c.content_hash.in_(hashes)))]

    def remove_model(self, model: str, data: str, owner: str) -> None:
        """Remove a model that is kept of a data set of this owner; it can be fitted again."""
        with transaction(self._database, alone=True) as connection:
            which = (MODELS.c.key == model) & MODELS.c.content_hash.in_(_hashes_of(connection, data, owner))
            digests = set(connection.scalars(sql.select(MODELS.c.digest).where(which)))
            connection.execute(MODELS.delete().where(which))
        remove_unused(self._database, self._blobs, digests)
        forget_deleted(self._database)

    def keep_result(self, key: Hashable, content_hash: str, value: Any, *, named: bool = True) -> None:
        """Keep a result as JSON; unless its data are known by name, only while somebody has them."""
        digest = digest_of(key)
        with transaction(self._database, alone=True) as connection:
            connection.execute(RESULTS.delete().where(RESULTS.c.key == digest))
            if named or content_hash in hashes_in_use(connection):
                row = {"key": digest, "content_hash": content_hash, "value": value}
                connection.execute(RESULTS.insert().values(row))

    def results(self, keys: Collection[Hashable]) -> Mapping[Hashable, Any]:
        """Return those results that are kept, by their keys."""
        digests = {digest_of(key): key for key in keys}
        query = sql.select(RESULTS.c.key, RESULTS.c.value).where(RESULTS.c.key.in_(digests))
        with transaction(self._database) as connection:
            return {digests[row.key]: row.value for row in connection.execute(query)}

    def keep_names(self, owner: str, key: Hashable, content_hash: str, names: Sequence[str]) -> None:
        """Keep the names that an owner gave to the stereotypes of a model; none if all are empty."""
        digest = digest_of(key)
        with transaction(self._database, alone=True) as connection:
            connection.execute(NAMES.delete().where(NAMES.c.owner == owner, NAMES.c.key == digest))
            if any(names):
                row = {"owner": owner, "key": digest, "content_hash": content_hash, "names": list(names)}
                connection.execute(NAMES.insert().values(row))

    def names(self, owner: str, key: Hashable) -> tuple[str, ...]:
        """Return the names that an owner gave to the stereotypes of a model; nothing if there are none."""
        query = sql.select(NAMES.c.names).where(NAMES.c.owner == owner, NAMES.c.key == digest_of(key))
        with transaction(self._database) as connection:
            return tuple(connection.scalar(query) or ())

    def remove_names(self, owner: str) -> None:
        """Remove all names that an owner gave, of whatever data."""
        with transaction(self._database) as connection:
            connection.execute(NAMES.delete().where(NAMES.c.owner == owner))
        forget_deleted(self._database)

    def secret(self, name: str) -> str:
        """Return a random secret of this service, the same for all its servers and after every restart."""
        query = sql.select(SECRETS.c.value).where(SECRETS.c.name == name)
        with suppress(sql.exc.IntegrityError), transaction(self._database) as connection:
            if connection.scalar(query) is None:
                connection.execute(SECRETS.insert().values(name=name, value=secrets.token_hex(32)))
        with transaction(self._database) as connection:
            return str(connection.scalar(query))

    def sweep(self, older_than: float = _A_DAY) -> int:
        """Remove what has expired, and blobs that nothing refers to; return how many blobs they were.

        Blobs that are younger than ``older_than`` seconds stay, since their row may not be written yet.
        """
        self.shares.remove_expired()
        self.running.remove_old()
        n_removed = remove_unused(self._database, self._blobs, self._blobs.digests(older_than))
        self._blobs.remove_unfinished(older_than)
        return n_removed

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
        """Return the size of all contents that are kept."""
        with transaction(self._database) as connection:
            return sum(blob_sizes(connection).values())

    def check(self) -> list[Fault]:
        """Return everything that database and blobs do not agree about: what is missing, damaged or unused."""
        with transaction(self._database) as connection:
            used = set(blob_sizes(connection))
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
    return current().store or platformdirs.user_data_dir("nnm-explorer")


@cache
def kept_work() -> KeptWork | None:
    """Return what this server keeps, at the place that its settings name; None if that cannot be written to."""
    place = _place()
    try:
        if "://" not in place:
            Path(place).mkdir(parents=True, exist_ok=True, mode=0o700)
        database = current().database or f"sqlite:///{place}/nnm.sqlite"
        found = KeptWork(open_database(database), Blobs(f"{place}/blobs"))
        found.sweep()
    except (OSError, sql.exc.SQLAlchemyError, DataError) as error:
        _log.warning("Nothing is kept when this server ends, because %s cannot be used: %s", place, error)
        return None
    return found


def _is_own(key: str, owner: str) -> sql.ColumnElement[bool]:
    """Return the condition for the data set of that key, if it is this owner's."""
    return (DATASETS.c.key == key) & (DATASETS.c.owner == owner)


def _hashes_of(connection: Connection, data: str, owner: str) -> set[str]:
    """Return the content hashes of a data set of this owner."""
    query = sql.select(DATASETS.c.content_hash, DATASETS.c.ratings_hash).where(_is_own(data, owner))
    rows = connection.execute(query)
    return {each for row in rows for each in row}
