"""MovieLens ratings, found in a folder."""

from __future__ import annotations

from pathlib import Path

from nnm_core import Ratings
from nnm_core.datasets import load_dataset


def read_ratings(folder: Path, name: str = "ml-1m") -> Ratings:
    """The ratings of the data set ``name``, which lies in ``folder`` or is it."""
    place = folder / name if (folder / name).exists() else folder
    return load_dataset(place)[0].ratings
