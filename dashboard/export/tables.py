"""Tables that only files hold: every rating, and everybody's mixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nnm_core import Model
from nnm_core.datasets import Dataset
from nnm_core.phrases import distinct


def ratings_table(dataset: Dataset) -> pd.DataFrame:
    """Return every rating with ids and titles."""
    ratings = dataset.ratings
    levels = [f"{level:.12g}" for level in ratings.levels.tolist()]
    return pd.DataFrame(
        {
            "user": np.array(ratings.user_ids, dtype=object)[ratings.users],
            "item": np.array(ratings.item_ids, dtype=object)[ratings.items],
            "title": np.array(dataset.titles, dtype=object)[ratings.items],
            "rating": np.array(levels, dtype=object)[ratings.by_user.codes],
        }
    )


def mixtures_table(model: Model, names: Sequence[str]) -> pd.DataFrame:
    """Return everybody's mixture, one line each."""
    person, *columns = distinct(["person", *names])
    table = pd.DataFrame(model.mixtures, columns=columns)
    table.insert(0, person, list(model.user_ids))
    return table
