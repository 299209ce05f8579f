"""Guess the columns of a wide table: a row per person and a column per item, as in a survey, or the other way round."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from nnm_core.datasets.columns import RatingColumns, UserColumns
from nnm_core.datasets.guessing.hints import Hints
from nnm_core.datasets.guessing.profiles import (
    MAX_PROFILED,
    MIN_UNIQUE,
    ColumnProfile,
    Role,
    declared_type,
    is_background,
    is_personal,
    is_question,
    is_total,
    normalized,
    role_of,
)
from nnm_core.datasets.rating_texts import parse_ratings
from nnm_core.datasets.reading.tables import TableSample
from nnm_core.datasets.report import Finding, Note, Why, note
from nnm_core.errors import DataError
from nnm_core.phrases import shortened

_ID_NAMES = ("", "column1", "id", "index", "row", "unnamed0", "no", "nr")
_PEOPLE_IDS = ("id", "pid", "uid", "uuid", "guid")
_MIN_QUESTIONS = 3
_MIN_UNNAMED = 6  # a table without header and with fewer columns is never taken for a wide one
_QUANTILES = np.array([0.0, 0.1, 0.25, 0.5])  # of the columns' lowest and highest ratings: where a scale may end
_MANY_MORE = 1.25  # times as many columns must lie on a wider scale
_MAX_REPEATING = 0.5  # of the rows have a person's first answers
_MOST = 0.7  # of the columns have ratings
_MAX_LEVELS = 11  # stars from 0 to 10, or from 0 to 5 in halves
_FEW_GIVEN = 20
_SAME_END = 0.6  # of the columns have the same lowest or highest rating
_SLACK = 0.34  # of its length: how far ratings on a scale may lie beyond it
_MIN_SHARE = 0.3  # of its length: how far they reach at least if they begin where it does
_MAX_STARS = 10  # on a longer scale, numbers that lie close together are an age or the like
MAX_CATEGORIES = 60  # a trait with more different values than this (a postal code, a date) is not offered as one
_PERSON_NAME = re.compile(r"(user|person|participant|respondent|subject|rater|reviewer|student|u|p|s)[ _.-]?\d+", re.I)


class RatingGuess(NamedTuple):
    """Which columns of a table hold the ratings, which say something about the people beside them, and notes."""

    ratings: RatingColumns
    users: UserColumns | None = None
    notes: tuple[Note, ...] = ()


def guess_wide(
    table: TableSample, looks: Mapping[str, ColumnProfile], roles: Mapping[Role, str], hints: Hints
) -> RatingGuess | None:
    """Guess which columns of a wide table hold whom and what; None if it does not look like one.

    ``looks``: the columns that may be used.
    """
    first = next(iter(looks), "")
    counts = "user" not in roles and first == table.columns[0] and not hints.columns and _counts_its_row(table)
    user, why = (hints.columns[0], Why.NAME) if hints.columns else _row_names(table, looks, roles)
    user = "" if counts else user
    aside = {user, first if counts else "", *hints.traits}
    others = {name: look for name, look in looks.items() if name not in aside}
    core, questions = _questions(table, others)
    is_said = hints.is_wide and bool(hints.drop or hints.traits)  # which columns are no ratings
    if is_said:
        questions = {name for name, look in others.items() if look.rating_like or not look.n_given}
    if not questions or not (hints.is_wide or _is_wide(table, others, roles, core)):
        return None
    if not hints.is_wide and _repeats(looks, roles, user):
        if "item" in roles:
            return None
        raise DataError(
            f"{table.file or 'The table'} has answers in {len(questions):,} columns, but several rows for most people. "
            "Name the columns of the people, the items and the ratings (--columns PERSON ITEM RATING). To have the "
            "last row of each person and a column for each item, say so (--wide)."
        )
    transposed = hints.transposed or (not hints.wide and _is_transposed(table, user, questions))
    if transposed and not is_said:
        questions |= _raters(others, questions)
    # beyond the first columns, which were looked at, all are taken for items
    unseen = set(table.columns[MAX_PROFILED:]) - aside - set(hints.drop)
    items = tuple(name for name in table.columns if name in questions or name in unseen)
    rest = [name for name in others if name not in questions and looks[name].n_given]
    traits = () if transposed else hints.traits
    if not is_said and not transposed:
        traits = tuple(name for name in rest if is_trait(name, looks[name]) and _is_background(name, looks[name]))
    columns, dialect, file = table.columns, table.dialect, table.file
    ratings = RatingColumns(columns, user, "", "", "wide", items, dialect, file, transposed=transposed)
    users = UserColumns(columns, user, traits, dialect, file) if traits else None
    notes = [note(Finding.TRANSPOSED if transposed else Finding.WIDE, n_items=len(items), items=_shown(items))]
    if counts:
        notes.append(note(Finding.ROW_COUNTS, column=first))
    elif user:
        notes.append(note(Finding.TAKEN, role="item" if transposed else "person", column=user, why=why))
    else:
        notes.append(note(Finding.NUMBERED_ITEMS if transposed else Finding.NUMBERED_USERS))
    rest = [name for name in rest if name not in traits]
    numbers = [name for name in rest if looks[name].numeric and not looks[name].dates]
    words = [name for name in rest if name not in numbers]
    parts = ((Finding.TRAITS, traits), (Finding.OTHER_SCALE, numbers), (Finding.NOT_USED, words))
    notes += [note(kind, columns=_shown(names)) for kind, names in parts if names]
    return RatingGuess(ratings, users, tuple(notes))


def _repeats(looks: Mapping[str, ColumnProfile], roles: Mapping[Role, str], user: str) -> bool:
    """Whether people have several rows each: most ids came before."""
    ids = [name for name in looks if name in (user, roles.get("user")) or normalized(name) in _PEOPLE_IDS]
    return any(
        looks[name].n_given >= MIN_UNIQUE and looks[name].n_distinct <= _MAX_REPEATING * looks[name].n_given
        for name in ids
        if name in looks
    )


def _raters(looks: Mapping[str, ColumnProfile], questions: set[str]) -> set[str]:
    """The columns with ratings between the lowest and the highest of all, however few of them a person uses."""
    lowest = min((looks[name].lowest for name in questions if looks[name].n_given), default=0.0)
    highest = max((looks[name].highest for name in questions if looks[name].n_given), default=0.0)
    return {
        name for name, look in looks.items() if look.rating_like and lowest <= look.lowest <= look.highest <= highest
    }


def is_trait(name: str, look: ColumnProfile) -> bool:
    """Whether a column may be shown as a trait of people: few different words, or numbers that are no ids."""
    if not look.n_given or look.dates or look.prose or is_personal(name):
        return False
    if look.numeric:
        is_counting = look.unique and look.highest - look.lowest < look.n_given
        is_id = look.whole and (is_counting or (look.n_distinct == look.n_given and look.lowest >= 1e6))
        return not is_id or is_background(name)
    return look.n_distinct <= min(MAX_CATEGORIES, max(4, 0.5 * look.n_given))


def _is_background(name: str, look: ColumnProfile) -> bool:
    """Whether a column is about the person; other numbers may be totals or counts."""
    return not look.numeric or look.flags or is_background(name)


def _shown(columns: Collection[str], n_shown: int = 8) -> str:
    names = ", ".join(repr(shortened(name)) for name in list(columns)[:n_shown])
    return f"{names}{f', … ({len(columns):,} in all)' if len(columns) > n_shown else ''}"


def _questions(table: TableSample, looks: Mapping[str, ColumnProfile]) -> tuple[set[str], set[str]]:
    """The columns that share a scale or are empty so far, and with them those that fit if that scale is stretched."""
    rated = {
        name: look
        for name, look in looks.items()
        if look.rating_like and look.n_given and not look.years and not (table.named and _is_no_question(name))
    }
    if not table.named:
        found = set(rated) | {name for name, look in looks.items() if not look.n_given}
        return found, found
    rated = {name: rated[name] for name in _in_same_words(table, rated)}
    lows, highs = ([look.usual[end] for look in rated.values()] for end in (0, 1))
    scales = {
        (float(low), float(high))
        for low in np.quantile(lows, _QUANTILES, method="lower")
        for high in np.quantile(highs, 1.0 - _QUANTILES, method="higher")
        if low < high
    } if rated else set()  # fmt: skip
    best: set[str] = set()
    best_scale = (0.0, 0.0)
    for scale in sorted(scales, key=lambda scale: scale[1] - scale[0]):
        found = {name for name, look in rated.items() if _is_on(scale, look)}
        best, best_scale = (found, scale) if len(found) > _MANY_MORE * len(best) else (best, best_scale)
    if not best:
        return set(), set()
    best |= {name for name, look in looks.items() if not look.n_given and role_of(name) is None}
    stretched = _stretched(best_scale, lows, highs)
    patterns = Counter(map(_pattern, best))
    series = {name for name in rated if patterns[_pattern(name)] >= _MIN_QUESTIONS}
    return best, best | {name for name, look in rated.items() if _is_on(stretched, look, as_code=name not in series)}


def _pattern(name: str) -> str:
    """A column's name without what numbers it, or without the part in brackets that a form adds for each line."""
    return re.sub(r"\[.*\]$|\d+", "#", name)


