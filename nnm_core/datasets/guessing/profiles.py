"""What the name of a column and a sample of its cells say about what it holds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnm_core.datasets.rating_texts import NOT_GIVEN, parse_ratings
from nnm_core.datasets.reading.tables import TableSample
from nnm_core.datasets.report import Finding
from nnm_core.datasets.sentinels import find_offers

Role = Literal["user", "item", "rating", "count", "time", "title", "tags"]
FileHint = Literal["ratings", "items", "users", "aside", ""]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What people rate.
_THINGS = _words(
    "movie film book anime artist song track album business game joke article recipe beer wine hotel restaurant "
    "venue poi app show video course paper product item place podcast series manga work post event story question "
    "dish destination attraction exercise word sentence image picture sound"
)
_WORDS: dict[Role, frozenset[str]] = {
    "user": _words(
        "user userid users uid username usr reviewer reviewerid reviewername customer customerid member memberid "
        "person personid people account accountid rater raterid profileid profilename reviewprofilename author "
        "authorid viewer viewerid listener listenerid reader readerid participant participantid subject subjectid "
        "visitor visitorid who nutzer nutzerid benutzer benutzerid kunde kundeid kundenid kundennr utilisateur "
        "utilisateurid usuario usuarioid utente utenteid gebruiker anvandare trustorid email userindex useridx userkey "
        "individual client clientid student studentid consumer consumerid pupil respondent yourname fullname firstname "
        "lastname surname voter voterid judge judgeid juror panelist expert evaluator annotator annotatorid worker "
        "workerid prolificpid prolificid patient patientid buyer buyerid emailaddress youremail respondentid "
        "responseid respid schueler schuler vorname nachname eleve alumno"
    ),
    "item": _THINGS
    | {f"{thing}{ending}" for thing in _THINGS for ending in ("id", "s")}
    | _words(
        "iid itemidx itemindex itemkey isbn isbn10 isbn13 asin parentasin sku contentid "
        "content objectid objekt artikel artikelid artikelnr produkt produktid produit livre pelicula peliculaid "
        "mid sid gmapid beerbeerid what titel1 filmtitel"
    ),
    "rating": _words(
        "rating ratings score scores stars star overall value bookrating reviewoverall rate rated vote grade mark "
        "preference note bewertung punkte wertung sterne calificacion puntuacion valutazione reviewrating "
        "userrating starrating reviewscore overallrating ratingscore thumb thumbs like liked likes opinion "
        "isrecommended recommended usersrating myrating yourrating averageratingbyuser cote avaliacao nota"
    ),
    "count": _words(
        "weight plays playcount playcounts listens listencount count counts clicks views viewcount hours playtime "
        "hoursplayed frequency freq times events quantity purchases nplays nclicks watched watchtime duration cnt qty "
        "amount visits minutes seconds interactions sales streams downloads"
    ),
    "time": _words(
        "timestamp time date datetime ts unixreviewtime reviewtime unixtime created createdat updatedat ratedat "
        "ratingdate when datum zeit zeitpunkt tstamp ratingtimestamp ratetimestamp dateadded dateupdated "
        "submittedat fecha day month year week hour daterated dateread watcheddate"
    ),
    "title": _words(
        "title titles name names movietitle booktitle itemname itemtitle productname producttitle filmtitle titel "
        "titre titulo nom nombre artistname songname trackname gamename originaltitle animename moviename "
        "bookname filmname"
    )
    | {f"{thing}{ending}" for thing in _THINGS for ending in ("name", "title")},
    "tags": _words(
        "genres genre tags tag categories category class classes topics topic keywords keyword shelves styles "
        "style categoryname kategorie kategorien schlagworte listedin labels label themes theme moviegenres "
        "itemgenres cuisine cuisines"
    ),
}

_REMARK = re.compile(r"\(.*?\)|\[.*?\]")
_FILE_HINTS: tuple[tuple[FileHint, str], ...] = (  # the first that fits counts
    ("aside", r"readme|licen[cs]e|link|genome|notes|about|\.md$|\.pdf$|\.html?$|\.sh$|\.py$|\.pl$"),
    ("items", r"\.item$"),
    ("users", r"\.user$"),
    ("ratings", r"rating|\.inter$|interaction|review|u\.data|feedback|scores?\b|votes|user_artists|train|jester"),
    ("items", r"movie|item|book|product|artist|film|title|anime|meta|business|game|joke|song|track|catalog"),
    ("users", r"user|people|person|member|customer|reader|demograph"),
)


def normalized(column: str) -> str:
    """Return a column's name without type, case and punctuation: ``userid`` for ``User-ID`` and ``user_id:token``."""
    return re.sub(r"[\W_]+", "", column.rsplit(":", 1)[0] if ":" in column else column).lower()


