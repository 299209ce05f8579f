"""Every file of the corpus gives what it must, or the message it must."""

from __future__ import annotations

import re

import pytest

from nnm_core.cli import make_parser
from nnm_core.cli.arguments import hints_of
from nnm_core.datasets import Dataset, Hints, describe, load_dataset, sniff
from nnm_core.errors import NnmError

from .corpus import (
    BAD,
    FORMATS,
    NO_PEOPLE,
    NO_RATINGS,
    NUMBERED_SAME,
    ODD,
    PERSONAL,
    SAME,
    SEVERAL,
    SURVEYS,
    TABLES,
    Bad,
    Good,
)

GOOD = [*SAME, *FORMATS, *NUMBERED_SAME, *ODD, *SEVERAL, *TABLES, *SURVEYS, *PERSONAL]
REFUSED = [*BAD, *NO_PEOPLE, *NO_RATINGS]


def ratings_of(dataset: Dataset) -> set[tuple[str, str, float]]:
    ratings = dataset.ratings
    triples = zip(ratings.users.tolist(), ratings.items.tolist(), ratings.values.tolist(), strict=True)
    return {(ratings.user_ids[user], ratings.item_ids[item], round(value, 6)) for user, item, value in triples}


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_good_files_give_their_ratings(case: Good) -> None:
    dataset, report = load_dataset(case.content, filename=case.filename, **case.options)
    assert ratings_of(dataset) == {(str(user), str(item), round(float(value), 6)) for user, item, value in case.ratings}
    assert report.rows_read == report.rows_kept + report.rows_dropped
    assert report.rows_kept == len(dataset.ratings)
    assert describe(dataset, report)
    if case.check:
        case.check(dataset, report)


@pytest.mark.parametrize("family", [[*SAME, *FORMATS], NUMBERED_SAME], ids=["texts", "numbers"])
def test_same_content_has_the_same_hash_whatever_the_format(family: list[Good]) -> None:
    hashes = {}
    for case in family:
        dataset, _ = load_dataset(case.content, filename=case.filename, **case.options)
        hashes[case.name] = dataset.content_hash
    assert len(set(hashes.values())) == 1, hashes


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_following_the_prefilled_mapping_is_the_same_as_leaving_it_out(case: Good) -> None:
    sides = {key: value for key, value in case.options.items() if key != "cleaning"}
    guess = sniff(case.content, filename=case.filename, **sides)
    guided, _ = load_dataset(case.content, guess.mapping, filename=case.filename, **case.options)
    alone, _ = load_dataset(case.content, filename=case.filename, **case.options)
    assert guided.content_hash == alone.content_hash


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_command_that_is_given_reads_the_same_again(case: Good) -> None:
    options = {key: value for key, value in case.options.items() if key != "hints"}
    file = case.options.get("hints", Hints()).file
    first, report = load_dataset(case.content, filename=case.filename, **case.options)
    said = ["--file", file] if file else []
    hints = hints_of(make_parser().parse_args(["inspect", case.filename, *report.arguments, *said]))
    again, _ = load_dataset(case.content, hints=hints, filename=case.filename, **options)
    assert again.content_hash == first.content_hash


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_bad_files_are_refused_with_a_reason(case: Bad) -> None:
    with pytest.raises(NnmError, match=rf"(?s){case.message}") as caught:
        load_dataset(case.content, filename=case.filename, **case.options)
    assert not re.search(r"\.(\.(?= |$)|\)|;)", str(caught.value)), "a foreign message has kept its full stop"


def test_corpus_is_large_enough() -> None:
    assert len({case.name for case in [*GOOD, *REFUSED]}) == len(GOOD) + len(REFUSED) >= 200
