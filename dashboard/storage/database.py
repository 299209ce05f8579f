"""The database: who has which data, models and names. Changes of its tables are in ``migrations``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import JSON, BigInteger, Column, DateTime, Engine, MetaData, String, Table, event

TABLES = MetaData()

DATASETS = Table(
    "datasets",
    TABLES,
    Column("key", String(40), primary_key=True),
    Column("owner", String(120), nullable=False, index=True),
    Column("name", String, nullable=False),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("ratings_hash", String(64), nullable=False, index=True),
    Column("digest", String(64), nullable=False, index=True),
    Column("n_bytes", BigInteger, nullable=False),
    Column("created", DateTime(timezone=True), nullable=False),
)
MODELS = Table(
    "models",
    TABLES,
    Column("key", String(64), primary_key=True),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("digest", String(64), nullable=False, index=True),
    Column("n_bytes", BigInteger, nullable=False),
    Column("created", DateTime(timezone=True), nullable=False),
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

LATEST = "0001"
"""The newest migration; a test holds it to the folder ``migrations``."""


def open_database(url: str) -> Engine:
    """Return the database at an address of SQLAlchemy's, brought up to date."""
    engine = sql.create_engine(url, pool_pre_ping=True, hide_parameters=True)  # errors reach the log
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    if _version(engine) != LATEST:
        _migrate(engine)
    return engine


def _set_up_sqlite(connection: Any, _: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


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
        if engine.dialect.name == "postgresql":  # of several servers that start at once, one migrates
            connection.execute(sql.text("SELECT pg_advisory_xact_lock(74656)"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
