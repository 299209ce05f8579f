"""Where one begins to look at a hierarchy."""

import numpy as np
import pytest

from nnm_core.interpret.hierarchy.graph import order_at
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of
from nnm_core.interpret.hierarchy.screening import all_inclusive, opening_epsilon


def some_tags(seed, n_tags=12, dim=4):
    vectors = np.random.default_rng(seed).uniform(size=(n_tags, dim))
    return hierarchy_of([f"tag {k}" for k in range(n_tags)], vectors)


def levels_and_equals(order):
    """The levels of what a page shows, which leaves out tags that include all others; and how many are equal."""
    shown = order.without(all_inclusive(order))
    return int(shown.layers.max()), sum(len(members) for members in order.classes if len(members) > 1)


@pytest.mark.parametrize("seed", range(12))
def test_no_epsilon_with_as_few_equal_tags_shows_more_levels(seed):
    hierarchy = some_tags(seed)
    chosen = opening_epsilon(hierarchy)
    levels, equal = levels_and_equals(hierarchy.at(chosen))
    assert equal <= 2
    assert levels >= 1
    others = [levels_and_equals(hierarchy.at(step / 1000)) for step in range(1001)]
    most = max(levels for levels, equal in others if equal <= 2)
    assert levels >= most - 1  # not every step is looked at


def test_it_stays_within_what_it_may_be():
    hierarchy = some_tags(3)
    off_diagonal = hierarchy.births[~np.eye(len(hierarchy.tags), dtype=bool)]
    narrow = float(np.quantile(off_diagonal, 0.1))
    assert opening_epsilon(hierarchy, narrow) <= narrow
    assert opening_epsilon(hierarchy, 0.0) == pytest.approx(off_diagonal.min(), abs=1e-3)  # the first, if none may be


def test_of_many_tags_few_are_equal():
    hierarchy = some_tags(5, n_tags=300)
    order = hierarchy.at(opening_epsilon(hierarchy))
    assert 0 < (order.includes & order.includes.T).any(axis=1).sum() <= 50
    assert order.n_edges > 300
    assert opening_epsilon(hierarchy, 0.1) <= 0.1


def test_tags_that_include_all_others_are_found_unless_hardly_any_other_is_left():
    births = np.ones((5, 5))
    births[:, 1] = births[:, 3] = 0.1  # b and d include everything
    births[0, 2] = 0.2
    assert all_inclusive(order_at(list("abcde"), births, 0.05)) == ()
    order = order_at(list("abcde"), births, 0.2)
    assert all_inclusive(order) == ("b", "d")
    rest = order.without(("b", "d"))
    assert rest.tags == ("a", "c", "e")
    assert rest.included("c") == ("a",)
    assert order.without(()) is order
    births[:, 4] = 0.1
    assert all_inclusive(order_at(list("abcde"), births, 0.2)) == ()  # two would be left


@pytest.mark.parametrize("n_tags", [0, 1])
def test_without_two_tags_it_opens_at_zero(n_tags):
    assert opening_epsilon(some_tags(0, n_tags)) == 0.0
