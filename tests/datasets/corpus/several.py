"""Ratings that come with files about items and users."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import pandas as pd

from nnm_core.datasets import Dataset, Hints

from .cases import (
    CSV,
    HEADER,
    ITEMS,
    TRIPLES,
    USERS,
    Good,
    both,
    has_tags,
    has_titles,
    has_trait,
    lines,
    noted,
    offered,
    parquet,
    zipped,
)

SEVERAL = [
    Good("zip with items and users", zipped(d__ratings_csv=CSV, d__items_csv=ITEMS, d__users_csv=USERS), TRIPLES,
         both(has_titles("Alien (1979)", "Brazil (1985)", "Casablanca (1942)", "Dune (1984)"),
              has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil", "Dune"]),
              has_trait("age", "age under 18", "age 18–24", "age 25–34", "age 56+"), has_trait("gender", "F", "M"),
              noted("left out for want of a rating: 1 item of the item file"), noted("without tags: 1 item, namely 'Casablanca'"),
              noted("left out for want of a rating: 1 user of d/users.csv")), filename="all.zip"),
    Good("item file given", CSV.encode(), TRIPLES, has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil", "Dune"]),
         options={"items": ITEMS.encode(), "users": USERS.encode()}),
    Good("tags as Python lists", CSV.encode(), TRIPLES, has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil"]),
         options={"items": b"id,name,genre\nAlien,A,\"['Horror', 'SciFi']\"\nBrazil,B,\"['SciFi']\"\nDune,D,[]\n"}),
    Good("tags as JSON records", CSV.encode(), TRIPLES, has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil"]),
         options={"items": b'id,name,genres\nAlien,A,"[{""id"": 1, ""name"": ""Horror""}, {""id"": 2, ""name"": ""SciFi""}]"\nBrazil,B,"[{""id"": 2, ""name"": ""SciFi""}]"\n'}),
    Good("tags as 0 and 1", CSV.encode(), TRIPLES, both(has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil"]), has_titles("A", "B", "Casablanca", "D")),
         options={"items": b"item;title;Horror;SciFi\nAlien;A;1;1\nBrazil;B;0;1\nDune;D;0;0\n"}),
    Good("tags as lists in Parquet", CSV.encode(), TRIPLES, has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil"]),
         options={"items": parquet(pd.DataFrame({"item": ["Alien", "Brazil"], "genres": [["Horror", "SciFi"], ["SciFi"]]}))}),
    Good("tags between commas", CSV.encode(), TRIPLES, has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil"]),
         options={"items": b'item,title,tags\nAlien,A,"Horror, SciFi"\nBrazil,B,SciFi\n'}),
    Good("RecBole with items and users",
         zipped(x_inter=lines(TRIPLES, "\t", "user_id:token\titem_id:token\trating:float"),
                x_item="item_id:token\tmovie_title:token_seq\tclass:token_seq\nAlien\tAlien 1979\tHorror SciFi\nBrazil\tBrazil\tSciFi\n",
                x_user="user_id:token\tage:token\tgender:token\nanna\t24\tF\nben\t31\tM\n"), TRIPLES,
         both(has_tags(Horror=["Alien"], SciFi=["Alien", "Brazil"]), has_trait("age", "age 18–24", "age 25–34")), filename="x.zip"),
    Good("Book-Crossing with books", CSV.replace(",", ";").encode(), TRIPLES, has_titles("Al\\ien; or not", 'The "Bra"', "Casablanca", "Dune"),
         options={"items": b'"ISBN";"Book-Title";"Book-Author"\n"Alien";"Al\\\\ien; or not";"X"\n"Brazil";"The \\"Bra\\"";"Y"\n'}),
    Good("numeric trait in bins", lines([(f"u{k}", "x", k % 5) for k in range(40)], header=HEADER).encode(), [(f"u{k}", "x", k % 5) for k in range(40)],
         has_trait("income", "income under 8000", "income 8000–15999", "income 16000–22999", "income 23000–30999", "income 31000+"),
         options={"users": lines([(f"u{k}", 1000 * k) for k in range(40)], header="user,income").encode()}),
    Good("titles right-to-left", CSV.encode(), TRIPLES, has_titles("שלום 👽", "B", "Casablanca", "Dune"), options={"items": "item,title\nAlien,שלום 👽\nBrazil,B\n".encode()}),
    Good("item file with a broken line", CSV.encode(), TRIPLES, noted("left out for the wrong number of columns: 1 row of items, the first is line 3"),
         options={"items": b"item,title\nAlien,A\nBrazil\nDune,D\n"}),
    Good("HetRec films", zipped({"user_ratedmovies.dat": "userID\tmovieID\trating\tdate_day\n75\t3\t1\t29\n75\t32\t4.5\t29\n78\t3\t2\t1\n",
                                 "movies.dat": "id\ttitle\timdbID\n3\tToy story\t1\n32\tMoby \"X\"\t2\n", "tags.dat": "id\tvalue\n1\tearth\n"}),
         [("75", "3", 1), ("75", "32", 4.5), ("78", "3", 2)], both(has_titles("Toy story", 'Moby "X"'), noted("not used: tags.dat")), filename="h.zip"),
    Good("anime with titles", zipped({"anime.csv": 'anime_id,name,genre,rating,members\n32281,Kimi no Na wa.,"Drama, Romance",9.37,200630\n5114,Brotherhood,Action,9.26,793665\n',
                                      "rating.csv": "user_id,anime_id,rating\n1,32281,-1\n2,32281,8\n2,5114,10\n"}),
         [("1", "32281", -1), ("2", "32281", 8), ("2", "5114", 10)],
         both(has_titles("Brotherhood", "Kimi no Na wa."), has_tags(Action=["5114"], Drama=["32281"], Romance=["32281"]), offered(-1, 1)), filename="a.zip"),
    Good("Book-Crossing in one archive",
         zipped({"BX-Book-Ratings.csv": b'"User-ID";"ISBN";"Book-Rating"\r\n"1";"A";"5"\r\n"2";"A";"8"\r\n',
                 "BX-Books.csv": b'"ISBN";"Book-Title";"Book-Author"\r\n"A";"Caf\xe9; a \\"novel\\"";"X"\r\n"B";"Other";"Y"\r\n',
                 "BX-Users.csv": b'"User-ID";"Location";"Age"\r\n"1";"nyc, usa";NULL\r\n"2";"rome, italy";"44"\r\n'}),
         [("1", "A", 5), ("2", "A", 8)], both(has_titles('Café; a "novel"'), has_trait("Age", "Age 35–44")), filename="bx.zip"),
    Good("MovieTweetings", zipped({"ratings.dat": "1::0114508::8::1381006850\n2::0102926::9::1590148016\n2::0114508::3::1590148017\n",
                                   "movies.dat": "0102926::The Silence of the Lambs (1991)::Crime|Drama\n0114508::Species (1995)::Sci-Fi\n",
                                   "users.dat": "1::139564917\n2::522540374\n"}),
         [("1", "0114508", 8), ("2", "0102926", 9), ("2", "0114508", 3)],
         both(has_titles("The Silence of the Lambs (1991)", "Species (1995)"), has_tags(Crime=["0102926"], Drama=["0102926"], **{"Sci-Fi": ["0114508"]})), filename="mt.zip"),
    Good("MovieLens 100K with a header", zipped({"u.data": "user_id\titem_id\trating\ttimestamp\n1\t1\t5\t881250949\n2\t1\t3\t881250950\n", "u.item": "1|Toy Story (1995)|01-Jan-1995||x\n",
                                                 "u.user": "1|24|M|technician|85711\n2|53|F|other|94043\n", "u.genre": "unknown|0\n"}), [("1", "1", 5), ("2", "1", 3)], filename="ml.zip"),
    Good("MovieLens 100K without u.genre", zipped({"u.data": "1\t1\t5\t881250949\n2\t1\t3\t881250950\n", "u.item": "1|Toy Story (1995)|01-Jan-1995||x\n",
                                                   "u.user": "1|24|M|technician|85711\n2|53|F|other|94043\n"}), [("1", "1", 5), ("2", "1", 3)], filename="ml.zip"),
    Good("goodbooks-10k", zipped({"ratings.csv": "user_id,book_id,rating\n1,258,5\n2,4081,4\n2,258,3\n", "to_read.csv": "user_id,book_id\n9,8\n15,398\n",
                                  "books.csv": "book_id,goodreads_book_id,best_book_id,work_id,authors,original_title,title\n258,1232,1232,3209783,C. Zafon,La sombra,The Shadow\n4081,231,231,116,T. Wolfe,Charlotte,I Am Charlotte\n",
                                  "book_tags.csv": "goodreads_book_id,tag_id,count\n1232,30574,167697\n1232,11305,37174\n231,11305,34173\n77,8717,12986\n",
                                  "tags.csv": "tag_id,tag_name\n30574,mystery\n11305,fantasy\n8717,currently-reading\n"}),
         [("1", "258", 5), ("2", "4081", 4), ("2", "258", 3)],
         both(has_titles("The Shadow", "I Am Charlotte"), has_tags(mystery=["258"], fantasy=["258", "4081"]), noted("not used: to_read.csv")), filename="goodbooks-10k.zip"),
    Good("HetRec films with genres and tags", zipped({"user_ratedmovies.dat": "userID\tmovieID\trating\n75\t3\t1\n75\t32\t4.5\n78\t3\t2\n", "movies.dat": "id\ttitle\timdbID\n3\tToy story\t1\n32\tMoby\t2\n",
                                                     "movie_genres.dat": "movieID\tgenre\n3\tComedy\n3\tFantasy\n32\tComedy\n"}),
         [("75", "3", 1), ("75", "32", 4.5), ("78", "3", 2)], has_tags(Comedy=["3", "32"], Fantasy=["3"]), filename="h.zip"),
    Good("a row per item and cuisine", CSV.encode(), TRIPLES, both(has_tags(Bar=["Alien"], Greek=["Brazil"], Thai=["Alien", "Dune"]), noted("have the tags of all of them: 1 row")),
         options={"items": b"item,cuisine\nAlien,Thai\nAlien,Bar\nBrazil,Greek\nDune,Thai\n"}),
    Good("a row per item and tag", CSV.encode(), TRIPLES, has_tags(dark=["Alien", "Brazil"], slow=["Brazil", "Dune"]),
         options={"items": b"item,tag\nAlien,dark\nBrazil,dark\nBrazil,slow\nDune,slow\n"}),
    Good("an item file that knows few", lines([*TRIPLES, ("dan", "Heat", 3), ("dan", "Up", 4)], header=HEADER).encode(), [*TRIPLES, ("dan", "Heat", 3), ("dan", "Up", 4)],
         noted("knows only 2 of 6 items; its ids are written like 'Alien', and 'Casablanca' is not among them"), options={"items": b"item,title\nAlien,A\nBrazil,B\n"}),
    Good("user file of which little may be shown", CSV.encode(), TRIPLES, lambda dataset, _: _check_traits(dataset, "plan"),
         options={"users": lines([(u, f"pw{k}", f"{u}@x.org", 5551230 + k, f"Hello, my name is {u} and I like films of any kind", ("free", "paid")[k % 2])
                                  for k, u in enumerate(("anna", "ben", "cleo", "dan"))], ";", "user;password;e-mail;phone;about;plan").encode()}),
    Good("the ratings in a file that is named", zipped({"a/first.csv": CSV, "a/second.csv": CSV.replace(",5", ",4")}), [(u, i, min(r, 4)) for u, i, r in TRIPLES],
         noted("'a/second.csv'"), filename="two.zip", options={"hints": Hints(file="second.csv")}),
]  # fmt: skip
"""Ratings with files about items and users."""


def _check_traits(dataset: Dataset, *names: str) -> None:
    assert set(dataset.traits) == set(names)
