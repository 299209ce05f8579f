"""The same with a real PostgreSQL server and a real S3-compatible one, which the tests start; skipped without them."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from dashboard.storage import SharedView
from dashboard.storage.blobs import Blobs
from dashboard.storage.database import open_database
from dashboard.storage.records import KeptWork
from nnm_core.datasets.synthetic import invented_report
from nnm_core.errors import DataError
from tests.dashboard.storage.test_records import small
from tests.dashboard.storage.test_running import another_run
from tests.ports import free_port


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    installed = [*Path("/usr/lib/postgresql").glob("*/bin"), *map(Path, os.environ["PATH"].split(":"))]
    programs = next((folder for folder in installed if (folder / "initdb").exists()), None)
    if programs is None:
        pytest.skip("no PostgreSQL on this machine: install it to test what is kept in it")
    folder = Path(tempfile.mkdtemp(prefix="nnm-postgres-"))
    user = {"user": "nobody"} if os.geteuid() == 0 else {}  # it refuses to run as root
    if user:
        shutil.chown(folder, "nobody")
    data, port = folder / "data", free_port()
    make = [programs / "initdb", "-D", data, "-U", "nnm", "--auth", "trust", "--no-sync"]
    subprocess.run(make, check=True, capture_output=True, cwd=folder, **user)
    serve = [programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder]
    with subprocess.Popen(serve, stderr=subprocess.DEVNULL, cwd=folder, **user) as process:
        wait_for(port)
        yield f"postgresql+psycopg://nnm@127.0.0.1:{port}/postgres"
        process.send_signal(signal.SIGINT)  # which does not wait for connections that are still open
        process.wait(20)
        shutil.rmtree(folder)


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"nothing answers at port {port}")


def test_two_servers_share_a_database_and_a_bucket(postgres, s3):
    s3.create_bucket(Bucket="kept")
    bucket = "s3://kept/blobs"
    databases = [open_database(postgres) for _ in range(2)]
    first, second = (KeptWork(database, Blobs(bucket)) for database in databases)
    dataset = small()
    first.keep_dataset("key", "ann", dataset, invented_report(dataset))
    first.keep_names("ann", ("fit",), dataset.ratings.content_hash, ["Fans", ""])
    again, _ = second.dataset("key", "ann")
    assert again.content_hash == dataset.content_hash
    assert second.names("ann", ("fit",)) == ("Fans", "")
    assert second.secret("owner cookie") == first.secret("owner cookie")
    assert second.dataset("key", "bob") is None
    view = SharedView("key", "Ours", "", dataset, invented_report(dataset), None)
    token = first.shares.make("ann", view, may_download=False, lasts=timedelta(days=30))
    assert second.shares.content(second.shares.find(token))[0].content_hash == dataset.content_hash
    first.keep_result("curve", dataset.ratings.content_hash, {"mae": [0.7, 0.8]}, named=False)
    assert second.results(["curve"]) == {"curve": {"mae": [0.7, 0.8]}}
    first.running.begin("ann", "job", dataset.content_hash, "A curve")
    restarted = another_run(second)
    assert restarted.is_interrupted("ann", "job")
    assert not first.running.is_interrupted("ann", "job")
    second.rename_dataset("key", "ann", "Renamed")
    assert first.dataset_name("key", "ann") == "Renamed"
    second.rename_dataset("key", "ann", "null \x00, half \ud800")  # which PostgreSQL refuses
    assert first.dataset_name("key", "ann") == "null \ufffd, half ?"
    first.running.begin("ann", "import", "", "a\x00b.csv")
    assert [each.title for each in restarted.interrupted_imports("ann")] == ["a\ufffdb.csv"]
    stray = Blobs(bucket).put(b"nobody refers to this")
    assert [fault.key for fault in second.check()] == [stray]
    assert second.sweep(older_than=-5.0) == 1
    second.remove_dataset("key", "ann")
    assert first.datasets("ann") == []
    assert first.shares.find(token) is None
    assert first.results(["curve"]) == {}
    assert Blobs(bucket).digests() == []
    with pytest.raises(DataError, match="no longer"):
        Blobs(bucket).get("0" * 64)
    for database in databases:
        database.dispose()


def test_a_bucket_that_cannot_be_reached_is_said_in_a_sentence(s3, monkeypatch):
    blobs = Blobs("s3://kept/blobs")

    def fail(*_args, **_kwargs):
        raise RuntimeError("Could not connect")  # as botocore's errors do, it comes from no class of Python's for files

    monkeypatch.setattr(blobs._files, "pipe_file", fail)
    monkeypatch.setattr(blobs._files, "cat_file", fail)
    with pytest.raises(DataError, match="Data cannot be kept: Could not connect"):
        blobs.put(b"content")
    with pytest.raises(DataError, match="cannot be reached"):
        blobs.get("0" * 64)
