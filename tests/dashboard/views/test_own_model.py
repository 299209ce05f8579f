"""Models that people bring as files: shown, refused, and gone with their data."""

import pytest

from dashboard.compute import store
from dashboard.session import OwnModel
from nnm_core import fit, preset, save_model
from tests.dashboard.views.conftest import texts
from tests.dashboard.views.forms import RATINGS, press


def test_a_model_comes_back_from_its_file(page, cinema, tmp_path):
    model = fit(cinema.ratings, preset("paper", n_stereotypes=4), seed=3)
    save_model(model, tmp_path / "mine.nnm")
    app = page("export", cinema)
    content = (tmp_path / "mine.nnm").read_bytes()
    app.file_uploader[0].set_value(("mine.nnm", content, "application/octet-stream")).run()
    press(app, "Show this model")
    assert "mine" in app.sidebar.info[0].value
    assert app.session_state["state"].own_model.model.n_stereotypes == 4
    assert "The address does not hold it" in app.sidebar.info[0].value
    assert "not the data and the model that you loaded" in texts(app)
    address = {key: "".join(app.query_params[key]) for key in app.query_params}
    elsewhere = page("stereotypes", **address)
    assert "made with a model from somebody's file" in elsewhere.warning[0].value
    assert "model" not in elsewhere.query_params
    elsewhere.run()
    assert elsewhere.warning
    elsewhere.slider(key="D").set_value(2).run()
    assert not elsewhere.warning
    press(app, "Fit again instead")
    assert "model" not in app.query_params


def test_a_model_of_other_data_is_refused(page, cinema, small, tmp_path):
    save_model(fit(small), tmp_path / "other.nnm")
    app = page("export", cinema)
    content = (tmp_path / "other.nnm").read_bytes()
    app.file_uploader[0].set_value(("other.nnm", content, "application/octet-stream")).run()
    assert "fitted to other ratings" in app.error[0].value


def test_a_file_that_is_no_model_is_refused_with_what_to_do(page, cinema):
    app = page("export", cinema)
    app.file_uploader[0].set_value(("mine.csv", RATINGS.encode(), "text/csv")).run()
    assert "is not a model file" in app.error[0].value
    assert "ends in .nnm" in app.info[0].value
    assert "**Data**" in app.info[0].value


@pytest.mark.parametrize("where", ["here", "in another tab"])
def test_a_model_goes_with_its_data(page, cinema, where):
    app = page("data", cinema)
    app.session_state["state"].own_model = OwnModel("mine.nnm", "0" * 64, fit(cinema.ratings, preset("paper")))
    app.run()
    assert "Showing the model in" in app.sidebar.info[0].value
    if where == "here":
        press(app, "Remove these data from the server")
        assert not app.warning
    else:
        store.remove_own(app.session_state["data"], "tester")
        app.run()
        assert "These data are no longer on the server" in app.warning[0].value
        assert "This link" not in texts(app)
    assert not app.exception
    assert not app.sidebar.info
    assert app.selectbox(key="data").value == "bundled"
