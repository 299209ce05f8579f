"""Files of other projects, and odd cases, each with what must come out."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

from nnm_core.datasets import Cleaning
from nnm_core.scale import Scale

from .cases import (
    Good,
    both,
    dropped,
    has_tags,
    has_titles,
    is_implicit,
    noted,
    nothing_offered,
    offered,
    on_scale,
)

JESTER = [[2, 7.82, 99, -9.71, 99, 99, 99], [3, 4.08, -0.29, 6.36, 99, 99, 99], [6, 1.5, 2.5, 99, 3.25, -4.0, 5.0]]
JESTER[2][0] = 5


def _jester_ratings(*, keep_99: bool) -> list[tuple[str, str, float]]:
    return [
        (str(u + 1), str(i), float(cell))
        for u, row in enumerate(JESTER)
        for i, cell in enumerate(row[1:], 1)
        if keep_99 or cell != 99
    ]


ODD = [
    Good("Book-Crossing", b'"User-ID";"ISBN";"Book-Rating"\r\n"276725";"034545104X";"0"\r\n"276726";"0155061224";"5"\r\n'
         b'"276727";"0446520802";"0"\r\n"276729";"052165615X";"3"\r\n"276729";"0521795028";"6"\r\n"8";"x\\"y";"7"\r\n',
         [("276725", "034545104X", 0), ("276726", "0155061224", 5), ("276727", "0446520802", 0), ("276729", "052165615X", 3),
          ("276729", "0521795028", 6), ("8", 'x"y', 7)], offered(0, 2), filename="BX-Book-Ratings.csv"),
    Good("Book-Crossing, latin-1", "User-ID;ISBN;Book-Rating\n1;caf\xe9;5\n2;b;7\n2;caf\xe9;6\n".encode("latin-1"),
         [("1", "café", 5), ("2", "b", 7), ("2", "café", 6)], noted("latin-1")),
    Good("Windows quotes", "user,item,rating\n1,\u201cHi\u201d,5\n2,b,7\n".encode("cp1252"), [("1", "“Hi”", 5), ("2", "b", 7)],
         noted("cp1252")),
    Good("Jester as it comes", "\n".join(",".join(map(str, row)) for row in JESTER).encode(), _jester_ratings(keep_99=True),
         both(offered(99, 8), noted("count of ratings"))),
    Good("Jester, 99 left out", "\n".join(",".join(map(str, row)) for row in JESTER).encode(), _jester_ratings(keep_99=False),
         dropped("means “not rated”", 8, 1), options={"cleaning": Cleaning(missing=(99,))}),
    Good("Amazon", b"A1,0001713353,5.0,1112140800\nA2,0001713353,1.0,1112140801\nA1,B000056PNB,3.0,1112140802\n",
         [("A1", "0001713353", 5), ("A2", "0001713353", 1), ("A1", "B000056PNB", 3)]),
    Good("Amazon, product first", b"0001713353,A1AAAAAAAAAAA,5.0,1112140800\n0001713353,A2AAAAAAAAAAA,1.0,1112140801\nB000056PNB,A1AAAAAAAAAAA,3.0,1112140802\n",
         [("A1AAAAAAAAAAA", "0001713353", 5), ("A2AAAAAAAAAAA", "0001713353", 1), ("A1AAAAAAAAAAA", "B000056PNB", 3)]),
    Good("Goodreads", b"user_id,book_id,is_read,rating,is_reviewed\n0,948,1,5,0\n0,947,1,4,1\n1,948,0,0,0\n1,947,1,3,0\n",
         [("0", "948", 5), ("0", "947", 4), ("1", "948", 0), ("1", "947", 3)], offered(0, 1)),
    Good("Last.fm play counts", b"userID\tartistID\tweight\n2\t51\t13883\n2\t52\t11690\n3\t51\t11351\n",
         [("2", "51", 1), ("2", "52", 1), ("3", "51", 1)], both(is_implicit, noted("looks like a count"))),
    Good("clicks", b"session_id,item_id,timestamp\na,1,1500000000\na,1,1500000001\nb,2,1500000002\n",
         [("a", "1", 1), ("b", "2", 1)], both(is_implicit, dropped("seen again", 1, 2), noted("implicit"))),
    Good("two columns", b"anna Alien\nben Dune\n", [("anna", "Alien", 1), ("ben", "Dune", 1)], is_implicit, filename="x.txt"),
    Good("FilmTrust", b"1 1 2\n1 2 4\n2 1 3.5\n2 3 .5\n", [("1", "1", 2), ("1", "2", 4), ("2", "1", 3.5), ("2", "3", 0.5)],
         on_scale(0.5, 4, 0.5), filename="ratings.txt"),
    Good("Epinions", b" 1 100 4\n 1 101 5\n 22 100 1\n", [("1", "100", 4), ("1", "101", 5), ("22", "100", 1)], filename="ratings_data.txt"),
    Good("anime, -1 as it comes", b"user_id,anime_id,rating\n1,20,-1\n1,24,-1\n3,20,8\n3,24,6\n", [("1", "20", -1), ("1", "24", -1), ("3", "20", 8), ("3", "24", 6)],
         offered(-1, 2)),
    Good("anime, -1 left out", b"user_id,anime_id,rating\n1,20,-1\n1,24,-1\n3,20,8\n3,24,6\n", [("3", "20", 8), ("3", "24", 6)],
         dropped("means “not rated”", 2, 2), options={"cleaning": Cleaning(missing=(-1,))}),
    Good("Yelp", b'{"review_id":"x","user_id":"u","business_id":"b","stars":4.0,"text":"Good, \\"fine\\"\\nfood"}\n'
         b'{"review_id":"y","user_id":"v","business_id":"b","stars":2.0,"text":"\\u00e9"}\n', [("u", "b", 4), ("v", "b", 2)], filename="review.json"),
    Good("MovieLens ratings alone", b"userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n2,31,4.0,1260759179\n",
         [("1", "31", 2.5), ("2", "31", 4)]),
    Good("thumbs in words", b"user,item,thumb\na,x,up\nb,x,down\n", [("a", "x", 1), ("b", "x", 0)], noted("'up' = 1")),
    Good("thumbs as faces", "user,item,rating\na,x,👍\nb,x,👎\n".encode(), [("a", "x", 1), ("b", "x", 0)]),
    Good("true and false", b"user,item,liked\na,x,True\nb,x,False\n", [("a", "x", 1), ("b", "x", 0)]),
    Good("-1 and 1 are a scale", b"user,item,vote\na,x,1\nb,x,-1\n", [("a", "x", 1), ("b", "x", -1)],
         both(on_scale(-1, 1, 2), nothing_offered)),
    Good("percent", b"user,item,score\na,x,85%\nb,x,40%\na,y,45 %\n", [("a", "x", 85), ("b", "x", 40), ("a", "y", 45)],
         both(on_scale(40, 85, 5), noted("per cent"))),
    Good("one to ten", b"user,item,score\na,x,10\nb,x,1\na,y,7\n", [("a", "x", 10), ("b", "x", 1), ("a", "y", 7)], on_scale(1, 10, 3)),
    Good("chosen scale", b"user,item,score\na,x,4\nb,x,2\n", [("a", "x", 4), ("b", "x", 2)], on_scale(1, 5, 1),
         options={"cleaning": Cleaning(scale=Scale(1, 5))}),
    Good("outside the chosen scale", b"user,item,score\na,x,4\nb,x,2\nb,y,11\n", [("a", "x", 4), ("b", "x", 2)],
         dropped("outside the chosen scale", 1, 4), options={"cleaning": Cleaning(scale=Scale(1, 5))}),
    Good("continuous, in bins", b"user,item,score\n" + b"".join(f"u{k},x,{k * 0.7371:.4f}\n".encode() for k in range(11)),
         [(f"u{k}", "x", min(5, int(k * 5 / 10) + 1)) for k in range(11)], both(on_scale(1, 5, 1), noted("into 5 levels")),
         options={"cleaning": Cleaning(n_bins=5)}),
    Good("right-to-left and emoji", "user,item,rating\nדנה,كتاب‏,5\n🦊,𝔘𝔫𝔦 😀,1\n".encode(), [("דנה", "كتاب‏", 5), ("🦊", "𝔘𝔫𝔦 😀", 1)]),
    Good("ids with leading zeros", b"user,item,rating\n007,01,5\n7,1,2\n", [("007", "01", 5), ("7", "1", 2)]),
    Good("quoted delimiters and line breaks", b'user,item,rating\n"a,b","line\nbreak",5\n"say ""hi""",y,2\n',
         [("a,b", "line\nbreak", 5), ('say "hi"', "y", 2)]),
    Good("rows too short and too long", b"user,item,rating\na,x,5\nb,x\nc,x,4\nd,x,3,9\n\ne,x\n", [("a", "x", 5), ("c", "x", 4)],
         dropped("wrong number of columns", 3, 3)),
    Good("line numbers after blank lines", b"user,item,rating\n\na,x,5\n\nb,x,huh\n\nc,x,4\n", [("a", "x", 5), ("c", "x", 4)],
         dropped("not a number", 1, 5)),
    Good("line numbers after line breaks in cells", b'user,item,rating\n"a\na",x,5\nb,x,huh\nc,x,4\n', [("a\na", "x", 5), ("c", "x", 4)],
         dropped("not a number", 1, 4)),
    Good("line numbers after unfit rows", b"user,item,rating\na,x\na,x,5\nb\nb,x,huh\nc,x,4\n", [("a", "x", 5), ("c", "x", 4)],
         dropped("not a number", 1, 5)),
    Good("empty cells", b"user,item,rating\na,x,5\n,x,4\nb,,3\nc,x,\nd,x,NA\ne,y,1\n", [("a", "x", 5), ("e", "y", 1)],
         both(dropped("no user id", 1, 3), dropped("no item id", 1, 4), dropped("no rating", 2, 5))),
    Good("infinite ratings", b"user,item,rating\na,x,5\nb,x,inf\nc,x,nan\nd,x,1e400\ne,y,1\n", [("a", "x", 5), ("e", "y", 1)],
         both(dropped("not a number", 2, 3), dropped("no rating", 1, 4))),
    Good("twice, last kept", b"user,item,rating\na,x,5\na,x,1\nb,x,3\n", [("a", "x", 1), ("b", "x", 3)], dropped("rated the same item again", 1, 2)),
    Good("twice, first kept", b"user,item,rating\na,x,5\na,x,1\nb,x,3\n", [("a", "x", 5), ("b", "x", 3)],
         dropped("rated the same item again", 1, 3), options={"cleaning": Cleaning(duplicates="first")}),
    Good("twice, mean", b"user,item,rating\na,x,5\na,x,1\nb,x,3\nb,y,2\n", [("a", "x", 3), ("b", "x", 3), ("b", "y", 2)],
         dropped("rated the same item again", 1), options={"cleaning": Cleaning(duplicates="mean")}),
    Good("rare users and items", b"user,item,rating\na,x,5\na,y,1\nb,x,3\nb,y,2\nc,x,2\na,z,2\n", [("a", "x", 5), ("a", "y", 1), ("b", "x", 3), ("b", "y", 2)],
         dropped("fewer than 2", 2), options={"cleaning": Cleaning(min_user_ratings=2, min_item_ratings=2)}),
    Good("header twice", b"user,item,rating\na,x,5\nuser,item,rating\nb,x,3\n", [("a", "x", 5), ("b", "x", 3)], dropped("not a number", 1, 3)),
    Good("two columns of the same name", b"user,item,rating,rating\na,x,5,1\nb,x,3,1\n", [("a", "x", 5), ("b", "x", 3)],
         noted("two columns are called 'rating'")),
    Good("latin-1 far down", b"user,item,rating\n" + b"a,x,5\n" * 60_000 + b"b,caf\xe9,3\n", [("a", "x", 5), ("b", "café", 3)], noted("latin-1")),
    Good("merged with titles and genres", b"user,movieId,title,genres,rating\na,1,Alien,Horror|SciFi,5\nb,1,Alien,Horror|SciFi,3\nb,2,Brazil,SciFi,2\n",
         [("a", "1", 5), ("b", "1", 3), ("b", "2", 2)], both(has_titles("Alien", "Brazil"), has_tags(Horror=["1"], SciFi=["1", "2"]))),
    Good("Steam", b'151603712,"The Elder Scrolls V Skyrim",purchase,1.0,0\n151603712,"Fallout 4",play,273.0,0\n59945701,"Fallout 4",play,17.0,0\n',
         [("151603712", "The Elder Scrolls V Skyrim", 1), ("151603712", "Fallout 4", 1), ("59945701", "Fallout 4", 1)], is_implicit),
    Good("large ids that could be times", b"1234567890 42 5\n1234567891 42 3\n1234567890 43 4\n",
         [("1234567890", "42", 5), ("1234567891", "42", 3), ("1234567890", "43", 4)], filename="ids.txt"),
    Good("numbers in a file called after its items", b"1 1 2\n1 2 4\n2 1 3.5\n2 3 0.5\n",
         [("1", "1", 2), ("1", "2", 4), ("2", "1", 3.5), ("2", "3", 0.5)], filename="filmtrust.txt"),
    Good("survey", b"Timestamp,Email,How do you like Alien?,Heat,Up\n2020-01-01,a@x,5,,3\n2020-01-02,b@x,,2,4\n",
         [("a@x", "How do you like Alien?", 5), ("a@x", "Up", 3), ("b@x", "Heat", 2), ("b@x", "Up", 4)], noted("wide table")),
    Good("survey of a class", b"Timestamp,Name,Alien,Heat,Up\n2026/01/01 10:00:00,Zo,5,,3\n2026/01/02 9:01:12,Ben,,2,4\n",
         [("Zo", "Alien", 5), ("Zo", "Up", 3), ("Ben", "Heat", 2), ("Ben", "Up", 4)], noted("wide table")),
    Good("list of a class", b"Name,Film,Rating\nZo,Alien,5\nBen,Alien,3\nBen,Up,2\n", [("Zo", "Alien", 5), ("Ben", "Alien", 3), ("Ben", "Up", 2)]),
    Good("remark in the header", "\ufeffName;Film;Note (1-5)\nZoë;Alien;5\nBen;Alien;3\nBen;Up;2\n".encode(),
         [("Zoë", "Alien", 5), ("Ben", "Alien", 3), ("Ben", "Up", 2)]),
    Good("names of items beside unknown people", b"cust_no,film,name,rating\n1001,7,Alien,5\n1002,7,Alien,3\n1002,8,Up,2\n",
         [("1001", "7", 5), ("1002", "7", 3), ("1002", "8", 2)], has_titles("Alien", "Up")),
    Good("wide without users and header", b"5,3,0,1,4,2\n4,0,0,1,2,5\n1,1,0,5,3,3\n",
         [(u + 1, i + 1, v) for u, row in enumerate([[5, 3, 0, 1, 4, 2], [4, 0, 0, 1, 2, 5], [1, 1, 0, 5, 3, 3]]) for i, v in enumerate(row)],
         both(offered(0, 4), noted("numbered by row"))),
]  # fmt: skip
"""Files of other projects and odd cases, each with what must come out."""
