"""Where the real MovieLens files are, if they are here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def movielens() -> Path:
    """The folder with ``ml-100k`` and ``ml-1m``; tests that need it are skipped without it."""
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    folder = Path(os.environ.get("NNM_DATA", beside))
    if not (folder / "ml-100k" / "u.data").is_file() or not (folder / "ml-1m" / "ratings.dat").is_file():
        pytest.skip(f"needs ml-100k and ml-1m in {folder}; set NNM_DATA to the folder that has them")
    return folder
