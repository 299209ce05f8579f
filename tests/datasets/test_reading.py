"""Parts of the reading that the corpus does not reach: the quick way, line numbers, traits, mappings, the report."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nnm_core.datasets import (
    Cleaning,
    ColumnMapping,
    Dataset,
    Dialect,
    ItemColumns,
    Labels,
    RatingColumns,
    UserColumns,
    describe,
    load_dataset,
    sniff,
)
from nnm_core.datasets.synthetic import invent
from nnm_core.errors import DataError, InputError
from nnm_core.scale import Scale


@lru_cache(maxsize=16)
def large_table(delimiter: str = ",", end: str = "\n", n_rows: int = 150_000) -> tuple[str, pd.DataFrame]:
    """A plain table of some megabytes, and its content."""
    invented = invent(5000, 400, n_rows, seed=5)
    users = [f"user-with-a-long-name-{k}" if k % 3 else f"u{k}" for k in invented.users.tolist()]
    frame = pd.DataFrame({"user": users, "item": invented.items, "rating": invented.values.astype(int)})
    text = frame.to_csv(index=False, sep="\x02", lineterminator=end).replace("\x02", delimiter)
    assert len(text) > 2 * 2**20
    return text, frame


@pytest.mark.parametrize("delimiter", [",", "::"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "zip"])
def test_large_files_give_the_same_whichever_way_they_are_read(tmp_path: Path, delimiter: str, packed: bool) -> None:
    text, frame = large_table(delimiter)
    path = tmp_path / "ratings.csv"
    path.write_text(text, newline="")
    if packed:
        with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
            archive.write(path, "ratings.csv")
        path = tmp_path / "r.zip"
    quick, _ = load_dataset(path)
    careful, report = load_dataset((text + f"too{delimiter}short\n").encode())
    assert quick.content_hash == careful.content_hash
    assert report.dropped[0].examples[0].line == len(frame) + 2


def test_lines_are_right_in_large_files_too() -> None:
    text, _ = large_table()
    lines = text.split("\n")
    lines[90_000] = "someone,7,nothing"
    _, report = load_dataset("\n".join(lines).encode())
    assert [(group.count, group.examples[0].line) for group in report.dropped] == [(1, 90_001)]


def test_repeats_in_large_files_are_found_with_their_lines() -> None:
    text, frame = large_table()
    first = text.split("\n")[1]
    _, report = load_dataset((text + first + "\n").encode(), cleaning=Cleaning(duplicates="first"))
    assert [(group.count, group.examples[0].line) for group in report.dropped] == [(1, len(frame) + 2)]


RATINGS = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\n"


def test_mapping_faults_are_told_all_at_once() -> None:
    with pytest.raises(InputError, match=r"user column 'nobody' is not in the table; no column is named for the item"):
        RatingColumns(("a", "b"), user="nobody")
    with pytest.raises(InputError, match=r"'a' has two roles"):
        RatingColumns(("a", "b"), user="a", item="a")
    with pytest.raises(InputError, match="a wide table needs item columns"):
        RatingColumns(("a", "b"), layout="wide")
    with pytest.raises(InputError, match="both the user and an item"):
        RatingColumns(("a", "b"), user="a", layout="wide", item_columns=("a", "b"))
    with pytest.raises(InputError, match=r"'z' is not in the table.*The columns are 'a', 'b'"):
        ItemColumns(("a", "b"), item="a", tags=("z",))
    with pytest.raises(InputError, match="trait 'z' is not in the table"):
        UserColumns(("a", "b"), user="a", traits=("z",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duplicates": "all"}, "'first', 'last' or 'mean'"),
        ({"min_user_ratings": 0}, "must be 1 or more"),
        ({"n_bins": 1}, "between 2 and 100"),
        ({"n_bins": 5, "scale": Scale(1, 5)}, "either a scale or n_bins"),
        ({"scale": Scale(0, 1e300, 0)}, "a scale may reach 1,000,000,000 above and below zero"),
    ],
)
def test_decisions_that_cannot_be_followed_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Cleaning(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ""}, "cannot delimit"),
        ({"quote": "<>"}, "single characters"),
        ({"encoding": "utf-99"}, "no known text"),
    ],
)
def test_dialects_that_cannot_be_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Dialect(**options)  # type: ignore[arg-type]


def test_person_can_overrule_the_guess() -> None:
    content = b"name;thing;stars;weight\na;x;5;1\nb;x;3;2\nb;y;1;3\n"
    guess = sniff(content)
    assert guess.mapping.ratings.rating == "stars"
    other = replace(guess.mapping, ratings=replace(guess.mapping.ratings, rating="weight"))
    assert load_dataset(content, other)[0].ratings.scale == Scale(1, 3)
    seen = replace(guess.mapping, ratings=replace(guess.mapping.ratings, rating=""))
    assert load_dataset(content, seen)[0].implicit


def test_prefill_shows_samples_of_every_table_it_uses() -> None:
    guess = sniff(RATINGS, items=b"item,title\nx,X\ny,Y\n", users=b"user,age\na,30\nb,50\n", filename="r.csv")
    assert [table.file for table in guess.tables] == ["r.csv", "items", "users"]
    assert guess.table("items").sample == (("x", "X"), ("y", "Y"))
    assert guess.mapping.users == UserColumns(("user", "age"), "user", ("age",), Dialect(), "users")


def test_mapping_for_another_file_is_refused() -> None:
    mapping = ColumnMapping(
        RatingColumns(("user", "item", "rating"), "user", "item", "rating", dialect=Dialect(), file="z.csv")
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", RATINGS)
        archive.writestr("b.csv", RATINGS)
    with pytest.raises(DataError, match=r"has no file 'z\.csv'; it has a\.csv, b\.csv"):
        load_dataset(buffer.getvalue(), mapping, filename="r.zip")


PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"0" * 50


@pytest.mark.parametrize(("role", "whom"), [("items", "items"), ("users", "people")])
@pytest.mark.parametrize("content", [PICTURE, b"", b"id,name\nx,\x00\n"], ids=["picture", "empty", "NUL"])
def test_file_beside_the_ratings_that_cannot_be_read_is_refused(
    role: str, whom: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "poster.csv"
    path.write_bytes(content)
    said = rf"^poster\.csv.* It was taken for the file about the {whom}; choose another one, or remove it\.$"
    for read in (load_dataset, sniff):
        with pytest.raises(DataError, match=said):
            read(RATINGS, **{role: path})


def test_fault_far_inside_a_file_beside_the_ratings_is_told_of_that_file(tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_bytes(b"item,title\n" + b"x,X\n" * 20_000 + b"y,\x00\n")
    with pytest.raises(DataError, match=r"films\.csv, line 20,002, contains a NUL.*about the items; choose another"):
        load_dataset(RATINGS, items=path)


def test_file_of_which_the_mapping_makes_no_use_is_told() -> None:
    _, report = load_dataset(RATINGS, sniff(RATINGS).mapping, items=b"item,title\nx,X\ny,Y\n")
    assert "not used: items" in report.notes


def test_named_data_take_no_files_beside_them() -> None:
    with pytest.raises(InputError, match=r"demo brings along all.*leave out the other files"):
        load_dataset("demo", items=b"item,title\nx,X\n")


def test_ages_words_and_numbers_become_traits() -> None:
    users = "user;age;plan;visits;zip;since\n" + "".join(
        f"u{k};{15 + k};{'free' if k % 2 else 'paid'};{k * k};{10_000 + k};2020-01-{k % 28 + 1:02d}\n"
        for k in range(40)
    )
    ratings = "user,item,rating\n" + "".join(f"u{k},x,{k % 5}\n" for k in range(40))
    dataset, _ = load_dataset(ratings.encode(), users=users.encode())
    assert set(dataset.traits) == {"age", "plan", "visits"}
    assert dataset.traits["age"].names == (
        "age under 18", "age 18–24", "age 25–34", "age 35–44", "age 45–49", "age 50–55",
    )  # fmt: skip
    assert dataset.traits["age"].counts.tolist() == [3, 7, 10, 10, 5, 5]
    assert dataset.traits["plan"].names == ("free", "paid")
    assert len(dataset.traits["visits"].names) == 5
    assert dataset.traits["visits"].counts.sum() == 40
    assert dataset.traits["visits"].counts.min() >= 5


def test_numbers_in_a_trait_that_are_few_stay_as_they_are() -> None:
    dataset, _ = load_dataset(RATINGS, users=b"user,children\na,0\nb,2\n")
    assert dataset.traits["children"].names == ("children 0", "children 2")


def test_report_reads_well() -> None:
    content = b"user,item,rating\na,x,5\nb,x,oops\nb,y,1\nc,y,-1\nc,x,\nc,x,2\nc,x,3\n"
    dataset, report = load_dataset(content, items=b"item,title,genres\nx,X,a|b\nz,Z,c\n", filename="mine.csv")
    text = describe(dataset, report)
    assert report.rows_read == 7
    for line in (
        "mine\n  4 ratings by 3 users of 2 items (66.67% of all pairs)",
        "  scale: −1 to 5 in steps of 1 (7 levels)",
        "  tags: 2 (a, b)",
        "Import of mine.csv\n  mine.csv: ratings, 7 rows\n  items, 2 rows\n",
        "  ratings: 7 read, 4 kept, 3 dropped",
        "  dropped 1: no rating\n    mine.csv, line 6: user 'c', item 'x', no rating",
        "  dropped 1: the rating is not a number\n    mine.csv, line 3: user 'b', item 'x', rating 'oops'",
        "  dropped 1: the same user rated the same item again; the last of them was kept\n    mine.csv, line 7:",
        "  −1 may mean “not rated” (1 time): all other ratings are 1 or more; to leave it out, import with --missing",
        "  note: left out for want of a rating: 1 item of the item file, namely 'z'",
        "  note: without a title, so that the id stands in for it: 1 rated item, namely 'y'",
        "  note: without tags: 1 item, namely 'y'",
    ):
        assert line in text, text


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("1e300", "2e300"), r"go from 1e300 to 2e300, but nothing beyond 1,000,000,000 above or below zero"),
        (("-1.5e308", "1.5e308"), r"go from −1\.5e308 to 1\.5e308, but nothing beyond"),
        (("1e15", "1e15"), r"go from 1e15 to 1e15, but nothing beyond"),
        (("3", "1600000000000"), r"go from 3 to 1,600,000,000,000, but.*column of ids or times"),
        (("1e-300", "2e-300"), r"go from 1e−300 to 2e−300, too close together"),
    ],
)
def test_numbers_that_can_be_no_ratings_are_refused(values: tuple[str, str], message: str) -> None:
    rows = [f"u{k},i{k % 7},{value}" for k in range(20) for value in values[k % 2 : k % 2 + 1]]
    content = "\n".join(["user,item,rating", *rows]).encode()
    mapping = replace(sniff(content).mapping.ratings, user="user", item="item", rating="rating")
    with pytest.raises(DataError, match=message):
        load_dataset(content, ColumnMapping(mapping))


def test_large_number_for_not_rated_can_be_left_out() -> None:
    content = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\na,y,1e300\n"
    with pytest.raises(DataError, match="If such a number means “not rated”, say so when loading"):
        load_dataset(content)
    dataset, _ = load_dataset(content, cleaning=Cleaning(missing=(1e300,)))
    assert dataset.ratings.scale == Scale(1, 5, 2)


def test_large_and_small_ratings_are_written_in_one_way() -> None:
    rows = [f"u{k},i{k % 7},{1_000_000 * (k % 5 - 2)}" for k in range(20)]
    dataset, report = load_dataset("\n".join(["user,item,rating", *rows]).encode())
    assert dataset.scale_in_words == "−2,000,000 to 2,000,000 in steps of 1,000,000 (5 levels)"
    assert "levels: −2,000,000 (4), −1,000,000 (4), 0 (4)," in describe(dataset, report)


def test_paths_bytes_and_open_files_are_one(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(RATINGS)
    with path.open("rb") as stream:
        guess = sniff(stream)
        opened, _ = load_dataset(stream, guess.mapping)
    hashes = {opened.content_hash, load_dataset(path)[0].content_hash, load_dataset(str(path))[0].content_hash}
    assert hashes == {load_dataset(RATINGS)[0].content_hash}
    assert opened.name == "r"
    with pytest.raises(InputError, match="from a path, bytes or a binary file, not from StringIO"):
        load_dataset(io.StringIO("user,item"))  # type: ignore[arg-type]


def test_content_hash_sees_titles_tags_traits_and_mode() -> None:
    plain, _ = load_dataset(RATINGS)
    titled, _ = load_dataset(RATINGS, items=b"item,title\nx,X\ny,Y\n")
    tagged, _ = load_dataset(RATINGS, items=b"item,title,genres\nx,X,a\ny,Y,b\n")
    known, _ = load_dataset(RATINGS, users=b"user,age\na,30\nb,50\n")
    assert len({dataset.content_hash for dataset in (plain, titled, tagged, known)}) == 4
    assert replace(plain, name="other", source="elsewhere", licence="?").content_hash == plain.content_hash


def test_data_set_parts_must_line_up() -> None:
    plain, _ = load_dataset(RATINGS)
    with pytest.raises(InputError, match="1 titles for 2 items"):
        replace(plain, titles=("one",))
    with pytest.raises(InputError, match="tags for 5 of 2 items"):
        replace(plain, tags=Labels.none(5))
    with pytest.raises(InputError, match="trait 'age' is given for 5 of 2 users"):
        Dataset("x", plain.ratings, plain.titles, plain.tags, {"age": Labels.none(5)})


def test_folder_of_plain_files_is_read_together(tmp_path: Path) -> None:
    (tmp_path / "my ratings.csv").write_bytes(RATINGS)
    (tmp_path / "films.csv").write_bytes(b"film_id,title,genres\nx,X,a|b\ny,Y,b\n")
    (tmp_path / "readme.md").write_text("about")
    dataset, report = load_dataset(tmp_path)
    assert dataset.titles == ("X", "Y")
    assert dataset.tags.names == ("a", "b")
    assert [(file.path, file.role) for file in report.files] == [("my ratings.csv", "ratings"), ("films.csv", "items")]
    assert any("not used: readme.md" in note for note in report.notes)


def test_a_quote_that_swallows_rows_is_told_even_in_a_column_that_nobody_reads() -> None:
    rows = b'user,item,rating,remark\na,x,5,"two\nlines"\nb,x,4,"never closed\nc,x,3,\nc,y,2,\n'
    dataset, report = load_dataset(rows, filename="mine.csv")
    assert len(dataset.ratings) == 2
    assert [note for note in report.notes if "mine.csv, line 4, opens a quote" in note]


def test_a_quote_that_is_never_closed_is_told_of_a_long_file_too() -> None:
    rows = b'user,item,rating\na,x,5\nb,"x,4\n' + b"".join(b"c,%d,3\n" % k for k in range(600_000))
    _, report = load_dataset(rows, filename="mine.csv")
    assert [note for note in report.notes if "mine.csv, line 3, opens a quote" in note]


@pytest.mark.parametrize(
    "rows",
    [
        b'user,item,rating\na,5" disk,5\nb,x,4\n',
        b'user,item,rating\na,5" disk,5\nb,"say ""hi""\n, and more",4\n',
        b'user,item,rating\n"a","x",5\n"b","y",4\n',
    ],
    ids=["a stray quote", "a stray one before a long cell", "all closed"],
)
def test_quotes_that_are_closed_or_mean_nothing_are_not_complained_about(rows: bytes) -> None:
    dataset, report = load_dataset(rows)
    assert len(dataset.ratings) == 2
    assert not [note for note in report.notes if "quote" in note]


@pytest.mark.parametrize(
    "rows",
    [
        b"Anna Meyer, Where Is the Friend's Home?\nBen Kunz, Monsters and Co.\nAnna Meyer, Monsters and Co.\n",
        b"Anna Meyer,Where Is the Friend's Home?\nBen Kunz,The Monsters and Co.\n",
        b"user, item\nAnna Maria Meyer, Where Is the Friend's Home?\nBen Kunz, Monsters and Co.\n",
        b"anna, alien.\nben, heat.\n",
        b"Anna Meyer the first, Where Is It?, 5\nBen Kunz the second, Monsters and Co., 4\n",
    ],
    ids=["repeats", "no blanks", "named", "few words", "ratings"],
)
def test_titles_and_full_names_are_not_taken_for_prose(rows: bytes) -> None:
    dataset, _ = load_dataset(rows)
    assert dataset.ratings.n_users == 2


def test_a_continuous_scale_is_explained_without_names_from_code() -> None:
    values = np.random.default_rng(1).normal(size=60)
    text = "user,item,rating\n" + "".join(f"u{k % 12},i{k // 12},{value:.6f}\n" for k, value in enumerate(values))
    _, report = load_dataset(text.encode())
    (note,) = [note for note in report.notes if "without even steps" in note]
    assert "n_bins" not in note
    assert "or with --bins" in note
