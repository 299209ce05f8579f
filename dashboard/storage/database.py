"""The database: who has which data, models, names and shares. Changes of its tables are in ``migrations``."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    DateTime,
    Engine,
    MetaData,
    String,
    Table,
    TypeDecorator,
    event,
)

from nnm_core.errors import DataError

TABLES = MetaData()
_log = logging.getLogger(__name__)


class GivenText(TypeDecorator[str]):
    """Text that people gave, which may hold what databases refuse: a null character, or half of a character."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: object) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """Return what to store."""
        return value and value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


class UtcTime(TypeDecorator[datetime]):
    """A time with its zone, which SQLite does not keep."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: object) -> datetime | None:  # noqa: ARG002
        """Return what was stored."""
        return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)


DATASETS = Table(
    "datasets",
    TABLES,
    Column("key", String(40), primary_key=True),
    Column("owner", String(120), nullable=False, index=True),
    Column("name", GivenText, nullable=False),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("ratings_hash", String(64), nullable=False, index=True),
    Column("digest", String(64), nullable=False, index=True),
    Column("n_bytes", BigInteger, nullable=False),
    Column("created", UtcTime, nullable=False),
)
MODELS = Table(
    "models",
    TABLES,
    Column("key", String(64), primary_key=True),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("digest", String(64), nullable=False, index=True),
    Column("n_bytes", BigInteger, nullable=False),
    Column("created", UtcTime, nullable=False),
    Column("title", GivenText, nullable=False),
)
NAMES = Table(
    "names",
    TABLES,
    Column("owner", String(120), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("names", JSON, nullable=False),
)
SECRETS = Table(
    "secrets", TABLES, Column("name", String(40), primary_key=True), Column("value", String, nullable=False)
)
SHARES = Table(
    "shares",
    TABLES,
    Column("id", String(64), primary_key=True),  # the hash of the token in the link, which is not kept
    Column("owner", String(120), nullable=False, index=True),
    Column("data", String(80), nullable=False, index=True),  # the key of the data set
    Column("title", GivenText, nullable=False),
    Column("page", String(40), nullable=False),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("ratings_hash", String(64), nullable=False, index=True),
    Column("digest", String(64), nullable=False),
    Column("n_bytes", BigInteger, nullable=False),
    Column("model_digest", String(64)),  # none if nothing was fitted yet
    Column("model_n_bytes", BigInteger, nullable=False),
    Column("may_download", Boolean, nullable=False),
    Column("created", UtcTime, nullable=False),
    Column("expires", UtcTime),  # never, if there is none
)
RESULTS = Table(
    "results",
    TABLES,
    Column("key", String(64), primary_key=True),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("value", JSON, nullable=False),
)
JOBS = Table(
    "jobs",
    TABLES,
    Column("owner", String(120), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("title", GivenText, nullable=False),
    Column("server", String(200), nullable=False),
    Column("started", UtcTime, nullable=False),
    Column("seen", UtcTime, nullable=False),  # when the server last said that it runs
)

_BUSY_SECONDS = 10
"""How long a connection to SQLite waits for others to finish."""

LATEST = "0002"
"""The newest migration; a test holds it to the folder ``migrations``."""


def open_database(url: str) -> Engine:
    """Return the database at an address of SQLAlchemy's, brought up to date."""
    engine = sql.create_engine(url, pool_pre_ping=True, hide_parameters=True)  # errors reach the log
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    if _version(engine) != LATEST:
        _migrate(engine)
    return engine


@contextmanager
def transaction(engine: Engine, *, alone: bool = False) -> Iterator[Connection]:
    """Open a transaction; raise DataError if the database cannot be reached, or has no room left.

    ``alone``: no other transaction that asks for it runs at the same time. Whoever adds a row that refers to a blob, or
    removes a blob, does so alone: otherwise one could remove what another is about to refer to. So does whoever puts a
    row in the place of another, which two could do at once.
    """
    try:
        with engine.begin() as connection:
            if alone and engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            elif alone and engine.dialect.name == "postgresql":
                connection.execute(sql.text("SELECT pg_advisory_xact_lock(74657)"))
            yield connection
    except sql.exc.OperationalError as error:
        _log.warning("the database failed: %s", error)
        raise DataError("What is kept on this server cannot be reached just now. Try again in a moment.") from error


def forget_deleted(engine: Engine) -> None:
    """Have SQLite overwrite deleted rows in its main file, too, and not only in its write-ahead log."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _set_up_sqlite(connection: Any, _: Any) -> None:
    for setting in (f"busy_timeout={_BUSY_SECONDS * 1000}", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {setting}")
    _use_write_ahead_log(connection)


def _use_write_ahead_log(connection: Any) -> None:
    """Switch SQLite's file to a write-ahead log.

    Where several servers open a new file at once, SQLite refuses all but one of them without waiting, since each has
    begun to read what another wants to change. So this waits in its place.
    """
    until = time.monotonic() + _BUSY_SECONDS
    while time.monotonic() < until:
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode=WAL")
            return
        time.sleep(0.05)
    connection.execute("PRAGMA journal_mode=WAL")


def _version(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not sql.inspect(connection).has_table("alembic_version"):
            return None
        version: str | None = connection.scalar(sql.text("SELECT version_num FROM alembic_version"))
        return version


def _migrate(engine: Engine) -> None:
    from alembic import command  # only here: the import takes longer than everything else
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    with engine.begin() as connection:
        # Of several servers that start at once, one migrates.
        if engine.dialect.name == "postgresql":
            connection.execute(sql.text("SELECT pg_advisory_xact_lock(74656)"))
        elif engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
