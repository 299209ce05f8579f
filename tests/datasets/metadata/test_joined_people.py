"""Columns about people in a table of ratings, and the command that reads files in the same way again."""

import shlex

import pytest

from nnm_core.cli import make_parser
from nnm_core.cli.arguments import cleaning_of, hints_of
from nnm_core.datasets import Cleaning, load_dataset
from nnm_core.errors import DataError
from nnm_core.scale import Scale

HEADER = "user_id,movie_id,rating,title,gender,age,city,device"


def joined(*, changes: int = 0) -> bytes:
    """Forty people with twelve ratings each; ``changes``: so many of them move to another city."""
    rows = [HEADER]
    for person in range(40):
        gender, age, city = "FM"[person % 2], 18 + person, ("Berlin", "Paris", "Rome")[person % 3]
        for k in range(12):
            film = (person * 7 + k * 5 + k // 6) % 30
            moved = "Oslo" if person >= 40 - changes and k == 11 else city
            device = ("tv", "phone")[(person + k) % 2]
            rows.append(f"{person},{film},{1 + (person + k) % 5},Film {film},{gender},{age},{moved},{device}")
    return "\n".join(rows).encode()


def test_columns_that_are_the_same_in_all_rows_of_a_person_become_traits():
    dataset, report = load_dataset(joined())
    assert set(dataset.traits) == {"gender", "age", "city"}  # the device is another one from rating to rating
    names, member = dataset.traits["city"].names, dataset.traits["city"].member
    assert [names[k] for k in member.toarray().argmax(axis=1)[:4]] == [
        "Berlin",
        "Paris",
        "Rome",
        "Berlin",
    ]
    assert dataset.titles[0] == "Film 0"
    assert any("taken as traits: 'gender', 'age', 'city'" in str(note) for note in report.findings)
    assert not any("id came before" in str(note) for note in report.findings)


@pytest.mark.parametrize(("changes", "kept"), [(1, True), (20, False)])
def test_a_column_that_turns_out_to_differ_is_no_trait(changes, kept):
    dataset, report = load_dataset(joined(changes=changes))
    assert ("city" in dataset.traits) == kept
    said = [str(note) for note in report.findings if "is no trait" in str(note)]
    assert said == ([] if kept else ["'city' is no trait: it is not the same in all ratings of 20 people"])


def test_a_person_may_say_which_columns_are_traits():
    dataset, _ = load_dataset(joined(), hints=hints("--columns user_id movie_id rating --traits city"))
    assert set(dataset.traits) == {"city"}
    dataset, _ = load_dataset(joined(), hints=hints("--columns user_id movie_id rating --drop city age"))
    assert set(dataset.traits) == {"gender"}


def test_the_command_names_files_columns_and_decisions(tmp_path):
    files = {"rated.csv": joined(), "films.csv": b"movie_id,title,genres\n0,Zero,Drama|War\n3,Three,Comedy\n"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    cleaning = Cleaning(missing=(1.0,), duplicates="mean", min_user_ratings=2, scale=Scale(1.0, 6.0))
    films = tmp_path / "films.csv"
    dataset, report = load_dataset(tmp_path / "rated.csv", items=films, cleaning=cleaning)
    assert shlex.join(report.arguments) == (
        f"--columns user_id movie_id rating --traits gender age city --items {films} "
        "--scale 1 6 1 --missing 1 --duplicates mean --min-user-ratings 2"
    )
    parsed = make_parser().parse_args(["fit", str(tmp_path / "rated.csv"), *report.arguments])
    again, _ = load_dataset(parsed.data, items=parsed.items, hints=hints_of(parsed), cleaning=cleaning_of(parsed))
    assert again.content_hash == dataset.content_hash


def hints(arguments: str):
    return hints_of(make_parser().parse_args(["fit", "x.csv", *shlex.split(arguments)]))


def test_a_table_about_others_that_lies_beside_the_ratings_is_passed_over_and_one_that_is_given_is_refused(tmp_path):
    (tmp_path / "ratings.csv").write_bytes(joined())
    (tmp_path / "movies.csv").write_text("movie_id,title,genres\ntt1,One,Drama|War\ntt2,Two,Comedy\n")
    dataset, report = load_dataset(tmp_path)
    assert (len(dataset.ratings), dataset.tags.names) == (480, ())
    assert any("movies.csv was passed over" in str(note) and "occurs in the ratings" in str(note)
               for note in report.findings)  # fmt: skip
    with pytest.raises(DataError, match="none of the ids in its column 'movie_id'"):
        load_dataset(tmp_path / "ratings.csv", items=tmp_path / "movies.csv")
