"""MovieLens as GroupLens publishes it: what must come out of the real files, and out of damaged ones."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from nnm_core.datasets import Dataset, catalogue, describe, load_dataset
from nnm_core.errors import DataError, InputError
from nnm_core.scale import Scale


def count(dataset: Dataset, trait: str, value: str) -> int:
    labels = dataset.traits[trait]
    return int(labels.counts[labels.names.index(value)])


@pytest.mark.movielens
def test_100k_has_the_published_numbers(movielens: Path) -> None:
    dataset, report = load_dataset(movielens / "ml-100k")
    ratings = dataset.ratings
    assert (len(ratings), ratings.n_users, ratings.n_items) == (100_000, 943, 1_682)
    assert ratings.scale == Scale(1, 5)
    assert [count for _, count in report.levels] == [6_110, 11_370, 27_145, 34_174, 21_201]
    assert len(dataset.tags.names) == 19
    assert dataset.titles[ratings.item_index["1"]] == "Toy Story (1995)"
    toy_story = dataset.tags.member[[ratings.item_index["1"]]].indices
    assert [dataset.tags.names[k] for k in toy_story] == ["Animation", "Children's", "Comedy"]
    assert (count(dataset, "gender", "female"), count(dataset, "gender", "male")) == (273, 670)
    assert len(dataset.traits["occupation"].names) == 21
    assert count(dataset, "occupation", "student") == 196
    assert dataset.traits["age"].names[2] == "age 25–34"
    assert dataset.traits["age"].counts.sum() == 943
    assert "Miérables, Les (1995)" not in dataset.titles
    assert any("é" in title for title in dataset.titles), "latin-1 titles must be decoded"
    assert report.rows_dropped == 0


@pytest.mark.movielens
def test_1m_has_the_published_numbers(movielens: Path) -> None:
    dataset, report = load_dataset(movielens / "ml-1m")
    ratings = dataset.ratings
    assert (len(ratings), ratings.n_users, ratings.n_items) == (1_000_209, 6_040, 3_706)
    assert [count for _, count in report.levels] == [56_174, 107_557, 261_197, 348_971, 226_310]
    assert len(dataset.tags.names) == 18
    assert (count(dataset, "gender", "female"), count(dataset, "gender", "male")) == (1_709, 4_331)
    assert dataset.traits["age"].names == (
        "age under 18", "age 18–24", "age 25–34", "age 35–44", "age 45–49", "age 50–55", "age 56+",
    )  # fmt: skip
    assert count(dataset, "age", "age 25–34") == 2_096
    assert len(dataset.traits["occupation"].names) == 21
    assert count(dataset, "occupation", "college/grad student") == 759
    assert any("left out for want of a rating: 177 items of the item file" in note for note in report.notes)


@pytest.mark.movielens
def test_same_ratings_whatever_the_way_in(movielens: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NNM_DATA", str(movielens))
    named, _ = load_dataset("ml-100k")
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", movielens, "ml-100k")
    packed, _ = load_dataset(archive)
    alone, _ = load_dataset(movielens / "ml-100k" / "u.data")
    assert named.content_hash == packed.content_hash
    assert named.ratings.content_hash == alone.ratings.content_hash
    assert "may not be redistributed" in named.licence
    assert (named.name, packed.name) == ("ml-100k", "packed")


@pytest.mark.movielens
def test_quick_and_careful_ways_agree(movielens: Path) -> None:
    quick, _ = load_dataset(movielens / "ml-1m" / "ratings.dat")
    content = (movielens / "ml-1m" / "ratings.dat").read_bytes()
    careful, _ = load_dataset(content + b"not a row\n")
    assert quick.ratings.content_hash == careful.ratings.content_hash


def small_100k(**changes: str | None) -> dict[str, str]:
    flags = "|".join(["0"] * 17)
    files: dict[str, str | None] = {
        "u.data": "1\t1\t5\t0\n1\t2\t3\t0\n2\t1\t1\t0\n",
        "u.item": f"1|Toy Story (1995)|01-Jan-1995||x|0|1|{flags}\n2|Heat (1995)|01-Jan-1995||y|1|0|{flags}\n",
        "u.user": "1|24|M|writer|85711\n2|53|F|other|94043\n",
        "u.genre": "".join(f"genre{k}|{k}\n" for k in range(19)),
        **changes,
    }
    return {name: content for name, content in files.items() if content is not None}


def small_1m(**changes: str | None) -> dict[str, str]:
    files: dict[str, str | None] = {
        "ratings.dat": "1::1::5::0\n1::2::3::0\n2::1::1::0\n",
        "movies.dat": "1::2001: A Space Odyssey (1968)::Drama|Sci-Fi\n2::Heat (1995)::Action\n",
        "users.dat": "1::F::1::10::48067\n2::M::56::16::70072\n",
        **changes,
    }
    return {name: content for name, content in files.items() if content is not None}


def small_csv(**changes: str | None) -> dict[str, str]:
    files: dict[str, str | None] = {
        "ratings.csv": "userId,movieId,rating,timestamp\n1,1,5.0,0\n1,2,3.5,0\n2,1,0.5,0\n",
        "movies.csv": "movieId,title,genres\n"
        '1,"American President, The (1995)",Comedy|Drama\n2,Heat,(no genres listed)\n',
        "tags.csv": "userId,movieId,tag,timestamp\n1,1,witty,0\n2,1,Witty,0\n1,1,Witty,0\n1,99,gone,0\n",
        "links.csv": "movieId,imdbId,tmdbId\n1,2,3\n",
        **changes,
    }
    return {name: content for name, content in files.items() if content is not None}


def folder_of(files: dict[str, str], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="latin-1" if name.startswith(("u.", "movies.dat")) else "utf-8")
    return folder


def test_titles_with_delimiters_inside_survive(tmp_path: Path) -> None:
    dat, _ = load_dataset(folder_of(small_1m(), tmp_path / "dat"))
    assert dat.titles == ("2001: A Space Odyssey (1968)", "Heat (1995)")
    assert dat.tags.names == ("Action", "Drama", "Sci-Fi")
    assert dat.about_films
    assert dat.traits["occupation"].names == ("K-12 student", "self-employed")
    table, report = load_dataset(folder_of(small_csv(), tmp_path / "csv"))
    assert table.titles == ("American President, The (1995)", "Heat")
    assert table.user_tags is not None
    assert table.user_tags.names == ("Witty",)
    assert table.user_tags.member.toarray().tolist() == [[True], [False]]
    assert any("without tags: 1 item, namely '2'" in note for note in report.notes)


def test_10m_layout_is_told_from_1m(tmp_path: Path) -> None:
    files = small_1m(**{"users.dat": None, "tags.dat": "1::1::slow::0\n"})
    files["ratings.dat"] = files["ratings.dat"].replace("::3::", "::3.5::")
    dataset, _ = load_dataset(folder_of(files, tmp_path / "ml-10M100K"))
    assert dataset.ratings.scale == Scale(0.5, 5, 0.5)
    assert dataset.user_tags is not None
    assert dataset.traits == {}


@pytest.mark.movielens
def test_files_of_100k_that_come_one_by_one_say_what_their_columns_are(ml_100k_folder: Path, ml_100k: Dataset) -> None:
    beside = {"items": ml_100k_folder / "u.item", "users": ml_100k_folder / "u.user"}
    dataset, _ = load_dataset(ml_100k_folder / "u.data", **beside)
    assert dataset.ratings.by_user.codes.tolist() == ml_100k.ratings.by_user.codes.tolist()
    assert sorted(dataset.tags.names) == sorted(ml_100k.tags.names)
    assert set(dataset.traits) == set(ml_100k.traits) == {"gender", "age", "occupation"}


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        (small_100k(**{"u.item": None}), r"u\.item is missing"),
        (small_100k(**{"u.data": None}), r"u\.data is missing"),
        (small_100k(**{"u.user": None, "u.genre": None}), r"u\.user and u\.genre are missing"),
        (small_1m(**{"movies.dat": None}), r"movies\.dat is missing"),
        (small_1m(**{"users.dat": None}), r"users\.dat is missing"),
        (small_1m(**{"ratings.dat": None}), r"ratings\.dat is missing"),
    ],
)
def test_missing_file_is_named_with_the_way_out(files: dict[str, str], missing: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"{missing}\. Unpack GroupLens's archive again"):
        load_dataset(folder_of(files, tmp_path / "ml"))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (small_100k(**{"u.data": "1\t1\t5\t0\n1\t2\t3\n"}), r"u\.data, line 2: 4 columns expected, 3 found"),
        (small_100k(**{"u.data": "1\t1\t5\t0\n1\t2\tfive\t0\n"}), r"u\.data, line 2: .*'five'.* not a number"),
        (small_100k(**{"u.data": "1\t1\t5\t0\n\t2\t3\t0\n"}), r"u\.data, line 2: no user.*no user id"),
        (small_100k(**{"u.item": "1|Toy Story (1995)|x\n"}), r"u\.item, line 1: 24 columns expected, 3 found"),
        (small_100k(**{"u.user": "1|old|M|writer|1\n"}), r"u\.user, line 1: the age 'old' is not a whole number"),
        (small_100k(**{"u.genre": "unknown|0\n"}), r"u\.genre names 1 genres, but u\.item has 19"),
        (small_1m(**{"ratings.dat": "1::1::5::0\n\n1::2:3::0\n"}), r"ratings\.dat, line 3: 4 columns expected"),
        (small_1m(**{"movies.dat": "1::Heat\n"}), r"movies\.dat, line 1: 3 columns expected, 2 found"),
        (small_1m(**{"users.dat": "1::F::x::1::1\n"}), r"users\.dat, line 1: the age 'x'"),
        (small_csv(**{"movies.csv": "movieId,title,genres\n1,Heat\n"}), r"movies\.csv, line 2: 3 columns expected"),
        (small_csv(**{"movies.csv": "movieId,title,genres\n,Heat,Drama\n"}), r"movies\.csv, line 2: no item"),
        (small_csv(**{"tags.csv": "userId,movieId,tag,timestamp\n1,1\n"}), r"tags\.csv, line 2: 4 columns expected"),
    ],
)
def test_broken_line_is_named_with_the_way_out(files: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"(?s){message}.*(download|same archive)"):
        load_dataset(folder_of(files, tmp_path / "ml"))


def test_nested_folder_in_an_archive_is_found() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in small_1m().items():
            archive.writestr(f"some/where/ml-1m/{name}", content)
    dataset, report = load_dataset(buffer.getvalue(), filename="mine.zip")
    assert dataset.name == "mine"
    assert report.files[0].path == "some/where/ml-1m/ratings.dat"


def test_bundled_data_set_is_complete_and_described() -> None:
    dataset, report = load_dataset("bundled")
    assert (len(dataset.ratings), dataset.ratings.n_users, dataset.ratings.n_items) == (100_004, 671, 9_066)
    assert dataset.ratings.scale == Scale(0.5, 5, 0.5)
    assert len(dataset.tags.names) == 19
    text = describe(dataset, report)
    assert "100,004 ratings by 671 users of 9,066 items" in text
    assert "100,004 read, 100,004 kept, 0 dropped" in text
    assert "without tags: 17 items" in text
    assert "no warranty" in text


def test_names_are_listed_and_unknown_ones_explained(tmp_path: Path) -> None:
    wanted = ("bundled", "demo", "ml-100k", "ml-1m", "ml-10m", "ml-20m", "ml-25m", "ml-32m", "ml-latest-small")
    assert catalogue.names() == wanted
    with pytest.raises(InputError, match=r"no known data set; there are bundled, demo"):
        catalogue.entry_of("ml-2m")
    with pytest.raises(DataError, match="no file or folder"):
        load_dataset(tmp_path / "nothing.csv")


@pytest.mark.parametrize("entry", catalogue.CATALOGUE.values(), ids=lambda entry: entry.name)
def test_every_archive_has_a_checksum_and_a_licence(entry: catalogue.Entry) -> None:
    kind, digest = entry.checksum.split(":")
    assert len(digest) == {"sha256": 64, "md5": 32}[kind]
    assert "GroupLens" in entry.licence
    assert entry.url == f"https://files.grouplens.org/datasets/movielens/{entry.name}.zip"


def test_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is empty"):
        load_dataset(tmp_path)


def test_arrays_of_a_data_set_line_up() -> None:
    dataset, _ = load_dataset("demo")
    assert dataset.tags.member.shape == (dataset.ratings.n_items, len(dataset.tags.names))
    assert np.all(dataset.tags.counts > 0)
