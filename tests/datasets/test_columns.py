"""Columns as distinct texts and codes, and the order of ids."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnm_core.datasets.columns import Column, encode_column
from nnm_core.datasets.rating_texts import parse_ratings
from nnm_core.ratings import canonical_order

from .helpers import QUICK, ids


@QUICK
@given(st.lists(ids, min_size=1, max_size=40))
def test_ids_are_numbered_in_the_canonical_order(names: list[str]) -> None:
    distinct = list(dict.fromkeys(names))
    codes = np.array([distinct.index(name) for name in names], dtype=np.int32)
    ordered, numbers = Column.from_codes(codes, distinct).sort()
    assert ordered == [distinct[k] for k in canonical_order(distinct)]
    assert [ordered[k] for k in numbers] == names


@pytest.mark.parametrize(
    "names",
    [
        ["10", "9", "2"],
        ["010", "9"],
        ["0", "00"],
        ["1" * 25, "9", "2" * 19],
        ["é", "z", "a😀", "a\uffff"],
        ["é1", "zz1", "A0b", "010"],
        *([f"{'x' * n}{k * 7 % 10}" for k in range(10)] for n in (7, 8, 15, 16)),
        [f"{first}{'0' * 14}{last}" for first in "xba" for last in "201"],
        [f"user-{k * 7919 % 10**7:07d}" for k in range(50)],
    ],
)
def test_canonical_order_of_awkward_ids(names: list[str]) -> None:
    ordered, _ = Column.from_codes(np.arange(len(names), dtype=np.int32), names).sort()
    assert ordered == [names[k] for k in canonical_order(names)]


@QUICK
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_survive_as_text(values: list[float]) -> None:
    column = encode_column(
        pd.DataFrame({"x": values}).pipe(lambda frame: __import__("pyarrow").Table.from_pandas(frame))["x"]
    )
    assert parse_ratings(column.texts).values[column.codes].tolist() == values
