"""Surveys and other wide tables, lists that are not ratings by several people, and tables with odd rows."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import json
from typing import Any

from nnm_core.datasets import Cleaning, Dataset, Hints, ImportReport

from .cases import (
    TRIPLES,
    Bad,
    Check,
    Good,
    both,
    dropped,
    has_tags,
    has_titles,
    has_trait,
    is_implicit,
    lines,
    noted,
    nothing_offered,
    offered,
    on_scale,
)

N = 24  # people in each survey
ANSWERS = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")


def answer(person: int, question: int, n_levels: int = 5) -> int:
    """What a person answers, from 1; every level occurs in every column."""
    return 1 + (person * (question + 2) + person // 5 + question) % n_levels


def given(questions: list[str], n_levels: int = 5, names: list[str] | None = None) -> list[tuple[str, str, float]]:
    names = names or [str(person + 1) for person in range(N)]
    return [(names[p], question, answer(p, k, n_levels)) for p in range(N) for k, question in enumerate(questions)]


def survey(
    before: dict[str, list[Any]], questions: list[str], after: dict[str, list[Any]] | None = None, n_levels: int = 5
) -> str:
    """A row per person: columns before the questions, the answers, and columns behind them."""
    after = after or {}
    rows = [
        (
            *(cells[p] for cells in before.values()),
            *(answer(p, k, n_levels) for k in range(len(questions))),
            *(cells[p] for cells in after.values()),
        )
        for p in range(N)
    ]
    return lines(rows, header=",".join([*before, *questions, *after]))


def each(*values: Any) -> list[Any]:
    return [values[p % len(values)] for p in range(N)]


def only_traits(*names: str) -> Check:
    def check(dataset: Dataset, _: ImportReport) -> None:
        assert set(dataset.traits) == set(names)

    return check


def repeats_as(*arguments: str) -> Check:
    """A check of what to add to a command for the same reading."""

    def check(_: Dataset, report: ImportReport) -> None:
        assert report.arguments == arguments

    return check


Q = [f"Q{k}" for k in range(1, 7)]
EMAILS = [f"p{p}@example.org" for p in range(N)]
AGES = [18 + (7 * p) % 50 for p in range(N)]
TEXTS = [f"I liked most of what we did in week {p} of the course" for p in range(N)]
WORDS = survey({}, Q[:3])
WORDS = "\n".join(
    [
        WORDS.splitlines()[0],
        *(",".join(ANSWERS[int(cell) - 1] for cell in row.split(",")) for row in WORDS.splitlines()[1:]),
    ]
)
WITH_CODES = survey({"id": list(range(1, N + 1))}, Q).replace("\n24,", "\n24,99,98,97,", 1).rsplit(",", 3)[0] + "\n"
MATRIX = lines(
    [(f"Film {k}", *(answer(p, k) for p in range(6))) for k in range(12)], header="movie,Ann,Ben,Cleo,Dan,Eva,Fritz"
)
TURNED = [
    (name, f"Film {k}", answer(p, k))
    for k in range(12)
    for p, name in enumerate(("Ann", "Ben", "Cleo", "Dan", "Eva", "Fritz"))
]
PAIRS = [(f"u{p}", f"i{k}", answer(p, k)) for p in range(6) for k in range(5)]
LETTERBOXD = "Date,Name,Year,Letterboxd URI,Rating\n" + "".join(
    f"2021-01-{k + 1:02d},Film {k},{1980 + k},https://boxd.it/{k:04x},{1 + k % 9 / 2:g}\n" for k in range(25)
)
LIKES = "Date,Name,Year,Letterboxd URI\n" + "".join(
    f"2021-01-{k + 1:02d},Film {k // 2},{1980 + k},https://boxd.it/{k:04x}\n" for k in range(25)
)
SPARSE = [(p, k, (p * 7 + k * 3) % 9 / 2 + 1) for p in range(30) for k in range(20) if (p * p + 3 * k + p * k) % 17 < 3]
SPARSE_MATRIX = {(p, k): value for p, k, value in SPARSE}
GRADES = ("very poor", "poor", "fair", "good", "very good")
IMDB = "Const,Your Rating,Date Rated,Title,URL,Title Type,IMDb Rating,Year,Directors\n" + "".join(
    f"tt{k:07d},{1 + k % 10},2021-01-01,Film {k},https://www.imdb.com/title/tt{k:07d},Movie,{5 + k / 10},{1980 + k},Director {k % 4}\n" for k in range(25))  # fmt: skip
GOODREADS = "Book Id,Title,Author,My Rating,Average Rating,Publisher,Exclusive Shelf\n" + "".join(
    f"{100 + k},Book {k},Author {k % 5},{k % 6},3.{k},Press {k % 3},read\n" for k in range(25)
)

FAVOURS = ("Very unfavorably", "Somewhat unfavorably", "Neither favorably nor unfavorably (neutral)", "Somewhat favorably", "Very favorably")  # fmt: skip
ASKED = ["Yoda", "Boba Fett", "R2 D2"]
IN_PARTS = lines(
    [
        (320000 + 7 * p, "Yes", *(FAVOURS[answer(p, k) - 1] for k in range(3)), ("Male", "Female")[p % 2])
        for p in range(N)
    ],
    header="RespondentID,Have you seen it?,Who do you like?,,,Gender\n,Response," + ",".join(ASKED) + ",Response",
)
QUALTRICS = lines(
    [("2021-01-01", p + 1, *(answer(p, k) for k in range(6))) for p in range(N)],
    header=f"StartDate,ResponseId,{','.join(Q)}\nStart Date,Response ID,{','.join(f'How is {q}?' for q in Q)}\n"
    + ",".join(f'"{{""ImportId"":""{q}""}}"' for q in ["startDate", "_recordId", *Q]),
)
MANY = [f"item {k}" for k in range(450)]
RUDE = ("No way", "Now and then", "All the time")

SURVEYS = [
    Good("SurveyMonkey: questions in parts", IN_PARTS.encode(), [(str(320000 + 7 * p), f"Who do you like? - {who}", answer(p, k)) for p in range(N) for k, who in enumerate(ASKED)],
         both(only_traits("Have you seen it?", "Gender"), noted("explain them, as in exports of surveys, are no answers: 1"))),
    Good("SurveyMonkey: no parts", lines([(900 + p, *("No" if answer(p, k, 2) == 1 else "Yes" for k in range(3))) for p in range(N)], header="RespondentID,Do you smoke?,Do you gamble?,Do you drive?\n,Response,Response,Response").encode(),
         [(str(900 + p), q, answer(p, k, 2) - 1) for p in range(N) for k, q in enumerate(("Do you smoke?", "Do you gamble?", "Do you drive?"))], on_scale(0, 1, 1)),
    Good("Qualtrics: three rows of names", QUALTRICS.encode(), given(Q), both(noted("are no answers: 2"), on_scale(1, 5, 1))),
    Good("weights beside answers", survey({"id": list(range(1, N + 1)), "weight": [0.4 + p / 17 for p in range(N)]}, Q).encode(), given(Q), noted("not taken as items: 'weight'")),
    Good("totals behind hundreds of questions", survey({"id": list(range(1, N + 1))}, MANY, {"grams": [500.5 + 17 * p for p in range(N)]}).encode(), given(MANY), noted("not taken as items: 'grams'")),
    Good("answers that are not known", lines([(p + 1, *(answer(p, k) for k in range(6)), *(RUDE[answer(p, k, 3) - 1] for k in range(3))) for p in range(N)], header="id," + ",".join([*Q, "talk", "wake", "recline"])).encode(),
         given(Q), both(only_traits("talk", "wake", "recline"), noted("not which of them is more: 'All the time', 'No way', 'Now and then'"))),
    Good("answers that end with the same word", lines([(p + 1, *(f"{('Not at all', 'Not so', 'Somewhat', 'Very', 'Extremely')[answer(p, k) - 1]} worried" for k in range(3))) for p in range(N)], header="id,Q1,Q2,Q3").encode(),
         given(Q[:3]), both(noted("'not at all worried' = 1"), on_scale(1, 5, 1))),
    Good("flags among questions", lines([(p + 1, *(answer(p, k) for k in range(6)), *(10 * (p % 2 + k) for k in range(2))) for p in range(N)], header="id," + ",".join([*Q, "before", "after"])).encode(),
         given(Q), noted("not taken as items: 'before', 'after'")),
    Good("people who rate each other", lines([(name, *(answer(p, k) for k in range(6))) for p, name in enumerate(("Ann", "Ben", "Cleo", "Dan", "Eva", "Fritz"))], header="rater,Ann,Ben,Cleo,Dan,Eva,Fritz").encode(),
         [(name, other, answer(p, k)) for p, name in enumerate(("Ann", "Ben", "Cleo", "Dan", "Eva", "Fritz")) for k, other in enumerate(("Ann", "Ben", "Cleo", "Dan", "Eva", "Fritz"))], options={"hints": Hints(wide=True)}),
    Good("survey with nothing else", survey({}, Q).encode(), given(Q), both(noted("numbered by row"), repeats_as("--wide"), on_scale(1, 5, 1))),
    Good("survey of three questions", survey({"respondent": [f"r{p}" for p in range(N)]}, ["pizza", "pasta", "salad"], n_levels=7).encode(),
         given(["pizza", "pasta", "salad"], 7, [f"r{p}" for p in range(N)]), repeats_as("--wide", "--columns", "respondent")),
    Good("survey with background", survey({"gender": each("F", "M"), "age": AGES, "country": each("US", "DE", "IN")}, Q).encode(), given(Q),
         both(only_traits("gender", "age", "country"), has_trait("gender", "F", "M"), noted("taken as traits: 'gender', 'age', 'country'"))),
    Good("survey with coded background", survey({"race": each(1, 2, 3), "age": AGES, "engnat": each(1, 2), "gender": each(1, 2), "hand": each(1, 2)}, Q).encode(), given(Q),
         only_traits("race", "age", "engnat", "gender", "hand")),
    Good("survey with a total", survey({"id": list(range(1, N + 1))}, Q, {"total": [sum(answer(p, k) for k in range(6)) for p in range(N)]}).encode(), given(Q),
         both(noted("another scale than the rest, so not taken as items: 'total'"), only_traits(), repeats_as("--wide", "--columns", "id", "--drop", "total"))),
    Good("Google form", survey({"Timestamp": ["2024/03/01 10:00:00"] * N, "Email address": EMAILS, "What is your gender?": each("Female", "Male")}, Q[:3], {"Any comments?": TEXTS}).encode(),
         given(Q[:3], names=EMAILS), both(only_traits("What is your gender?"), noted("not used: 'Timestamp', 'Any comments?'"), noted("person: 'Email address' (sure"))),
    Good("how important things are", lines([(p + 1, *(("Not important", "Less Important", "Neutral", "Somewhat Important", "Very Important")[answer(p, k) - 1] for k in range(3))) for p in range(N)], header="id,Q1,Q2,Q3").encode(), given(Q[:3]), on_scale(1, 5, 1)),
    Good("Microsoft form without names", survey({"ID": list(range(1, N + 1)), "Start time": ["3/1/2024 10:00:00"] * N, "Email": ["anonymous"] * N, "Name": [""] * N}, Q).encode(), given(Q), both(noted("person: 'ID'"), only_traits())),
    Good("survey in words", WORDS.encode(), given(Q[:3]), both(noted("'strongly disagree' = 1"), on_scale(1, 5, 1))),
    Good("survey with numbered words", "\n".join([",".join(Q[:3]), *(",".join(f"{int(c)} - {ANSWERS[int(c) - 1]}" for c in row.split(",")) for row in survey({}, Q[:3]).splitlines()[1:])]).encode(),
         given(Q[:3]), noted("read as the number")),
    Good("survey with private columns", survey({"user id": [f"u{p}" for p in range(N)], "password": [f"secret{p}" for p in range(N)], "phone": [5550000 + p for p in range(N)],
                                                "zip code": [10000 + 7 * p for p in range(N)]}, Q, {"plan": each("free", "paid")}).encode(),
         given(Q, names=[f"u{p}" for p in range(N)]), only_traits("plan")),
    Good("questions called like roles", survey({}, ["Music", "Movies", "Books", "Games", "Rating"], {"Gender": each("female", "male")}).encode(),
         given(["Music", "Movies", "Books", "Games", "Rating"]), only_traits("Gender")),
    Good("jokes with a count", lines([(p + 1, 40 + p % 60, *(round(answer(p, k, 19) - 9.5, 2) for k in range(8))) for p in range(N)], header="user,count," + ",".join(f"joke{k}" for k in range(8))).encode(),
         [(str(p + 1), f"joke{k}", round(answer(p, k, 19) - 9.5, 2)) for p in range(N) for k in range(8)], noted("not taken as items: 'count'")),
    Good("survey with codes below the sample", (survey({"id": list(range(1, 1 + N))}, Q) + lines([(100 + p, *(1 + (p + k) % 5 for k in range(6))) for p in range(400)]) + "900,99,1,2,3,4,5\n").encode(),
         [*[(str(p), q, v) for p, q, v in given(Q)], *((str(100 + p), q, 1 + (p + k) % 5) for p in range(400) for k, q in enumerate(Q)), *(("900", q, v) for q, v in zip(Q, (99, 1, 2, 3, 4, 5), strict=True))],
         offered(99, 1)),
    Good("several codes", (survey({"id": list(range(1, 1 + N))}, Q) + "900,97,98,99,3,4,5\n").encode(), [*given(Q), *(("900", q, v) for q, v in zip(Q, (97, 98, 99, 3, 4, 5), strict=True))],
         lambda _, report: _check_offers(report, 97, 98, 99)),
    Good("several codes left out", (survey({"id": list(range(1, 1 + N))}, Q) + "900,97,98,99,3,4,5\n").encode(), [*given(Q), ("900", "Q4", 3), ("900", "Q5", 4), ("900", "Q6", 5)],
         nothing_offered, options={"cleaning": Cleaning(missing=(97, 98, 99))}),
    Good("items as rows", MATRIX.encode(), TURNED, both(noted("one row per item"), repeats_as("--transpose", "--columns", "movie"))),
    Good("people as numbered columns", MATRIX.replace("movie,Ann,Ben,Cleo,Dan,Eva,Fritz", "thing,user_1,user_2,user_3,user_4,user_5,user_6").encode(),
         [(f"user_{'ABCDEF'.index(user[0]) + 1}", item, value) for user, item, value in TURNED], noted("one row per item")),
    Good("items as rows, said to be people", MATRIX.encode(), [(item, user, value) for user, item, value in TURNED], noted("one row per person"), options={"hints": Hints(wide=True)}),
    Good("people as rows, said to be items", survey({"id": list(range(1, N + 1))}, Q).encode(), [(q, p, v) for p, q, v in given(Q)], noted("one row per item"), options={"hints": Hints(transposed=True)}),
    Good("few ratings a person, 0 for none", lines([(f"PD{k}", *(SPARSE_MATRIX.get((p, k), 0) for p in range(30))) for k in range(20)], header="product_id," + ",".join(f"US{p}" for p in range(30))).encode(),
         [(f"US{p}", f"PD{k}", v) for p, k, v in SPARSE], repeats_as("--transpose", "--columns", "product_id", "--missing", "0"), options={"cleaning": Cleaning(missing=(0,))}),
    Good("people who use different parts of the scale", lines([(f"Album {k}", *("" if (k + p) % 3 else min(5, (6 + p % 4 + (k * (p + 1)) % (1 + p % 5)) / 2) for p in range(20))) for k in range(40)], header="album," + ",".join(f"fan{'abcdefghijklmnopqrst'[p]}" for p in range(20))).encode(),
         [(f"fan{'abcdefghijklmnopqrst'[p]}", f"Album {k}", min(5, (6 + p % 4 + (k * (p + 1)) % (1 + p % 5)) / 2)) for k in range(40) for p in range(20) if not (k + p) % 3], repeats_as("--transpose", "--columns", "album")),
    Good("question on a longer scale", survey({}, Q, {"safety": [1 + (3 * p) % 7 for p in range(N)]}).encode(), given(Q), both(noted("not taken as items: 'safety'"), on_scale(1, 5, 1))),
    Good("question that nobody dislikes", survey({}, Q, {"lunch": [4 + p % 2 for p in range(N)]}).encode(), [*given(Q), *((str(p + 1), "lunch", 4 + p % 2) for p in range(N))], on_scale(1, 5, 1)),
    Good("question about e-mails", survey({}, Q[:3], {"How much did the number of e-mails and comments bother you?": [answer(p, 3) for p in range(N)]}).encode(),
         given([*Q[:3], "How much did the number of e-mails and comments bother you?"]), repeats_as("--wide")),
    Good("answers in several words", lines([(f"r{p}", *(GRADES[answer(p, k) - 1] if answer(p, k + 1) > 1 else "not applicable" for k in range(5)), ("Yes", "No")[p % 2], ("TRUE", "FALSE")[p % 2], p % 4) for p in range(N)], header="Response ID,a,b,c,d,e,student,paid,team").encode(),
         [(f"r{p}", "abcde"[k], answer(p, k)) for p in range(N) for k in range(5) if answer(p, k + 1) > 1], both(noted("'very poor' = 1"), only_traits("student", "paid"))),
    Good("questions that all answer alike", survey({}, [f"Q_{k}" for k in range(6)], {"Q_7": each(1, 2), "hand": each(1, 2)}).encode(), [*given([f"Q_{k}" for k in range(6)]), *((str(p + 1), "Q_7", 1 + p % 2) for p in range(N))],
         only_traits("hand")),
    Good("names of exercises", survey({"Users": list(range(1, N + 1))}, ["biceps curl", "zipper press", "headphone lift", "bench press"]).encode(), given(["biceps curl", "zipper press", "headphone lift", "bench press"]),
         repeats_as("--wide", "--columns", "Users")),
    Good("header of words above words", lines([(f"2023/04/{1 + p % 28:02d} 11:50:34", *(ANSWERS[answer(p, k) - 1] for k in range(4)), f"text {p}") for p in range(N)], header="Marca temporal,Agree,Disagree,Neutral,gusto,barrio").encode(),
         given(["Agree", "Disagree", "Neutral", "gusto"]), noted("'strongly disagree' = 1")),
    Good("survey in Spanish", lines([tuple(("Nunca", "Rara vez", "A veces", "A menudo", "Siempre")[answer(p, k) - 1] for k in range(4)) for p in range(N)], header="radio,zeit,cine,libros").encode(),
         given(["radio", "zeit", "cine", "libros"]), both(noted("'nunca' = 1"), on_scale(1, 5, 1))),
    Good("survey with names and addresses", survey({"Timestamp": ["2024/03/01 10:00:00"] * N, "Email Address": EMAILS, "Name": [f"Ann {p}" for p in range(N)]}, ["Rating", "Price", "Quality", "Occasion"], n_levels=10).encode(),
         given(["Rating", "Price", "Quality", "Occasion"], 10, EMAILS), only_traits()),
    Good("survey in German", lines([(*(("Nein", "Ja")[answer(p, k) % 2] for k in range(4)), ("Haupterwerb", "Nebenerwerb")[p % 2]) for p in range(N)], header="huehner,enten,gaense,puten,betrieb").encode(),
         [(str(p + 1), name, answer(p, k) % 2) for p in range(N) for k, name in enumerate(("huehner", "enten", "gaense", "puten"))], both(noted("'nein' = 0"), only_traits("betrieb"))),
    Good("half stars, 0 for none", lines([(p, *((1 + (p * (k + 1)) % 10) / 2 if (p + k) % 3 else 0 for k in range(6))) for p in range(N)], header="user_id,a,b,c,d,e,f").encode(),
         [(p, "abcdef"[k], (1 + (p * (k + 1)) % 10) / 2 if (p + k) % 3 else 0) for p in range(N) for k in range(6)], offered(0, 48)),
    Good("matrix with numbers as names", b"user_id,1,2,3,4\n7,4,,5,3\n8,,3,2,1\n9,5,4,,2\n", [(7, 1, 4), (7, 3, 5), (7, 4, 3), (8, 2, 3), (8, 3, 2), (8, 4, 1), (9, 1, 5), (9, 2, 4), (9, 4, 2)],
         repeats_as("--wide", "--columns", "user_id")),
    Good("matrix of a data frame", b",1,2,3,4\n7,4,,5,3\n8,,3,2,1\n9,5,4,,2\n", [(7, 1, 4), (7, 3, 5), (7, 4, 3), (8, 2, 3), (8, 3, 2), (8, 4, 1), (9, 1, 5), (9, 2, 4), (9, 4, 2)],
         repeats_as("--wide", "--columns", "column 1")),
    Good("columns dropped", survey({"id": list(range(1, N + 1))}, Q).encode(), given(Q[:4]), only_traits(), options={"hints": Hints(wide=True, columns=("id",), drop=("Q5", "Q6"))}),
    Good("traits said", survey({"id": list(range(1, N + 1))}, Q).encode(), given(Q[:5]), only_traits("Q6"), options={"hints": Hints(wide=True, columns=("id",), traits=("Q6",))}),
]  # fmt: skip
"""Wide tables."""


def _check_offers(report: ImportReport, *values: float) -> None:
    assert [offer.value for offer in report.offers] == list(values)


PERSONAL = [
    Good("Letterboxd", LETTERBOXD.encode(), [("one person", f"https://boxd.it/{k:04x}", 1 + k % 9 / 2) for k in range(25)], both(noted("an export of Letterboxd"), has_titles(*(f"Film {k}" for k in range(25)))), filename="ratings.csv"),
    Good("IMDb", IMDB.encode(), [("one person", f"tt{k:07d}", 1 + k % 10) for k in range(25)], both(noted("an export of IMDb"), both(has_titles(*(f"Film {k}" for k in range(25))), noted("time: 'Date Rated'")))),
    Good("Goodreads of one person", GOODREADS.encode(), [("one person", str(100 + k), k % 6) for k in range(25)], both(noted("an export of Goodreads"), has_titles(*(f"Book {k}" for k in range(25))))),
    Good("Letterboxd, a watchlist said to be liked", LIKES.encode(), [("one person", f"https://boxd.it/{k:04x}", 1) for k in range(25)], is_implicit, filename="watchlist.csv", options={"hints": Hints(one_person=True, columns=("Letterboxd URI",))}),
    Good("Trakt: films within the records", json.dumps([{"rated_at": "2024-01-01T10:00:00.000Z", "rating": 1 + k % 10, "type": "movie", "movie": {"title": f"Film {k}", "year": 1980 + k, "ids": {"trakt": k}}} for k in range(25)]).encode(),
         [("one person", f"Film {k}", 1 + k % 10) for k in range(25)], repeats_as("--one-person", "--columns", "movie.title", "rating"), filename="ratings-movies.json", options={"hints": Hints(one_person=True)}),
    Good("Letterboxd, only liked", LIKES.encode(), [("one person", f"https://boxd.it/{k:04x}", 1) for k in range(25)], both(noted("an export of Letterboxd"), has_titles(*(f"Film {k // 2}" for k in range(25))))),
    Good("one person, said", b"film,stars\n" + b"".join(f"Film {k},{1 + k % 5}\n".encode() for k in range(20)), [("one person", f"Film {k}", 1 + k % 5) for k in range(20)],
         repeats_as("--one-person", "--columns", "film", "stars"), options={"hints": Hints(one_person=True)}),
    Good("columns said", b"a,b,c,d\n" + lines([(p, k, v, 9) for p, k, v in PAIRS]).encode(), PAIRS, repeats_as("--columns", "a", "b", "c"), options={"hints": Hints(columns=("a", "b", "c"))}),
    Good("blank rows of a spreadsheet", lines(TRIPLES, header="user,item,rating").replace("ben,Dune", ",,\n,,\nben,Dune").encode(), TRIPLES,
         both(dropped("the row is blank", 2, 6), lambda _, report: _check_readable(report))),
    Good("NA as an id", lines([*TRIPLES, ("NA", "Alien", 5), ("anna", "NULL", 2)], header="user,item,rating").encode(), TRIPLES, both(dropped("no user id", 1, 12), dropped("no item id", 1, 13))),
    Good("ids that a spreadsheet shortened", lines([*TRIPLES, ('"6,30892E+11"', "Alien", 5)], header="user,item,rating").encode(), [*TRIPLES, ("6,30892E+11", "Alien", 5)], noted("shortened 1 user id")),
    Good("scale of which 1 is missing", lines([(u, i, max(r, 2)) for u, i, r in TRIPLES], header="user,item,rating").encode(), [(u, i, max(r, 2)) for u, i, r in TRIPLES], noted("--scale 1 5 1")),
    Good("one number far beyond the scale", lines([*PAIRS, ("u1", "x", 55)], header="user,item,rating").encode(), [*PAIRS, ("u1", "x", 55)], offered(55, 1)),
    Good("beer, rated in several ways", lines([(f"Beer {k}", f"b{k}", v, v, 6 - v, p) for p, k, v in PAIRS], header="beer_name,beer_beerid,review_overall,review_aroma,review_taste,review_profilename").encode(),
         [(p, f"b{k}", v) for p, k, v in PAIRS], has_titles(*(f"Beer i{k}" for k in range(5)))),
    Good("answers numbered before the users", lines([(n, p, k, v, "a few words about it") for n, (p, k, v) in enumerate(PAIRS)], header="response_id,user_id,question_id,rating_score,response_text").encode(),
         PAIRS, both(noted("person: 'user_id' (sure"), noted("item: 'question_id'"))),
    Good("people with several rows each", lines([(n, p, k, v, 50 + int(p[1]), 6 - v) for n, (p, k, v) in enumerate(PAIRS, 1)], header=",id,factor,arousal_rating,age,valence_rating").encode(), PAIRS,
         both(noted("could be the rating too: 'valence_rating'"), repeats_as("--columns", "id", "factor", "arousal_rating", "--traits", "age"), only_traits("age"))),
    Good("names of places and of reviewers", lines([(k, f"Place {k}", ("inn", "bar")[int(k[1]) % 2], p, f"Name {p}{v}", v) for p, k, v in PAIRS], header="placeId,destination_name,category_name,reviewerId,name,user_rating").encode(), PAIRS,
         both(has_titles(*(f"Place i{k}" for k in range(5))), has_tags(inn=["i0", "i2", "i4"], bar=["i1", "i3"]))),
    Good("tags with day and month", lines([(int(p[1]), int(k[1]), 13 + v, 1, 4 + v, 2009) for p, k, v in PAIRS], header="userID,artistID,tagID,day,month,year").encode(), [(p[1], k[1], 1) for p, k, v in PAIRS],
         both(is_implicit, repeats_as("--columns", "userID", "artistID"))),
    Good("votes for songs", lines([(f"spotify:track:{k}", p, "2024-08-02T15:50:50Z", v) for p, k, v in PAIRS], header="Spotify URI,Voter ID,Created,Points Assigned").encode(), [(p, f"spotify:track:{k}", v) for p, k, v in PAIRS],
         repeats_as("--columns", "Voter ID", "Spotify URI", "Points Assigned")),
    Good("kinds of events beside the items", lines([(n, int(p[1]), f"d{k}", ("VIEW", "BUY")[n % 2], n) for n, (p, k, v) in enumerate(PAIRS * 4)], header=",userId,dishId,eventId,viewTime").encode(), [(p[1], f"d{k}", 1) for p, k, v in PAIRS], is_implicit),
    Good("counts of clicks", lines([(p, k, (v - 1) ** 3) for p, k, v in PAIRS], header="user_id,item_id,click_count").encode(), [(p, k, 1) for p, k, v in PAIRS], both(is_implicit, noted("'click_count' looks like a count"))),
    Good("counts in camel case", lines([(p, k, v) for p, k, v in PAIRS], header="userId,itemId,clickCount").encode(), [(p, k, 1) for p, k, v in PAIRS], both(is_implicit, noted("'clickCount' looks like a count"))),
    Good("records by id", json.dumps({str(n): {"customer": p, "dish": k, "stars": v} for n, (p, k, v) in enumerate(PAIRS)}).encode(), PAIRS, repeats_as("--columns", "customer", "dish", "stars"), filename="orders.json"),
    Good("counts without a name for them", lines([(p, k, (v - 1) ** 3) for p, k, v in PAIRS], header="user_id,item_id,n").encode(), [(p, k, 1) for p, k, v in PAIRS], both(is_implicit, noted("'n' looks like a count"))),
    Good("titles before numbers of people", lines([(f"The Return of {k}", int(p[1]), v) for p, k, v in PAIRS]).encode(), [(p[1], f"The Return of {k}", v) for p, k, v in PAIRS], repeats_as("--columns", "column 2", "column 1", "column 3")),
    Good("a record of one person's votes", json.dumps({"user_id": "ann", "survey": {"age": 21}, "votes": [{"film": f"F{k}", "stars": 1 + k % 5} for k in range(9)]}).encode(), [("ann", f"F{k}", 1 + k % 5) for k in range(9)], filename="ann.json"),
    Good("authors of books beside users", lines([(p, k, f"Author {k}", v) for p, k, v in PAIRS], header="reader,book,author,rating").encode(), PAIRS, noted("person: 'reader' (sure")),
]  # fmt: skip
"""One person's ratings, and tables with odd rows and columns."""


