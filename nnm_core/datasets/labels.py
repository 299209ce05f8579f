"""Tags and traits: labels in canonical order, and readable bins for numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nnm_core.datasets.dataset import Labels
from nnm_core.types import FloatArray

AGE_EDGES = (18, 25, 35, 45, 50, 56)
"""Where MovieLens draws its age groups; ages of other sources are grouped alike, so that they compare."""

MAX_PLAIN_VALUES = 12
"""A numeric trait with more different values than this is binned."""


def labels_of(names_of_row: Mapping[int, Iterable[str]], n_rows: int) -> Labels:
    """Labels for ``n_rows`` rows, of which some have names; names are in alphabetical order and all in use."""
    rows: list[int] = []
    texts: list[str] = []
    for row, names in names_of_row.items():
        for name in names:
            rows.append(row)
            texts.append(name)
    distinct = sorted(set(texts))
    position = {name: k for k, name in enumerate(distinct)}
    columns = np.array([position[text] for text in texts], dtype=np.int64)
    return Labels.from_pairs(np.array(rows, dtype=np.int64), columns, distinct, n_rows)


def categories(value_of_row: Mapping[int, str], n_rows: int, order: Sequence[str] = ()) -> Labels:
    """Labels where a row has at most one; in the given order if there is one, else alphabetical; all in use."""
    used = set(value_of_row.values())
    names = [name for name in order if name in used] if order else sorted(used)
    position = {name: k for k, name in enumerate(names)}
    rows = np.fromiter(value_of_row, dtype=np.int64, count=len(value_of_row))
    columns = np.array([position[value] for value in value_of_row.values()], dtype=np.int64)
    return Labels.from_pairs(rows, columns, names, n_rows)


def numeric_trait(trait: str, value_of_row: Mapping[int, float], n_rows: int) -> Labels:
    """A trait of numbers as labels: ages in the usual groups, few values as they are, many in up to five bins."""
    values = np.fromiter(value_of_row.values(), dtype=np.float64, count=len(value_of_row))
    if _is_age(trait, values):
        return _with_edges(trait, value_of_row, np.array(AGE_EDGES, dtype=np.float64), n_rows, whole=True)
    distinct = np.unique(values)
    if len(distinct) <= MAX_PLAIN_VALUES:
        order = [f"{trait} {value:g}" for value in distinct.tolist()]
        return categories({row: f"{trait} {value:g}" for row, value in value_of_row.items()}, n_rows, order)
    return _with_edges(
        trait, value_of_row, _readable_edges(values), n_rows, whole=bool((values == np.rint(values)).all())
    )


def _is_age(trait: str, values: FloatArray) -> bool:
    words = trait.lower().replace("-", "_").replace(" ", "_").split("_")
    return bool({"age", "alter"} & set(words)) and len(values) > 0 and values.min() >= 0 and values.max() <= 130


def _with_edges(
    trait: str, value_of_row: Mapping[int, float], edges: FloatArray, n_rows: int, *, whole: bool
) -> Labels:
    """Labels of bins that begin at the inner ``edges``."""
    names = _bin_names(trait, edges, whole=whole)
    bins = np.searchsorted(
        edges, np.fromiter(value_of_row.values(), dtype=np.float64, count=len(value_of_row)), "right"
    )
    return categories({row: names[k] for row, k in zip(value_of_row, bins.tolist(), strict=True)}, n_rows, names)


def _bin_names(trait: str, edges: FloatArray, *, whole: bool) -> list[str]:
    """Readable names of the bins: "age under 18", "age 18–24", "age 56+"."""
    names = [f"{trait} under {edges[0]:g}"]
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        last = high - 1 if whole else high
        names.append(f"{trait} {low:g}" if whole and last == low else f"{trait} {low:g}–{last:g}")
    return [*names, f"{trait} {edges[-1]:g}+"]


def _readable_edges(values: FloatArray) -> FloatArray:
    """Up to four inner edges near the quintiles, rounded to two digits as long as they stay apart."""
    quintiles = np.unique(np.quantile(values, [0.2, 0.4, 0.6, 0.8]))
    spread = float(values.max() - values.min())
    digits = 1 - math.floor(math.log10(spread)) if spread > 0 else 0
    rounded = np.unique(np.round(quintiles, digits))
    inner = rounded[(rounded > values.min()) & (rounded <= values.max())]
    return inner if len(inner) else quintiles[-1:]
