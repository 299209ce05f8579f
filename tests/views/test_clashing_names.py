"""Names from files and from people that are also names of ours: nothing fails, and nothing takes another's place."""

from dataclasses import replace

import pytest

from dashboard.views import parts
from nnm_core.meaning.phrases import distinct
from tests.views.conftest import charts, make_dataset, texts


@pytest.fixture
def taken(monkeypatch):
    """What pages offer to take away: tables and pictures by their names."""
    tables, figures = {}, {}

    def take_away(page, offered, pictures, more=None):
        tables.update(offered)
        figures.update(pictures)

    monkeypatch.setattr(parts, "take_away", take_away)
    return tables, figures


def with_traits(*names):
    dataset = make_dataset(n_tags=6)
    (trait,) = dataset.traits.values()
    return replace(dataset, traits=dict.fromkeys(names, trait))


def test_names_that_occur_again_are_numbered():
    assert distinct(["a", "b", "a", "a", "a (2)"]) == ("a", "b", "a (2)", "a (3)", "a (2) (2)")


def test_a_trait_may_be_called_like_any_picture_of_the_data(page, taken):
    traits = ("Tags", "Ratings given", "How active people are")
    app = page("data", with_traits(*traits))
    assert len(charts(app)) == len(taken[1]) == 3 + 1 + len(traits)
    assert {"Tags", "Tags (2)", "Ratings given (2)", "How active people are (2)"} <= set(taken[1])
    assert r"**Tags \(2\)**: 2" in texts(app)