def _check_readable(report: ImportReport) -> None:
    assert report.rows_unreadable == 0


def table(header: str, *columns: Any) -> bytes:
    """Rows of 40 cells from functions of the row's number."""
    return lines([tuple(column(k) for column in columns) for k in range(40)], header=header).encode()


NO_PEOPLE = [
    Bad("matrix of similarities", lines([(f"actor {k}", *(1 + (k * j) % 7 for j in range(8))) for k in range(8)], header="actors," + ",".join(f"actor {k}" for k in range(8))).encode(), "compare things with each other"),
    Bad("several numbers and no name", table("s,d,age,service,dept,y", lambda k: 100 + k // 5, lambda k: 900 + k % 13, lambda k: 1 + k % 6, lambda k: k % 2, lambda k: 1 + k % 14, lambda k: 1 + k * k % 5), "several columns could be the ratings"),
    Bad("questions without a scale", table("RespondentID,care,heard", lambda k: 7000 + k, lambda k: ("Some", "A lot", "Not at all")[k % 3], lambda k: ("yes", "no")[k % 2]), "hardly any two of the 40 rows have the same person.*--wide"),
    Bad("interest rates", table("rownames,r1,r3,r6,r12", *(lambda k, j=j: k + 1 if not j else round(0.3 + k * k % 37 / 2.7 + j / 9, 3) for j in range(5))), "users and items.*--wide"),
    Bad("bookings", lines([(k + 1, k % 4, 1 + k % 3, k % 3, k % 2, k if k > 230 else 0) for k in range(260)], header="rownames,nights,adults,children,babies,waiting").encode(), "hardly are answers on the same scale|several columns could be the ratings"),
    Bad("blood values", table("rownames,ALT.B,AST.B,ALT.M,AST.M", lambda k: k + 1, lambda k: 13 + k * k % 290, lambda k: 15 + k % 9, lambda k: 20 + k * k % 270, lambda k: 11 + k % 31), "several columns could be the ratings|users and items"),
    Bad("results of a program", lines([("method: cosine", "T: 5"), ("users: 940", "train: 80"), *((f"f{k}: {k / 7:.3f}", f"time: {k}") for k in range(5))]).encode(), "hardly any person has two|users and items"),
    Bad("questions above groups", table("How often do you eat on the campus in a week?,Which canteen do you visit most often?", lambda k: ("0-5", "6-11", "12-17")[k % 3], lambda k: ("SU", "Maxim", "BIJAS", "Swire")[k % 4]), "who rated"),
    Bad("many columns without names", lines([(k, f"School {k}", *((k + j) % 9 / 10 for j in range(12))) for k in range(12)]).encode(), "users and items"),
    Bad("features of songs", table("id,songs,energy,dance", lambda k: k // 4, lambda k: f"Song {k}", lambda k: k * k % 97 / 97, lambda k: k * k % 89 / 89), "hardly any two of the 40 rows have the same item|who rated"),
    Bad("a list of lists", b"Letterboxd list export v7\nDate,Name,Tags,URL,Description\n2022-02-03,Bonello,,https://boxd.it/fhf0q,\n\nPosition,Name,Year,URL,Description\n" + lines([(k + 1, f"Film {k}", 1980 + k, f"https://boxd.it/{k}", "") for k in range(9)]).encode(), "who rated|users and items|single person"),
    Bad("cereals", table("name,mfr,type,calories,sugars,rating", lambda k: f"Cereal {k}", lambda k: "KGN"[k % 3], lambda k: "C", lambda k: 50 + 10 * (k % 9), lambda k: k % 15, lambda k: 20.5 + k), "hardly any two of the 40 rows have the same item|who rated|several columns could be the ratings"),
    Bad("reviews by nobody", table("id,product,review,score,city", lambda k: k, lambda k: f"P{k % 7}", lambda k: f"a nice thing that I would buy again any day {k}", lambda k: 1 + k % 5, lambda k: ("Rome", "Oslo")[k % 2]), "no column says who rated"),
    Bad("films of a service", table("show_id,type,title,director,release_year,rating", lambda k: f"s{k}", lambda k: ("Movie", "TV Show")[k % 2], lambda k: f"T {k}", lambda k: f"D {k % 9}", lambda k: 2000 + k % 20, lambda k: ("TV-MA", "PG")[k % 2]), "no column says who rated"),
    Bad("accounts", table("user_id,username,password,email,age", lambda k: k, lambda k: f"u{k}", lambda k: f"secret{k}", lambda k: f"u{k}@x.org", lambda k: 20 + k % 30), "hardly any two of the 40 rows|no column|users and items"),
    Bad("groups instead of people", table("gender,product,score", lambda k: "FM"[k % 2], lambda k: f"P{k % 4}", lambda k: 1 + k % 5), "no column says who rated"),
    Bad("counts beside reviews", table("Title,Date,Rating,Thumbs_up,Thumbs_down", lambda k: f"Title {k % 31}", lambda k: f"2022-01-{1 + k % 28:02d}", lambda k: 1 + k % 10, lambda k: k * k % 17, lambda k: k % 5), "no column says who rated"),
    Bad("score of texts", table("title,clickbait_score,publisher", lambda k: f"Title {k % 37}", lambda k: 1 + k % 5, lambda k: ("ntv", "sozcu")[k % 2]), "no column says who rated"),
    Bad("groups that repeat", table("ID,Country,Brand,Type,Rating", lambda k: k, lambda k: ("IDN", "KOR", "JPN")[k % 3], lambda k: f"Brand {k % 5}", lambda k: f"Noodle {k % 11}", lambda k: k % 11 / 2), "% of the rows repeat|no column says who rated"),
    Bad("trials of an experiment", table("ID,trial_n,procedure,rt", lambda k: k // 20, lambda k: k % 10, lambda k: 1 + k % 4, lambda k: 3.5 + k / 7), "several rows for most people|who rated"),
    Bad("lengths of leaves", table("Sepal.Length,Sepal.Width,Petal.Length,Petal.Width,Species", lambda k: 4.3 + k / 11, lambda k: 2 + k % 13 / 6, lambda k: 1 + k / 7, lambda k: 0.1 + k / 17, lambda k: ("a", "b")[k % 2]), "no column says who rated"),
    Bad("prices of pizzas", table("name,price,diameter", lambda k: f"Pizza {k // 2}", lambda k: 6 + k % 7, lambda k: (26, 32)[k % 2]), "users and items"),
    Bad("programmes and channels", table("Program Name,Channel Name,Live", lambda k: f"Show {k % 35}", lambda k: f"TV {k % 5}", lambda k: k / 1000), "no column says who rated"),
    Bad("episodes of several channels", table("program_id,channel,score", lambda k: f"p{k % 35}", lambda k: f"TV {k % 5}", lambda k: k % 11), "hardly any person has two|no column says who rated"),
    Bad("games and consoles", table("metascore,name,console,userscore,date", lambda k: 60 + k, lambda k: f"Game {k // 2}", lambda k: ("PS3", "PC", "Wii")[k % 3], lambda k: 4 + k % 50 / 10, lambda k: "2013-09-17"), "no column says who rated"),
    Bad("wins and losses", table("name of case,win,lost,total", lambda k: f"Case {k}", lambda k: k * k % 11, lambda k: k % 12, lambda k: k * k % 11 + k % 12), "hardly any two of the 40 rows have the same item|who rated|several columns could be the ratings"),
    Bad("answers with times", lines([(f"id-{p // 6}", 8802.5 + 7 * p, *(answer(p, k) * 11.5 for k in range(4))) for p in range(N)], header="uuid,submitTime,value,lowest,highest,correct").encode(), "several rows for most people"),
    Bad("two rounds of a survey", lines([(f"u{p // 2}", f"part {p % 2}", *(answer(p, k) for k in range(6))) for p in range(N)], header="user_id,part," + ",".join(Q)).encode(), "several rows for most people"),
    Bad("points by country", table("year,round,from_country,to_country,total_points,tele_points,jury_points", lambda k: 2000 + k // 9, lambda k: "final", lambda k: f"c{k % 6}", lambda k: f"c{k % 7}", lambda k: k % 12, lambda k: "", lambda k: ""), "no column says who rated|users and items"),
    Bad("raters in a third column", lines([(p, q, r, 1 + (p + q * r) % 5) for p in range(6) for q in range(4) for r in range(10)]).encode(), "% of the rows repeat"),
    Bad("how often each star was given", lines([(100 + k, *(f'"{1 + k % 3},{300 + 10 * k + s}"' if s == 4 else 40 * k + s + 1 for s in range(1, 6))) for k in range(40)], header=",1,2,3,4,5").encode(), "the rows repeat|users and items|hardly any two of the 40 rows|who rated"),
    Bad("authors of books", table("book_id,title,author,rating", lambda k: k, lambda k: f"Book {k}", lambda k: f"Author {k % 6}", lambda k: 1 + k % 5), "hardly any two of the 40 rows|no column says who rated"),
    Bad("chances of teams", table("team_id,team,seed,rd1,rd2,rd3,rd4", lambda k: 2000 + k, lambda k: f"T {k}", lambda k: 1 + k % 16, *(lambda k, j=j: round((40 - k) ** j / 41**j, 4) for j in (1, 2, 3, 4))), "who rated"),
    Bad("sweets with what is in them", table("sweet,nuts,fruit,bar,hard,sugar,price,wins", lambda k: f"Sweet {k}", *(lambda k, j=j: k * j % 7 % 2 for j in (1, 2, 3, 4)), lambda k: round(k / 41, 3), lambda k: round(k * k % 41 / 41, 3), lambda k: round(22 + k * 1.37, 4)), "who rated|several columns could be the ratings"),
    Bad("harvests", table("env,gen,yield", lambda k: f"E{k % 4}", lambda k: f"G{k // 4}", lambda k: 3 + k * k % 29), "no column says who rated"),
    Bad("lengths of films", table("Movie,LengthInHour", lambda k: f"Film {k}", lambda k: f"{1 + k % 2}h{k % 13}m"), "same item|who rated"),
    Bad("films with codes", table("imdb,title,test,code", lambda k: f"tt{k}", lambda k: f"Film {k - k % 13 // 12}", lambda k: ("ok", "men")[k % 2], lambda k: f"{2010 + k % 4}{('PASS', 'FAIL')[k % 2]}"), "same item|who rated"),
    Bad("codes of patients", table("rownames,age,kind,stage,group,days,weight,sites", lambda k: k + 1, lambda k: 40 + k % 30, lambda k: 1 + k % 4, lambda k: 1 + k % 5, lambda k: k % 4, lambda k: 300 + k * k % 900, lambda k: 50 + k % 41, lambda k: 9 + k % 21), "who rated|several columns could be the ratings|users and items"),
    Bad("sums of votes", table("state,party_a,party_b,party_c", lambda k: f"S{k}", *(lambda k, j=j: k * j * 7 % 171 for j in (1, 2, 3))), "who rated|several columns could be the ratings"),
    Bad("surnames and full names", table("last_name,name,agreement_score", lambda k: f"N{k % 37}", lambda k: f"A. N{k}", lambda k: f"{80 + k / 3:.2f}%"), "hardly any two of the 40 rows have the same item"),
    Bad("prizes", table("person_id,book_id,uk_resident,prize", lambda k: k % 31, lambda k: 100 + k, lambda k: ("yes", "no")[k % 2], lambda k: ("A", "B")[k % 3 == 0]), "hardly any (person|item) has two"),
    Bad("scores of places", table("measure_id,state,score,condition", lambda k: f"M_{k % 4}", lambda k: f"S{k // 4}", lambda k: 10 + k * 17 % 500, lambda k: f"C{k % 4}"), "no column says who rated"),
    Bad("members of climbs", table("member_id,sex,age,role,route,camp,peak,team,class,line,died,hired,solo,oxygen", lambda k: f"M{k}", lambda k: "MF"[k % 2], lambda k: 20 + k % 40, *(lambda k, j=j: f"{'abcdefg'[j]}{k % (5 + j)}" for j in range(7)), *(lambda k, j=j: ("FALSE", "TRUE")[k * j % 3 == 0] for j in (1, 2, 4, 5))), "hardly any two|who rated|several columns could be the ratings"),
    Bad("a header above stars for what is not known", table("prim_state,area_name,tot_emp,jobs", lambda k: "OH", lambda k: f'"Town {k}, OH"', lambda k: "**" if k % 5 == 0 else 100 + k, lambda k: "**" if k % 7 == 0 else 1 + k / 8), "'prim_state'"),
    Bad("more questions in unknown words than in known ones", table("RespondentID,kids,smoked,lean,loud,late", lambda k: 7000 + k, *(lambda k, j=j: ("Yes", "No")[k * j % 3 == 0] for j in (1, 2)), *(lambda k, j=j: ("Rude", "Somewhat so", "Fine by me")[k * j % 3] for j in (1, 2, 4))), "nothing says which of them is more|same person"),
    Bad("everybody in all scenes", table("subject,scenario,pitch", lambda k: f"p{k % 8}", lambda k: k // 8, lambda k: 200 + k * k % 73 / 2), "users and items|everybody has everything"),
    Bad("predictions", table("user_id,book_id,hybrid_score", lambda k: k % 8, lambda k: k // 8, lambda k: round(k * 37 % 41 / 8.3, 4)), "computed rather than given"),
    Bad("seconds of tasks", table("user_id,bath,walk,meal", lambda k: k, *(lambda k, j=j: round(27 + k * j * 7 % 41 / 3.3, 2) for j in (1, 2, 3))), "who rated|several columns could be the ratings|users and items"),
    Bad("rows that are broken at a quote", (b'"account,name,film,rating"\n' + b"".join(b'%d,P %d,F %d,%d"\n' % (k // 6, k // 6, k % 6, k % 5) for k in range(60))), "repeat a person and an item"),
    Bad("votes for songs by rank", table("ID,title,artist,gender,points,n,n1,n2,n3", lambda k: k + 1, lambda k: f"Song {k}", lambda k: f"Band {k % 31}", lambda k: "MF"[k % 2], lambda k: 140 - 3 * k, lambda k: 1 + k % 9, *(lambda k, j=j: k * j % 6 for j in (1, 2, 3))), "who rated|several columns could be the ratings"),
    Bad("a header of codes", table("language_iso_code,country", lambda k: f"l{'abcdefgh'[k % 8]}", lambda k: f"Land {'abcde'[k // 8]}"), "'language_iso_code'"),
    Bad("coordinates", lines([(k * 37 % 41 / 83, k * 29 % 43 / 87, k % 2) for k in range(40)]).encode(), "users and items"),
    Bad("results of matches", table("home_test_no,venue,score_1,score_2", lambda k: f"t{k % 9}", lambda k: f"V{k // 9}", lambda k: k % 31, lambda k: k * 7 % 29), "who rated"),
    Bad("sales without names", lines([(f"T{k % 9}", f"I{k // 9}", round(3 + k * 37 % 41 * 7.13, 2)) for k in range(40)]).encode(), "look measured"),
]  # fmt: skip
"""Tables in which nothing says who rated: they are refused, with what to name."""
