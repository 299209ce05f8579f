"""Which columns of a wide table are questions: they share a scale, and people reach over most of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

import numpy as np

from nnm_core.datasets.guessing.profiles import (
    MAX_PROFILED,
    MAX_SAMPLED,
    MIN_UNIQUE,
    ColumnProfile,
    is_background,
    is_personal,
    is_question,
    is_total,
    role_of,
)
from nnm_core.datasets.rating_texts import NOT_GIVEN, parse_ratings
from nnm_core.datasets.reading.tables import TableSample
from nnm_core.datasets.sentinels import find_offers

MIN_QUESTIONS = 3
_QUANTILES = np.array([0.0, 0.1, 0.25, 0.5])  # of the columns' lowest and highest ratings: where a scale may end
_MANY_MORE = 1.25  # times as many columns must lie on a wider scale
_MOST = 0.7  # of the columns have ratings
_MAX_LEVELS = 11  # stars from 0 to 10, or from 0 to 5 in halves
_FEW_GIVEN = 20
_SAME_END = 0.6  # of the columns have the same lowest or highest rating
_SLACK = 0.34  # of its length: how far ratings on a scale may lie beyond it
_MIN_SHARE = 0.3  # of its length: how far they reach at least if they begin where it does
_MAX_STRANGE = 0.2  # of a column's different cells lie off the scale of the others
_MANY_ROWS = 50  # show whether columns are on a scale
_MAX_FINE = 0.5  # of the columns have numbers between halves, where the rest has answers
_MAX_MEASURED = 0.3  # of the columns have measurements
LONGEST = 200  # scale that people answer on, from −100 to 100
_MAX_SPAN = 20  # of a scale that people use few levels of, as from −10 to 10
_SHORTEST = 3  # scale on which people answer, yes and no aside, unless more speaks for it
_FEW_OTHERS, _MANY_OTHERS = 0.3, 1.0  # times as many other columns as questions
_LONG_ENDS, _MAX_LOWEST = (20, 25, 50, 100), 0.2  # where longer scales end, and how far down people reach on them
_MOST_FLAGS = 0.5  # of the questions can only be answered with yes and no, where others have more answers
_NO_NAME = re.compile(r"(?i)([vxy]|var|col|column|unnamed)[ _.:]*#")  # of a column, which a program made up
_SERIES = 0.5  # of the questions have names that differ in a number only, or are whole sentences
_MAX_STARS = 10  # on a longer scale, numbers that lie close together are an age or the like


def find_questions(table: TableSample, looks: Mapping[str, ColumnProfile]) -> tuple[set[str], set[str]]:
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
    if sum(look.fine for look in rated.values()) <= _MAX_FINE * len(rated):  # weights, means and the like
        rated = {name: look for name, look in rated.items() if not look.fine}
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
    best |= {name for name, look in looks.items() if not (look.n_given or role_of(name) or _is_no_question(name))}
    stretched = _stretched(best_scale, lows, highs)
    patterns = Counter(map(_pattern, best))
    series = {name for name in rated if patterns[_pattern(name)] >= MIN_QUESTIONS}
    return best, best | {name for name, look in rated.items() if _is_on(stretched, look, as_code=name not in series)}


def find_off_scale(table: TableSample, names: Collection[str], questions: Sequence[ColumnProfile]) -> set[str]:
    """The columns among those that were not profiled whose numbers lie off the scale of the questions, or are none."""
    given = [look for look in questions if look.n_given and look.numeric]
    if not given or not names:
        return set()
    low, high = min(look.usual[0] for look in given), max(look.usual[1] for look in given)
    slack = _SLACK * (high - low)

    def fits(cell: str) -> bool:
        if cell.strip().lower() in NOT_GIVEN:
            return True
        with suppress(ValueError):
            return low - slack <= float(cell) <= high + slack
        return bool(low - slack <= parse_ratings([cell]).values[0] <= high + slack)

    rows = [row[MAX_PROFILED:] for row in table.sample[:_MANY_ROWS]]
    strange = {cell for cell in set().union(*rows) if not fits(cell)}
    if not strange:
        return set()
    columns = zip(table.columns[MAX_PROFILED:], map(set, zip(*rows, strict=True)), strict=True)
    return {name for name, cells in columns if name in names and len(cells & strange) > _MAX_STRANGE * len(cells)}


def find_same_answers(table: TableSample, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The most columns that have the same few answers in words, and these answers in the order of the alphabet."""
    columns: dict[frozenset[str], list[str]] = {}
    for name in names:
        given = frozenset(cell.strip() for cell in table.cells(name)) - {""}
        if MIN_QUESTIONS <= len(given) <= _MAX_LEVELS:
            columns.setdefault(given, []).append(name)
    answers, same = max(columns.items(), key=lambda entry: len(entry[1]), default=(frozenset[str](), []))
    return same, sorted(answers)