def _in_same_words(table: TableSample, rated: Mapping[str, ColumnProfile]) -> list[str]:
    """The columns with numbers, or those with the answers of one survey, whichever are more."""
    groups: list[tuple[set[str], list[str]]] = [(set(), [name for name, look in rated.items() if not look.words])]
    for name in (name for name, look in rated.items() if look.words):
        words = {cell.strip().lower() for cell in table.cells(name)}
        for known, names in groups[1:]:
            if _are_words(words | known):
                known |= words
                names.append(name)
                break
        else:
            groups.append((words, [name]))
    return max((names for _, names in groups), key=len)


def _are_words(texts: Collection[str]) -> bool:
    """Whether all texts are answers of the same survey."""
    parsed = parse_ratings(sorted(texts))
    return bool(parsed.notes) and not np.isnan(parsed.values[~parsed.not_given]).any()


def _stretched(scale: tuple[float, float], lows: list[float], highs: list[float]) -> tuple[float, float]:
    """The scale up to the farthest ends that several columns share, if columns end in many places, as with few ratings.

    Where most columns end in the same place, the scale does.
    """
    (low, high), span = scale, scale[1] - scale[0]
    ends = []
    for end, found, beyond in ((low, lows, low - span), (high, highs, high + span)):
        counts = Counter(value for value in found if min(end, beyond) <= value <= max(end, beyond))
        is_settled = not counts or max(Counter(found).values()) > _SAME_END * len(found)
        shared = [end, *(value for value, n_columns in counts.items() if n_columns > 1 and not is_settled)]
        ends.append(min(shared) if beyond < end else max(shared))
    return ends[0], ends[1]


