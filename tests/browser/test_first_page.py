"""What a newcomer sees."""

import pytest

from tests.browser.conftest import open_page

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("width", "height", "scheme"), [(1400, 1000, "light"), (1400, 1000, "dark"), (390, 844, "light")]
)
def test_the_page_stands_in_light_dark_and_on_a_phone(page, width, height, scheme):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    open_page(page, "/")
    assert page.get_by_role("heading", name="Who is the audience?").is_visible()
    assert page.locator(".js-plotly-plot").count() == 3
    assert page.locator("[data-testid=stException], [data-testid=stAlert]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 2")


def test_a_link_shows_the_same_view(page):
    open_page(page, "/?D=4&fit=paper")
    assert page.locator(".js-plotly-plot").count() == 4


def test_the_slider_refits_and_goes_into_the_link(page):
    open_page(page, "/")
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot').length === 4")
    assert "D=4" in page.url