def are_ratings(looks: Sequence[ColumnProfile]) -> bool:
    """Whether most columns have few levels, or reach over most of the scale, and few look like measurements."""
    span = max((look.usual[1] for look in looks), default=0.0) - min((look.usual[0] for look in looks), default=0.0)
    fitting = [
        look.n_given < _FEW_GIVEN
        or (look.n_distinct <= _MAX_LEVELS and span <= _MAX_SPAN)
        or look.usual[1] - look.usual[0] >= 0.5 * span
        for look in looks
    ]
    measured = sum(look.measured for look in looks)
    if span > LONGEST:
        return False
    return sum(fitting) >= _MOST * len(looks) and measured <= _MAX_MEASURED * len(looks)


def shows_answers(
    table: TableSample, looks: Mapping[str, ColumnProfile], questions: Collection[str], *, is_named: bool
) -> bool:
    """Whether more than a common range says that rows are people and columns what they answered.

    Measurements, shares and codes have common ranges, too. ``is_named``: whether the name of a column says that it has
    the people.
    """
    given = [looks[name] for name in questions if name in looks and looks[name].n_given]
    if not given:
        return True
    if not table.named:
        levels = parse_ratings(sorted({cell for row in table.sample[:_MANY_ROWS] for cell in row})).values
        levels = np.unique(levels[np.isfinite(levels)])
        codes = [offer.value for offer in find_offers(levels, np.ones(len(levels), dtype=np.int64))]
        return len(table.sample) > 1 and _is_usual(*np.setdiff1d(levels, codes)[[0, -1]])
    low, high = min(look.usual[0] for look in given), max(look.usual[1] for look in given)
    others = [name for name, look in looks.items() if name not in questions and look.n_given and not look.dates]
    patterns = Counter(pattern for pattern in map(_pattern, questions) if not _NO_NAME.fullmatch(pattern))
    asks = sum(map(is_question, questions)) >= _SERIES * len(questions)
    is_survey = asks or max(patterns.values(), default=0) > _SERIES * len(questions)
    knows_people = any(map(is_background, table.columns[:MAX_PROFILED]))
    n_flags = sum(look.flags or (look.words and look.n_distinct <= 2) for look in given)
    is_flags, in_words = n_flags > _MOST_FLAGS * len(given), all(look.words for look in given)
    is_fine = any(look.fine for look in given)
    begins_low = high <= _MAX_STARS or low <= _MAX_LOWEST * high
    if is_named:
        about = [name for name in others if is_background(name) or is_personal(name) or is_question(name)]
        n_strange = len(others) - (0 if is_flags else len(about))
        most = _FEW_OTHERS if is_flags and not in_words else _MANY_OTHERS
        return (is_survey or n_strange <= most * len(questions)) and (begins_low or not is_fine)
    if any(role_of(name) in ("item", "title") for name in others):
        return False  # rows are things
    numbers = [name for name in others if looks[name].rating_like and not is_background(name)]
    if is_flags or in_words:
        return asks or (in_words and (not is_flags or (not numbers and len(others) <= _FEW_OTHERS * len(questions))))
    if is_fine or high - low < _SHORTEST or max(-low, high) > _MAX_STARS:
        is_scale = high - low > 1 and begins_low and _is_usual(low, high)
        n_sparse = sum(look.n_given < min(len(table.sample), MAX_SAMPLED) for look in given)
        is_asked = is_survey and not is_fine and (low >= 0 or high - low >= _SHORTEST)
        return is_scale and (n_sparse >= _MOST * len(given) or is_asked) and (not others or knows_people)
    is_clear = knows_people and len(numbers) <= _FEW_OTHERS * len(questions) and n_flags <= _FEW_OTHERS * len(given)
    return is_survey or not others or is_clear


def _is_usual(low: float, high: float) -> bool:
    """Whether people answer on scales with these ends: up to ten stars, or up to a round number."""
    return max(-low, high) <= _MAX_STARS or high in _LONG_ENDS


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
    is_graded = re.search(r"\[(Score|Feedback)\](\.\d+)?$", name) is not None  # what a quiz adds to each answer
    return is_graded or is_background(name) or ((is_personal(name) or is_total(name)) and not is_question(name))


def _is_on(scale: tuple[float, float], look: ColumnProfile, *, as_code: bool = True) -> bool:
    """Whether ratings reach not far beyond a scale, and over enough of it if they begin where it does, as codes do.

    Ratings may be few, or all the same. ``as_code``: whether the column may hold codes, such as 1 and 2.
    """
    (low, high), (lowest, highest) = scale, look.usual
    span = high - low
    is_code = highest - lowest < _MIN_SHARE * span and (lowest <= low or span > _MAX_STARS or look.flags)
    is_inside = low - _SLACK * span <= lowest and highest <= high + _SLACK * span
    return is_inside and (not is_code or not as_code or look.n_given < MIN_UNIQUE or lowest == highest)


def _pattern(name: str) -> str:
    """A column's name without what numbers it, or without the part in brackets that a form adds for each line."""
    return re.sub(r"\[.*\]$|\d+", "#", name)
