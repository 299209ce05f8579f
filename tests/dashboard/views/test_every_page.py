"""Every page on every kind of data: it shows something, and nothing that a file says is ever markup."""

import re

import plotly.graph_objects as go
import pytest

from tests.dashboard.views.conftest import charts, texts

PAGES = ("stereotypes", "hierarchy", "people", "films", "compare", "accuracy", "data", "export", "learn", "about")
KINDS = ("clicks", "without_tags", "one_user", "thousand_tags", "hostile")


@pytest.mark.parametrize("name", PAGES)
def test_on_the_bundled_data(page, name):
    app = page(name)
    assert app.title[0].value
    assert not app.error


@pytest.mark.parametrize("name", PAGES)
def test_pictures_are_valid_and_need_to_be_drawn_only_once(page, cinema, name):
    link = {"node": "Horror", "inside": "Drama", "person": "person-1", "lineage": "true", "behind": "true"}
    for chart in charts(page(name, cinema, **link)):
        go.Figure(chart)
        assert "template" not in chart["layout"]
        assert chart["layout"]["datarevision"] == 1
        assert "bdata" not in str(chart)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PAGES)
def test_on_other_data(page, name, kind, request):
    app = page(name, request.getfixturevalue(kind))
    assert app.title[0].value
    assert not app.error
    assert len(texts(app)) > 100


@pytest.mark.parametrize("name", [name for name in PAGES if name != "data"])
def test_where_nobody_rated_nobody_speaks_of_ratings(page, name, clicks):
    text = texts(page(name, clicks, D=2, person="u3", film="i4"))
    for word in ("stars", "likes", "rated them", "rates", "generous", "of 1,", "on the scale"):
        assert word not in text, word


@pytest.mark.parametrize("name", PAGES)
def test_names_from_files_are_text_and_never_markup(page, name, hostile):
    app = page(name, hostile, node=hostile.tags.names[0], inside=hostile.tags.names[1], tag=hostile.tags.names[2],
               behind="true", person=hostile.ratings.user_ids[2], film=hostile.ratings.item_ids[0])  # fmt: skip
    shown = re.sub(r"\\.", "", texts(app))  # what is escaped is text
    for raw in ("](http", "<img", "<b>bold", ":red[", ":smile:", "$x^2$", "**stars**", "`code`"):
        assert raw not in shown, raw
    for chart in charts(app):
        for trace in chart["data"]:
            if trace.get("hoverinfo") == "text":
                trace.pop("customdata", None)  # the picker's own, which nobody sees
        assert "<img" not in str(chart)
        assert "<b>bold" not in str(chart)
        assert not re.search(r"x{200}", str([chart["layout"], [trace.get("text") for trace in chart["data"]]]))


@pytest.mark.parametrize("name", ["stereotypes", "people", "films", "accuracy"])
@pytest.mark.parametrize("link", [{"D": 1}, {"D": 2}, {"D": 5, "fit": "paper"}, {"mode": "stars"}, {"committee": 2}])
def test_with_other_options(page, cinema, name, link):
    app = page(name, cinema, **link)
    assert not app.error


def test_nonsense_in_the_link_is_passed_over(page):
    app = page(
        "stereotypes", D="many", fit="magic", seed="-4", of="99", tag="nothing", behind="true", most="7", names="a~b"
    )
    assert not app.error
    assert len(charts(app)) == 3


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("A~A~a", "A~~"),
        ("Enthusiast~b~SKEPTIC", "~b~"),
        ("\x00~ c ~\x00", "~c~"),
        ("d~d\x00~e", "d~~e"),
    ],
)
def test_names_in_the_link_that_cannot_be_used_are_passed_over(page, cinema, told, kept):
    app = page("stereotypes", cinema, names=told)
    assert not app.error
    assert len(charts(app)) == 3
    assert app.query_params["names"] in (kept, [kept])


@pytest.mark.parametrize("epsilon", ["nan", "-7", "inf", "much"])
def test_nonsense_for_epsilon_is_passed_over(page, cinema, epsilon):
    app = page("hierarchy", cinema, eps=epsilon)
    assert not app.error
    assert "At ε = " in texts(app)


def test_one_kind_of_taste_is_shown_whole(page):
    (tower,) = charts(page("stereotypes", D=1))
    assert min(tower["data"][0]["x"]) > 0.3  # against an audience of its own kind every bar would be empty


def test_contradictory_options_are_explained(page, cinema):
    app = page("stereotypes", cinema, sweeps=1)
    assert "Iterations at most" in app.error[0].value
    assert charts(app)


@pytest.mark.parametrize("name", ["data", "films"])
@pytest.mark.parametrize(("data", "said"), [("own-somebody-elses", "loaded for themselves"), ("nothere", "“nothere”")])
def test_a_link_to_data_that_are_not_here_says_so(page_at, name, data, said):
    app = page_at(name, {"data": data})
    assert not app.exception
    assert said in app.warning[0].value


def test_a_link_to_data_and_a_model_that_are_not_here_says_both(page_at):
    told = [warning.value for warning in page_at("films", {"data": "own-somebody-elses", "model": "0123"}).warning]
    assert "a model from somebody's file" in told[0]
    assert "loaded for themselves" in told[1]


def test_more_kinds_of_taste_than_people_are_remarked_upon(page, one_user):
    app = page("stereotypes", one_user, D=5)
    assert "more stereotypes here than people (5 and 1)" in app.info[0].value


def test_the_data_page_speaks_of_no_share_that_is_none(page, without_tags, bundled):
    assert "have fewer than five" not in texts(page("data", without_tags))
    rare = (bundled.ratings.by_item.counts < 5).mean()
    assert f"and {rare:.0%} of the films have fewer than five" in texts(page("data"))


def test_the_page_of_the_data_keeps_given_names_in_the_link(page, cinema):
    app = page("data", cinema, names="First~Second~Third")
    assert app.query_params["names"] == "First~Second~Third"
