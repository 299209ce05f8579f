"""What is in the link: who decides about a value, and what is said where a link cannot be followed."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import streamlit_compat


def script() -> None:
    import streamlit as st

    from dashboard import link

    link.follow_history()
    link.select("Colour", ["red", "blue"], "color", default="red", form=str.upper)
    link.segments("Shape", {"round": "Round", "square": "Square"}, "shape")
    link.slider("Size", 1, 9, 3, "size")
    link.number("Weight", "weight", value=None, min_value=0, max_value=50, step=1)
    link.set_widget("without", link.several(["a", "b", "c"], "without", "Left out"))
    st.multiselect("Left out", ["a", "b", "c"], key="without", bind="query-params")
    for note in link.notes():
        st.caption(note)


def run(**params: str | list[str]) -> AppTest:
    app = AppTest.from_function(script)
    for key, value in params.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def values(app: AppTest) -> tuple[object, ...]:
    state = app.session_state
    return tuple(state[key] for key in ("color", "shape", "size", "weight", "without"))


def test_a_link_that_can_be_followed_is_followed_without_a_word():
    app = run(color="blue", shape="square", size="5", weight="7", without=["a", "c"])
    assert values(app) == ("blue", "square", 5, 7, ["a", "c"])
    assert not app.caption
    assert not run().caption


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"color": "pink"}, "“pink” under “Colour”, which is not available here. Shown instead: RED."),
        ({"shape": "flat"}, "“flat” under “Shape”, which is not available here. Shown instead: Round."),
        ({"size": "77"}, "“77” under “Size”, which is not available here. Shown instead: 3."),
        ({"size": "many"}, "“many” under “Size”"),
        ({"weight": "heavy"}, "“heavy” under “Weight”, which is not available here."),
        ({"without": ["a", "z"]}, "“z” under “Left out”"),
    ],
)
def test_a_value_that_cannot_be_used_is_told_until_somebody_has_read_it(params, said):
    app = run(**params)
    assert len(app.caption) == 1
    assert said in app.caption[0].value.replace("\\", "")
    app.run()
    assert len(app.caption) == 1


def test_only_the_back_button_lets_the_link_decide_again(monkeypatch):
    app = run(color="blue", shape="square", size="5")
    app.query_params["color"], app.query_params["shape"] = "red", "round"
    app.run()
    assert values(app)[:2] == ("blue", "square")
    app.query_params["color"], app.query_params["shape"] = "red", "round"
    monkeypatch.setattr(streamlit_compat, "is_history_navigation", lambda: True)
    app.run()
    assert values(app)[:2] == ("red", "round")
