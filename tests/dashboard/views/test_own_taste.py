"""Your own taste: ratings that are clicked or brought along, and the mixture that follows."""

from dataclasses import replace

import numpy as np
import pytest

from dashboard.wording import md
from nnm_core import Ratings, Scale, fit, fold_in_user, preset
from nnm_core.datasets import Dataset, Labels
from nnm_core.interpret.audience import shares
from nnm_core.interpret.text.portraits import write_portraits
from nnm_core.phrases import percent
from tests.dashboard.views.conftest import charts, texts
from tests.fits import fitted


def test_the_average_person_is_the_audience_of_the_portraits(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    app = page("people", cinema, people="taste")
    shown = [part["text"] for part in charts(app)[0]["data"]]
    told = [portrait.share for portrait in write_portraits(model, cinema)]
    assert shown == [f"{share:.0%}" if share >= 0.06 else "" for share in told]


def test_own_taste_is_the_fold_in_of_the_clicks(page, cinema):
    model = fit(cinema.ratings, preset("recommended"))
    app = page("people", cinema, people="taste", **{"r-film-25": 4, "r-film-37": 0})
    expected = fold_in_user(model, {"film-25": 5.0, "film-37": 1.0})
    shown = [part["text"] for part in charts(app)[0]["data"]]
    assert shown == [f"{share:.0%}" if share >= 0.06 else "" for share in expected]
    assert "From 2 ratings" in texts(app)
    assert "What you would like, and why" in texts(app)


def test_any_film_can_be_searched_for_and_rated(page, cinema):
    counts = cinema.ratings.by_item.counts
    row = int(counts.argmin())
    app = page("people", cinema, people="taste")
    assert cinema.titles[row] not in [text.value.replace("\\", "") for text in app.markdown]
    app.text_input(key="rate").set_value(cinema.titles[row].lower()).run()
    assert not app.exception
    assert cinema.titles[row] in [text.value.replace("\\", "") for text in app.markdown]
    app.text_input(key="rate").set_value("no such film at all").run()
    assert "No film has" in texts(app)


def test_own_taste_without_clicks_is_the_average(page, cinema):
    app = page("people", cinema, people="taste")
    assert "The average person, so far" in texts(app)
    assert "What the average person would like" in texts(app)
    assert f"{percent(shares(fit(cinema.ratings, preset('recommended'))).max())} of the average person is" in texts(app)


def rated(app):
    """What the page of one's own taste made of the clicks, by the mixture that it shows."""
    return [part["text"] for part in charts(app)[0]["data"]]


def folded(dataset, given):
    mixture = fold_in_user(fit(dataset.ratings, preset("recommended")), given)
    return [f"{share:.0%}" if share >= 0.06 else "" for share in mixture]


def test_half_stars_can_be_given(page, bundled):
    app = page("people", people="taste", **{"r-356": 3})
    assert rated(app) == folded(bundled, {"356": 4.0})
    box = next(box for box in app.checkbox if box.label == "3½ instead")
    box.check().run()
    assert not app.exception
    assert rated(app) == folded(bundled, {"356": 3.5})
    assert rated(page("people", people="taste", **{"r-356": 0, "half-356": "true"})) == folded(bundled, {"356": 0.5})
    next(button for button in app.button if button.label == "Start over").click().run()
    assert "The average person, so far" in texts(app)


@pytest.mark.parametrize(
    ("scale", "offered", "given"),
    [
        (Scale(1, 10), 10, "7.0"),
        (Scale(-10, 10, 0), 11, "-4.0"),
        (Scale(-2, 2), 5, "-2.0"),
        (Scale(0, 100), 11, "30.0"),
        (Scale(0, 5), 6, "0.0"),
    ],
)
def test_other_scales_are_rated_in_their_own_numbers(page, scale, offered, given):
    rng = np.random.default_rng(5)
    users, items = np.nonzero(rng.random((40, 20)) < 0.5)
    values = scale.round(scale.lowest + scale.span * rng.random(len(users)))
    ids = [f"i{k}" for k in range(20)]
    ratings = Ratings.from_numbers(users, items, values, [f"p{k}" for k in range(40)], ids, scale=scale)
    dataset = Dataset("numbers", ratings, tuple(ids), Labels.none(20))
    app = page("people", dataset, people="taste", **{"r-i3": given})
    box = app.selectbox(key="r-i3")
    assert len(box.options) == offered
    assert all("-" not in option for option in box.options)
    assert rated(app) == folded(dataset, {"i3": float(given)})
    assert app.query_params["r-i3"] in (given, [given])


def test_ratings_from_elsewhere_count_until_one_starts_over(page, bundled):
    rated = ("The Matrix", 1999, 5), ("Toy Story", 1995, 1.5), ("Heat", 1995, 4), ("Nowhere", 1990, 3)
    rows = "".join(f"2021-01-01,{name},{year},https://boxd.it/x,{value}\n" for name, year, value in rated)
    app = page("people", people="taste")
    average = [part["x"][0] for part in charts(app)[0]["data"]]
    (box,) = app.file_uploader
    box.set_value(("ratings.csv", ("Date,Name,Year,Letterboxd URI,Rating\n" + rows).encode(), "text/csv")).run()
    assert "**3 of 4 ratings** from Letterboxd" in texts(app)
    assert "From 3 ratings" in texts(app)
    model = fitted(bundled.ratings, preset("recommended"))
    ids = dict(zip(bundled.titles, bundled.ratings.item_ids, strict=True))
    given = {ids["Matrix, The (1999)"]: 5.0, ids["Toy Story (1995)"]: 1.5, ids["Heat (1995)"]: 4.0}
    shown = [part["x"][0] for part in charts(app)[0]["data"]]
    assert sorted(shown) == pytest.approx(sorted(fold_in_user(model, given)), abs=1e-6)
    next(button for button in app.button if button.label == "Start over").click().run()
    assert [part["x"][0] for part in charts(app)[0]["data"]] == average
    app.file_uploader[0].set_value(("notes.csv", b"a,b\n1,2\n", "text/csv")).run()
    assert "This is no export of Letterboxd or IMDb" in app.error[0].value


def own_dot(app):
    """Where one's own dot lies in the triangle."""
    dot = charts(app)[3]["data"][-1]
    return dot["x"][0], dot["y"][0]


def test_ones_own_dot_moves_with_every_rating(page, cinema):
    app = page("stereotypes", cinema)
    assert "Rate 5 films, see your mixture" in texts(app)
    assert len(charts(app)) == 3
    model = fit(cinema.ratings, preset("recommended"))
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
    for given in ({"film-25": 5.0}, {"film-25": 5.0, "film-37": 1.0}):
        link = {f"r-{item}": int(stars) - 1 for item, stars in given.items()}
        taste = fold_in_user(model, given)[:3]
        np.testing.assert_allclose(own_dot(page("stereotypes", cinema, **link)), taste @ corners / taste.sum())


def test_a_rated_item_stays_where_it_was_clicked(page, cinema):
    def films(app):
        titles = {md(title, 70): title for title in cinema.titles}
        return [titles[part.value] for part in app.markdown if part.value in titles]

    app = page("stereotypes", cinema, D=2)
    before = films(app)
    assert len(before) == 5
    third = cinema.ratings.item_ids[cinema.titles.index(before[2])]
    assert films(page("stereotypes", cinema, D=2, **{f"r-{third}": 4})) == before
    # What was rated on another page comes first, and takes the place of what is not rated.
    ids = zip(cinema.ratings.item_ids, cinema.titles, strict=True)
    other = next(item for item, title in ids if title not in before)
    mixed = films(page("stereotypes", cinema, D=2, **{f"r-{third}": 4, f"r-{other}": 4}))
    assert mixed[1:] == before[:4]


def test_ratings_are_the_same_here_and_among_the_people(page, cinema):
    link = {"r-film-25": 4, "r-film-37": 0}
    here, there = page("stereotypes", cinema, D=2, **link), page("people", cinema, D=2, people="taste", **link)
    said = next(part.value for part in there.markdown if part.value.startswith("From 2 ratings"))
    assert said in texts(here)
    assert [part["x"] for part in charts(here)[2]["data"]] == [part["x"] for part in charts(there)[0]["data"]]
    next(button for button in here.button if button.label == "Start over").click().run()
    assert "From 2 ratings" not in texts(here)


def test_where_nobody_rates_nobody_is_asked_to_rate(page, cinema):
    n_ratings = len(cinema.ratings)
    chosen = replace(
        cinema,
        ratings=Ratings.from_arrays(
            np.array(cinema.ratings.user_ids)[cinema.ratings.users],
            np.array(cinema.ratings.item_ids)[cinema.ratings.items],
            np.ones(n_ratings),
            scale=Scale(0, 1),
        ),
        implicit=True,
    )
    for name, more in (("stereotypes", {}), ("people", {"people": "taste"})):
        said = texts(page(name, chosen, **more))
        assert "Choose or refuse" in said
        assert "Rate " not in said
