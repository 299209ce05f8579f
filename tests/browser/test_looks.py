"""Where things stand on the pages, and what their pictures and links do."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from dashboard.export import Report, Section, report_html
from dashboard.figures.accuracy import objective_figure
from dashboard.theme import LIGHT
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import demo
from tests.browser.conftest import assert_well, open_page, plots, settle

pytestmark = pytest.mark.browser


def test_a_report_with_a_long_address_fits_on_a_phone(browser, tmp_path):
    dataset = demo().dataset
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    address = "http://here/?" + "&".join(f"r-film-{k}=3" for k in range(30))
    report = Report("the_" + "demo" * 15, dataset, model, (), "x" * 200, (), address=address)
    (tmp_path / "report.html").write_text(report_html(report, LIGHT))
    phone = browser.new_page(viewport={"width": 390, "height": 800})
    phone.goto((tmp_path / "report.html").as_uri())
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    phone.close()


def test_the_pictures_of_a_report_are_as_wide_as_the_paper_while_it_is_printed(browser, tmp_path):
    dataset = demo().dataset
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    figure = objective_figure(model.traces, LIGHT)
    section = Section("Has it converged?", "No.", [("Objective", figure), ("Objective", figure)])
    (tmp_path / "report.html").write_text(report_html(Report("demo", dataset, model, (), "", (), [section]), LIGHT))
    desk = browser.new_page(viewport={"width": 1400, "height": 1000})
    desk.goto((tmp_path / "report.html").as_uri())
    desk.locator(".main-svg").first.wait_for()
    widths = "[...document.querySelectorAll('.plotly-graph-div .main-svg')].map(plot => plot.clientWidth)"
    assert min(desk.evaluate(widths)) > 900
    desk.evaluate(f"window.addEventListener('beforeprint', () => {{ window.printed = {widths}; }})")
    desk.pdf(format="A4")  # 182 mm between the margins are 688 pixels
    assert 600 < max(desk.evaluate("window.printed")) <= 688
    desk.wait_for_function(f"() => Math.min(...{widths}) > 900")
    desk.close()


def test_towers_of_a_row_begin_at_the_same_height(page):
    for width, n_towers, per_row in (1400, 4, 4), (1024, 4, 2), (1024, 3, 3), (1400, 2, 2):
        page.set_viewport_size({"width": width, "height": 1000})
        open_page(page, f"/?data=demo&D={n_towers}")
        drawn = f"() => document.querySelectorAll('.js-plotly-plot').length === {n_towers}"
        page.wait_for_function(drawn, timeout=90_000)
        expect(page.get_by_text("Names follow")).to_have_count(0)  # names may take another line
        settle(page)
        tops = tower_tops(page)
        rows = [tops[k : k + per_row] for k in range(0, n_towers, per_row)]
        assert [len(set(row)) for row in rows] == [1] * len(rows), (width, tops)
        assert len({row[0] for row in rows}) == len(rows)


@pytest.mark.parametrize(("width", "height", "lowest"), [(1400, 1000, 500), (1024, 768, 500)])
def test_the_towers_are_in_the_first_screen(page, width, height, lowest):
    """The first picture begins in the upper part, and is in sight while D is changed."""
    page.set_viewport_size({"width": width, "height": height})
    open_page(page, "/")
    main = page.locator("[data-testid=stMain]")
    main.get_by_text("On ratings that the model has not seen").first.wait_for(timeout=180_000)  # all that stands above
    settle(page)
    assert min(tower_tops(page)) <= lowest
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowRight")
    main.get_by_text("Four stereotypes").first.wait_for()
    settle(page)
    assert slider.bounding_box()["y"] < height
    assert 0 < min(tower_tops(page)) <= lowest


def test_the_whole_graph_is_in_the_first_screen_of_a_projector(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    open_page(page, "/hierarchy")
    page.locator(".js-plotly-plot text").last.wait_for()
    settle(page)
    lowest = (
        "Math.max(...[...document.querySelectorAll('.js-plotly-plot text')].map(e => e.getBoundingClientRect().bottom))"
    )
    assert page.evaluate(lowest) < 768
    assert_well(page)


def tower_tops(page):
    """Where the pictures begin, in pixels below the top of the window."""
    return [round(plot.bounding_box()["y"]) for plot in page.locator(".js-plotly-plot").all()]


def test_many_stereotypes_are_drawn_as_one_picture_and_a_place_in_it_leads_to_its_tower(page):
    open_page(page, "/?data=demo&D=24")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot').length === 2")
    expect(page.get_by_text("Names follow")).to_have_count(0)
    expect(page.get_by_role("combobox", name="Stereotype")).not_to_have_value("Stereotype 1")
    picture, third = page.locator(".st-key-all-stereotypes"), 2
    expect(picture.locator(".point")).to_have_count(5 * 5)  # the other stereotypes are small groups
    name = picture.locator(".xtick text, .ytick text").get_by_text("Family films")
    expect(name).to_have_count(1)
    box = picture.locator(".point").nth(5 * third + 1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('of=')")
    chosen = int(parse_qs(urlsplit(page.url).query)["of"][0])
    page.locator(f".st-key-tower-{chosen - 1} .js-plotly-plot").wait_for()
    settle(page)
    assert re.search(r"Family films\s+\d+% of the audience", page.locator("[data-testid=stMain]").inner_text())
    assert plots(page) == 2
    assert_well(page)


def test_a_rating_moves_ones_own_dot_and_is_known_among_the_people(page):
    open_page(page, "/?data=demo")
    stars = page.locator(".st-key-few-taste-form [data-testid=stFeedback]").first.get_by_role("radio")
    places = []
    for star in (4, 0):
        stars.nth(star).click()
        page.locator(".st-key-own-place .js-plotly-plot").wait_for()
        settle(page)
        places.append(
            page.evaluate("() => document.querySelector('.st-key-own-place .js-plotly-plot').data.at(-1).x[0]")
        )
    assert places[0] != places[1]
    assert_well(page)
    page.get_by_role("link", name="People", exact=True).click()
    settle(page)
    page.get_by_text("Your own taste").click()
    page.get_by_text("From 1 rating").wait_for()


def test_pages_are_reached_by_their_links(page):
    open_page(page, "/?D=4")
    for name in ("Hierarchy", "People", "Films", "Accuracy", "Data", "Export", "Stereotypes"):
        page.get_by_test_id("stTopNav").get_by_role("link", name=name, exact=True).click()
        settle(page)
        assert "D=4" in page.url, name
        assert_well(page)
    assert plots(page) == 4


def test_a_camera_stands_on_every_picture_once_asked_for(page):
    open_page(page, "/films?data=demo")
    hidden = page.locator(".modebar--hover")
    expect(hidden).to_have_count(plots(page))
    page.get_by_text("Download", exact=True).last.click()
    row = page.locator(".st-key-take-films")
    row.get_by_text("Divisive (HTML)").wait_for()
    files = row.locator("[data-testid=stLinkButton]").all_inner_texts()
    assert files == ["Films (CSV)", "One film (HTML)", "Divisive (HTML)"]
    assert row.locator("[data-testid=stButtonGroup]").count() == 0  # nothing else looks like a file
    row.get_by_role("combobox").focus()  # this scrolls, and a list that is open would close
    settle(page)
    page.keyboard.press("ArrowDown")
    page.get_by_role("option", name="always there, saves PNG").click()
    hidden.first.wait_for(state="detached")
    settle(page)
    expect(hidden).to_have_count(0)
    with page.expect_download() as saved:
        page.locator(".st-key-item .modebar-btn").click()
    assert saved.value.suggested_filename == "item.png"
    assert_well(page)