def _is_no_question(name: str) -> bool:
    """Whether a column's name says that it is no question; a whole question may ask for an opinion on e-mails."""
    return is_background(name) or ((is_personal(name) or is_total(name)) and not is_question(name))


def _is_on(scale: tuple[float, float], look: ColumnProfile, *, as_code: bool = True) -> bool:
    """Whether ratings reach not far beyond a scale, and over enough of it if they begin where it does, as codes do.

    Ratings may be few, or all the same. ``as_code``: whether the column may hold codes, such as 1 and 2.
    """
    (low, high), (lowest, highest) = scale, look.usual
    span = high - low
    is_code = highest - lowest < _MIN_SHARE * span and (lowest <= low or span > _MAX_STARS)
    is_inside = low - _SLACK * span <= lowest and highest <= high + _SLACK * span
    return is_inside and (not is_code or not as_code or look.n_given < MIN_UNIQUE or lowest == highest)


def _is_wide(
    table: TableSample, looks: Mapping[str, ColumnProfile], roles: Mapping[Role, str], questions: set[str]
) -> bool:
    """Whether a table has a row per person rather than a row per rating."""
    if any(declared_type(name) for name in looks):
        return False
    are_all = all(name in questions for name in looks)
    if not _are_ratings([looks[name] for name in questions if looks[name].n_given]):
        return False
    if not table.named:
        return len(table.columns) >= _MIN_UNNAMED and are_all
    if "item" in roles and all(looks[name].flags for name in questions):
        return False  # a list of items with their tags
    ids = {roles[role] for role in ("item", "rating", "title") if role in roles and roles[role] not in questions}
    if "user" in roles and _tells_rows_apart(looks.get(roles.get("title", ""))):
        ids.discard(roles["title"])  # the name of the person
    if ids and ("user" in roles or len(questions) < _MIN_QUESTIONS or "rating" in roles):
        return "user" in roles and not ids - {roles.get("title")} and are_all and len(questions) > 1
    numbers = [name for name, look in looks.items() if look.numeric and not look.dates and not is_background(name)]
    if {roles.get("rating"), roles.get("item")} & questions and len(questions) <= _MIN_QUESTIONS:
        return False  # a column called "rating" among two others: a row is a rating
    return len(questions) >= max(_MIN_QUESTIONS, 0.5 * len(numbers)) or (are_all and "user" in roles)


