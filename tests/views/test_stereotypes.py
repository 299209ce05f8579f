"""The first page's logic, without a browser."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from nnm_core import fit, preset
from nnm_core.meaning.towers import towers

APP = Path(__file__).resolve().parents[2] / "dashboard" / "app.py"


@pytest.fixture
def app():
    return AppTest.from_file(APP, default_timeout=60)


def charts(app):
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def numbers(trace_values):
    """The numbers of a trace, which plotly writes as bytes."""
    return np.frombuffer(base64.b64decode(trace_values["bdata"]), dtype=trace_values["dtype"])


def test_it_opens_with_the_towers_of_the_bundled_data(app, bundled):
    app.run()
    assert not app.exception
    assert "671 people" in app.markdown[0].value
    bars = towers(fit(bundled.ratings, preset("recommended")), bundled)
    shown = charts(app)
    assert len(shown) == 3
    for stereotype, chart in enumerate(shown):
        tower = chart["data"][0]
        assert len(tower["y"]) == bars.is_supported.sum()
        expected = {tag: bars.likes[row, stereotype] for row, tag in enumerate(bars.tags)}
        for tag, value in zip(tower["y"], numbers(tower["x"]), strict=True):
            assert value == pytest.approx(expected[tag])


def test_the_link_sets_the_number_of_stereotypes(app):
    app.query_params["D"] = "5"
    app.query_params["fit"] = "paper"
    app.run()
    assert not app.exception
    assert len(charts(app)) == 5
    assert app.selectbox[0].value == "paper"


def test_moving_the_slider_refits(app):
    app.run()
    app.slider[0].set_value(2).run()
    assert not app.exception
    assert len(charts(app)) == 2
