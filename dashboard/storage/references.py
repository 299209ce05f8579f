"""Which rows refer to which blobs: a blob is written before its row, and removed after the last row."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import sqlalchemy as sql
from sqlalchemy import Connection, Engine, Table

from dashboard.storage.blobs import Blobs
from dashboard.storage.database import DATASETS, MODELS, SHARES, transaction
from nnm_core.cli.server_settings import current
from nnm_core.datasets.reading.sources import format_bytes
from nnm_core.errors import DataError


def digest_of(key: Hashable) -> str:
    """Return what stands for a key in the database."""
    return hashlib.sha256(repr(key).encode("utf-8", "surrogatepass")).hexdigest()


def quota() -> int:
    """Return how many bytes each person may keep."""
    return 10**6 * current().quota_mb


def blob_sizes(connection: Connection, owner: str | None = None) -> dict[str, int]:
    """Return the sizes of all blobs that rows refer to, or those of an owner, each once: {digest: bytes}."""
    tables = (DATASETS, SHARES) if owner is not None else (DATASETS, SHARES, MODELS)  # models belong to nobody
    columns = [(table, table.c.digest, table.c.n_bytes) for table in tables]
    columns.append((SHARES, SHARES.c.model_digest, SHARES.c.model_n_bytes))
    found: dict[str, int] = {}
    for table, digest, size in columns:
        query = sql.select(digest, size).where(digest.is_not(None))
        rows = connection.execute(query if owner is None else query.where(table.c.owner == owner))
        found.update({row[0]: row[1] for row in rows})
    return found


def check_quota(connection: Connection, owner: str, more: dict[str, int]) -> None:
    """Raise DataError if an owner may not keep these blobs, {digest: bytes}, as well."""
    most = quota()
    if sum((blob_sizes(connection, owner) | more).values()) > most:
        raise DataError(
            f"You may keep {format_bytes(most)} on this server. Delete some under My work on the page Data."
        )


def hashes_in_use(connection: Connection, owner: str | None = None) -> set[str]:
    """Return the content hashes of all data and ratings that are kept or shared, by anybody or by one owner."""
    found = set()
    for table in (DATASETS, SHARES):
        query = sql.select(table.c.content_hash, table.c.ratings_hash)
        rows = connection.execute(query if owner is None else query.where(table.c.owner == owner))
        found |= {each for row in rows for each in row}
    return found


def add_referring(
    database: Engine, blobs: Blobs, table: Table, row: Mapping[str, Any], contents: Sequence[bytes]
) -> None:
    """Add a row for blobs that were written just before, and write those again that somebody removed meanwhile."""
    with transaction(database, alone=True) as connection:
        connection.execute(table.insert().values(row))
        write_missing(blobs, row, contents)


def write_missing(blobs: Blobs, row: Mapping[str, Any], contents: Sequence[bytes]) -> None:
    """Write blobs of a row again that somebody removed meanwhile; inside a transaction that runs alone."""
    for digest, content in zip((row["digest"], row.get("model_digest")), contents, strict=False):
        if not blobs.has(str(digest)):
            blobs.put(content)


def remove_unused(database: Engine, blobs: Blobs, digests: Collection[str]) -> int:
    """Remove those of the blobs that no row refers to; return how many they were."""
    with transaction(database, alone=True) as connection:
        unused = set(digests).difference(blob_sizes(connection))
        for digest in unused:
            blobs.remove(digest)
    return len(unused)
