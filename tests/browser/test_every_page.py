"""Every page in light, in dark, on a projector and on a phone: no fault, no overlap, nothing serious by axe-core.

axe-core comes with the package axe-playwright-python; NNM_AXE may name another axe.min.js.
"""

import importlib.util
import os
from itertools import pairwise
from pathlib import Path

import pytest

from tests.browser.conftest import assert_well, open_page, settle

pytestmark = pytest.mark.browser

PAGES = {
    "/": (3, "Stereotypes"),
    "/?D=4&seed=3&fit=paper": (4, "Stereotypes"),
    "/hierarchy": (2, "Hierarchy"),
    "/people": (1, "People"),
    "/people?people=taste": (1, "People"),
    "/people?data=demo&D=5&person=person-007&corners=1-2-3": (2, "People"),
    "/films": (2, "Films"),
    "/compare?data=demo": (3, "Compare"),
    "/accuracy?data=demo": (3, "Accuracy"),
    "/data": (4, "Data"),
    "/data?part=own": (0, "Data"),
    "/data?part=more": (0, "Data"),
    "/export": (0, "Export"),
    "/learn?scene=coin&mix=people": (0, "Learn"),
    "/learn?scene=fit": (0, "Learn"),
    "/about": (0, "About"),
}
"""Addresses, how many pictures each page has at the least, and its title."""

LEVELS = """() => [...document.querySelectorAll('h1, h2, h3, h4')].filter(e => e.checkVisibility())
  .map(e => Number(e.tagName[1]))"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core."""
    path = os.environ.get("NNM_AXE")
    if path is None:
        package = importlib.util.find_spec("axe_playwright_python")
        if package is None or package.origin is None:
            pytest.skip("axe-core is not here: install axe-playwright-python to check the pages by its rules")
        path = str(Path(package.origin).with_name("axe.min.js"))
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("address", PAGES)
def test_every_page_stands_in_light_in_dark_on_a_projector_and_on_a_phone(page, axe, address):
    n_pictures, title = PAGES[address]
    open_page(page, address)
    has_pictures = f"() => document.querySelectorAll('.js-plotly-plot').length >= {n_pictures}"
    page.wait_for_function(has_pictures)
    assert page.title() == f"{title} · NNM Explorer"
    levels = page.evaluate(LEVELS)
    assert levels.count(levels[0]) == levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    assert_well(page)
    page.evaluate(axe)
    assert serious_faults(page) == []

    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor === 'rgb(22, 25, 29)'"
    )
    settle(page)
    page.wait_for_function(has_pictures)
    assert_well(page)
    for _ in range(20):
        if not (faults := serious_faults(page)):
            break
        page.wait_for_timeout(500)  # colours fade, and the server draws in dark ones once the browser has told it
    assert faults == []

    page.emulate_media(color_scheme="light")
    for width, height in (1024, 768), (390, 844):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        page.wait_for_function(has_pictures)
        assert_well(page)


def serious_faults(page):
    """What axe-core finds."""
    report = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    assert len(report["passes"]) > 10  # it has looked at something
    return [
        (rule["id"], [node["html"][:120] for node in rule["nodes"]])
        for rule in report["violations"]
        if rule["impact"] in ("serious", "critical")
    ]
