"""One's own files: from bytes to towers, refusals, and models that come back."""

import numpy as np
import pytest

from dashboard.components.data import mapping_form
from dashboard.components.data import upload as upload_form
from dashboard.compute import store
from nnm_core import Model, Scale, preset
from nnm_core.datasets import load_dataset
from tests.dashboard.views.conftest import charts, texts
from tests.dashboard.views.forms import ITEMS, RATINGS, loaded, press, upload


def test_from_a_file_to_a_data_set(page):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    upload(app, "About the items", "items.csv", ITEMS)
    assert [app.selectbox(key=f"map-{role}").value for role in ("user", "item", "rating")] == ["who", "what", "stars"]
    press(app, "Load these ratings")
    assert "Your data are loaded" in texts(app)
    assert app.metric[0].value == "30"
    assert app.code[0].value == "nnm fit mine.csv --columns who what stars --items items.csv"
    mine = loaded("mine")
    assert set(mine.dataset.tags.names) == {"red", "blue", "green"}
    assert mine.report.rows_kept == len(mine.dataset.ratings) == RATINGS.count("\n") - 1


def test_a_rating_that_may_be_none_is_a_choice(page):
    content = RATINGS.replace(";1\n", ";-1\n")
    n_missing = content.count(";-1\n")
    for leave_out in (False, True):
        app = page("data", part="own")
        upload(app, "Ratings", "seen.csv", content)
        assert "mean “seen, not rated”" in texts(app)
        assert f"It stands there {n_missing} times" in texts(app)
        load = next(button for button in app.button if button.label == "Load these ratings")
        assert load.disabled  # neither answer is taken for granted
        assert "Answer the question above first" in texts(app)
        app.radio(key="missing--1").set_value(leave_out).run()
        press(app, "Load these ratings")
        ratings = loaded("seen").dataset.ratings
        assert len(ratings) == content.count("\n") - 1 - (n_missing if leave_out else 0)
        assert ratings.scale.lowest == (2 if leave_out else -1)
        assert (f"−1 counts as a rating here.** It was given {n_missing} times" in texts(app)) == (not leave_out)


def test_without_such_a_rating_nothing_is_asked(page):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    assert "seen, not rated" not in texts(app)


def test_a_wrong_guess_about_the_file_is_corrected(page):
    app = page("data", part="own")
    upload(app, "Ratings", "odd.csv", RATINGS.replace(";", ":"))
    assert "no file with ratings" in app.error[0].value
    app.selectbox(key="delimiter-odd.csv").set_value(":").run()
    assert not app.exception
    assert list(app.dataframe[0].value.columns) == ["column 1", "column 2", "column 3"]
    app.checkbox(key="header-odd.csv").check().run()
    assert list(app.dataframe[0].value.columns) == ["who", "what", "stars"]
    assert [app.selectbox(key=f"map-{role}").value for role in ("user", "item", "rating")] == ["who", "what", "stars"]
    press(app, "Load these ratings")
    assert len(loaded("odd").dataset.ratings) == RATINGS.count("\n") - 1


def test_another_encoding_changes_the_letters(page):
    app = page("data", part="own")
    box = next(box for box in app.file_uploader if box.label == "Ratings")
    content = RATINGS.replace("i1;", "Щит;").encode("cp1251")
    box.set_value(("letters.csv", content, "text/csv")).run()
    app.selectbox(key="encoding-letters.csv").set_value("cp1251").run()
    assert not app.exception
    assert "Щит" in set(app.dataframe[0].value["what"])
    press(app, "Load these ratings")
    assert "Щит" in loaded("letters").dataset.ratings.item_ids


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("\x00\x01\x02" * 50, "NUL"),
        ("user,item,rating\nu1,i1,abc\nu2,i2,def\n", "not a number"),
        ("user,item,rating\n", "no usable rating"),
        ("user,item,rating\nu1,i1,1e300\nu2,i1,2e300\nu2,i2,3e300\n", "go from 1e300 to 3e300"),
    ],
)
def test_a_bad_file_is_refused_and_nothing_changes(page, content, said):
    app = page("data", part="own")
    before = len(store.own_names("tester"))
    upload(app, "Ratings", "bad.csv", content)
    loads = [button for button in app.button if button.label == "Load these ratings"]
    if loads:
        press(app, "Load these ratings")
    assert app.error
    assert said in app.error[0].value
    assert "unchanged" in app.error[0].value
    assert len(store.own_names("tester")) == before


PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"0" * 50


@pytest.mark.parametrize(("label", "whom"), [("About the items", "items"), ("About the people", "people")])
@pytest.mark.parametrize(
    "content", [PICTURE, np.random.default_rng(0).bytes(50_000), b""], ids=["picture", "noise", "empty"]
)
def test_a_file_beside_the_ratings_that_cannot_be_read_is_refused(page, label, whom, content):
    app = page("data", part="own")
    before = set(store.own_names("tester"))
    upload(app, "Ratings", "mine.csv", RATINGS)
    upload(app, label, "poster.csv", content)
    assert app.error[0].value.startswith(r"poster\.csv")
    assert f"the file about the {whom}; choose another one, or remove it" in app.error[0].value
    assert "unchanged" in app.error[0].value
    assert not [button for button in app.button if button.label == "Load these ratings"]
    assert set(store.own_names("tester")) == before


@pytest.mark.parametrize("name", ["films.csv", "mine.csv"], ids=["another name", "the same name"])
def test_a_file_beside_the_ratings_goes_by_its_own_name(page, name):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    upload(app, "About the items", name, ITEMS + "i1;Again;red\n")
    shown = name if name != "mine.csv" else "mine.csv (items)"
    assert list(app.dataframe[1].value.columns) == ["what", "name", "tags"]
    press(app, "Load these ratings")
    report = loaded("mine").report
    assert [file.label for file in report.files] == ["mine.csv: ratings", f"{shown}: items"]
    assert f"items with several rows have the tags of all of them: 1 row of {shown}" in report.notes


def test_titles_stay_where_the_ratings_have_to_be_corrected(page):
    app = page("data", part="own")
    upload(app, "Ratings", "colons.csv", RATINGS.replace(";", ":"))
    upload(app, "About the items", "items.csv", ITEMS)
    app.selectbox(key="delimiter-colons.csv").set_value(":").run()
    app.checkbox(key="header-colons.csv").check().run()
    press(app, "Load these ratings")
    assert "Item 7" in loaded("colons").dataset.titles


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
    model = store.model(dataset, preset("recommended", n_stereotypes=2), 0, "tester", patience=60)
    assert isinstance(model, Model)
    assert model.options.fill_sweeps == model.options.n_sweeps
    assert store.known_model(store.model_key(dataset, preset("recommended", n_stereotypes=2), 0)) is model


def test_the_scale_is_as_found_or_as_given_and_the_form_says_which(page):
    app = page("data", part="own")
    upload(app, "Ratings", "scale.csv", RATINGS)
    step = app.number_input(key="map-step")
    assert (step.value, step.placeholder, step.disabled) == (None, "as found", True)
    app.number_input(key="map-low").set_value(0.0).run()
    assert "stays as found until both" in texts(app)
    app.number_input(key="map-high").set_value(10.0).run()
    step = app.number_input(key="map-step")
    assert (step.value, step.placeholder, step.disabled) == (None, "1", False)
    assert "stays as found" not in texts(app)
    press(app, "Load these ratings")
    assert loaded("scale").dataset.ratings.scale == Scale(0, 10, 1)