def role_of(column: str) -> Role | None:
    """Return what a column's name says it holds, remarks in brackets aside; None if it says nothing."""
    spellings = (normalized(column), normalized(_REMARK.sub("", column)))
    found = next((role for word in spellings for role, words in _WORDS.items() if word in words), None)
    return found or ("count" if _counts(column) else None)


def _words_of(column: str) -> list[str]:
    """Return the words in a column's name without its type: "click" and "count" of ``clickCount`` and ``click_count2``.

    >>> _words_of("clickCount:float"), _words_of("total_5")
    (['click', 'count'], ['total'])
    """
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", without_type(column)).lower()
    return [word for word in re.split(r"[\W\d_]+", name) if word]


def _counts(column: str) -> bool:
    """Whether a column's name is two or three words of which the last is one for counts, as in ``click_count``."""
    words = _words_of(column)
    return 1 < len(words) <= _SHORT_NAME and words[-1] in _WORDS["count"]


def is_computed(column: str) -> bool:
    """Whether a column's name says that a program computed its numbers, such as predictions or similarities."""
    return not _COMPUTED.isdisjoint(_words_of(column))


def ends_as_rating(column: str) -> bool:
    """Whether the last word of a column's name is one for ratings, as in ``taste_score``."""
    words = _words_of(_REMARK.sub("", without_type(column)))
    return bool(words) and words[-1] in ("rating", "score", "stars", "bewertung", "vote", "grade")


_BACKGROUND = _words(
    "age alter gender sex geschlecht education bildung income einkommen salary occupation beruf profession employment "
    "marital married religion race ethnicity country nationality region urban language engnat hand orientation voted "
    "familysize household children siblings major birth born birthday"
)
_TOTALS = _words("total totals sum count counts num")
_GROUPS = _words(
    "brand brands maker manufacturer publisher company producer director studio city town state location district "
    "department team group type kind category genre class style colour color channel source season episode url uri "
    "file actor actors description notes"
)
_WEAK_NAMES = _words("author authorid subject content work show value note mark")
_COMPUTED = _words(
    "similarity cosine jaccard distance correlation predicted prediction predictions pred estimated est probability "
    "prob confidence relevance hybrid sentiment polarity subjectivity"
)
_ID = re.compile(r"(?i:\b|_)(?i:id|idx|index|number|nr|no|key|code|uuid|guid)$|[a-z]I[dD]$")
_SHORT_NAME = 3  # letters, or words
_MAX_NAME_WORDS = 5  # a longer name of a column is a question
# Columns about a person that tell people apart, or that are nobody's business, rather than what they have in common.
_PERSONAL = re.compile(
    r"^name$|(?<![a-z])((zip|plz|pwd|ssn|iban|ip|hash|guid|uuid|id|ur[il]|index|number)(?![a-z])"
    r"|(zip|post(al)?)[_ ]?code|phone|mobile|e-?mail|pass_?word|passwd|token|(first|last|user|sur|full)[_ ]?name"
    r"|address|comment|feedback|remark|please[_ ]specify|\[score\])"
)


def says_little(column: str) -> bool:
    """Whether a column's name can mean one role or another, or none, such as "author" or "work"."""
    return normalized(column) in _WEAK_NAMES


def is_background(column: str) -> bool:
    """Whether a column's name says that it is about the person: a short name with a word such as "gender" in it."""
    words = _words_of(column)
    return len(words) <= _MAX_NAME_WORDS and not _BACKGROUND.isdisjoint(words)


def is_time(column: str) -> bool:
    """Whether a word in a column's name is one for times, as in ``view_time``."""
    return not _WORDS["time"].isdisjoint(_words_of(column))


def is_total(column: str) -> bool:
    """Whether a column's name says that it holds totals or counts."""
    return not _TOTALS.isdisjoint(_words_of(column))


def is_group(column: str) -> bool:
    """Whether a column's name says that it holds things or groups, such as brands or cities, which do not rate."""
    return not (_GROUPS | _THINGS).isdisjoint(_words_of(column))


def is_personal(column: str) -> bool:
    """Whether a column's name says that it tells people apart, such as an address, a password or an id."""
    name = without_type(column)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return name.endswith("ID") or _PERSONAL.search(words) is not None


