"""State that can be seen and undone: the back button, chips, and what a link could not show."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import choose, open_page, settle

pytestmark = pytest.mark.browser


def went(page, part):
    """Wait until the address has this, and the page rests."""
    page.wait_for_function(f"() => location.href.includes({part!r})")
    settle(page)


def left(page, part):
    """Wait until the address does not have this, and the page rests."""
    page.wait_for_function(f"() => !location.href.includes({part!r})")
    settle(page)


def number_of_stereotypes(page):
    return page.get_by_role("slider", name="Stereotypes (D)").input_value()


def test_back_undoes_a_step_of_d_and_forward_repeats_it(page):
    open_page(page, "/?data=demo")
    slider = page.get_by_role("slider", name="Stereotypes (D)")
    for number in ("4", "5"):
        slider.press("ArrowRight")
        went(page, f"D={number}")
    page.go_back()
    went(page, "D=4")
    assert number_of_stereotypes(page) == "4"
    page.go_back()
    left(page, "D=")
    assert number_of_stereotypes(page) == "3"
    page.go_forward()
    went(page, "D=4")
    assert number_of_stereotypes(page) == "4"


def test_back_undoes_a_step_of_epsilon_a_selection_and_a_page_one_at_a_time(page):
    open_page(page, "/hierarchy?data=demo&eps=0.3")
    slider = page.locator(".st-key-eps").get_by_role("slider")
    slider.press("ArrowRight")
    went(page, "eps=0.301")
    page.get_by_role("link", name="People", exact=True).click()
    went(page, "/people")
    page.get_by_role("combobox", name="Search people").click()
    page.get_by_role("option").nth(2).click()
    went(page, "person=")
    expect(page.get_by_role("heading", name="Person ")).to_have_count(1)
    page.go_back()
    left(page, "person=")
    expect(page.get_by_role("heading", name="Person ")).to_have_count(0)
    page.go_back()
    went(page, "/hierarchy")
    assert "eps=0.301" in page.url
    page.go_back()
    went(page, "eps=0.3")
    left(page, "eps=0.301")
    assert slider.input_value() == "0.3"


def test_one_action_is_one_entry_also_where_it_changes_several_values(page):
    open_page(page, "/hierarchy?data=demo&node=Horror&inside=Thriller")
    before = page.evaluate("history.length")
    page.get_by_role("combobox", name="Data set").click()
    page.get_by_role("option", name="MovieLens small", exact=True).click()
    left(page, "data=demo")
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    went(page, "data=demo")
    assert page.get_by_role("combobox", name="Data set").input_value() == "Invented cinema"


def test_an_option_that_was_chosen_from_a_list_holds_on_the_next_page(page):
    open_page(page, "/?data=demo")
    page.get_by_text("More options").click()
    settle(page)
    choose(page, "What a rating stands for", "one of several answers")
    went(page, "mode=stars")
    page.get_by_test_id("stTopNav").get_by_role("link", name="Films", exact=True).click()
    went(page, "/films")
    assert "mode=stars" in page.url
    page.get_by_text("How often each stereotype gives this film which rating.").wait_for()


def test_a_chip_sets_an_option_back(page):
    open_page(page, "/?data=demo&D=4&fit=paper&seed=3&sweeps=12")
    chips = page.locator("[class*=st-key-chip-]")
    assert [text.split("\n")[0].removesuffix("close") for text in chips.all_inner_texts()] == [
        "Method: As in the paper",
        "Random seed: 3",
        "Iterations at most: 12",
    ]
    for key in ("sweeps", "seed", "fit"):
        page.locator(f".st-key-chip-{key} button").first.click()
        left(page, f"{key}=")
    expect(chips).to_have_count(0)
    assert number_of_stereotypes(page) == "4"


def test_tags_of_a_link_that_are_not_there_are_told(page):
    open_page(page, "/hierarchy?without=Comedy&without=Nonsense&eps=7")
    said = page.locator(".st-key-link-notes").inner_text()
    assert "“Nonsense” under “Genres to leave out”" in said
    assert "Comedy" not in said
    assert "“7” under “ε”" in said


def test_a_link_that_cannot_be_followed_says_so(page):
    open_page(page, "/people?data=demo&D=99&person=nobody&fit=best")
    said = page.locator(".st-key-link-notes").inner_text()
    assert "“99” under “Stereotypes (D)”" in said
    assert "Shown instead: 3." in said
    assert "“best” under “Method”" in said
    assert "“nobody” under “Search people”" in said
    page.get_by_role("button", name="Dismiss").click()
    page.locator(".st-key-link-notes").wait_for(state="detached")
    settle(page)
    assert "D=" not in page.url
