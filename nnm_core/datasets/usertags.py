"""Tags that users wrote: a second, larger and wilder set of labels for the items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from nnm_core.datasets.coded import encode
from nnm_core.datasets.dataset import Labels
from nnm_core.datasets.journal import Journal
from nnm_core.phrases import counted
from nnm_core.ratings import Ratings
from nnm_core.types import IntArray


def user_tag_labels(items: pa.ChunkedArray, tags: pa.ChunkedArray, ratings: Ratings, journal: Journal) -> Labels:
    """Labels of the rated items from parallel columns of item ids and tags.

    Spellings that differ only in case or surrounding space are one tag, under the spelling used most often.
    """
    item_column, tag_column = encode(items), encode(tags)
    row_of_item = np.array([ratings.item_index.get(name, -1) for name in item_column.names] + [-1], dtype=np.int64)
    names, column_of_tag = _merged_spellings(tag_column.codes, tag_column.names)
    rows, columns = row_of_item[item_column.codes], column_of_tag[tag_column.codes]
    known = (rows >= 0) & (columns >= 0)
    used = np.flatnonzero(np.bincount(columns[known], minlength=len(names)))
    position = np.full(len(names), -1, dtype=np.int64)
    position[used] = np.arange(len(used))
    if len(tag_column.names) > len(names):
        journal.notes.append(
            f"user tags that differ only in case or spaces were merged: {len(tag_column.names):,} spellings, "
            f"{len(names):,} tags"
        )
    if not known.all():
        journal.notes.append(f"empty or of an item without ratings: {counted(int((~known).sum()), 'user tag')}")
    return Labels.from_pairs(rows[known], position[columns[known]], [names[k] for k in used], ratings.n_items)


def _merged_spellings(codes: IntArray, spellings: Sequence[str]) -> tuple[list[str], IntArray]:
    """The distinct tags in alphabetical order, and the tag of each spelling, -1 for an empty one at the end too."""
    counts = np.bincount(codes[codes >= 0], minlength=len(spellings))
    table = pd.DataFrame({"spelling": [text.strip() for text in spellings], "count": counts})
    table["key"] = [text.casefold() for text in table["spelling"]]
    used: pd.DataFrame = table[table["key"] != ""].groupby(["key", "spelling"])["count"].sum().reset_index()
    ranked = used.sort_values(["count", "spelling"], ascending=[False, True], kind="stable")
    label = ranked.groupby("key", sort=True)["spelling"].first()
    position = {key: k for k, key in enumerate(label.index)}
    column = np.array([position.get(key, -1) for key in table["key"]] + [-1], dtype=np.int64)
    return label.tolist(), column