@pytest.mark.parametrize(
    ("name", "rows", "why"),
    [
        ("item", [f"u{k},only,{1 + k % 5}" for k in range(50)], "only 1 item"),
        ("person", [f"me,i{k},{1 + k % 5}" for k in range(50)], "only 1 person"),
        ("rest", [f"u{k},i{k},{k}" for k in range(3)] + [f"u{k},i{k}," for k in range(60)], "Only 3 of 63 rows"),
        ("few", ["a,x,1", "b,y,5"], "only 2 ratings"),
    ],
)
def test_data_from_which_nothing_can_be_learned_are_a_second_choice(page, name, rows, why):
    app = page("data", part="own")
    before = set(store.own_names("tester"))
    upload(app, "Ratings", f"{name}.csv", "\n".join(["user,item,rating", *rows]))
    press(app, "Load these ratings")
    assert why in app.warning[0].value
    assert "Nothing can be learned" in app.warning[0].value
    assert "still there" in app.warning[0].value
    assert not app.success
    assert set(store.own_names("tester")) == before
    press(app, "Use anyway")
    assert len(set(store.own_names("tester")) - before) == 1
    assert not app.success
    assert why in app.warning[0].value
    for other in ("stereotypes", "hierarchy", "people", "films", "accuracy"):
        page(other, loaded(name).dataset)


@pytest.mark.parametrize(
    ("label", "what", "header"),
    [
        ("About the items", "items", "itemId;genres"),
        ("About the people", "users", "userId;job"),
    ],
)
def test_a_file_about_others_is_refused(page, label, what, header):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    rows = "".join(f"zz{k};{'red' if k % 2 else 'blue'}\n" for k in range(20))
    upload(app, label, "others.csv", f"{header}\n{rows}")
    press(app, "Load these ratings")
    column = header.split(";")[0]
    assert f"none of the ids in its column '{column}', such as 'zz0', occurs in the ratings" in app.error[0].value
    assert f"where {what} are called" in app.error[0].value
    assert "What was loaded before is unchanged" in app.error[0].value


def test_rows_that_repeat_others_are_no_reason_to_suspect_the_delimiter(page):
    app = page("data", part="own")
    once = "".join(f"person {k % 9},film {k % 7},{1 + k % 5}\n" for k in range(63))
    upload(app, "Ratings", "thrice.csv", ("user,item,rating\n" + 3 * once).encode())
    press(app, "Load these ratings")
    assert not app.warning
    assert "Your data are loaded, and" in app.success[0].value


def test_doubtful_data_can_be_left(page):
    app = page("data", part="own")
    upload(app, "Ratings", "one.csv", "user,item,rating\nme,a,1\nme,b,2\n")
    press(app, "Load these ratings")
    press(app, "Discard")
    assert not app.warning


def test_ratings_without_even_steps_can_be_put_into_levels(page):
    app = page("data", part="own")
    rows = [f"u{k % 9},i{k % 7},{1 + 4 * np.sin(k) ** 2:.6f}" for k in range(60)]
    upload(app, "Ratings", "uneven.csv", "\n".join(["user,item,rating", *rows]))
    app.number_input(key="map-bins").set_value(5).run()
    press(app, "Load these ratings")
    assert loaded("uneven").dataset.ratings.scale == Scale(1, 5, 1)
    assert any("put into 5 levels" in note for note in loaded("uneven").report.notes)


def test_after_removing_data_a_longer_fit_says_how_far_it_is(page, cinema, monkeypatch):
    app = page("stereotypes", cinema)
    store.remove_own(app.session_state["data"], "tester")
    store.named_dataset("bundled", "tester")
    monkeypatch.setattr(store, "PATIENCE", 0.0)
    app.number_input(key="seed").set_value(4_711).run()  # which nobody has fitted
    assert not app.error
    assert any(button.label == "Cancel" for button in app.button)
    assert "What they have in common appears here" in texts(app)


def test_a_rerun_neither_sniffs_the_upload_again_nor_reads_its_ratings(page, monkeypatch):
    calls = []
    for module, name in ((upload_form, "sniff_source"), (mapping_form, "sniff_offers")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, original=original: calls.append(original) or original(*given))
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    for _ in range(3):
        app.run()
    assert len(calls) == 2
    upload(app, "Ratings", "mine.csv", RATINGS.replace(";1\n", ";2\n"))
    assert len(calls) == 4


def test_what_was_found_in_an_upload_goes_with_removed_data(page):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    assert set(app.session_state["state"].sniffed) == {"sides", "source"}
    press(app, "Load these ratings")
    press(app, "Remove these data from the server")
    assert not app.session_state["state"].sniffed
