"""Results that took long to compute, in memory and beyond the end of the server: as JSON in the database."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from dashboard.compute import jobs, store
from dashboard.compute.bounded_store import kept, mentions
from dashboard.storage import kept_work
from nnm_core import FitOptions
from nnm_core.datasets import Dataset
from nnm_core.errors import DataError
from nnm_core.evaluation import Evaluation
from nnm_core.evaluation.folds import Scores
from nnm_core.evaluation.one_fold import FoldResult
from nnm_core.evaluation.peers import Peer
from nnm_core.evaluation.taste import TasteGain

T = TypeVar("T")
_TYPES = {each.__name__: each for each in (Evaluation, FitOptions, FoldResult, Peer, Scores, TasteGain)}


def keep(key: tuple[Hashable, ...], dataset: Dataset, value: Any, worker: object) -> None:
    """Keep a result about a data set, in memory and in the database as long as anybody has the data.

    ``worker``: the job that found it; one that was stopped keeps nothing.
    """
    if jobs.keep_from(worker, key, value) and (work := kept_work()) is not None:
        with suppress(DataError):  # it can be computed again
            hashes = dataset.content_hash, dataset.ratings.content_hash
            content = next(each for each in hashes if mentions(key, [each]))
            work.keep_result((*key, store.PROGRAM), content, _encode(value), named=store.is_named(dataset))


def recall(keys: Collection[tuple[Hashable, ...]]) -> None:
    """Bring results back into memory that an earlier server kept, as far as they are not there."""
    missing = [key for key in keys if not kept.has("results", key)]
    work = kept_work()
    if not missing or work is None:
        return
    with suppress(DataError):
        found = work.results([(*key, store.PROGRAM) for key in missing])
        for key in missing:
            if (*key, store.PROGRAM) in found:
                with suppress(KeyError, TypeError):  # a version under development wrote something else
                    kept.put("results", key, _decode(found[*key, store.PROGRAM]))


def find(key: tuple[Hashable, ...]) -> Any:
    """Return a result that was computed before, by this server or an earlier one; None if there is none."""
    recall([key])
    return kept.get("results", key)


def keeping(key: tuple[Hashable, ...], dataset: Dataset, work: Callable[[Any], T]) -> Callable[[Any], T]:
    """Return work for a job that also keeps its result."""

    def work_and_keep(job: Any) -> T:
        result = work(job)
        keep(key, dataset, result, job)
        return result

    return work_and_keep


def _encode(value: Any) -> Any:
    """Return a result as JSON can hold it; databases refuse numbers that are not finite."""
    if is_dataclass(value):
        parts = {part.name: _encode(getattr(value, part.name)) for part in fields(value)}
        return parts | {"is": type(value).__name__}
    if isinstance(value, np.ndarray):
        return {"is": "array", "values": _encode(value.tolist())}
    if isinstance(value, list | tuple):
        return [_encode(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"is": "number", "value": repr(value)}
    return value.item() if isinstance(value, np.generic) else value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_decode, value))
    if not isinstance(value, dict):
        return value
    parts = {name: _decode(each) for name, each in value.items()}
    kind = parts.pop("is")
    if kind == "array":
        return np.array(parts["values"], dtype=np.float64)
    return float(parts["value"]) if kind == "number" else _TYPES[kind](**parts)
