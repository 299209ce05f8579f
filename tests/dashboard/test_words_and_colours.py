"""Texts from outside as Markdown and back, one name for one data set, and colours that tell stereotypes apart."""

import tomllib
from pathlib import Path

import numpy as np
import plotly.io
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.figures.drawing import in_lines
from dashboard.theme import DARK, LIGHT, contrast, make_figure, written_on
from dashboard.wording import a, error_in_words, fit_in_words, md, plain, signed, title_of
from nnm_core import preset
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


@pytest.mark.parametrize(
    ("way", "changes", "words"),
    [
        ("recommended", {}, "three kinds of taste, way of fitting “Recommended”"),
        ("paper", {"n_stereotypes": 1}, "one kind of taste, way of fitting “As in the paper”"),
        ("paper", {"committee": 2}, "three kinds of taste, way of fitting “As in the paper” with average of 2 fits"),
        ("accurate", {"n_chains": 2}, "16 kinds of taste, way of fitting “Accurate” with 2 runs averaged"),
    ],
)
def test_a_fit_is_told_in_plain_words(way, changes, words):
    assert fit_in_words(preset(way, **changes), 7) == f"{words}, random start 7"


def test_every_option_that_somebody_changes_is_told():
    usual = PRESETS["recommended"]
    other = {"mode": "stars", "fill": "none", "anchors": (5, 5), "generosity": False}
    numbers = set(FitOptions.__dataclass_fields__) - {"n_stereotypes", "method", *other}
    for name, value in (other | {name: getattr(usual, name) + 1 for name in numbers}).items():
        assert "“Recommended” with " in fit_in_words(preset("recommended", **{name: value}), 0), name


def test_errors_have_the_decimals_that_their_scale_needs():
    assert error_in_words(0.6749, Scale(0.5, 5, 0.5)) == "0.67"
    assert error_in_words(3.14, Scale(-10, 10)) == "3.1"
    assert error_in_words(0.3149, Scale(0, 1)) == "0.315"
    assert [a("film"), a("item")] == ["a film", "an item"]


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_no_two_of_thirty_two_stereotypes_share_a_colour(look):
    colors = np.array([[int(look.color(k)[at : at + 2], 16) for at in (1, 3, 5)] for k in range(32)], dtype=float)
    apart = np.linalg.norm(colors[:, None] - colors[None], axis=2) + 1000 * np.eye(32)
    assert apart.min() > 25
    assert [look.color(k) for k in range(12)] == list(look.colors)


EYES = (
    np.eye(3),
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
)
"""What ordinary eyes and those without red, green or blue make of linear RGB (Machado, Oliveira and Fernandes 2009)."""


def in_lab(colors, eyes):
    rgb = np.array([[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in colors])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
    xyz = np.clip(linear @ np.transpose(eyes), 0, 1) @ to_xyz.T / to_xyz.sum(axis=1)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116).T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_colours_of_traits_are_no_other_colours_of_the_picture(look, eyes):
    traits, others = in_lab(look.traits, eyes), in_lab([*look.colors[:6], look.muted], eyes)
    assert np.linalg.norm(traits[:, None] - others[None], axis=2).min() > 16
    apart = np.linalg.norm(traits[:, None] - traits[None], axis=2) + 1000 * np.eye(len(traits))
    assert apart.min() > 20


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_every_text_can_be_read_on_its_background(look):
    config = tomllib.loads((Path(__file__).parents[2] / ".streamlit/config.toml").read_text())["theme"][look.mood]
    papers = (config["backgroundColor"], config["secondaryBackgroundColor"])
    assert papers == (look.paper, look.panel)
    assert (config["textColor"], config["primaryColor"]) == (look.ink, look.accent)
    for paper in papers:
        for ink in (
            look.ink,
            look.muted,
            look.accent,
            blended(look.ink, paper, 0.6),
        ):  # the last is Streamlit's caption
            assert contrast(ink, paper) >= 4.5, (ink, paper)
    if look.mood == "light":
        assert contrast("#ffffff", look.accent) >= 4.5  # on main buttons, which the dark look does without
    for color in (*(look.color(k) for k in range(32)), look.muted, look.ink):
        assert contrast(written_on(color), color) >= 4.5, color


def blended(ink, paper, part):
    mixed = (part * int(ink[k : k + 2], 16) + (1 - part) * int(paper[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(value):02x}" for value in mixed)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_points_have_a_real_minus_sign():
    assert [signed(points) for points in (3.4, -3.4, 0.4, -0.4)] == ["+3", "−3", "0", "0"]


def test_an_address_from_outside_is_no_link():
    for text in ("see http://evil.example now", "HTTPS://evil.example", "www.evil.example"):
        assert not any(start in md(text).lower() for start in ("http:", "https:", "www."))
        assert plain(md(text)) == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("administrator", ["administrator"]),
        ("entertainment", ["entertainment"]),
        ("Film-Noir", ["Film-Noir"]),
        ("Film-Noir and Musical fan", ["Film-Noir", "and Musical", "fan"]),
        ("executive/managerial", ["executive/", "managerial"]),
        ("doctor/health care", ["doctor/health", "care"]),
        ("Sci-Fi and post-apocalyptic", ["Sci-Fi and", "post-", "apocalyptic"]),
        ("Donaudampfschifffahrt", ["Donaudampfs…"]),
        ("/ - /", ["/ - /"]),
        ("", []),
    ],
)
def test_no_word_is_broken_inside(text, lines):
    assert in_lines(text, 12) == lines
    whole = text.replace("/", " ").replace("-", " ").split()
    shown = " ".join(lines).replace("/", " ").replace("-", " ").split()
    assert all(word in whole or word.endswith("…") for word in shown)


def test_no_picture_has_a_template_whoever_set_one_meanwhile(monkeypatch):
    for _ in range(2):
        monkeypatch.setattr(plotly.io.templates, "default", "plotly_white")
        figure = make_figure([{"type": "bar", "y": [1]}], {"height": 200}, LIGHT)
        assert "template" not in figure.to_dict()["layout"]
