"""What the page says about an order of tags, from small orders whose answers are known."""

from dataclasses import replace

import numpy as np

from dashboard.components.inclusions import Kind, describe_order, describe_witness, promise
from dashboard.wording import FILMS
from nnm_core.datasets import Labels
from nnm_core.interpret.hierarchy.graph import order_at
from nnm_core.interpret.hierarchy.inclusion import Witness
from tests.dashboard.views.conftest import charts


def said(order):
    """What the page says of an order of genres."""
    return describe_order(order, Kind("tags", "genre", "genres"), int(order.reduced.sum()))


def test_one_of_five_is_not_most_and_ties_are_told():
    births = np.ones((5, 5))
    births[0, 1] = births[2, 3] = 0.1
    text = said(order_at(list("abcde"), births, 0.2))
    assert "The broadest are **b** and **d**: from each, arrows lead to 1 other." in text
    assert "Most" not in text
    births = np.ones((8, 8))
    births[[0, 2, 4, 6], [1, 3, 5, 7]] = 0.1
    assert "None is the broadest: from 4 of them arrows lead to 1 other each." in said(
        order_at(list("abcdefgh"), births, 0.2)
    )


def test_equal_tags_count_alike():
    births = np.ones((4, 4))
    births[0, 1] = births[1, 0] = births[2, 0] = births[3, 0] = births[2, 1] = 0.1  # a includes two, b but one
    text = said(order_at(["a", "b", "c", "d"], births, 0.2))
    assert "The broadest is **a = b**: arrows lead from there to both others." in text
    assert "5 inclusions among 4 genres, drawn as 2 arrows: genres in one square share their arrows." in text


def test_where_no_arrow_is_left_none_is_the_broadest():
    births = np.ones((4, 4))
    births[0, 1] = births[1, 0] = births[2, 3] = births[3, 2] = 0.1
    text = said(order_at(["a", "b", "c", "d"], births, 0.2))
    assert "broadest" not in text
    assert "only the genres in one square include each other" in text


def test_arrows_that_follow_are_counted_apart():
    births = np.ones((3, 3))
    births[0, 1] = births[1, 2] = births[0, 2] = 0.1
    text = said(order_at(["a", "b", "c"], births, 0.31))
    assert "3 inclusions among 3 genres, drawn as 2 arrows: no arrow is drawn where others already lead." in text
    assert "sure" not in text


def test_what_an_arrow_promises_is_never_rounded_up():
    for by in ("taste", "liking"):
        kind = Kind("tags", "genre", "genres", by)
        for epsilon, said in ((0.3051, "69%"), (0.31, "69%"), (1 / 3, "66%"), (0.0, "100%"), (0.004, "99%")):
            assert f"**at least {said}**" in promise(order_at(["a", "b"], np.ones((2, 2)), epsilon), kind, FILMS)


def test_parts_that_are_next_to_nothing_are_not_called_equally_large():
    told = {(0.01, 0.002, 0.0): "The largest part stays inside with *a* (1%).", (0.3, 0.29, 0.0): "About equally large"}
    for carried, said in told.items():
        witness = Witness("Noir", "Comedy", 0.9, np.array(carried), np.array([0.6, 0.3, 0.09]))
        assert said in describe_witness(witness, ["a", "b", "c"], 0.1)


def test_tags_that_share_no_taste_are_not_drawn_as_if_they_did(page, cinema):
    chosen = [cinema.tags.names.index(name) for name in ("Horror", "Romance")]
    rows, columns = cinema.tags.member[:, chosen].nonzero()
    two = replace(cinema, tags=Labels.from_pairs(rows, columns, ["Horror", "Romance"], cinema.ratings.n_items))
    app = page("hierarchy", two)
    assert "No stereotype leans toward more than one of these 2 genres" in app.info[0].value
    assert not charts(app)
