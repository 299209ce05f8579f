"""Jobs under way, so that after a crash a page can say that one was interrupted."""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sql
from sqlalchemy import Engine

from dashboard.storage.database import JOBS, transaction
from dashboard.storage.references import digest_of

_SILENT = timedelta(seconds=120)  # after which a server elsewhere counts as gone
_REMEMBERED = timedelta(days=30)  # for which interrupted jobs are


@dataclass(frozen=True, slots=True)
class Server:
    """A run of the server, on a machine and with the number of its process."""

    machine: str
    process: int
    run: str

    @classmethod
    def this(cls) -> Server:
        """Return a name for this process that no other has, now or later."""
        return cls(platform.node()[:100], os.getpid(), secrets.token_hex(8))

    def is_gone(self, seen: datetime, this: Server) -> bool:
        """Whether it runs no more, as ``this`` one can tell; it was last heard of at the time ``seen``."""
        if self.machine != this.machine:
            return seen < datetime.now(UTC) - _SILENT
        if self.process == this.process:
            return self.run != this.run
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # somebody else's process
            return False
        return seen < datetime.now(UTC) - _SILENT  # another program may have the number by now


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A job that was under way when its server ended; ``key``: what stands for its key in the database."""

    key: str
    title: str
    started: datetime


_THIS = Server.this()


class Running:
    """The jobs that servers have under way, or had when they ended."""

    def __init__(self, database: Engine, this: Server = _THIS) -> None:
        self._database, self._this = database, this

    def begin(self, owner: str, key: Hashable, content_hash: str, title: str) -> None:
        """Note that a job is under way for somebody.

        ``content_hash``: of the data that it is about; empty for the import of a file, whose name is the title.
        """
        digest, now = digest_of(key), datetime.now(UTC)
        server = f"{self._this.machine}/{self._this.process}/{self._this.run}"
        row = {"owner": owner, "key": digest, "content_hash": content_hash, "title": title, "server": server}
        with transaction(self._database, alone=True) as connection:
            connection.execute(JOBS.delete().where(JOBS.c.owner == owner, JOBS.c.key == digest))
            connection.execute(JOBS.insert().values(row | {"started": now, "seen": now}))

    def still_runs(self, key: Hashable) -> None:
        """Note that a job of this server goes on."""
        with transaction(self._database) as connection:
            connection.execute(JOBS.update().where(JOBS.c.key == digest_of(key)).values(seen=datetime.now(UTC)))

    def end(self, key: Hashable) -> None:
        """Forget a job: it has ended, or somebody starts it again."""
        with transaction(self._database) as connection:
            connection.execute(JOBS.delete().where(JOBS.c.key == digest_of(key)))

    def is_interrupted(self, owner: str, key: Hashable) -> bool:
        """Whether a job of this owner was under way when its server ended."""
        query = sql.select(JOBS.c.server, JOBS.c.seen).where(JOBS.c.owner == owner, JOBS.c.key == digest_of(key))
        with transaction(self._database) as connection:
            row = connection.execute(query).one_or_none()
        return row is not None and self._is_gone(row.server, row.seen)

    def interrupted_imports(self, owner: str) -> list[Interrupted]:
        """Return the imports of this owner that were under way when their server ended, oldest first."""
        query = sql.select(JOBS).where(JOBS.c.owner == owner, JOBS.c.content_hash == "").order_by(JOBS.c.started)
        with transaction(self._database) as connection:
            rows = connection.execute(query).all()
        gone = [row for row in rows if self._is_gone(row.server, row.seen)]
        return [Interrupted(row.key, row.title, row.started) for row in gone]

    def forget(self, owner: str, interrupted: Interrupted) -> None:
        """Forget a job that was interrupted."""
        with transaction(self._database) as connection:
            connection.execute(JOBS.delete().where(JOBS.c.owner == owner, JOBS.c.key == interrupted.key))

    def _is_gone(self, server: str, seen: datetime) -> bool:
        machine, process, run = server.rsplit("/", 2)
        return Server(machine, int(process), run).is_gone(seen, self._this)

    def remove_old(self) -> None:
        """Forget jobs that were interrupted long ago."""
        with transaction(self._database) as connection:
            connection.execute(JOBS.delete().where(JOBS.c.seen < datetime.now(UTC) - _REMEMBERED))
