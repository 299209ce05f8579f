"""Options of a fit that cannot be used together, told by the names that stand in the sidebar."""

import pytest

from dashboard.wording import plain


@pytest.mark.parametrize(
    ("link", "keys", "numbers", "way_out"),
    [
        ({"fit": "accurate", "sweeps": 2, "burn_in": 1999}, ("sweeps", "burn_in"), ("2", "1,999"), "lower the second;"),
        ({"sweeps": 2}, ("sweeps", "fill_sweeps"), ("2", "2"), "or choose “no” for “Set generosity aside”"),
        ({"sweeps": 9, "fill_sweeps": 30}, ("sweeps", "fill_sweeps"), ("9", "30"), "Raise the first"),
    ],
)
def test_options_that_clash_are_told_by_their_labels(page, cinema, link, keys, numbers, way_out):
    app = page("data", cinema, **link)
    (error,) = app.sidebar.error
    said = plain(error.value)
    for key, number in zip(keys, numbers, strict=True):
        label = app.sidebar.number_input(key=key).label
        assert f"{label}” is {number} and" in said or f"{label}”, which is {number}." in said
    assert way_out in said
    assert "no option set here is used" in said
    for word in ("n_sweeps", "burn_in", "fill_sweeps"):
        assert word not in said


def test_options_that_go_together_are_used(page, cinema):
    app = page("data", cinema, sweeps=2, generosity="off")
    assert not app.sidebar.error
    assert app.session_state["state"].spec.options.n_sweeps == 2


def test_options_show_what_the_way_of_fitting_has(page, cinema):
    app = page("data", cinema, sweeps=30)
    assert app.selectbox(key="fill").placeholder == "all of them"
    assert app.selectbox(key="generosity").placeholder == "yes"
    assert page("data", cinema, sweeps=30, fit="paper").selectbox(key="generosity").placeholder == "no"
