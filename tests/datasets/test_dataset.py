"""What a data set holds together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nnm_core.datasets import (
    Dataset,
    Labels,
    load_dataset,
)
from nnm_core.errors import InputError

RATINGS = b"user,item,rating\na,x,5\nb,x,3\nb,y,1\n"


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
