"""Colours that tell stereotypes apart, text that can be read, and one style for all pictures."""

import tomllib
from pathlib import Path

import numpy as np
import plotly.io
import pytest

from dashboard.theme import DARK, LIGHT, contrast, make_figure, written_on


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


def test_no_picture_has_a_template_whoever_set_one_meanwhile(monkeypatch):
    for _ in range(2):
        monkeypatch.setattr(plotly.io.templates, "default", "plotly_white")
        figure = make_figure([{"type": "bar", "y": [1]}], {"height": 200}, LIGHT)
        assert "template" not in figure.to_dict()["layout"]
