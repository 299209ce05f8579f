"""Jobs that were under way when their server ended."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.storage.running import Running, Server
from tests.dashboard.storage.test_records import reopened


def another_run(work) -> Running:
    """Jobs as another run of the server sees them whose process has the same number."""
    this = Server.this()
    return Running(work._database, Server(this.machine, this.process, "another run"))


@pytest.fixture
def database(tmp_path):
    return reopened(tmp_path)._database


def test_a_job_is_interrupted_once_its_server_is_gone_and_only_for_its_owner(database):
    first, second = (Running(database, Server("here", os.getpid(), run)) for run in ("first", "second"))
    first.begin("ann", ("curve", 1), "hash", "A curve")
    assert not first.is_interrupted("ann", ("curve", 1))  # it runs
    assert second.is_interrupted("ann", ("curve", 1))  # the same process number, but another run: a restart
    assert not second.is_interrupted("bob", ("curve", 1))
    assert not second.is_interrupted("ann", ("curve", 2))
    second.begin("ann", ("curve", 1), "hash", "A curve")
    assert not second.is_interrupted("ann", ("curve", 1))
    second.end(("curve", 1))
    assert not Running(database).is_interrupted("ann", ("curve", 1))


def test_an_import_that_was_cut_off_is_listed_for_its_owner_until_they_forget_it(database):
    first, second = (Running(database, Server("here", os.getpid(), run)) for run in ("first", "second"))
    first.begin("ann", ("upload", "session 1"), "", "club.csv")
    first.begin("ann", ("curve", 1), "hash", "A curve")
    second.begin("ann", ("upload", "session 2"), "", "still running.csv")
    assert [each.title for each in second.interrupted_imports("ann")] == ["club.csv"]
    assert second.interrupted_imports("bob") == []
    (cut_off,) = second.interrupted_imports("ann")
    assert abs(datetime.now(UTC) - cut_off.started) < timedelta(minutes=1)
    second.forget("bob", cut_off)
    assert second.interrupted_imports("ann") == [cut_off]
    second.forget("ann", cut_off)
    assert second.interrupted_imports("ann") == []
    assert second.is_interrupted("ann", ("curve", 1))


def test_whether_a_server_is_gone():
    here, now = Server("here", os.getpid(), "now"), datetime.now(UTC)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        alive = Server("here", other.pid, "other")
        assert not alive.is_gone(now, here)
        assert alive.is_gone(now - timedelta(minutes=5), here)  # another program has the number by now
        other.communicate(b"\n")
    assert alive.is_gone(now, here)
    assert not Server("there", 1, "other").is_gone(now, here)
    assert Server("there", 1, "other").is_gone(now - timedelta(minutes=5), here)


def test_a_server_that_runs_elsewhere_says_so_from_time_to_time(database):
    there, here = Running(database, Server("there", 1, "a")), Running(database, Server("here", 2, "b"))
    there.begin("ann", "key", "hash", "A fit")
    with database.begin() as connection:
        connection.exec_driver_sql("UPDATE jobs SET seen = '2020-01-01 00:00:00.000000'")
    assert here.is_interrupted("ann", "key")
    there.still_runs("key")
    assert not here.is_interrupted("ann", "key")


def test_what_was_interrupted_long_ago_is_forgotten(database, tmp_path):
    Running(database, Server("there", 1, "a")).begin("ann", "key", "hash", "A fit")
    with database.begin() as connection:
        connection.exec_driver_sql("UPDATE jobs SET seen = '2020-01-01 00:00:00.000000'")
    assert Running(database).is_interrupted("ann", "key")
    reopened(tmp_path).sweep()
    assert not Running(database).is_interrupted("ann", "key")