def is_secret(column: str) -> bool:
    """Whether a column's name says that it holds passwords."""
    return re.search(r"(?i)pass_?wor|passwd|\bpwd\b", column) is not None


def is_id(column: str) -> bool:
    """Whether a column's name says that its numbers are ids, or is too short to say anything."""
    return len(column) <= _SHORT_NAME or _ID.search(without_type(column)) is not None


def is_question(column: str) -> bool:
    """Whether a column's name is too long for a name, so that a word such as "e-mail" in it says little."""
    return len(re.split(r"[\W_]+", column.strip("?:. "))) > _MAX_NAME_WORDS


def declared_type(column: str) -> str:
    """Return the type in a RecBole header: ``float`` of ``rating:float``; empty in other headers."""
    match = re.fullmatch(r".+:(token|token_seq|float|float_seq)", column)
    return match[1] if match else ""


def without_type(column: str) -> str:
    """Return a column's name as people say it."""
    return column.rsplit(":", 1)[0] if declared_type(column) else column


def file_hint(path: str) -> FileHint:
    """Return what the name of a file, sheet or table says it holds; empty if it says nothing."""
    name = re.sub(r".*, (sheet|table) ", "", path).rsplit("/", 1)[-1].lower()
    return next((hint for hint, pattern in _FILE_HINTS if re.search(pattern, name)), "")


def is_wished(path: str) -> bool:
    """Whether a file's name says that it lists what somebody wants to see or to read.

    >>> is_wished("export/watchlist.csv"), is_wished("watched.csv")
    (True, False)
    """
    return (
        re.search(r"(?i)(watch|wish)[-_ ]?list|\bto[-_ ]?(read|watch|play)\b|backlog", path.rsplit("/", 1)[-1])
        is not None
    )


DATE = re.compile(
    r"\d{4}[-/.]\d\d?[-/.]\d\d?.*|\d\d?[./]\d\d?[./]\d{2,4}.*"
    r"|\d\d?[- ][A-Za-z]{3}[- ]\d{2,4}.*|[A-Z][a-z]{2} \d\d? ?,.*"
)
CODE_NAME = re.compile(r"(?i)[a-z]\w*_(id|code|key|no|nr)")  # of a column
_PRODUCT_CODE = re.compile(r"B[0-9A-Z]{9}|97[89]\d{10}")
_ISBN = re.compile(r"[0-9]{9}[0-9Xx]")
MIN_UNIQUE = 8  # in fewer rows, it is chance that no cell occurs twice
_MAX_MEANS = 15  # a scale of tenths from 0 to 1.5 may be one of ratings
MAX_SAMPLED = 200  # rows from which columns are profiled
MAX_PROFILED = 400  # a table with more columns than this is wide, or has columns of which the first few tell enough
_FLAGS = frozenset({"0", "1", "0.0", "1.0", "true", "false", "yes", "no", "y", "n", "t", "f", "x", ""})


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """A column's sample: how many cells are given, how many of those differ, and what all of them may be.

    ``words``: rating words such as up and down. ``dates``: or seconds since 1970. ``codes``: product codes such as
    ISBN. ``flags``: 0 and 1, yes and no. ``fine``: numbers between the halves. ``prose``: sentences, or addresses of
    mail or the web. ``separator``: that of lists in the cells, empty if there is none. ``usual``: from where to where
    ratings go without those that may mean "not rated".
    """

    n_given: int
    n_distinct: int
    numeric: bool
    whole: bool
    words: bool
    dates: bool
    codes: bool
    flags: bool
    prose: bool
    separator: str
    fine: bool = False
    lowest: float = math.nan
    highest: float = math.nan
    usual: tuple[float, float] = (math.nan, math.nan)

    @property
    def unique(self) -> bool:
        """Whether no two rows have the same cell, of so many that this is no chance."""
        return self.n_given == self.n_distinct >= MIN_UNIQUE

    @property
    def measured(self) -> bool:
        """Whether the cells look like measurements or means: fine numbers of which hardly any occurs again."""
        many = self.n_distinct > max(_MAX_MEANS, 0.2 * self.n_given)
        return self.fine and self.n_given >= MIN_UNIQUE and many

    @property
    def rating_like(self) -> bool:
        """Whether the cells could be ratings: words for them, or few enough numbers in a modest range."""
        modest = self.highest - self.lowest <= 1000 and abs(self.highest) <= 10_000
        return self.words or (self.numeric and not self.dates and modest)

    @property
    def years(self) -> bool:
        """Whether the cells could be years."""
        return self.whole and self.lowest >= 1500 and self.highest <= 2100


