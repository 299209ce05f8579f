"""The ε slider, picking in pictures, one's own taste."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_page, settle, watched

pytestmark = pytest.mark.browser


def pick(page, selector, position=0):
    """Point at a mark of a picture, wait until it is noticed, and click."""
    mark = page.locator(selector).nth(position)
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    page.mouse.down()
    page.mouse.up()


def test_epsilon_redraws_the_graph_and_goes_into_the_link(page, browser, server):
    open_page(page, "/hierarchy?eps=0.26")
    sentence = page.get_by_text("At ε = 0.260")
    expect(sentence).to_be_visible()
    slider = page.locator(".st-key-eps").get_by_role("slider")
    slider.focus()
    for step in range(1, 4):
        slider.press("ArrowRight")
        page.get_by_text(f"At ε = 0.26{step}").wait_for()
    settle(page)
    assert "eps=0.263" in page.url
    with watched(browser, server) as other:
        open_page(other, page.url)
        expect(other.get_by_text("At ε = 0.263")).to_be_visible()


def hold(page, key, steps):
    """Take a slider with the mouse, move it by that many of its steps, and hold it there.

    Once nothing is fitted in the background any more: a better fit may have another range of ε, and a new slider.
    """
    expect(page.locator(".st-key-under-way p")).to_have_count(0, timeout=120_000)
    settle(page)
    handle = page.locator(f".st-key-{key} input[type=range]")
    before = float(handle.input_value())
    box = handle.locator("..").bounding_box()
    rail = page.locator(f".st-key-{key} [data-testid=stSlider]").bounding_box()
    span = float(handle.get_attribute("max")) - float(handle.get_attribute("min"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + steps * float(handle.get_attribute("step")) / span * rail["width"], y, steps=4)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # until it follows
    now = float(handle.input_value())
    assert now > before
    return now


def test_the_graph_follows_epsilon_while_the_slider_is_dragged(page):
    open_page(page, "/hierarchy?eps=0.26")
    held = hold(page, "eps", 20)
    page.get_by_text(f"At ε = {held:.3f}").wait_for()
    assert "eps=0.26" in page.url  # it is still held
    page.mouse.up()
    page.wait_for_function(f"() => location.search.includes('eps={held:.3f}')")
    settle(page)
    expect(page.get_by_text(f"At ε = {held:.3f}")).to_be_visible()


def test_the_graph_follows_a_slider_that_has_got_another_range(page):
    """As it does when a better fit is found: the browser has a new element then."""
    open_page(page, "/hierarchy?data=demo")
    reach = page.locator(".st-key-eps input[type=range]").get_attribute("max")
    page.get_by_text("As in the paper", exact=True).click()
    page.wait_for_function("() => location.search.includes('by=liking')")
    settle(page)
    assert page.locator(".st-key-eps input[type=range]").get_attribute("max") != reach
    held = hold(page, "eps", 20)
    page.get_by_text(f"At ε = {held:.3f}").wait_for()
    page.mouse.up()


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1400, 1000)])
def test_the_graph_is_in_the_first_screen_right_below_epsilon(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    open_page(page, "/hierarchy")
    graph, slider = page.locator(".st-key-graph"), page.locator(".st-key-eps")
    nodes = page.locator(".st-key-graph .scatterlayer .trace:last-child .points path")
    picture, control = graph.bounding_box(), slider.bounding_box()
    assert picture["y"] < 430
    assert 0 <= picture["y"] - (control["y"] + control["height"]) < 80  # only the barcode is between them
    assert picture["width"] > 0.95 * page.locator("[data-testid=stMain] h1").bounding_box()["width"]
    places = [nodes.nth(k).bounding_box() for k in range(nodes.count())]
    assert sum(place["y"] + place["height"] < height for place in places) >= 0.7 * len(places)
    assert max(place["x"] for place in places) - min(place["x"] for place in places) > 0.7 * picture["width"]
    held = hold(page, "eps", 30)
    page.get_by_text(f"At ε = {held:.3f}").wait_for()
    assert graph.bounding_box()["y"] == pytest.approx(picture["y"], abs=30)  # still in sight while it is held
    page.mouse.up()


def test_the_papers_figure_in_one_click(page):
    open_page(page, "/hierarchy?data=demo")
    page.get_by_role("button", name="Paper’s figure").click()
    page.get_by_text("At ε = 1/3").wait_for()
    page.wait_for_function("() => location.search.includes('D=8')")
    settle(page)
    assert "eps=0.333" in page.url
    assert "by=liking" in page.url
    assert page.get_by_role("slider").first.input_value() == "8"


def test_the_towers_follow_the_number_while_the_slider_is_dragged(page):
    open_page(page, "/?data=demo")
    held = int(hold(page, "D", 1))  # from five on, one picture shows all stereotypes
    towers = page.locator("[class*=st-key-tower-] .js-plotly-plot")
    towers.nth(held - 1).wait_for()
    assert "D=" not in page.url
    page.mouse.up()
    page.wait_for_function(f"() => location.search.includes('D={held}')")
    settle(page)
    expect(towers).to_have_count(held)


def test_until_somebody_moves_epsilon_a_link_shows_the_same_graph_elsewhere(page, browser, server):
    open_page(page, "/hierarchy")
    page.get_by_role("slider").first.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('D=4')")
    settle(page)
    sentence = page.get_by_text("At ε = ").inner_text()
    assert "eps" not in page.url
    with watched(browser, server) as other:
        open_page(other, page.url)
        assert other.get_by_text("At ε = ").inner_text() == sentence


def test_picking_a_node_and_an_edge(page):
    open_page(page, "/hierarchy?data=demo")
    pick(page, ".st-key-graph .scatterlayer .trace:last-child .points path")
    page.get_by_text("At this ε it").wait_for()
    settle(page)
    assert "node=" in page.url
    assert "inside=" not in page.url
    pick(page, ".st-key-graph .scatterlayer .trace:nth-last-child(2) .points path")
    page.get_by_text("it begins at").wait_for()
    settle(page)
    assert "inside=" in page.url
    expect(page.locator(".st-key-witness .js-plotly-plot")).to_be_visible()


def test_picking_a_point_of_the_curve_adopts_its_number(page):
    open_page(page, "/accuracy?data=demo&folds=1")
    points = page.locator(".st-key-curve .scatterlayer .trace:first-child .points path")
    button = page.get_by_role("button", name=re.compile(r", (about|less than)"))  # only on a busy machine
    points.nth(6).or_(button).first.wait_for(timeout=120_000)
    if button.count():
        button.click()
    points.nth(6).wait_for(timeout=120_000)
    settle(page)
    pick(page, ".st-key-curve .scatterlayer .trace:first-child .points path", 4)
    page.wait_for_function("() => location.search.includes('D=5')")
    settle(page)
    assert page.get_by_role("slider").first.input_value() == "5"
    curves = "document.querySelectorAll('.st-key-curve .js-plotly-plot')"  # it is there still, with the point marked
    page.wait_for_function(f"() => {curves}.length === 1 && {curves}[0].checkVisibility()")


def test_picking_a_person(page):
    open_page(page, "/people?data=demo")
    pick(page, ".st-key-simplex .scatterlayer .trace:nth-child(2) .points path", 3)
    page.get_by_role("heading", name="Person person-").wait_for()
    settle(page)
    assert "person=person-" in page.url


def test_own_taste_forms_with_every_click(page):
    open_page(page, "/people?data=demo&people=taste")
    expect(page.get_by_text("The average person, so far")).to_be_visible()
    page.locator("[data-testid=stFeedback]").first.get_by_role("radio").nth(4).click()
    page.get_by_text("From 1 rating").wait_for()
    page.locator("[data-testid=stFeedback]").nth(1).get_by_role("radio").nth(0).click()
    page.get_by_text("From 2 ratings").wait_for()
    settle(page)
    expect(page.get_by_text("What you would like, and why")).to_be_visible()
    assert page.url.count("r-film-") == 2
    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Your ratings (CSV)").click()
    lines = Path(waiting.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "item,title,rating"
    assert [line.rsplit(",", 1)[1] for line in lines[1:]] == ["5.0", "1.0"]


def test_on_a_phone_the_own_mixture_stays_in_sight(page):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/people?data=demo&people=taste")
    last = page.locator("[data-testid=stFeedback]").last
    last.scroll_into_view_if_needed()
    last.get_by_role("radio").nth(4).click()
    page.get_by_text("From 1 rating").wait_for()
    settle(page)
    top = page.locator(".st-key-own-mixture .barlayer").bounding_box()["y"]
    assert 0 < top < 844


def test_a_half_star_belongs_to_one_click_and_a_rating_to_one_data_set(page):
    open_page(page, "/people?people=taste")
    stars = page.locator("[data-testid=stFeedback]")
    stars.first.get_by_role("radio").nth(4).click()
    page.get_by_text("4½ instead").click()
    page.wait_for_url("**half-*")
    settle(page)
    stars.first.get_by_role("radio").nth(2).click()
    page.get_by_text("2½ instead").wait_for()
    settle(page)
    assert not page.get_by_role("checkbox", name="2½ instead").is_checked()
    open_page(page, "/people?people=taste&r-296=4")
    page.get_by_text("From 1 rating").wait_for()
    page.get_by_role("combobox", name="Data set").click()
    page.get_by_role("option", name="Invented cinema").click()
    page.get_by_text("The average person, so far").wait_for()
    settle(page)
    assert "r-296" not in page.url


def test_films_that_were_searched_for_and_not_rated_go_away(page):
    open_page(page, "/people?data=demo&people=taste")
    stars = page.locator("[data-testid=stFeedback]")
    n_offered = stars.count()
    box = page.get_by_placeholder("part of a title")
    for sought in ("the", "a"):
        box.fill(sought)
        box.press("Enter")
        settle(page)
    box.fill("")
    box.press("Enter")
    settle(page)
    expect(stars).to_have_count(n_offered)