def _tells_rows_apart(look: ColumnProfile | None) -> bool:
    """Whether nearly all cells of a column differ."""
    return look is not None and look.n_given >= MIN_UNIQUE and look.n_distinct > 0.8 * look.n_given


def _are_ratings(looks: Sequence[ColumnProfile]) -> bool:
    """Whether most columns have few levels, or reach over most of the scale; measurements, such as lengths, do not."""
    span = max((look.usual[1] for look in looks), default=0.0) - min((look.usual[0] for look in looks), default=0.0)
    fitting = [
        look for look in looks
        if look.n_distinct <= _MAX_LEVELS or look.n_given < _FEW_GIVEN or look.usual[1] - look.usual[0] >= 0.5 * span
    ]  # fmt: skip
    return len(fitting) >= _MOST * len(looks)


def _is_transposed(table: TableSample, user: str, questions: set[str]) -> bool:
    """Whether rows look like items: the column that names them says so, or the others are numbered people."""
    if role_of(user) == "item" or (role_of(user) == "title" and "tit" in normalized(user)):
        return True
    called = [name for name in questions if _PERSON_NAME.fullmatch(name.strip())]
    return table.named and role_of(user) != "user" and len(called) > 0.8 * len(questions) and len(called) > 2


def _row_names(table: TableSample, looks: Mapping[str, ColumnProfile], roles: Mapping[Role, str]) -> tuple[str, Why]:
    """Return the column that names the rows, empty if they are anonymous, and why it is taken for that."""
    if roles.get("user", "") in looks and "user" in roles:
        return roles["user"], Why.NAME
    for name in (roles.get("item", ""), roles.get("title", "")):
        if name in looks and not looks[name].rating_like and looks[name].n_distinct == looks[name].n_given:
            return name, Why.NAME
    begin = next(iter(looks), "")
    is_counting = len(table.sample) > 5 and begin and all(cell.strip().isdecimal() for cell in table.cells(begin))
    is_id = is_counting or (table.named and normalized(begin) in _ID_NAMES)
    for name in list(looks)[:4]:
        look = looks[name]
        distinct = look.n_given == look.n_distinct == len(table.sample) and not look.dates
        if look.numeric and not look.whole:
            continue
        if distinct and (not look.rating_like or (look.whole and is_id and name == begin)) and not look.prose:
            return name, Why.VALUES
    return "", Why.LEFT


def _counts_its_row(table: TableSample) -> bool:
    """Whether each row begins with the number of its ratings, 99 being none, as in the Jester files."""
    if len(table.columns) < _MIN_UNNAMED or not table.sample:
        return False
    rated = (sum(cell.strip() not in ("", "99", "99.0", "99.00") for cell in row[1:]) for row in table.sample[:50])
    return all(row[0].strip() in (f"{n}", f"{n}.0", f"{n}.00") for n, row in zip(rated, table.sample, strict=False))
