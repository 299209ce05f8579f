"""A disk that is full: a sentence for whoever meets it, and nothing is damaged."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.storage import SharedView
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import invented_report
from nnm_core.errors import DataError
from tests.dashboard.storage.test_killed import club, digest
from tests.dashboard.storage.test_records import reopened

FULL, UNREACHABLE = "no room left where data are kept", "cannot be reached just now"


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A disk of 24 megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk cannot be mounted here: run this as root, where mounting is allowed")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def large_club(seed):
    """Ratings with long titles, about half a megabyte as a file."""
    dataset = club(seed)
    return replace(dataset, titles=tuple(f"Film {k} {digest(bytes([k]))}" * 200 for k in range(40)))


def share_of(dataset) -> SharedView:
    return SharedView("club 0", "Club", "", dataset, invented_report(dataset), fit(dataset.ratings, preset("paper")))


def test_a_full_disk_is_a_sentence_and_there_is_a_way_out(small_disk):
    work, kept = reopened(small_disk), {}

    def fill():
        for seed in range(1000):
            dataset = large_club(seed)
            work.keep_dataset(f"club {seed}", "ann", dataset, invented_report(dataset))
            kept[f"club {seed}"] = dataset.content_hash

    with pytest.raises(DataError, match=FULL):
        fill()
    assert 10 < len(kept) < 100
    dataset = large_club(2000)
    with pytest.raises(DataError, match=FULL):
        work.shares.make("ann", share_of(dataset), may_download=True, lasts=None)
    again = reopened(small_disk)
    assert {each.key: again.dataset(each.key, "ann")[0].content_hash for each in again.datasets("ann")} == kept
    assert again.shares.listed("ann") == []
    for key in list(kept)[:5]:
        again.remove_dataset(key, "ann")
    again.keep_dataset("one more", "ann", dataset, invented_report(dataset))
    again.shares.make("ann", share_of(dataset), may_download=True, lasts=None)
    assert [fault for fault in again.check() if "Nothing refers" not in fault.what] == []


def test_a_disk_that_something_else_fills_damages_nothing(small_disk):
    work, dataset = reopened(small_disk), large_club(0)
    work.keep_dataset("before", "ann", dataset, invented_report(dataset))
    token = work.shares.make("ann", share_of(dataset), may_download=True, lasts=None)
    with suppress(OSError), (small_disk / "log").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    other = large_club(1)
    with pytest.raises(DataError, match=FULL):
        work.keep_dataset("after", "ann", other, invented_report(other))
    for k in range(200):  # until the log of changes would have to grow
        with suppress(DataError):
            work.keep_names("ann", ("fit", k), "hash", [f"{k}" * 500])
    with pytest.raises(DataError, match=UNREACHABLE):
        work.keep_names("ann", ("fit", 1000), "hash", ["name" * 1000] * 1000)
    (small_disk / "log").unlink()
    again = reopened(small_disk)
    assert again.dataset("before", "ann")[0].content_hash == dataset.content_hash
    assert again.shares.content(again.shares.find(token))[0].content_hash == dataset.content_hash
    assert again.names("ann", ("fit", 1000)) == ()
    again.keep_dataset("after", "ann", other, invented_report(other))
    again.sweep(older_than=-1.0)
    assert again.check() == []
