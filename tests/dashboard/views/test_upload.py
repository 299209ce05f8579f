"""One's own files: from bytes to towers, refusals, and models that come back."""

import numpy as np
import pytest

from dashboard.components.data import mapping_form
from dashboard.components.data import upload as upload_form
from dashboard.compute import store
from dashboard.session import OwnModel
from nnm_core import Model, Scale, fit, preset, save_model
from nnm_core.datasets import load_dataset
from tests.dashboard.views.conftest import charts, texts
from tests.datasets.corpus.formats import xlsx

RATINGS = "who;what;stars\n" + "".join(
    f"u{user};i{item};{1 + (user * item) % 5}\n" for user in range(30) for item in range(20) if (user + item) % 3
)
ITEMS = "what;name;tags\n" + "".join(f"i{k};Item {k};{'red|blue' if k % 2 else 'red|green'}\n" for k in range(20))


def upload(app, label, name, content):
    box = next(box for box in app.file_uploader if box.label.startswith(label))
    held = content if isinstance(content, bytes) else content.encode()
    box.set_value((name, held, "text/csv")).run()
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
    assert app.code[0].value == "nnm fit mine.csv --columns who what stars"
    mine = loaded("mine")
    assert set(mine.dataset.tags.names) == {"red", "blue", "green"}
    assert mine.report.rows_kept == len(mine.dataset.ratings) == RATINGS.count("\n") - 1


def loaded(name):
    """What was loaded last under this name."""
    key = [key for key, given in store.own_names("tester").items() if given == name][-1]
    return store.own_dataset(key, "tester")


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


@pytest.mark.parametrize(
    ("label", "whom"), [("What is known about the items", "items"), ("What is known about the people", "people")]
)
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
    upload(app, "What is known about the items", name, ITEMS + "i1;Again;red\n")
    shown = name if name != "mine.csv" else "mine.csv (items)"
    assert list(app.dataframe[1].value.columns) == ["what", "name", "tags"]
    press(app, "Load these ratings")
    report = loaded("mine").report
    assert [file.label for file in report.files] == ["mine.csv: ratings", f"{shown}: items"]
    assert f"items with several rows have the tags of all of them: 1 row of {shown}" in report.notes


def test_titles_stay_where_the_ratings_have_to_be_corrected(page):
    app = page("data", part="own")
    upload(app, "Ratings", "colons.csv", RATINGS.replace(";", ":"))
    upload(app, "What is known about the items", "items.csv", ITEMS)
    app.selectbox(key="delimiter-colons.csv").set_value(":").run()
    app.checkbox(key="header-colons.csv").check().run()
    press(app, "Load these ratings")
    assert "Item 7" in loaded("colons").dataset.titles


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


def test_a_second_file_with_the_same_columns_is_guessed_as_well_as_the_first(page):
    app = page("data", part="own")
    for name in ("march.csv", "april.csv"):
        upload(app, "Ratings", name, RATINGS)
        roles = [app.selectbox(key=f"map-{role}").value for role in ("user", "item", "rating")]
        assert roles == ["who", "what", "stars"]
        press(app, "Load these ratings")
        assert loaded(name.removesuffix(".csv")).dataset.ratings.n_users == 30
        app.segmented_control(key="part").set_value("own").run()


def test_columns_that_nobody_can_guess_are_asked_for(page):
    app = page("data", part="own")
    upload(app, "Ratings", "strange.csv", RATINGS.replace("who;what;stars", "title;genre;date"))
    assert "no column says who rated" in app.warning[0].value
    assert not [button for button in app.button if button.label == "Load these ratings"]
    app.selectbox(key="map-user").set_value("title").run()
    app.selectbox(key="map-item").set_value("genre").run()
    app.selectbox(key="map-rating").set_value("date").run()
    press(app, "Load these ratings")
    assert loaded("strange").dataset.ratings.n_users == 30


def test_somebody_may_say_that_a_table_has_a_column_per_item(page):
    rows = "".join(f"p{k},{1 + k % 5},{1 + k % 3},{1 + k % 4}\n" for k in range(12))
    app = page("data", part="own")
    upload(app, "Ratings", "table.csv", "subject,item,rating,score\n" + rows)
    assert app.segmented_control(key="map-layout").value == "long"
    app.segmented_control(key="map-layout").set_value("wide").run()
    assert "3 columns hold the ratings of one item each" in texts(app)
    press(app, "Load these ratings")
    ratings = loaded("table").dataset.ratings
    assert (ratings.n_users, ratings.item_ids) == (12, ("item", "rating", "score"))