def profile_cells(cells: Sequence[str]) -> ColumnProfile:
    """Say what the cells of one column look like."""
    given = [cell.strip() for cell in cells if cell.strip().lower() not in NOT_GIVEN]
    distinct = sorted(set(given))
    parsed = parse_ratings(distinct)
    numeric = bool(distinct) and not any(map(math.isnan, parsed.values.tolist()))
    words = numeric and any(found.kind is Finding.WORDS_READ for found in parsed.notes)
    values = parsed.values.tolist() if numeric else []
    lowest, highest = (min(values), max(values)) if values else (math.nan, math.nan)
    no_ratings = {offer.value for offer in find_offers(np.unique(values), np.ones(len(values), dtype=np.int64))}
    usual = [value for value in values if value not in no_ratings] or values
    # only "x" or only "no" says too little to be a flag; a lone 0 or 1 may be one
    is_one_sided = len(distinct) == 1 and distinct[0].lower() in ("n", "no", "f", "y", "t")
    return ColumnProfile(
        n_given=len(given),
        n_distinct=len(distinct),
        numeric=numeric and not words,
        whole=numeric and not words and all(value == int(value) for value in values),
        words=words,
        dates=_are_dates(distinct, lowest, highest, numeric=numeric),
        codes=bool(distinct) and sum(map(_is_product_code, distinct)) > 0.8 * len(distinct),
        flags=bool(distinct) and all(cell.lower() in _FLAGS for cell in distinct) and not is_one_sided,
        prose=not numeric and bool(given) and sum(map(_is_prose, given)) > 0.5 * len(given),
        separator=_find_separator(given),
        lowest=lowest,
        highest=highest,
        fine=any(value % 0.5 for value in values if math.isfinite(value)),
        usual=(min(usual), max(usual)) if usual else (lowest, highest),
    )


def _is_prose(cell: str) -> bool:
    """Whether a cell is a sentence, or an address of mail or the web."""
    return len(cell.split()) > 7 or re.match(r"\S+@\S+\.\S+$|https?://|www\.", cell) is not None


def _is_product_code(cell: str) -> bool:
    """Whether a cell is an ASIN or an ISBN; ten digits are one only if the last checks the others."""
    if _ISBN.fullmatch(cell):
        digits = [10 if digit in "Xx" else int(digit) for digit in cell]
        return sum((10 - k) * digit for k, digit in enumerate(digits)) % 11 == 0
    return _PRODUCT_CODE.fullmatch(cell) is not None


def _are_dates(distinct: Sequence[str], lowest: float, highest: float, *, numeric: bool) -> bool:
    """Whether cells are dates, or numbers that would be seconds or milliseconds between 1979 and 2049."""
    if numeric:
        return any(lowest > 3e8 * unit and highest < 2.5e9 * unit for unit in (1, 1000))
    return bool(distinct) and all(DATE.fullmatch(cell) for cell in distinct)


def _find_separator(cells: Sequence[str]) -> str:
    """Return what separates tags in a cell: ``|``, ``;``, ``,``, or ``[`` for lists in brackets; empty for one tag."""
    if sum(cell.startswith(("[", "{")) and cell.endswith(("]", "}")) for cell in cells) > 0.5 * len(cells):
        return "["
    fewest = max(1, 0.1 * len(cells))
    return next((mark for mark in "|;," if sum(mark in cell for cell in cells) >= fewest), "")


def profile_columns(table: TableSample) -> dict[str, ColumnProfile]:
    """Profile the first few hundred columns of a table, once."""
    if not table.profiles:
        columns = zip(*(row[:MAX_PROFILED] for row in table.sample[:MAX_SAMPLED]), strict=True) if table.sample else []
        table.profiles.update(zip(table.columns, map(profile_cells, columns), strict=False))
    return table.profiles


def roles_of(table: TableSample) -> dict[Role, str]:
    """Return the roles that the names of columns claim: an id before a name, a plain title before an original one."""
    found: dict[Role, str] = {}
    words = {column: normalized(column) for column in table.columns[:MAX_PROFILED]} if table.named else {}
    for column in sorted(words, key=lambda column: not words[column].endswith("id") and words[column] != "title"):
        role = role_of(column)
        if role is not None:
            found.setdefault(role, column)
    return found
