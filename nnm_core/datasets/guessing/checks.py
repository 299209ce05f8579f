"""Refuse guesses about the people and the items that the whole file contradicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnm_core.datasets.columns import RawRatings
from nnm_core.datasets.guessing.profiles import MIN_UNIQUE, role_of
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
_FEWEST_EACH = 1.5  # rows per person and item
_FEWEST_OF_TITLE = 1.1  # rows per item that is known by its title only
_FEWEST_LINES = 5  # of a text without numbers and without names of columns
_MANY_RATINGS = 20  # of an item show how far they reach
_FEW_NARROW, _MOST_NARROW = 0.2, 0.6  # of the items


def check_people(raw: RawRatings, notes: Sequence[Note], source: str) -> None:
    """Refuse people and items that hardly repeat; the less so, the surer they are."""
    taken = _taken(notes)
    if not taken:
        return
    whys = {role: details["why"] for role, details in taken.items() if role != "time"}
    is_sure = whys["person"] is whys["item"] is Why.NAME
    is_guess = Why.VALUES in whys.values()
    is_text = whys["person"] is Why.LEFT and raw.ratings is None  # which may be lines of anything
    n_each = {len(raw.users.categories), len(raw.items.categories), len(raw.users.codes)}
    if raw.ratings is None and is_guess and len(n_each) == 1:
        raise doubtful(notes, source, "everybody has an item of their own, and nothing else")
    for role, column in (("person", raw.users), ("item", raw.items)):
        n_rows, n_ids = int(np.count_nonzero(column.codes >= 0)), len(column.categories)
        is_title = role_of(str(taken[role]["column"])) == "title"
        least = _FEWEST_OF_TITLE * n_ids if is_title else 0 if is_sure else n_ids
        if _FEWEST_UNIQUE <= n_rows <= least:
            raise doubtful(notes, source, f"hardly any two of the {n_rows:,} rows have the same {role}")
        fewest = _FEWEST_LINES if is_text else MIN_UNIQUE if role == "item" else _FEWEST_UNIQUE
        if (is_text or is_guess) and fewest <= n_rows < _FEWEST_EACH * n_ids:
            raise doubtful(notes, source, f"hardly any {role} has two of the {n_rows:,} rows")
        if role == "person" and whys[role] is not Why.NAME and n_ids == 1 < len(raw.items.categories):
            raise doubtful(notes, source, "that would be a single person")


def check_repeats(ratings: Ratings, notes: Sequence[Note], log: ImportLog, *, is_rated: bool) -> None:
    """Refuse people and items of which the same pairs come again and again; the less so, the surer they are."""
    share_repeated, source = log.share_repeated, log.source
    density = len(ratings) / (ratings.n_users * ratings.n_items)
    taken = _taken(notes)
    whys = {details["why"] for role, details in taken.items() if role != "time"}
    most = _MAX_REPEATED[Why.LEFT if Why.LEFT in whys else Why.VALUES if Why.VALUES in whys else Why.NAME]
    if not is_rated:  # people buy or hear some things again
        is_unsure = Why.VALUES in whys or (Why.LEFT in whys and "time" not in taken)
        most = _MAX_SEEN_AGAIN if is_unsure else 1.0
    if taken and not is_rated and density == 1 and Why.VALUES in whys:
        raise doubtful(notes, source, "everybody has everything, which tells nobody apart")
    if taken and share_repeated > most:
        raise doubtful(notes, source, f"{share_repeated:.0%} of the rows repeat a person and an item that came before")


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


def doubtful(notes: Sequence[Note], source: str, but: str) -> DataError:
    """Return the error for people and items that were guessed and hardly can be what they were taken for."""
    taken = _taken(notes)
    person, item = (taken[role]["column"] for role in ("person", "item"))
    return DataError(
        f"{source}: {person!r} would be the person and {item!r} the item, but "
        f"{but}, so that is doubtful. Name the columns of the people, the items and the ratings (--columns PERSON ITEM "
        "RATING), also if these are the right ones; if all rows are one person's ratings, say so (--one-person), and "
        "if each row is a person and the columns are what they answered, too (--wide)."
    )
