"""Files beside the ratings: what is known about the items and about the people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nnm_core.datasets.formats import sniff_table
from nnm_core.datasets.guessing import Sniffed
from nnm_core.datasets.limits import DEFAULT_LIMITS, Limits
from nnm_core.datasets.sources import SourceFile
from nnm_core.errors import DataError

_WHOM = {"items": "items", "users": "people"}


def sniff_side(file: SourceFile, role: str, limits: Limits = DEFAULT_LIMITS) -> Sniffed:
    """What the beginning of a file about the items or the users tells."""
    with telling(role):
        return sniff_table(file, limits=limits)


@contextmanager
def telling(role: str) -> Iterator[None]:
    """A file that cannot be read in here is refused with what it was for, and that one may do without it."""
    try:
        yield
    except DataError as error:
        raise DataError(
            f"{error} It was taken for the file about the {_WHOM[role]}; choose another one, or remove it."
        ) from error
