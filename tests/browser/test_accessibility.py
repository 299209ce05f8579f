"""For screen readers, keyboards and phones: names of controls, and what fits on a screen."""

import pytest

from tests.browser.conftest import choose, open_page, settle

pytestmark = pytest.mark.browser

CUT = """(() => [...document.querySelectorAll('[data-testid=stMain] .js-plotly-plot')].flatMap(plot => {
  const frame = plot.getBoundingClientRect();
  return [...plot.querySelectorAll('.main-svg text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < frame.left - 3 || box.right > frame.right + 3);
  }).map(text => text.textContent);
}))"""
"""Texts of pictures that reach beyond the picture on the left or right."""


def test_controls_that_look_alike_have_names_of_their_own(page):
    open_page(page, "/people?data=demo&people=taste")
    groups = page.locator("[data-testid=stFeedback] [role=radiogroup]")
    page.locator("[data-testid=stFeedback] [aria-label^='Your rating of']").last.wait_for()
    names = groups.evaluate_all("all => all.map(e => e.ariaLabel)")
    assert len(set(names)) == len(names) > 5
    shown = page.locator("[data-testid=stMain]").inner_text()
    assert all(name.removeprefix("Your rating of ") in shown for name in names)
    open_page(page, "/?data=demo")
    rename = page.locator("[data-testid=stButton] button[aria-label^='Rename ']")
    rename.nth(2).wait_for(state="attached")
    names = rename.evaluate_all("all => all.map(e => e.ariaLabel)")
    assert len(set(names)) == len(names) == 3
    open_page(page, "/data?part=more")
    buttons = page.locator("[data-testid=stMain] [data-testid=stButton] button").all_inner_texts()
    assert len(set(buttons)) == len(buttons) > 5


@pytest.mark.parametrize(
    "address", ["/people", "/people?D=6&person=5", "/films", "/films?data=demo&mode=stars", "/data"]
)
def test_no_text_of_a_picture_is_cut(page, address):
    for width, height in (1024, 768), (390, 844):
        page.set_viewport_size({"width": width, "height": height})
        if width == 1024:
            open_page(page, address)
        page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .main-svg').length > 0")
        page.wait_for_function(f"() => {CUT}().length === 0", timeout=10_000)  # pictures take a moment to follow


def test_what_was_clicked_is_beside_the_picture_on_a_projector(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    for address, panel in (("/people?data=demo&person=person-007", "person"), ("/films?data=demo", "film")):
        open_page(page, address)
        heading = page.locator(f".st-key-{panel}-panel h2").bounding_box()
        picture = page.locator(".st-key-simplex, .st-key-divisive").first.bounding_box()
        assert heading["y"] + heading["height"] < 768
        assert picture["y"] < 500
        apart = heading["x"] >= picture["x"] + picture["width"] or heading["x"] + heading["width"] <= picture["x"]
        assert apart


def test_on_a_phone_the_menu_has_a_name_and_closes_after_a_choice(page):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/people")
    sidebar, menu = page.locator("[data-testid=stSidebar]"), page.get_by_role("button", name="Menu: pages and options")
    assert page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stExpandSidebarButton]'), '::after').content"
    ).endswith('Menu"')
    menu.click()
    choose(page, "Data set", "Invented cinema")
    page.wait_for_function("() => location.search.includes('data=demo')")
    settle(page)
    assert sidebar.get_attribute("data-collapsed") == "true"
    menu.click()
    page.get_by_role("link", name="Films", exact=True).click()
    page.wait_for_function("() => location.pathname === '/films'")
    settle(page)
    assert sidebar.get_attribute("data-collapsed") == "true"


def test_searching_choosing_and_setting_back_by_keyboard(page):
    open_page(page, "/films?data=demo&seed=4")
    field = page.get_by_role("combobox", name="Search films")
    field.focus()
    page.keyboard.type("ledger")
    page.get_by_role("option", name="Search for this text").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.search.includes('film=')")
    settle(page)
    assert "Ledger" in page.locator(".st-key-film-panel h2").inner_text()
    page.locator(".st-key-chip-seed button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => !location.search.includes('seed=')")
