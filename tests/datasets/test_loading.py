"""The ways in: paths, bytes, open files, folders, names."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from nnm_core.datasets import (
    load_dataset,
    sniff,
)
from nnm_core.errors import InputError

RATINGS = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\n"


def test_paths_bytes_and_open_files_are_one(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(RATINGS)
    with path.open("rb") as stream:
        guess = sniff(stream)
        opened, _ = load_dataset(stream, guess.mapping)
    hashes = {opened.content_hash, load_dataset(path)[0].content_hash, load_dataset(str(path))[0].content_hash}
    assert hashes == {load_dataset(RATINGS)[0].content_hash}
    assert opened.name == "r"
    with pytest.raises(InputError, match="from a path, bytes or a binary file, not from StringIO"):
        load_dataset(io.StringIO("user,item"))  # type: ignore[arg-type]


def test_folder_of_plain_files_is_read_together(tmp_path: Path) -> None:
    (tmp_path / "my ratings.csv").write_bytes(RATINGS)
    (tmp_path / "films.csv").write_bytes(b"film_id,title,genres\nx,X,a|b\ny,Y,b\n")
    (tmp_path / "readme.md").write_text("about")
    dataset, report = load_dataset(tmp_path)
    assert dataset.titles == ("X", "Y")
    assert dataset.tags.names == ("a", "b")
    assert [(file.path, file.role) for file in report.files] == [("my ratings.csv", "ratings"), ("films.csv", "items")]
    assert any("not used: readme.md" in note for note in report.notes)


def test_named_data_take_no_files_beside_them() -> None:
    with pytest.raises(InputError, match=r"demo brings along all.*leave out the other files"):
        load_dataset("demo", items=b"item,title\nx,X\n")
