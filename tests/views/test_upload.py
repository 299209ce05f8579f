"""One's own files: from bytes to towers, refusals, and models that come back."""

import pytest

from dashboard import cache
from nnm_core import Model, fit, preset, save_model
from nnm_core.datasets import load_dataset
from tests.views.conftest import charts, texts

RATINGS = "who;what;stars\n" + "".join(
    f"u{user};i{item};{1 + (user * item) % 5}\n" for user in range(30) for item in range(20) if (user + item) % 3
)
ITEMS = "what;name;tags\n" + "".join(f"i{k};Item {k};{'red|blue' if k % 2 else 'red|green'}\n" for k in range(20))


def upload(app, label, name, content):
    box = next(box for box in app.file_uploader if box.label.startswith(label))
    box.set_value((name, content.encode(), "text/csv")).run()
    assert not app.exception


def press(app, label):
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def test_from_a_file_to_a_data_set(page):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    upload(app, "What is known about the items", "items.csv", ITEMS)
    assert [app.selectbox(key=f"map-{role}").value for role in ("user", "item", "rating")] == ["who", "what", "stars"]
    press(app, "Load these ratings")
    assert "Your data are loaded" in texts(app)
    assert app.metric[0].value == "30"
    (loaded,) = [part for part in cache.own_datasets("tester").values() if part.dataset.name == "mine"][-1:]
    assert set(loaded.dataset.tags.names) == {"red", "blue", "green"}
    assert loaded.report.rows_kept == len(loaded.dataset.ratings) == RATINGS.count("\n") - 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("\x00\x01\x02" * 50, "NUL"),
        ("user,item,rating\nu1,i1,abc\nu2,i2,def\n", "not a number"),
        ("user,item,rating\n", "no usable rating"),
    ],
)
def test_a_bad_file_is_refused_and_nothing_changes(page, content, said):
    app = page("data", part="own")
    before = len(cache.own_datasets("tester"))
    upload(app, "Ratings", "bad.csv", content)
    loads = [button for button in app.button if button.label == "Load these ratings"]
    if loads:
        press(app, "Load these ratings")
    assert app.error
    assert said in app.error[0].value
    assert "unchanged" in app.error[0].value
    assert len(cache.own_datasets("tester")) == before


def test_a_model_comes_back_from_its_file(page, cinema, tmp_path):
    model = fit(cinema.ratings, preset("paper", n_stereotypes=4), seed=3)
    save_model(model, tmp_path / "mine.nnm")
    app = page("take_away", cinema)
    content = (tmp_path / "mine.nnm").read_bytes()
    app.file_uploader[0].set_value(("mine.nnm", content, "application/octet-stream")).run()
    press(app, "Show this model")
    assert "mine" in app.sidebar.info[0].value
    assert app.session_state["own model"].model.n_stereotypes == 4


def test_a_model_of_other_data_is_refused(page, cinema, small, tmp_path):
    save_model(fit(small), tmp_path / "other.nnm")
    app = page("take_away", cinema)
    content = (tmp_path / "other.nnm").read_bytes()
    app.file_uploader[0].set_value(("other.nnm", content, "application/octet-stream")).run()
    assert "fitted to other ratings" in app.error[0].value


def test_data_that_are_not_here_show_their_terms(page, monkeypatch):
    monkeypatch.setenv("NNM_CACHE", "/nonexistent")
    monkeypatch.delenv("NNM_DATA", raising=False)
    app = page("stereotypes", data="ml-10m")
    assert "GroupLens" in texts(app)
    assert any(button.label.startswith("I accept") for button in app.button)
    assert not charts(app)


def test_data_without_ratings_are_fitted_with_zeros_for_what_was_not_chosen(tmp_path):
    path = tmp_path / "clicks.csv"
    chosen = [f"u{user},i{item}" for user in range(30) for item in range(12) if (user % 3 == 0) == (item < 5)]
    path.write_text("user,item\n" + "\n".join(chosen))
    dataset, _ = load_dataset(path)
    model = cache.model(dataset, preset("recommended", n_stereotypes=2), 0, "tester", patience=60)
    assert isinstance(model, Model)
    assert model.options.fill_sweeps == model.options.n_sweeps
    assert cache.known_model(cache.model_key(dataset, preset("recommended", n_stereotypes=2), 0)) is model
