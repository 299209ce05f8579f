"""Refuse guesses about the people and the items that the whole file contradicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nnm_core.datasets.columns import RawRatings
from nnm_core.datasets.report import Finding, Note, Why
from nnm_core.errors import DataError

_FEWEST_UNIQUE = 20  # in fewer rows, people or items may happen to be all different
# Of the ratings: where more repeat a person and an item that came before, these are something else.
_MAX_REPEATED = {Why.VALUES: 0.2, Why.LEFT: 0.5, Why.NAME: 1.0}
_MAX_SEEN_AGAIN = 0.5  # the same where nothing is rated
_FEWEST_EACH = 1.5  # rows per person


def check_people(raw: RawRatings, notes: Sequence[Note], source: str) -> None:
    """Refuse people and items that do not repeat, unless they were taken for that by name."""
    taken = _taken(notes)
    is_sure = {role: details["why"] is Why.NAME for role, details in taken.items()}
    for role, column in (("person", raw.users), ("item", raw.items)):
        n_rows = int(np.count_nonzero(column.codes >= 0))
        if _FEWEST_UNIQUE <= n_rows == len(column.categories) and not all(
            is_sure.get(k, True) for k in (role, "person")
        ):
            raise _doubtful(taken, source, f"no two of the {n_rows:,} rows have the same {role}")
    n_rows, n_people = int(np.count_nonzero(raw.users.codes >= 0)), len(raw.users.categories)
    if taken and taken["person"]["why"] is Why.VALUES and _FEWEST_UNIQUE <= n_rows < _FEWEST_EACH * n_people:
        raise _doubtful(taken, source, f"the {n_rows:,} rows are by {n_people:,} people, so hardly anybody has two")


def check_repeats(share_repeated: float, notes: Sequence[Note], source: str, *, is_rated: bool) -> None:
    """Refuse people and items of which the same pairs come again and again; the less so, the surer they are."""
    taken = _taken(notes)
    whys = {details["why"] for role, details in taken.items() if role != "time"}
    most = _MAX_REPEATED[Why.LEFT if Why.LEFT in whys else Why.VALUES if Why.VALUES in whys else Why.NAME]
    if not is_rated:  # people buy or hear some things again
        most = _MAX_SEEN_AGAIN if Why.VALUES in whys else 1.0
    if taken and share_repeated > most:
        raise _doubtful(taken, source, f"{share_repeated:.0%} of the rows repeat a person and an item that came before")


def _taken(notes: Sequence[Note]) -> dict[str, dict[str, object]]:
    """What is known about the column that was taken for a person, an item, a rating or a time."""
    return {str(found.details["role"]): found.details for found in notes if found.kind is Finding.TAKEN}


def _doubtful(taken: Mapping[str, Mapping[str, object]], source: str, but: str) -> DataError:
    """The error for people and items that were guessed and hardly can be what they were taken for."""
    person, item = (taken[role]["column"] for role in ("person", "item"))
    return DataError(
        f"{source}: {person!r} would be the person and {item!r} the item, but "
        f"{but}, so that is doubtful. Name the columns of the people, the items and the ratings (--columns PERSON ITEM "
        "RATING), also if these are the right ones; if all rows are one person's ratings, say so (--one-person)."
    )
