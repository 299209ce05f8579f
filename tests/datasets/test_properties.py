"""Any frame, written in any dialect and read back, gives the same ratings."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nnm_core.datasets import Cleaning, ColumnMapping, Dialect, RatingColumns, load_dataset, sniff
from nnm_core.datasets.columns import Column, encode_column
from nnm_core.datasets.rating_values import bin_ratings, parse_ratings
from nnm_core.ratings import Ratings, canonical_order
from nnm_core.scale import Scale

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

words = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cf"), max_codepoint=0x1F9FF),
    min_size=1,
    max_size=8,
)
ids = st.one_of(words, st.integers(0, 10**6).map(str), st.from_regex(r"[A-Z0-9]{4,14}", fullmatch=True))
scales = st.sampled_from(
    [Scale(1, 5), Scale(0.5, 5, 0.5), Scale(0, 1), Scale(1, 10), Scale(-10, 10, 0.25), Scale(0, 100)]
)


@st.composite
def frames(draw: st.DrawFn) -> tuple[pd.DataFrame, Scale]:
    """Ratings without repeated pairs, on some scale, of which at least two levels occur."""
    pairs = draw(st.lists(st.tuples(ids, ids), min_size=2, max_size=30, unique=True))
    scale = draw(scales)
    numbers = draw(st.lists(st.integers(0, scale.n_levels - 1), min_size=len(pairs), max_size=len(pairs)))
    numbers[0], numbers[1] = 0, scale.n_levels - 1
    frame = pd.DataFrame(pairs, columns=["user", "item"], dtype=object)
    frame["rating"] = scale.levels[numbers]
    return frame, scale


def expected(frame: pd.DataFrame, scale: Scale) -> str:
    values = frame["rating"].to_numpy()
    return Ratings.from_arrays(frame["user"].to_numpy(), frame["item"].to_numpy(), values, scale=scale).content_hash


@QUICK
@given(frames(), st.sampled_from([",", ";", "\t", "|"]), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.booleans(),
       st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]), st.booleans())  # fmt: skip
def test_text_in_any_dialect_comes_back(
    given_frame: tuple[pd.DataFrame, Scale],
    delimiter: str,
    header: bool,
    end: str,
    quote_all: bool,
    encoding: str,
    packed: bool,
) -> None:
    frame, scale = given_frame
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    text = frame.to_csv(index=False, sep=delimiter, header=header, lineterminator=end, quoting=quoting)
    content = text.encode(encoding)
    names = ("user", "item", "rating") if header else ("column 1", "column 2", "column 3")
    dialect = Dialect(delimiter, header=header, encoding="utf-16-be" if encoding == "utf-16-be" else encoding)
    mapping = ColumnMapping(RatingColumns(names, *names, dialect=dialect))
    dataset, report = load_dataset(
        gzip.compress(content) if packed else content, mapping, cleaning=Cleaning(scale=scale)
    )
    assert report.rows_dropped == 0
    assert dataset.ratings.content_hash == expected(frame, scale)


@QUICK
@given(frames(), st.sampled_from([",", ";", "\t"]), st.sampled_from(["utf-8", "utf-16"]))
def test_text_with_plain_names_needs_no_mapping(
    given_frame: tuple[pd.DataFrame, Scale], delimiter: str, encoding: str
) -> None:
    frame, scale = given_frame
    content = frame.to_csv(index=False, sep=delimiter, quoting=csv.QUOTE_ALL).encode(encoding)
    dataset, report = load_dataset(content, cleaning=Cleaning(scale=scale))
    assert report.rows_dropped == 0
    assert dataset.ratings.content_hash == expected(frame, scale)


@QUICK
@given(frames(), st.booleans())
def test_parquet_and_json_lines_come_back(given_frame: tuple[pd.DataFrame, Scale], as_json: bool) -> None:
    frame, scale = given_frame
    buffer = io.BytesIO()
    if as_json:
        frame.to_json(buffer, orient="records", lines=True, double_precision=15)
    else:
        frame.to_parquet(buffer, index=False)
    dataset, _ = load_dataset(buffer.getvalue(), cleaning=Cleaning(scale=scale))
    assert dataset.ratings.content_hash == expected(frame, scale)


@QUICK
@given(frames(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(given_frame: tuple[pd.DataFrame, Scale], random: object) -> None:
    frame, scale = given_frame
    order = list(range(len(frame)))
    random.shuffle(order)  # type: ignore[attr-defined]
    options = {"cleaning": Cleaning(scale=scale)}
    one, _ = load_dataset(frame.to_csv(index=False).encode(), **options)  # type: ignore[arg-type]
    other, _ = load_dataset(frame.iloc[order].to_csv(index=False).encode(), **options)  # type: ignore[arg-type]
    assert one.content_hash == other.content_hash


@QUICK
@given(frames())
def test_wide_table_comes_back(given_frame: tuple[pd.DataFrame, Scale]) -> None:
    frame, scale = given_frame
    matrix = frame.pivot_table(index="user", columns="item", values="rating", aggfunc="first")
    names = ("user name", *(f"item {k}" for k in range(matrix.shape[1])))
    text = pd.DataFrame(matrix.to_numpy(), index=matrix.index).to_csv(header=names[1:], index_label=names[0])
    mapping = ColumnMapping(
        RatingColumns(names, user=names[0], layout="wide", item_columns=names[1:], dialect=Dialect())
    )
    dataset, _ = load_dataset(text.encode(), mapping, cleaning=Cleaning(scale=scale))
    renamed = frame.assign(item=frame["item"].map({item: f"item {k}" for k, item in enumerate(matrix.columns)}))
    assert dataset.ratings.content_hash == expected(renamed, scale)


@QUICK
@given(frames(), st.sampled_from(["first", "last", "mean"]))
def test_repeats_are_settled_as_chosen(given_frame: tuple[pd.DataFrame, Scale], how: str) -> None:
    frame, scale = given_frame
    again = frame.assign(rating=scale.highest)
    both = pd.concat([frame, again], ignore_index=True)
    cleaning = Cleaning(scale=scale, duplicates=how)  # type: ignore[arg-type]
    dataset, report = load_dataset(both.to_csv(index=False).encode(), cleaning=cleaning)
    users, items = both["user"].to_numpy(), both["item"].to_numpy()
    wanted = Ratings.from_arrays(users, items, both["rating"].to_numpy(), scale=scale, duplicates=how)  # type: ignore[arg-type]
    assert dataset.ratings.content_hash == wanted.content_hash
    assert (report.rows_read, report.rows_kept, report.rows_dropped) == (len(both), len(frame), len(frame))


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
@given(st.lists(st.floats(-1000, 1000, allow_nan=False), min_size=2, max_size=50), st.integers(2, 20))
def test_bins_keep_the_order_and_meet_both_ends(values: list[float], n_bins: int) -> None:
    array = np.array(values)
    levels, _ = bin_ratings(array, n_bins)
    assert set(levels) <= set(range(1, n_bins + 1))
    assert (np.diff(levels[np.argsort(array, kind="stable")]) >= 0).all()
    if array.max() - array.min() > 1e-6:
        assert (levels.min(), levels.max()) == (1, n_bins)


@QUICK
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_survive_as_text(values: list[float]) -> None:
    column = encode_column(
        pd.DataFrame({"x": values}).pipe(lambda frame: __import__("pyarrow").Table.from_pandas(frame))["x"]
    )
    assert parse_ratings(column.texts).values[column.codes].tolist() == values


@QUICK
@given(frames())
def test_prefilled_mapping_can_be_followed(given_frame: tuple[pd.DataFrame, Scale]) -> None:
    frame, scale = given_frame
    content = frame.to_csv(index=False).encode()
    guess = sniff(content)
    assert guess.mapping.ratings.columns == ("user", "item", "rating")
    swapped = replace(guess.mapping, ratings=replace(guess.mapping.ratings, user="item", item="user"))
    dataset, _ = load_dataset(content, swapped, cleaning=Cleaning(scale=scale))
    turned = frame.rename(columns={"user": "item", "item": "user"})
    assert dataset.ratings.content_hash == expected(turned, scale)
