"""Tables of records, measurements and wishes: they are no ratings, and nothing of them may be read unasked."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

from collections.abc import Callable

from .cases import Bad, lines
from .surveys import LIKES, N, answer, table

ASKED = "who rated|several columns could be the ratings|users and items|hardly any|several rows for most people|cannot be read as JSON"


def flag(j: int) -> Callable[[int], int]:
    """0 and 1 in no order."""
    return lambda k: k * j * (k + j) % 7 % 2


def yes(j: int) -> Callable[[int], str]:
    return lambda k: ("no", "yes")[flag(j)(k)]


NO_RATINGS = [
    Bad("properties of the rows of a data frame", table("rownames,kids,happy,unhappy,pious,married1,married2,married3", lambda k: k + 1, *map(flag, range(1, 8))), ASKED),
    Bad("years in which something happened", table("year,Aland,Borduria,Costa,Dorne", lambda k: 1800 + k, *map(flag, range(1, 5))), ASKED),
    Bad("weeks of work", table("rownames,arrest,age,prio,educ,emp1,emp2,emp3,emp4,emp5,emp6,emp7", lambda k: k + 1, flag(2), lambda k: 18 + k % 20, lambda k: k % 13, lambda k: 2 + k % 5, *map(yes, range(1, 8))), ASKED),
    Bad("infections of patients", table("rownames,patient,time1,infect1,time2,infect2,age,gender,gn,an", lambda k: k + 1, lambda k: k + 1, lambda k: 5 + k * k % 300, flag(1), lambda k: 4 + k * 7 % 250, flag(2), lambda k: 20 + k % 40, flag(3), flag(4), flag(5)), ASKED),
    Bad("voters with what is known about them", table("uid,state,age,educ,polint,vote,female,south,race", lambda k: k + 1, lambda k: ("FL", "OH", "NY")[k % 3], lambda k: 18 + k % 60, lambda k: 1 + k % 7, lambda k: k % 5, *map(flag, range(1, 5))), ASKED),
    Bad("people on an island", table("version,season,id,name,first_name,age,gender,city,state,result,days,evacuated,reason,episode,linked", lambda k: "US", lambda k: 1 + k // 8, lambda k: f"US{k:03d}", lambda k: f"N{k} M{k}", lambda k: f"N{k % 37}", lambda k: 25 + k % 30, lambda k: ("Male", "Female")[k % 3 == 0], lambda k: f"Town {k % 9}", lambda k: f"S{k % 7}", lambda k: 1 + k % 10, lambda k: 4 + k * 7 % 80, yes(3), lambda k: ("Health", "Family", "Loss")[k % 3], lambda k: 1 + k % 11, lambda k: k % 9), ASKED),
    Bad("years of schooling", table("rownames,wage,iq,educ,exper,tenure,age,married,sibs,meduc,feduc", lambda k: k + 1, lambda k: 300 + k * 37 % 900, lambda k: 70 + k * 7 % 60, lambda k: 9 + k % 10, lambda k: 1 + k % 23, lambda k: k % 22, lambda k: 28 + k % 11, flag(3), lambda k: k % 9, lambda k: k % 18 if k % 5 else "", lambda k: k % 19 if k % 4 else ""), ASKED),
    Bad("children and property", table("rownames,hours,income,age,child5,child13,child17,owned,mortgage,occupation", lambda k: k + 1, lambda k: 1200 + k * 7, lambda k: 300 + k * 11, lambda k: 25 + k % 30, lambda k: k % 3, lambda k: k % 4, lambda k: k % 7, flag(2), flag(3), lambda k: ("clerk", "other")[k % 2]), ASKED),
    Bad("seizures", table("rownames,id,treat,base,age,y1,y2,y3,y4", lambda k: k + 1, lambda k: 100 + k, lambda k: ("drug", "none")[k % 2], lambda k: 6 + k * 7 % 150, lambda k: 18 + k % 25, *(lambda k, j=j: k * k * j % 103 for j in (1, 2, 3, 5))), ASKED),
    Bad("answers of schools with shares beside them", table("School,Sector,part1,part2,part3,share1,share2,share3,share4", lambda k: f"School {k}", lambda k: ("state", "free")[k % 2], *(lambda k, j=j: (k * j + k // 5) % 4 for j in (1, 3, 5)), *(lambda k, j=j: round(k * j % 5 / 7, 9) for j in (1, 2, 3, 4))), ASKED),
    Bad("a field in rows and columns", table("rownames,row,col,yield", lambda k: k + 1, lambda k: 1 + k // 8, lambda k: 1 + k % 8, lambda k: 9 + k * k % 27), ASKED),
    Bad("cells under a microscope", table("rownames,ID,V1,V2,V3,V4,V5,class", lambda k: k + 1, lambda k: 1000025 + k // 2, *(lambda k, j=j: 1 + k * j % 10 for j in (1, 3, 7, 9, 11)), lambda k: ("good", "bad")[k % 3 == 0]), ASKED),
    Bad("marks called course", table("school,student,gender,written,course", lambda k: 20920 + k // 10, lambda k: k % 13, lambda k: "MF"[k % 2], lambda k: 20 + k * 7 % 60, lambda k: round(50 + k * 37 % 41 * 1.1, 1)), ASKED),
    Bad("where people work", lines([(f"u{k}", ("some", "none")[k % 2], ("once a year", "never")[k % 3 == 0], f"{20 + k % 9 * 5}", ("employed", "student", "retired")[k % 3]) for k in range(150)], header="user_id,art_knowledge,museum_visits,age,work").encode(), "hardly any|who rated|users and items"),
    Bad("numbers that nothing explains", table("rownames,aftertaste,panelist,product", lambda k: k + 1, lambda k: k * 37 % 151, lambda k: "abcdefghij"[k % 10], lambda k: 300 + 100 * (k // 10)), "nothing says what these numbers are.*'aftertaste'.*--columns PERSON ITEM"),
    Bad("answers by time, in a log without names", lines([(f"10.0.0.{k % 7}", 1762330000 + 3 * k, f"Name{k % 7}", f"#{k * 7919 % 4096:03x}", f"#{k * 104729 % 4096:03x}", k * 37 % 101) for k in range(60)]).encode(), "repeat a person and an item|users and items"),
    Bad("readings of both signs", lines([tuple((k * 37 + j * 61 + k * j) % 200 - 100 for j in range(8)) for k in range(40)]).encode(), ASKED),
    Bad("distances in one line", lines([tuple(round(0.3 + k * k % 71 / 100, 3) for k in range(60))], " ").encode(), "users and items|has no file with ratings", filename="distances.txt"),
    Bad("a list of films to see", LIKES.encode(), "want to see or to read.*--one-person --columns 'Letterboxd URI'", filename="watchlist.csv"),
    Bad("books that people want to read", lines([(k % 9, k // 9) for k in range(60)], header="user_id,book_id").encode(), "want to see or to read.*--columns 'user_id' 'book_id'", filename="to_read.csv"),
    Bad("accounts of a few people", b"id,username,joined,plan\n1,jo,2024-01-01,free\n2,sam,2024-02-01,paid\n", "an item of their own"),
    Bad("points in a quiz", lines([(f"a{p}@x.org", *(part for k in range(4) for part in ("ABC"[answer(p, k) % 3], f'"{answer(p, k) % 2}.00 / 1"', ""))) for p in range(N)], header="Username," + ",".join(f'"{q}","{q} [Score]","{q} [Feedback]"' for q in ("Which strain was found in the year 2009?", "When do most people fall ill with it?", "What is the fastest way to catch it?", "Which part of the cell does it bind to?"))).encode(), ASKED),
    Bad("settings of a program", b'{"name": "cosine", "user_based": false, "min_support": 5}', ASKED + "|a single person|an item of their own", filename="ratings.json"),
    Bad("sums under names", b'{"restaurants": {"Inn": {"sum": 2, "count": 1}}, "drivers": {}}', ASKED + "|a single person|an item of their own", filename="ratings.json"),
]  # fmt: skip
"""Tables that were once read as ratings in silence, in the shape of the real ones."""
