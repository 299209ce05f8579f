"""What a newcomer does in the first minute, and what a link holds."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_page, plots, settle, watched

pytestmark = pytest.mark.browser


def test_a_newcomer_reads_something_true_about_a_stereotype(page):
    open_page(page, "/")
    main = page.locator("[data-testid=stMain]")
    expect(page.get_by_role("heading", name="Who is the audience?")).to_be_visible()
    added = re.compile(r"On ratings that the model has not seen, taste explains 2\.\d% of what film averages")
    main.get_by_text(added).first.wait_for(timeout=90_000)  # it is measured in the background
    settle(page)
    text = main.inner_text()
    assert re.search(r"671 people rated 9,066 films", text)
    assert re.search(r"Three stereotypes, and how generous each person is, describe them", text)
    assert re.search(r"more than others do, and", text)
    assert re.search(r"\d+% of the audience", text)


def test_the_slider_refits_and_goes_into_the_link(page):
    open_page(page, "/")
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot').length === 4")
    assert "D=4" in page.url


def test_picking_a_bar_shows_what_is_behind_it(page):
    open_page(page, "/?bars=all")
    bar = page.locator(".st-key-tower-1 .bars .point path").first
    box = bar.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    page.mouse.down()
    page.mouse.up()
    page.get_by_text("It rests on").wait_for()
    settle(page)
    assert {"behind", "of", "tag"} == set(parse_qs(urlsplit(page.url).query)) - {"bars"}
    page.wait_for_function(
        "() => document.querySelector('.st-key-behind table, .st-key-behind canvas')?.getBoundingClientRect().top"
        " < innerHeight"
    )


def test_a_name_is_given_in_place(page):
    open_page(page, "/?data=demo")
    page.get_by_role("button", name="Rename").first.click()
    page.wait_for_function("() => document.activeElement.ariaLabel === 'A name of your own'")
    page.keyboard.type("Night owls")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Night owls").wait_for()
    settle(page)
    assert "names=Night" in page.url


def test_a_link_shows_the_same_view_in_another_browser(page, browser, server):
    asked = "data=demo&D=2&fit=paper&seed=5&bars=all&sort=name&tag=Horror&of=2&behind=true&names=Ann~Bob"
    open_page(page, f"/?{asked}")
    assert plots(page) == 2
    page.get_by_text("On ratings that it has not seen, the recommended fit").first.wait_for(timeout=90_000)
    settle(page)
    address, text = page.url, page.locator("[data-testid=stMain]").inner_text()
    assert parse_qs(urlsplit(address).query) == parse_qs(asked)
    with watched(browser, server) as other:
        open_page(other, address)
        assert other.locator("[data-testid=stMain]").inner_text() == text
        assert other.url == address
