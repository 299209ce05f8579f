"""The same ratings in many dialects."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import gzip

import pandas as pd

from .cases import CSV, FRAME, HEADER, NUMBERED, TRIPLES, Good, lines, noted, parquet, wide, zipped

SAME = [
    Good("comma", CSV.encode(), TRIPLES),
    Good("no end of the last line", CSV.rstrip("\n").encode(), TRIPLES),
    Good("Windows line ends", CSV.replace("\n", "\r\n").encode(), TRIPLES),
    Good("old Mac line ends", CSV.replace("\n", "\r").encode(), TRIPLES),
    Good("blank lines between", CSV.replace("\n", "\n\n").encode(), TRIPLES),
    Good("tab, no header", lines(TRIPLES, "\t").encode(), TRIPLES, filename="u.dat"),
    Good("tab with header", lines(TRIPLES, "\t", "user\titem\trating").encode(), TRIPLES, filename="r.tsv"),
    Good("semicolon", lines(TRIPLES, ";", "user;item;rating").encode(), TRIPLES),
    Good("pipe", lines(TRIPLES, "|", "user|item|rating").encode(), TRIPLES),
    Good("pipe, no header", lines(TRIPLES, "|").encode(), TRIPLES),
    Good("double colon", lines(TRIPLES, "::").encode(), TRIPLES, filename="r.dat"),
    Good("double colon with header", lines(TRIPLES, "::", "user::item::rating").encode(), TRIPLES),
    Good("single spaces", lines(TRIPLES, " ").encode(), TRIPLES, filename="ratings.txt"),
    Good("runs of spaces", lines([("", *row) for row in TRIPLES], "   ").encode(), TRIPLES, filename="r.txt"),
    Good("with byte order mark", b"\xef\xbb\xbf" + CSV.encode(), TRIPLES),
    Good("UTF-16", CSV.encode("utf-16"), TRIPLES),
    Good("UTF-16 big-endian with mark", b"\xfe\xff" + CSV.encode("utf-16-be"), TRIPLES),
    Good("UTF-16 without mark", CSV.encode("utf-16-le"), TRIPLES, noted("UTF-16")),
    Good("gzip", gzip.compress(CSV.encode()), TRIPLES, filename="ratings.csv.gz"),
    Good("zip", zipped(ratings_csv=CSV), TRIPLES, filename="upload.zip"),
    Good("gzip in zip", zipped(ratings_csv_gz=gzip.compress(CSV.encode())), TRIPLES, filename="upload.zip"),
    Good("zip with clutter", zipped({"__MACOSX/x": "?"}, a__ratings_csv=CSV, README="see <www>"), TRIPLES, filename="z.zip"),
    Good("Parquet", parquet(FRAME), TRIPLES, filename="r.parquet"),
    Good("Parquet, ratings as float", parquet(FRAME.astype({"rating": "float32"})), TRIPLES, filename="r.parquet"),
    Good("Parquet in zip", zipped(r_parquet=parquet(FRAME)), TRIPLES, filename="r.zip"),
    Good("RecBole", lines(TRIPLES, "\t", "user_id:token\titem_id:token\trating:float").encode(), TRIPLES, filename="x.inter"),
    Good("JSON lines", FRAME.to_json(orient="records", lines=True).encode(), TRIPLES, filename="r.json"),
    Good("JSON array", FRAME.to_json(orient="records").encode(), TRIPLES, filename="r.json"),
    Good("wide", wide(TRIPLES).encode(), TRIPLES, noted("wide table")),
    Good("wide, semicolons and NA", wide(TRIPLES, ";", "NA").encode(), TRIPLES, noted("wide table")),
    Good("wide without corner", wide(TRIPLES, corner="").encode(), TRIPLES),
    Good("everything quoted", lines([tuple(f'"{c}"' for c in r) for r in TRIPLES], ",", '"user","item","rating"').encode(), TRIPLES),
    Good("rating first", lines([r[::-1] for r in TRIPLES], ",", "rating,item,user").encode(), TRIPLES),
    Good("with time", lines([(*r, 978300760 + k) for k, r in enumerate(TRIPLES)]).encode(), TRIPLES),
    Good("decimal points", lines([(u, i, f"{r}.0") for u, i, r in TRIPLES], header=HEADER).encode(), TRIPLES),
    Good("decimal commas", lines([(u, i, f"{r},0") for u, i, r in TRIPLES], ";", "User;Film;Bewertung").encode(), TRIPLES,
         noted("decimal commas")),
    Good("spaces after commas", lines(TRIPLES, ", ", "user, item, rating").encode(), TRIPLES, noted("spaces were removed around")),
    Good("other names", lines(TRIPLES, ",", "reviewerID,asin,overall").encode(), TRIPLES),
    Good("names in capitals", lines(TRIPLES, ";", '"User-ID";"ISBN";"Book-Rating"').encode(), TRIPLES),
    Good("numbered rows", lines([(k, *r) for k, r in enumerate(TRIPLES)], ",", ",user,item,rating").encode(), TRIPLES),
    Good("R's row names", lines([(f'"{k}"', *r) for k, r in enumerate(TRIPLES, 1)], " ", '"user" "item" "rating"').replace('"', "").encode(),
         TRIPLES, filename="r.txt"),
    Good("stars", lines([(u, i, "★" * r + "☆" * (5 - r)) for u, i, r in TRIPLES], header=HEADER).encode(), TRIPLES,
         noted("stars were counted")),
    Good("out of five", lines([(u, i, f"{r}/5") for u, i, r in TRIPLES], header=HEADER).encode(), TRIPLES, noted("out of")),
    Good("reversed order", lines(TRIPLES[::-1], header=HEADER).encode(), TRIPLES),
    Good("unknown names", lines(TRIPLES, ",", "who,which,how").encode(), TRIPLES),
]  # fmt: skip
"""Files that all hold TRIPLES, so all must give the same content hash."""

NUMBERED_SAME = [
    Good("whole numbers, comma", lines(NUMBERED, ",", "userId,movieId,rating").encode(), NUMBERED),
    Good("whole numbers, no header", lines(NUMBERED).encode(), NUMBERED),
    Good("whole numbers, spaces", lines(NUMBERED, " ").encode(), NUMBERED),
    Good("whole numbers, Parquet", parquet(pd.DataFrame(NUMBERED, columns=["u", "i", "r"])), NUMBERED, filename="x.parquet"),
    Good("whole numbers, Parquet of floats",
         parquet(pd.DataFrame(NUMBERED, columns=["user", "item", "rating"]).astype(float)), NUMBERED, filename="x.parquet"),
    Good("whole numbers, JSON lines",
         pd.DataFrame(NUMBERED, columns=["user", "item", "rating"]).to_json(orient="records", lines=True).encode(), NUMBERED),
    Good("Netflix Prize blocks",
         "".join(f"{item}:\n" + "".join(f"{u},{r},2005-09-06\n" for u, i, r in NUMBERED if i == item)
                 for item in sorted({i for _, i, _ in NUMBERED})).encode(), NUMBERED, filename="combined.txt"),
]  # fmt: skip
"""Files that all hold NUMBERED."""