def test_a_survey_is_loaded_with_what_is_known_about_the_people(page):
    rows = "".join(
        f"{'FM'[k % 2]},{20 + k},{1 + k % 5},{1 + k // 2 % 5},{1 + k // 3 % 5},{90 + k}\n" for k in range(30)
    )
    app = page("data", part="own")
    upload(app, "Ratings", "survey.csv", "gender,age,Q1,Q2,Q3,total\n" + rows)
    assert app.segmented_control(key="map-layout").value == "wide"
    assert "not taken as items: 'total'" in texts(app)
    assert app.multiselect(key="map-aside").value == ["gender", "age", "total"]
    assert app.multiselect(key="map-about").value == ["gender", "age"]
    app.multiselect(key="map-aside").set_value(["gender", "age", "total", "Q3"]).run()
    press(app, "Load these ratings")
    dataset = loaded("survey").dataset
    assert (dataset.ratings.n_users, dataset.ratings.item_ids) == (30, ("Q1", "Q2"))
    assert set(dataset.traits) == {"gender", "age"}


def test_a_table_may_be_turned_around(page):
    rows = "".join(f"t{k},{1 + k % 5},{1 + k // 2 % 5},{1 + k // 3 % 5}\n" for k in range(12))
    app = page("data", part="own")
    upload(app, "Ratings", "turned.csv", "name,Ann,Ben,Cleo\n" + rows)
    assert app.segmented_control(key="map-layout").value == "wide"
    app.segmented_control(key="map-layout").set_value("transposed").run()
    press(app, "Load these ratings")
    assert loaded("turned").dataset.ratings.user_ids == ("Ann", "Ben", "Cleo")


def test_one_person_s_ratings_are_asked_about(page):
    app = page("data", part="own")
    upload(app, "Ratings", "films.csv", "film,stars\n" + "".join(f"Film {k},{1 + k % 5}\n" for k in range(30)))
    assert "no column says who rated" in app.warning[0].value
    app.selectbox(key="map-item").set_value("film").run()
    app.selectbox(key="map-rating").set_value("stars").run()
    assert not [button for button in app.button if button.label == "Load these ratings"]
    app.checkbox(key="map-one-person").check().run()
    press(app, "Load these ratings")
    assert "There is only 1 person" in texts(app)


def test_of_two_sheets_one_is_chosen(page):
    ratings = [["user", "item", "rating"], *([f"u{k % 8}", f"i{k % 7}", 1 + k % 5] for k in range(40))]
    other = [["user", "item", "rating"], *([f"u{k % 6}", f"i{k % 5}", 1 + k % 3] for k in range(30))]
    app = page("data", part="own")
    upload(app, "Ratings", "book.xlsx", xlsx({"May": ratings, "June": other}))
    choice = next(box for box in app.selectbox if box.label == "The ratings are in")
    assert choice.options[1:] == ["book.xlsx, sheet May", "book.xlsx, sheet June"]
    choice.set_value("book.xlsx, sheet June").run()
    press(app, "Load these ratings")
    assert len(loaded("book").dataset.ratings) == 30


def test_a_table_said_to_be_wide_has_no_titles_beside_its_ratings(page):
    rows = "".join(f"p{k},{1 + k % 5},{1 + k % 3},t{k % 5}\n" for k in range(12))
    app = page("data", part="own")
    upload(app, "Ratings", "beside.csv", "subject,item,rating,title\n" + rows)
    assert "About the items" in texts(app)
    app.segmented_control(key="map-layout").set_value("wide").run()
    assert not app.exception
    assert "About the items" not in texts(app)
    press(app, "Load these ratings")
    assert loaded("beside").dataset.ratings.item_ids == ("item", "rating")


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
        ("What is known about the items", "items", "itemId;genres"),
        ("What is known about the people", "users", "userId;job"),
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


def test_words_between_bars_are_guessed_as_tags_whatever_their_column_is_called(page):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    upload(app, "What is known about the items", "items.csv", ITEMS.replace("tags", "sort of thing"))
    assert app.multiselect(key="map-tags").value == ["sort of thing"]


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
