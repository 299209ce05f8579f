"""Files that are written whole or not at all, and arrays with a header."""

import io
from pathlib import Path

import numpy as np
import pytest

from nnm_core.files import arrays_bytes, read_header, write_whole


def test_a_file_takes_the_place_of_another_whole(tmp_path):
    path = tmp_path / "kept"
    path.write_bytes(b"before")
    write_whole(path, b"after")
    assert path.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_where_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "kept"
    path.write_bytes(b"before")

    def fail(*_):
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no room"):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_arrays_come_back_with_their_header_and_the_same_content_is_the_same_bytes():
    header = {"names": ["ä", "\ud800", "a\x00b"], "n": 3}
    content = arrays_bytes(header, {"x": np.arange(3.0), "y": np.zeros((0, 2))})
    assert content == arrays_bytes(header, {"x": np.arange(3.0), "y": np.zeros((0, 2))})
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        assert read_header(arrays) == header
        assert arrays["x"].tolist() == [0.0, 1.0, 2.0]
        assert arrays["y"].shape == (0, 2)
