"""What the arguments of a command ask for, as objects of the library."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from nnm_core.datasets import Cleaning, Hints
from nnm_core.options import FitOptions, preset
from nnm_core.scale import Scale


def hints_of(parsed: argparse.Namespace) -> Hints:
    """Return what the arguments say about the columns of the ratings."""
    return Hints(
        columns=tuple(parsed.columns),
        one_person=parsed.one_person,
        wide=parsed.wide,
        transposed=parsed.transpose,
        traits=tuple(parsed.traits),
        drop=tuple(parsed.drop),
        file=parsed.file,
    )


def cleaning_of(parsed: argparse.Namespace) -> Cleaning:
    """Return what the arguments say about doubtful rows."""
    return Cleaning(
        missing=tuple(parsed.missing),
        duplicates=parsed.duplicates,
        min_user_ratings=parsed.min_user_ratings,
        min_item_ratings=parsed.min_item_ratings,
        n_bins=parsed.bins,
        scale=Scale(*parsed.scale) if parsed.scale else None,
    )


def options_of(parsed: argparse.Namespace) -> FitOptions:
    """Return how to fit: the preset with what was asked for besides."""
    names = [name for name in FitOptions.__dataclass_fields__ if getattr(parsed, name, None) is not None]
    changes: dict[str, Any] = {name: getattr(parsed, name) for name in names}
    if "anchors" in changes:
        changes["anchors"] = tuple(changes["anchors"])
    return preset(parsed.preset, **changes)


def cluster(address: str | None) -> AbstractContextManager[Any]:
    """Return a client of the cluster at an address as a context, or a context without one."""
    if not address:
        return nullcontext()
    from nnm_core.cluster import connect  # which needs Dask

    return connect(address)
