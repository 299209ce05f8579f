"""Ratings as people write them: numbers in several notations, stars, thumbs, and the answers of a survey."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnm_core.datasets.report import Finding, Note, note
from nnm_core.types import BoolArray, FloatArray

# What people write for "no rating", in lower case.
NOT_GIVEN = frozenset(
    {"", "na", "n/a", "nan", "null", "none", "nil", "-", "--", "?", "\\n", "<na>", ".", "missing", "unrated"}
    | {"#n/a", "not applicable", "no answer", "don't know", "dont know", "refused", "prefer not to say", "not rated"}
    | {"unfamiliar", "unfamiliar (n/a)", "never heard of"}
)
_THUMB_WORDS = (
    ("down", "up"), ("thumbs down", "thumbs up"), ("thumbs_down", "thumbs_up"), ("dislike", "like"),
    ("disliked", "liked"), ("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"), ("nein", "ja"), ("non", "oui"),
    ("no", "sí"), ("no", "si"), ("não", "sim"), ("-", "+"), ("👎", "👍"),
    ("not recommended", "recommended"), ("bad", "good"),
)  # fmt: skip
# Answers of surveys from the lowest to the highest, numbered from 1; a bar stands between words for the same answer.
_NEUTRAL = (
    "neutral|undecided|unsure|neither|neither agree nor disagree|neither agree or disagree|no opinion|"
    "neither favorably nor unfavorably (neutral)"
)
_WORD_SCALES = """\
strongly disagree, disagree, *, agree, strongly agree
strongly disagree, disagree, somewhat disagree, *, somewhat agree, agree, strongly agree
strongly disagree, disagree, slightly disagree, *, slightly agree, agree, strongly agree
very dissatisfied, dissatisfied, *, satisfied, very satisfied
very unfavorably, somewhat unfavorably, *, somewhat favorably, very favorably
very unfavorable, somewhat unfavorable|unfavorable, *, somewhat favorable|favorable, very favorable
strongly oppose, somewhat oppose|oppose, *, somewhat support|support, strongly support
strongly oppose, somewhat oppose|oppose, *, somewhat favor|favor, strongly favor
very unlikely, unlikely, *, likely, very likely
never, rarely|seldom, sometimes|occasionally, often|frequently, always
not important|not at all important, slightly important, moderately important, very important, extremely important
not important|unimportant, less important|of little importance, *, somewhat important|important, very important
not at all, slightly|a little|not so|not very|not too, moderately|somewhat, very|a lot, extremely
very poor|terrible, poor, fair|average|ok|okay, good, very good|excellent
very bad, bad, fair|average|ok|okay, good, very good
hate, dislike, *|ok|okay, like, love
totalmente en desacuerdo, en desacuerdo, ni de acuerdo ni en desacuerdo|neutral, de acuerdo, totalmente de acuerdo
nunca, raramente|rara vez|casi nunca, a veces|algunas veces, a menudo|frecuentemente|casi siempre, siempre
muy malo|muy mala, malo|mala, regular, bueno|buena, muy bueno|muy buena|excelente
discordo totalmente, discordo, neutro|não concordo nem discordo, concordo, concordo totalmente
pas du tout d'accord, pas d'accord, neutre|ni d'accord ni pas d'accord, d'accord, tout à fait d'accord
jamais, rarement, parfois, souvent, toujours
nie, selten, manchmal, oft|häufig, immer
stimme gar nicht zu, stimme eher nicht zu|stimme nicht zu, teils teils, stimme eher zu|stimme zu, stimme voll zu
"""
_NUMBERED_ANSWERS = [
    {word: float(k) for k, words in enumerate(scale.replace("*", _NEUTRAL).split(", "), 1) for word in words.split("|")}
    for scale in _WORD_SCALES.splitlines()
]
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COMMA = re.compile(r"([+-]?\d+,\d+)")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+")
_STARS = re.compile(r"[★⭐]+[☆]*")
MAX_LISTED = 64


_NOTATIONS = {
    Finding.PERCENT_SIGNS: re.compile(r"([+-]?\d+(?:[.,]\d+)?)\s*%"),
    Finding.OUT_OF: re.compile(r"(\d+(?:\.\d+)?)\s*(?:/|out of|of)\s*\d+"),
    Finding.LABELLED: re.compile(r"([+-]?\d{1,2})\s*[-–=:.)]\s*[^\W\d].*"),
    Finding.LABELLED_BEHIND: re.compile(r"[^\W\d][^\d()]*\(([+-]?\d{1,2})\)"),
}


@dataclass(frozen=True, slots=True)
class ParsedRatings:
    """Distinct ratings as ``values`` (n,), NaN where a text is no number, or says that a rating is ``not_given`` (n,).

    ``notes``: how ratings were understood that are not plain numbers, one for each way of writing them.
    """

    values: FloatArray
    not_given: BoolArray
    notes: tuple[Note, ...] = ()


def parse_ratings(texts: Sequence[str]) -> ParsedRatings:
    """Parse distinct ratings: decimals with point or comma, percent, stars, "4/5", up and down, answers of a survey.

    >>> parse_ratings(["4/5", "2/5", "n/a"]).values.tolist()
    [4.0, 2.0, nan]
    """
    plain = _plain_numbers(texts)
    if plain is not None:
        return ParsedRatings(plain, np.zeros(len(texts), dtype=np.bool_))
    stripped = [text.strip().strip("\"'").strip() for text in texts]
    words = _thumbs(stripped) or _answers(stripped)
    none_words = NOT_GIVEN if words is None else NOT_GIVEN - words.keys()
    not_given = np.array([text.lower() in none_words for text in stripped], dtype=np.bool_)
    if words is not None:
        values = np.array([words.get(text.lower(), math.nan) for text in stripped])
        meaning = ", ".join(f"{text!r} = {value:g}" for text, value in words.items())
        return ParsedRatings(values, not_given, (note(Finding.WORDS_READ, meaning=meaning),))
    return _written_numbers(stripped, not_given)


def _plain_numbers(texts: Sequence[str]) -> FloatArray | None:
    """Return all texts as numbers, or None if a single one is not plainly a finite number."""
    try:
        values = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return values if np.isfinite(values).all() and not any("_" in text for text in texts) else None


def _thumbs(texts: Sequence[str]) -> dict[str, float] | None:
    """Return the pair of words that all given ratings are taken from, if there is one."""
    if len(texts) > MAX_LISTED:
        return None
    words = {text.lower() for text in texts}
    for pair in _THUMB_WORDS:
        given = words - (NOT_GIVEN - set(pair))
        if given and given <= set(pair) and (len(given) == 2 or not given & NOT_GIVEN):
            return dict(zip(pair, (0.0, 1.0), strict=True))
    return None


def _answers(texts: Sequence[str]) -> dict[str, float] | None:
    """Return the answers of the survey that all given ratings but a few are taken from, as far as they occur."""
    given = {text.lower() for text in texts} - NOT_GIVEN
    return _known_answers(given) or _with_last_word(given)


def _with_last_word(given: set[str]) -> dict[str, float] | None:
    """Return what answers mean that all end with the same word, as "not so worried" and "very worried" do."""
    parts = {text: text.rpartition(" ") for text in given}
    if len({last for _, _, last in parts.values()}) != 1 or not all(begin for begin, _, _ in parts.values()):
        return None
    found = _known_answers({begin for begin, _, _ in parts.values()})
    if found is None:
        return None
    number = {text: found[begin] for text, (begin, _, _) in parts.items() if begin in found}
    return {text: number[text] for text in sorted(number, key=number.__getitem__)}


def _known_answers(given: set[str]) -> dict[str, float] | None:
    """Return what answers mean if all but a few are on one of the known scales."""
    for most_unknown in (0, 1, 2) if 1 < len(given) <= MAX_LISTED else ():
        for number in _NUMBERED_ANSWERS:
            known = given & number.keys()
            if len(given) - len(known) <= most_unknown and len(known) > max(1, most_unknown * 2):
                return {word: number[word] for word in sorted(known, key=number.__getitem__)}
    return None


def _with_thousands(texts: Sequence[str]) -> str:
    """Return an example of numbers such as 1,318; empty if commas may stand before decimals."""
    commas = [text for text in texts if "," in text]
    large = [text for text in texts if text.isdecimal() and int(text) >= 100]  # such numbers need no comma
    if not commas or not all(_THOUSANDS.fullmatch(text) for text in commas):
        return ""
    return commas[0] if large or any(text.count(",") > 1 for text in commas) else ""


def _written_numbers(texts: Sequence[str], not_given: BoolArray) -> ParsedRatings:
    """Read what stands first in each text that is a number in one of the known notations."""
    values = np.full(len(texts), math.nan)
    seen: dict[Finding, str] = {}
    if thousands := _with_thousands(texts):
        seen[Finding.THOUSANDS] = thousands
        texts = [text.replace(",", "") if _THOUSANDS.fullmatch(text) else text for text in texts]
    notations = _NOTATIONS if any("." in text for text in texts) else {**_NOTATIONS, Finding.DECIMAL_COMMAS: _COMMA}
    for k, text in enumerate(texts):
        if not_given[k]:
            continue
        if _NUMBER.fullmatch(text):
            values[k] = float(text)
        elif _STARS.fullmatch(text):
            values[k] = text.count("★") + text.count("⭐")
            seen.setdefault(Finding.STARS_COUNTED, text)
        for notation, pattern in notations.items():
            if match := pattern.fullmatch(text):
                values[k] = float(match[1].replace(",", "."))
                seen.setdefault(notation, text)
    values[~np.isfinite(values)] = math.nan
    return ParsedRatings(values, not_given, tuple(note(kind, example=text) for kind, text in seen.items()))
