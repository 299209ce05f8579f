"""Texts from outside as Markdown and back, one name for one data set, and numbers for people."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.figures.drawing import label
from dashboard.wording import (
    a,
    counted,
    duration,
    error_in_words,
    fit_in_words,
    md,
    message,
    number,
    plain,
    signed,
    title_of,
    words_for,
)
from nnm_core import preset
from nnm_core.datasets import load_dataset
from nnm_core.options import PRESETS, FitOptions
from nnm_core.phrases import shortened
from nnm_core.scale import Scale


@given(st.text(max_size=60))
def test_escaped_text_reads_as_it_was(text):
    expected = shortened(text, 120).replace("\u2060", "")
    assert plain(f"**{md(text)}** and *{md(text)}*") == f"{expected} and {expected}"


def test_one_name_for_one_data_set():
    assert title_of("bundled", "bundled") == "MovieLens small"
    assert title_of("own-xyz", "mine") == "mine"


def test_films_are_called_so_by_a_field_and_not_by_the_licence():
    cinema, _ = load_dataset("demo")
    others = replace(cinema, about_films=False, licence="GroupLens")
    assert (words_for(cinema).items, words_for(others).items) == ("films", "items")


@pytest.mark.parametrize(
    ("way", "changes", "words"),
    [
        ("recommended", {}, "three stereotypes, method “Recommended”"),
        ("paper", {"n_stereotypes": 1}, "one stereotype, method “As in the paper”"),
        ("paper", {"committee": 2}, "three stereotypes, method “As in the paper” with average of 2 fits"),
        ("accurate", {"n_chains": 2}, "16 stereotypes, method “Accurate” with 2 chains"),
    ],
)
def test_a_fit_is_told_in_plain_words(way, changes, words):
    assert fit_in_words(preset(way, **changes), 7) == f"{words}, random seed 7"


def test_every_option_that_somebody_changes_is_told():
    usual = PRESETS["recommended"]
    other = {"mode": "stars", "fill": "none", "anchors": (5, 5), "generosity": False, "momentum": False}
    numbers = set(FitOptions.__dataclass_fields__) - {"n_stereotypes", "method", *other}
    for name, value in (other | {name: getattr(usual, name) + 1 for name in numbers}).items():
        assert "“Recommended” with " in fit_in_words(preset("recommended", **{name: value}), 0), name


def test_errors_have_the_decimals_that_their_scale_needs():
    assert error_in_words(0.6749, Scale(0.5, 5, 0.5)) == "0.67"
    assert error_in_words(3.14, Scale(-10, 10)) == "3.1"
    assert error_in_words(0.3149, Scale(0, 1)) == "0.315"
    assert [a("film"), a("item")] == ["a film", "an item"]


def test_points_have_a_real_minus_sign():
    assert [signed(points) for points in (3.4, -3.4, 0.4, -0.4)] == ["+3", "−3", "0", "0"]


def test_an_address_from_outside_is_no_link():
    for text in ("see http://evil.example now", "HTTPS://evil.example", "www.evil.example"):
        assert not any(start in md(text).lower() for start in ("http:", "https:", "www."))
        assert plain(md(text)) == text


def test_texts_from_outside_stay_texts():
    assert md("**a** [b](c) <d>") == r"\*\*a\*\* \[b\]\(c\) \<d\>"
    assert md(":red[x] :smile:") == ":\u2060red\\[x\\] :\u2060smile:"
    assert label("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;"
    assert len(label("y" * 300)) == 26
    assert message("one\n\ntwo") == "one\n\ntwo"
    assert message("Name the columns (--columns PERSON ITEM) or say so (--wide)") == "Name the columns or say so"


def test_numbers_for_people():
    assert (number(3), number(40)) == ("three", "40")
    assert (counted(1, "person", "people"), counted(1200, "rating")) == ("1 person", "1,200 ratings")
    assert (duration(0.2), duration(12.3), duration(600)) == (
        "less than a second",
        "about 12 s",
        "about 10 min",
    )


def test_pictures_show_quotation_marks_and_no_markup():
    assert label('"Quoted" <b>film</b>') == '"Quoted" &lt;b&gt;film&lt;/b&gt;'
