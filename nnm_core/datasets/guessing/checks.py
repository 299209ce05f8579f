"""Refuse guesses about the people and the items that the whole file contradicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nnm_core.datasets.columns import RawRatings
from nnm_core.datasets.guessing.questions import LONGEST
from nnm_core.datasets.report import Finding, ImportLog, Note, Why
from nnm_core.errors import DataError
from nnm_core.phrases import some_of
from nnm_core.ratings import Ratings
from nnm_core.scale import written

_FEWEST_UNIQUE = 20  # in fewer rows, people or items may happen to be all different
# Of the ratings: where more repeat a person and an item that came before, these are something else.
_MAX_REPEATED = {Why.VALUES: 0.2, Why.LEFT: 0.5, Why.NAME: 1.0}
_MAX_SEEN_AGAIN = 0.5  # the same where nothing is rated
_FEWEST_EACH = 1.5  # rows per person
_FEWEST_LINES = 5  # of a text without numbers and without names of columns
_MANY_RATINGS = 20  # of an item show how far they reach
_FEW_NARROW, _MOST_NARROW = 0.2, 0.6  # of the items


def check_people(raw: RawRatings, notes: Sequence[Note], source: str) -> None:
    """Refuse people and items that do not repeat, unless they were taken for that by name."""
    taken = _taken(notes)
    is_sure = all(taken[role]["why"] is Why.NAME for role in ("person", "item") if role in taken)
    for role, column in (("person", raw.users), ("item", raw.items)):
        n_rows = int(np.count_nonzero(column.codes >= 0))
        if _FEWEST_UNIQUE <= n_rows == len(column.categories) and not is_sure:
            raise _doubtful(taken, source, f"no two of the {n_rows:,} rows have the same {role}")
    if taken and taken["person"]["why"] is not Why.NAME and len(raw.users.categories) == 1 < len(raw.items.categories):
        raise _doubtful(taken, source, "that would be a single person")
    n_rows, n_people = int(np.count_nonzero(raw.users.codes >= 0)), len(raw.users.categories)
    why = taken["person"]["why"] if taken else Why.NAME
    is_text = why is Why.LEFT and raw.ratings is None  # which may be lines of anything
    fewest = _FEWEST_LINES if is_text else _FEWEST_UNIQUE
    if (is_text or why is Why.VALUES) and fewest <= n_rows < _FEWEST_EACH * n_people:
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


def check_items(ratings: Ratings, notes: Sequence[Note], log: ImportLog) -> list[str]:
    """Return the items of a wide table of which the ratings, though many, stay within less than half of the scale.

    Refuse a table that was only guessed to be wide if most of its items are of that kind.
    """
    starts, codes = ratings.by_item.starts, np.append(ratings.by_item.codes, 0)  # so that the last item ends somewhere
    many = np.flatnonzero(np.diff(starts) >= _MANY_RATINGS)
    if not len(many):
        return []
    ends = np.stack([starts[many], starts[many + 1]], axis=1).ravel()
    lowest, highest = (ratings.levels[extreme.reduceat(codes, ends)[::2]] for extreme in (np.minimum, np.maximum))
    usual = np.setdiff1d([value for value, _ in log.levels], [offer.value for offer in log.offers])
    narrow = many[highest - lowest < 0.5 * np.ptp(usual)] if len(usual) else many[:0]
    names = [ratings.item_ids[item] for item in narrow]
    is_guess = any(found.kind is Finding.WIDE and not found.details["is_sure"] for found in notes)
    if is_guess and (len(narrow) > _MOST_NARROW * len(many) or (len(usual) and np.ptp(usual) > LONGEST)):
        scale = f"{written(ratings.scale.lowest)} to {written(ratings.scale.highest)}"
        raise DataError(
            f"{log.source}: the columns {some_of(names or ratings.item_ids)} would be items, but their numbers go from "
            f"{scale}, most of them from only a part of that, so that they hardly are answers on the same scale. If "
            "they are, say so (--wide); leave out those that are not (--wide --drop and their names)."
        )
    return names if len(narrow) > _FEW_NARROW * len(many) else []


def _taken(notes: Sequence[Note]) -> dict[str, dict[str, object]]:
    """Return what is known about the column that was taken for a person, an item, a rating or a time."""
    return {str(found.details["role"]): found.details for found in notes if found.kind is Finding.TAKEN}


def _doubtful(taken: Mapping[str, Mapping[str, object]], source: str, but: str) -> DataError:
    """Return the error for people and items that were guessed and hardly can be what they were taken for."""
    person, item = (taken[role]["column"] for role in ("person", "item"))
    return DataError(
        f"{source}: {person!r} would be the person and {item!r} the item, but "
        f"{but}, so that is doubtful. Name the columns of the people, the items and the ratings (--columns PERSON ITEM "
        "RATING), also if these are the right ones; if all rows are one person's ratings, say so (--one-person), and "
        "if each row is a person and the columns are what they answered, too (--wide)."
    )
