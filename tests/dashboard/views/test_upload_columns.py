"""Which columns and tables of an upload mean what: guessed, asked for, and said by a person."""

from tests.dashboard.views.conftest import texts
from tests.dashboard.views.forms import ITEMS, RATINGS, loaded, press, upload
from tests.datasets.corpus.formats import xlsx


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


def test_words_between_bars_are_guessed_as_tags_whatever_their_column_is_called(page):
    app = page("data", part="own")
    upload(app, "Ratings", "mine.csv", RATINGS)
    upload(app, "About the items", "items.csv", ITEMS.replace("tags", "sort of thing"))
    assert app.multiselect(key="map-tags").value == ["sort of thing"]
