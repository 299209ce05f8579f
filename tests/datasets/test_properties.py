"""Any frame, written in any dialect and read back, gives the same ratings."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import replace

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from nnm_core.datasets import Cleaning, ColumnMapping, Dialect, RatingColumns, load_dataset, sniff
from nnm_core.ratings import Ratings
from nnm_core.scale import Scale

from .helpers import QUICK, ids

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
