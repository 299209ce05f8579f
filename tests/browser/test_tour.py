"""The tour for first-time visitors, and presenter mode."""

import pytest
from playwright.sync_api import expect

from dashboard.streamlit_compat import SIDEBAR
from tests.browser.conftest import assert_well, new_context, open_page, settle

pytestmark = pytest.mark.browser


def test_the_tour_has_five_steps_and_comes_once(browser, warm_server):
    context = new_context(browser, warm_server, knows_tour=False)
    page = context.new_page()
    open_page(page, "/?data=demo")
    tour = page.get_by_role("dialog", name="Tour")
    titles = []
    for step in range(1, 6):
        tour.get_by_text(f"{step} of 5").wait_for()
        titles.append(tour.get_by_role("heading").inner_text())
        assert tour.bounding_box()["y"] + tour.bounding_box()["height"] < page.locator("h1").bounding_box()["y"]
        tour.get_by_role("button").last.click()
    assert titles == ["Stereotypes", "Your choices", "Hierarchy", "People", "Learn"]
    expect(tour).to_have_count(0)
    open_page(page, "/people?data=demo")
    expect(tour).to_have_count(0)
    open_page(page, "/about")
    page.get_by_role("button", name="Show the tour").click()
    tour.get_by_text("1 of 5").wait_for()
    page.keyboard.press("Escape")
    expect(tour).to_have_count(0)
    context.close()


def test_the_tour_leaves_a_class_alone(browser, warm_server):
    context = new_context(browser, warm_server, knows_tour=False, viewport={"width": 1024, "height": 768})
    page = context.new_page()
    open_page(page, "/learn?scene=coin")
    page.wait_for_timeout(500)
    assert page.get_by_role("dialog", name="Tour").count() == 0
    context.close()


def test_presenter_mode_is_turned_by_keys(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    open_page(page, "/learn")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    assert page.locator("h1").inner_text() == "From a coin to a mixture"  # arrows turn scenes in presenter mode only
    page.keyboard.press("p")
    page.get_by_role("button", name="Leave").wait_for()
    settle(page)
    assert "present=1" in page.url
    expect(page.locator("[data-testid=stHeader]")).to_be_hidden()
    for seen in ("four sides", "the corners are three people", "A rating answers the question", "random corner"):
        page.keyboard.press("ArrowRight")
        page.get_by_text(seen).first.wait_for()
        settle(page)
    assert "scene=fit" in page.url
    page.keyboard.press("PageUp")
    page.get_by_role("heading", name="From ratings").wait_for()
    settle(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Present").wait_for()
    assert "present" not in page.url


def test_every_page_can_be_projected(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    open_page(page, "/?data=demo")
    page.locator("h1").click()
    page.keyboard.press("p")
    page.wait_for_function("() => location.search.includes('present=1')")
    settle(page)
    expect(page.locator(SIDEBAR)).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "18px"
    assert_well(page)
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="Hierarchy of").wait_for()
    settle(page)
    assert "present=1" in page.url
    assert "data=demo" in page.url
    page.get_by_role("button", name="Leave").click()
    page.wait_for_function("() => !location.search.includes('present')")
    settle(page)
    expect(page.locator(SIDEBAR)).to_be_visible()
