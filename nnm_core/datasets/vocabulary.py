"""What people call their columns and files."""

from __future__ import annotations

import re
from typing import Literal

Role = Literal["user", "item", "rating", "count", "time", "title", "tags"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_THINGS = _words(
    "movie film book anime artist song track album business game joke article recipe beer wine hotel restaurant "
    "venue poi app show video course paper product item place podcast series manga work post event story"
)
"""What people rate."""

_WORDS: dict[Role, frozenset[str]] = {
    "user": _words(
        "user userid users uid username usr reviewer reviewerid reviewername customer customerid member memberid "
        "person personid people account accountid rater raterid profileid profilename reviewprofilename author "
        "authorid viewer viewerid listener listenerid reader readerid participant participantid subject subjectid "
        "visitor visitorid who nutzer nutzerid benutzer benutzerid kunde kundeid kundenid kundennr utilisateur "
        "utilisateurid usuario usuarioid utente utenteid gebruiker anvandare trustorid email userindex useridx userkey "
        "individual client clientid student pupil respondent yourname fullname firstname lastname surname emailaddress "
        "youremail schueler schuler vorname nachname eleve alumno"
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
        "isrecommended recommended usersrating myrating averageratingbyuser cote avaliacao nota"
    ),
    "count": _words(
        "weight plays playcount playcounts listens listencount count counts clicks views viewcount hours playtime "
        "hoursplayed frequency freq times events quantity purchases nplays nclicks watched watchtime duration"
    ),
    "time": _words(
        "timestamp time date datetime ts unixreviewtime reviewtime unixtime created createdat updatedat ratedat "
        "ratingdate when datum zeit zeitpunkt tstamp ratingtimestamp ratetimestamp dateadded dateupdated "
        "submittedat fecha day year"
    ),
    "title": _words(
        "title titles name names movietitle booktitle itemname itemtitle productname producttitle filmtitle titel "
        "titre titulo nom nombre artistname songname trackname gamename originaltitle animename moviename "
        "bookname filmname"
    ),
    "tags": _words(
        "genres genre tags tag categories category class classes topics topic keywords keyword shelves styles "
        "style kategorie kategorien schlagworte listedin labels label themes theme moviegenres itemgenres"
    ),
}

_REMARK = re.compile(r"\(.*?\)|\[.*?\]")
_RATINGS_FILES = re.compile(
    r"rating|\.inter$|interaction|review|u\.data|feedback|scores?\b|votes|user_artists|train|jester"
)
_ITEM_FILES = re.compile(r"movie|item|book|product|artist|film|title|anime|meta|business|game|joke|song|track|catalog")
_USER_FILES = re.compile(r"user|people|person|member|customer|reader|demograph")
_ASIDE_FILES = re.compile(r"readme|licen[cs]e|link|genome|notes|about|\.md$|\.pdf$|\.html?$|\.sh$|\.py$|\.pl$")


def normalized(column: str) -> str:
    """A column's name without type, case and punctuation: ``User-ID`` and ``user_id:token`` are ``userid``."""
    return re.sub(r"[\W_]+", "", column.rsplit(":", 1)[0] if ":" in column else column).lower()


def role_of(column: str) -> Role | None:
    """What a column's name says it holds, remarks in brackets aside; None if it says nothing."""
    for word in (normalized(column), normalized(_REMARK.sub("", column))):
        for role, words in _WORDS.items():
            if word in words:
                return role
    return None


def may_name_people(column: str) -> bool:
    """Whether a column that reads like a title may as well hold the names of people."""
    return normalized(column) in ("name", "names", "nom", "nombre")


def declared_type(column: str) -> str:
    """The type in a RecBole header: ``float`` of ``rating:float``; empty in other headers."""
    match = re.fullmatch(r".+:(token|token_seq|float|float_seq)", column)
    return match[1] if match else ""


def without_type(column: str) -> str:
    """A column's name as people say it."""
    return column.rsplit(":", 1)[0] if declared_type(column) else column


def file_hint(name: str) -> Literal["ratings", "items", "users", "aside", ""]:
    """What a file's name says it holds; empty if it says nothing."""
    if _ASIDE_FILES.search(name):
        return "aside"
    if name.endswith(".item"):
        return "items"
    if name.endswith(".user"):
        return "users"
    if _RATINGS_FILES.search(name):
        return "ratings"
    if _ITEM_FILES.search(name):
        return "items"
    return "users" if _USER_FILES.search(name) else ""
