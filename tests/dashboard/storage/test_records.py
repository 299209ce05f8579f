"""What outlives the server: whose it is, that it comes back whole, and what a crash leaves behind."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sql

from dashboard.storage import records, references
from dashboard.storage.blobs import Blobs
from dashboard.storage.database import LATEST, TABLES, open_database
from dashboard.storage.records import KeptWork
from nnm_core import Ratings, fit, preset
from nnm_core.cli.server_settings import Settings
from nnm_core.datasets import Dataset, Labels, load_dataset
from nnm_core.datasets.storage import dataset_bytes, dataset_from_bytes
from nnm_core.datasets.synthetic import invented_report
from nnm_core.errors import DataError

ROOT = Path(records.__file__).parents[2]


@pytest.fixture
def work(tmp_path) -> KeptWork:
    return reopened(tmp_path)


def reopened(folder) -> KeptWork:
    """What another server finds in the same folder."""
    return KeptWork(open_database(f"sqlite:///{folder}/nnm.sqlite"), Blobs(f"{folder}/blobs"))


def small(n_items=4, seed=0) -> Dataset:
    values = np.random.default_rng(seed).integers(1, 6, 3 * n_items)
    users, items = np.repeat(["ann", "bob", "\ud83c weird"], n_items), np.tile(np.arange(n_items).astype(str), 3)
    ratings, titles = Ratings.from_arrays(users, items, values), tuple(f"Item {k}" for k in range(n_items))
    days = np.arange(3 * n_items, dtype=np.int32)
    return Dataset("mine", ratings, titles, Labels.none(n_items), days=days)


def test_a_data_set_comes_back_as_it_was(work, tmp_path):
    for dataset, report in (load_dataset("demo"), load_dataset("bundled"), (small(), invented_report(small()))):
        work.keep_dataset(dataset.name, "ann", dataset, report)
        again, same = reopened(tmp_path).dataset(dataset.name, "ann")
        assert same == report
        assert again.content_hash == dataset.content_hash
        for part in ("name", "titles", "licence", "source", "implicit", "about_films"):
            assert getattr(again, part) == getattr(dataset, part)
        assert (again.days is None) == (dataset.days is None)
        assert again.days is None or (again.days == dataset.days).all()
        assert list(again.traits) == list(dataset.traits)


def test_data_are_their_owners_alone(work):
    dataset = small()
    work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    assert work.dataset("key", "bob") is None
    assert work.datasets("bob") == []
    work.remove_dataset("key", "bob")
    assert [each.key for each in work.datasets("ann")] == ["key"]


def test_what_is_removed_is_gone_unless_somebody_else_has_the_same(work, tmp_path):
    dataset = small()
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    for owner in ("ann", "bob"):
        work.keep_dataset(f"of {owner}", owner, dataset, invented_report(dataset))
    work.keep_model("fit", dataset.ratings.content_hash, model)
    work.keep_names("ann", ("fit",), dataset.ratings.content_hash, ["Fans", ""])
    work.remove_dataset("of ann", "ann")
    assert work.dataset("of bob", "bob") is not None
    assert (work.model("fit").mixtures == model.mixtures).all()
    work.remove_dataset("of bob", "bob")
    assert work.model("fit") is None
    assert work.names("ann", ("fit",)) == ()
    assert [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()] == []


def test_names_and_secrets_outlive_the_server(work, tmp_path):
    work.keep_names("ann", ("fit", 3), "hash", ["Fans", ""])
    secret = work.secret("owner cookie")
    assert reopened(tmp_path).names("ann", ("fit", 3)) == ("Fans", "")
    assert reopened(tmp_path).names("bob", ("fit", 3)) == ()
    assert reopened(tmp_path).secret("owner cookie") == secret != work.secret("another")
    work.keep_names("ann", ("fit", 3), "hash", ["", ""])
    assert work.names("ann", ("fit", 3)) == ()


def test_a_damaged_blob_is_noticed_and_what_nobody_needs_is_swept(work, tmp_path):
    dataset = small()
    work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    assert work.check() == []
    stray = Blobs(f"{tmp_path}/blobs").put(b"a crash came before the row")
    assert [fault.key for fault in work.check()] == [stray]
    assert work.sweep() == 0  # it is new, and its row may be on its way
    assert work.sweep(older_than=-1.0) == 1
    (path,) = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    path.write_bytes(path.read_bytes()[:-100])
    assert [fault.key for fault in work.check()] == [path.name]
    with pytest.raises(DataError, match="damaged"):
        work.dataset("key", "ann")


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_file_that_is_not_whole_is_an_error_in_words(cut):
    content = dataset_bytes(*load_dataset("demo"))
    with pytest.raises(DataError, match="damaged"):
        dataset_from_bytes(content[:cut])


def test_nobody_may_keep_more_than_the_quota(work, monkeypatch):
    dataset = small()
    monkeypatch.setattr(references, "current", lambda: Settings(quota_mb=0))
    with pytest.raises(DataError, match="You may keep 0"):
        work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    assert work.datasets("ann") == []
    monkeypatch.setattr(references, "current", lambda: Settings(quota_mb=1))
    work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    assert len(work.datasets("ann")) == 1


def test_a_database_that_fails_is_a_sentence(work, tmp_path):
    dataset = small()
    with sqlite3.connect(tmp_path / "nnm.sqlite") as connection:
        connection.execute("DROP TABLE datasets")
    with pytest.raises(DataError, match="cannot be reached"):
        work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    with pytest.raises(DataError, match="cannot be reached"):
        work.datasets("ann")


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    blobs = Blobs(f"{tmp_path}/blobs")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="no room left"):
        blobs.put(b"content")
    assert blobs.digests() == []
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_migrations_make_the_tables_that_the_program_uses(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/new.sqlite")
    found = sql.MetaData()
    found.reflect(engine)
    assert set(found.tables) == {*TABLES.tables, "alembic_version"}
    for name, table in TABLES.tables.items():
        assert list(found.tables[name].columns.keys()) == list(table.columns.keys())
    versions = sorted(path.name[:4] for path in (ROOT / "dashboard/storage/migrations/versions").glob("0*.py"))
    assert versions[-1] == LATEST


def test_the_command_says_what_is_wrong(tmp_path):
    environment = os.environ | {"NNM_STORE": str(tmp_path)}
    command = [sys.executable, "-m", "nnm_core.cli", "store", "check"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.endswith("0 faults.\n")


def test_the_size_of_all_that_is_kept_is_that_of_the_files(work, tmp_path):
    assert work.n_bytes() == 0
    dataset = small()
    for owner in ("ann", "bob"):  # the same content, once on the disk
        work.keep_dataset(f"key of {owner}", owner, dataset, invented_report(dataset))
    work.keep_model(("fit",), dataset.ratings.content_hash, fit(dataset.ratings, preset("paper", n_stereotypes=2)))
    files = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    assert len(files) == 2
    assert work.n_bytes() == sum(path.stat().st_size for path in files)


def test_names_that_a_database_refuses_are_mended(work):
    work.keep_dataset("key", "ann", small(), invented_report(small()))
    work.rename_dataset("key", "ann", "null \x00, half \ud800")
    assert work.dataset_name("key", "ann") == "null \ufffd, half ?"


def test_of_several_servers_that_start_at_once_one_makes_the_tables(tmp_path):
    script = (
        "import sys, alembic.command; from dashboard.storage.database import _version, open_database\n"
        "print('ready', flush=True)\n"
        "for address in sys.stdin: print(_version(open_database(address.strip())), flush=True)"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    servers = [subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, **pipes) for _ in range(3)]
    for server in servers:
        assert server.stdout.readline() == "ready\n"
    for attempt in range(15):
        for server in servers:
            server.stdin.write(f"sqlite:///{tmp_path}/nnm{attempt}.sqlite\n")
            server.stdin.flush()
        assert [server.stdout.readline() for server in servers] == [f"{LATEST}\n"] * 3
    for server in servers:
        server.communicate(timeout=60)
