"""Ratings that come with files about items and users."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import pandas as pd

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
]  # fmt: skip
"""Ratings with files about items and users."""
