"""The hierarchy page: ε, focus, what was picked."""

import numpy as np
import pandas as pd
import pytest

from nnm_core import fit, preset
from nnm_core.meaning.inclusion import tag_hierarchy
from nnm_core.meaning.phrases import percent
from nnm_core.meaning.screening import ordered_traits
from tests.views.conftest import charts, texts


@pytest.fixture(scope="module")
def hierarchy(bundled):
    return tag_hierarchy(fit(bundled.ratings, preset("recommended")), bundled.tags, min_items=5)


def test_the_sentence_counts_the_inclusions_at_epsilon(page, hierarchy):
    for epsilon in (0.31, 0.36):
        app = page("hierarchy", eps=epsilon)
        assert f"there are {hierarchy.at(epsilon).n_edges} inclusions among 19 genres" in texts(app)


def test_epsilon_moves_the_graph(page):
    app = page("hierarchy", eps=0.31)
    before = charts(app)[1]
    app.slider(key="eps").set_value(0.36).run()
    assert not app.exception
    assert charts(app)[1] != before


def test_an_inclusion_shows_its_birth(page, hierarchy):
    app = page("hierarchy", node="War", inside="Film-Noir")
    witness = hierarchy.witness("War", "Film-Noir")
    assert f"**ε = {witness.birth:.3f}**".replace(".", "\\.") in texts(app) or f"{witness.birth:.3f}" in texts(app)
    bars = charts(app)[2]["data"]
    assert len(bars) == 2


def test_tags_can_be_left_out(page):
    app = page("hierarchy", without="IMAX")
    assert "among 18 genres" in texts(app)


def test_a_thousand_tags_are_shown_around_one(page, thousand_tags):
    app = page("hierarchy", thousand_tags)
    assert "a whole picture is a tangle" in texts(app)
    nodes = charts(app)[1]["data"][-1]
    assert len(nodes["customdata"]) <= 61


def test_traits_can_be_ordered(page, cinema):
    app = page("hierarchy", cinema, ordered="traits")
    assert "Which traits of people include which?" in texts(app)
    assert "One trait is" in texts(app)


def test_traits_of_few_people_are_named_and_not_drawn(page, ml_100k):
    app = page("hierarchy", ml_100k, ordered="traits", eps=0.36)
    text = texts(app)
    assert "It compares **stereotypes, not persons**" in text
    assert "everybody" not in text
    assert "with fewer than 20 people: doctor (7)" in text
    assert "homemaker (7)" in text
    assert not {"doctor", "homemaker"} & set(charts(app)[1]["data"][-1]["customdata"])


def test_what_counting_people_contradicts_is_said(page, ml_100k):
    order = ordered_traits(fit(ml_100k.ratings, preset("recommended")), ml_100k.traits.items()).hierarchy.at(0.36)
    (narrow, broad) = ("age 56+", "female")
    assert broad in order.including(narrow)
    text = texts(page("hierarchy", ml_100k, ordered="traits", eps=0.36, node=narrow, inside=broad))
    people = pd.DataFrame({trait: labels.member.argmax(axis=1) for trait, labels in ml_100k.traits.items()})
    has = people["age"] == ml_100k.traits["age"].names.index(narrow)
    both = has & (people["gender"] == ml_100k.traits["gender"].names.index(broad))
    assert f"age 56\\+ in female ({both.sum()} of {has.sum()})" in text
    assert f"Among the persons themselves, {both.sum()} of {has.sum()} people" in text


def test_without_tags_it_says_what_to_do(page, without_tags):
    assert "Data" in page("hierarchy", without_tags).info[0].value


def test_the_barcode_has_every_birth(page, hierarchy):
    app = page("hierarchy")
    strokes = charts(app)[0]["data"][0]
    assert len(strokes["y"] if isinstance(strokes["y"], list) else np.zeros(3 * 19 * 18)) == 3 * 19 * 18


def test_the_first_picture_has_levels_and_hardly_a_square(page, bundled):
    for name in ("recommended", "paper"):
        nodes = charts(page("hierarchy", fit=name))[1]["data"][-1]
        squares = [
            tag
            for tag, symbol in zip(nodes["customdata"], nodes["marker"]["symbol"], strict=True)
            if symbol == "square"
        ]
        assert len(nodes["customdata"]) >= 17
        assert len(squares) <= 1


def test_it_says_when_the_order_is_one_of_being_liked(page, hierarchy, cinema):
    text = texts(page("hierarchy"))
    best = [hierarchy.tags[row] for row in np.argsort(-hierarchy.vectors.mean(axis=1))[:3]]
    assert "mostly an order of how well liked the genres are" in text
    assert f"that alone explains {percent(hierarchy.share_of_the_broad())} of the differences" in text
    assert "in this order: " + ", ".join(best).replace("-", "\\-") in text
    assert "how well liked" not in texts(page("hierarchy", cinema))  # there it is one of taste
