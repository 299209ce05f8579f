"""Guess the columns of a wide table: a row per person and a column per item, as in a survey, or the other way round."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

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
    normalized,
    role_of,
)
from nnm_core.datasets.guessing.questions import (
    MIN_QUESTIONS,
    are_ratings,
    find_off_scale,
    find_questions,
    find_same_answers,
    shows_answers,
)
from nnm_core.datasets.reading.tables import TableSample
from nnm_core.datasets.report import Finding, Note, Why, note
from nnm_core.errors import DataError
from nnm_core.phrases import some_of

_ID_NAMES = ("", "column1", "id", "index", "row", "rownames", "unnamed0", "no", "nr")
_PEOPLE_IDS = ("id", "pid", "uid", "uuid", "guid")
_MIN_UNNAMED = 6  # a table without header and with fewer columns is never taken for a wide one
_MAX_REPEATING = 0.5  # of the rows have a person's first answers
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
    same = [name for name, look in looks.items() if look.n_distinct <= 1 < len(table.sample)]  # such as "anonymous"
    roles = {role: name for role, name in roles.items() if role not in ("user", "title") or name not in same}
    first = next(iter(looks), "")
    counts = "user" not in roles and first == table.columns[0] and not hints.columns and _counts_its_row(table)
    user, why = (hints.columns[0], Why.NAME) if hints.columns else _row_names(table, looks, roles)
    user = "" if counts else user
    aside = {user, first if counts else "", *hints.traits}
    others = {name: look for name, look in looks.items() if name not in aside}
    core, questions = find_questions(table, others)
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
    if not hints.is_wide and not shows_answers(table, others, questions, is_named=role_of(user) == "user"):
        return None
    transposed = hints.transposed or (not hints.wide and _is_transposed(table, user, questions))
    if transposed and not is_said:
        questions |= _raters(others, questions)
    unseen = set(table.columns[MAX_PROFILED:]) - aside - set(hints.drop)
    strange = set() if is_said else find_off_scale(table, unseen, [others[name] for name in questions])
    unseen -= strange
    items = tuple(name for name in table.columns if name in questions or name in unseen)
    rest = [name for name in others if name not in questions and looks[name].n_given]
    if not hints.is_wide and _compares(table, user, items):
        raise _comparison(table)
    traits = () if transposed else hints.traits
    if not is_said and not transposed:
        traits = tuple(name for name in rest if is_trait(name, looks[name]) and _is_background(name, looks[name]))
    columns, dialect, file = table.columns, table.dialect, table.file
    ratings = RatingColumns(columns, user, "", "", "wide", items, dialect, file, transposed=transposed)
    users = UserColumns(columns, user, traits, dialect, file) if traits else None
    kind, is_sure = Finding.TRANSPOSED if transposed else Finding.WIDE, hints.is_wide
    notes = [note(kind, n_items=len(items), items=some_of(items), is_sure=is_sure)]
    if counts:
        notes.append(note(Finding.ROW_COUNTS, column=first))
    elif user:
        notes.append(note(Finding.TAKEN, role="item" if transposed else "person", column=user, why=why))
    else:
        notes.append(note(Finding.NUMBERED_ITEMS if transposed else Finding.NUMBERED_USERS))
    rest = [name for name in rest if name not in traits]
    numbers = [name for name in rest if looks[name].numeric and not looks[name].dates]
    words = [name for name in rest if name not in numbers]
    numbers += [name for name in table.columns if name in strange]
    parts = ((Finding.TRAITS, traits), (Finding.OTHER_SCALE, numbers), (Finding.NOT_USED, words))
    notes += [note(kind, columns=some_of(names)) for kind, names in parts if names]
    alike, answers = find_same_answers(table, [*traits, *words])
    if len(alike) > len(items) and not hints.is_wide:
        raise DataError(
            f"{table.file or 'The table'}: {len(items):,} columns have answers on a common scale, but {len(alike):,} "
            f"have the same answers in words, and nothing says which of them is more: {some_of(answers)}. Write them "
            f"as numbers ({some_of(alike)}); to import the others alone, say so (--wide)."
        )
    if len(alike) > 1 and not transposed and not is_said:
        notes.append(note(Finding.UNKNOWN_ANSWERS, columns=some_of(alike), answers=some_of(answers)))
    return RatingGuess(ratings, users, tuple(notes))


def _compares(table: TableSample, user: str, items: Collection[str]) -> bool:
    """Whether a table compares things with each other: its rows and columns have the same names."""
    names = {cell.strip() for cell in table.cells(user)} if user else set()
    return len(names) >= MIN_QUESTIONS and len(names & set(items)) > 0.5 * len(names)


def _comparison(table: TableSample) -> DataError:
    return DataError(
        f"{table.file or 'The table'} has the same names for rows and columns, so it seems to compare things with each "
        "other, as a matrix of similarities does; ratings cannot be learned from that. If these are people who rated "
        "each other, say so (--wide)."
    )


def _repeats(looks: Mapping[str, ColumnProfile], roles: Mapping[Role, str], user: str) -> bool:
    """Whether people have several rows each: most ids came before."""
    ids = [name for name in looks if name in (user, roles.get("user")) or normalized(name) in _PEOPLE_IDS]
    return any(
        looks[name].n_given >= MIN_UNIQUE and looks[name].n_distinct <= _MAX_REPEATING * looks[name].n_given
        for name in ids
        if name in looks
    )


def _raters(looks: Mapping[str, ColumnProfile], questions: set[str]) -> set[str]:
    """Return the columns with ratings between the lowest and the highest of all, however few of them a person uses."""
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


def _is_wide(
    table: TableSample, looks: Mapping[str, ColumnProfile], roles: Mapping[Role, str], questions: set[str]
) -> bool:
    """Whether a table has a row per person rather than a row per rating."""
    if any(declared_type(name) for name in looks):
        return False
    are_all = all(name in questions for name in looks)
    if not are_ratings([looks[name] for name in questions if looks[name].n_given]):
        return False
    if not table.named:
        return len(table.columns) >= _MIN_UNNAMED and are_all
    if "item" in roles and all(looks[name].flags for name in questions):
        return False  # a list of items with their tags
    ids = {roles[role] for role in ("item", "rating", "title") if role in roles and roles[role] not in questions}
    if "user" in roles and _tells_rows_apart(looks.get(roles.get("title", ""))):
        ids.discard(roles["title"])  # the name of the person
    if ids and ("user" in roles or len(questions) < MIN_QUESTIONS or "rating" in roles):
        return "user" in roles and not ids - {roles.get("title")} and are_all and len(questions) > 1
    numbers = [name for name, look in looks.items() if look.numeric and not look.dates and not is_background(name)]
    if {roles.get("rating"), roles.get("item")} & questions and len(questions) <= MIN_QUESTIONS:
        return False  # a column called "rating" among two others: a row is a rating
    n_answered = sum(looks[name].n_given > 0 for name in questions)
    return n_answered >= max(MIN_QUESTIONS, 0.5 * len(numbers)) or (are_all and "user" in roles)


def _tells_rows_apart(look: ColumnProfile | None) -> bool:
    """Whether nearly all cells of a column differ."""
    return look is not None and look.n_given >= MIN_UNIQUE and look.n_distinct > 0.8 * look.n_given


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
