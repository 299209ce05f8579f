"""One's own data from file to towers, refusals, a cancelled fit, two people at once."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import assert_well, choose, open_page, plots, settle, watched
from tests.datasets.corpus.formats import xlsx

pytestmark = pytest.mark.browser


def table(n_users, prefix):
    rows = [
        f"{prefix}{user},{prefix}-item-{item},{1 + (user * item + user) % 5}"
        for user in range(n_users)
        for item in range(30)
        if (user + item) % 3
    ]
    return ("user,item,rating\n" + "\n".join(rows)).encode()


def load(page, name, content):
    open_page(page, "/data?part=own")
    page.locator("input[type=file]").first.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


def load_whole(page, name, content):
    load(page, name, content)
    page.get_by_text("Which column is what?").wait_for()
    page.get_by_role("button", name="Load these ratings").click()
    page.get_by_text("Your data are loaded").wait_for()
    settle(page)


def test_from_a_file_to_towers(page):
    load_whole(page, "mine.csv", table(40, "u"))
    expect(page.get_by_text("nothing was left out")).to_be_visible()
    page.get_by_role("link", name="Stereotypes").click()
    page.get_by_text("40 people").first.wait_for()
    settle(page)
    assert plots(page) == 3
    assert_well(page)
    page.reload()
    settle(page)
    expect(page.get_by_text("40 people").first).to_be_visible()  # a reload keeps what this browser has loaded


def test_a_survey_with_columns_about_the_people_from_a_file_to_towers(page):
    questions = [f"Q{k}" for k in range(8)]
    rows = [
        f"{'FM'[p % 2]},{18 + p % 40}," + ",".join(str(5 - (p + k) % 2 * 3 + p % 2) for k in range(8))
        for p in range(60)
    ]
    load_whole(page, "survey.csv", "\n".join([",".join(["gender", "age", *questions]), *rows]).encode())
    expect(page.get_by_text("gender: 2")).to_be_visible()  # the traits have pictures of their own
    expect(page.get_by_text("age: 6")).to_be_visible()
    page.get_by_role("link", name="Stereotypes").click()
    page.get_by_text("60 people").first.wait_for()
    settle(page)
    assert_well(page)


def test_of_a_workbook_with_two_sheets_one_is_chosen(page):
    rows = [["user", "item", "rating"], *([f"u{k % 30}", f"i{k % 17}", 1 + k * k % 5] for k in range(400))]
    load(page, "book.xlsx", xlsx({"May": rows[:301], "June": rows}))
    page.get_by_text("Which column is what?").wait_for()
    page.get_by_role("combobox", name="The ratings are in").click()
    page.get_by_role("option", name="sheet June").click()
    page.get_by_text("ratings: 'book.xlsx, sheet June'").wait_for()
    page.get_by_role("button", name="Load these ratings").click()
    page.get_by_text("Your data are loaded").wait_for()
    settle(page)
    assert_well(page)


def test_an_export_of_letterboxd_becomes_ones_own_taste(page):
    rated = ("The Matrix", 1999, 5), ("Toy Story", 1995, 1.5), ("Heat", 1995, 4), ("Nowhere", 1990, 3)
    rows = "".join(f"2021-01-01,{name},{year},https://boxd.it/x,{value}\n" for name, year, value in rated)
    export = ("Date,Name,Year,Letterboxd URI,Rating\n" + rows).encode()
    open_page(page, "/people?people=taste")
    page.get_by_text("Bring your ratings from Letterboxd or IMDb").click()
    box = page.get_by_test_id("stFileUploader").locator("input[type=file]")
    box.set_input_files({"name": "ratings.csv", "mimeType": "text/csv", "buffer": export})
    expect(page.get_by_text("3 of 4 ratings")).to_be_visible()
    expect(page.get_by_text("From 3 ratings")).to_be_visible()
    settle(page)
    assert_well(page)


def test_a_wrong_guess_is_corrected_with_two_clicks(page):
    rows = [f"u{k % 30},i{k % 17},{k % 3},{1 + k * k % 5}" for k in range(400)]
    load(page, "visits.csv", "\n".join(["user,item,rating,mood_score", *rows]).encode())
    page.get_by_text("Which column is what?").wait_for()
    settle(page)
    choose(page, "Rating", "mood_score")
    settle(page)
    page.get_by_role("button", name="Load these ratings").click()
    page.get_by_text("Your data are loaded").wait_for()
    expect(page.get_by_text("1 to 5 in steps of 1").first).to_be_visible()
    settle(page)
    assert_well(page)


def test_a_bad_file_is_refused_and_what_was_loaded_stays(page):
    load(page, "bad.csv", b"user,item,rating\nu1,i1,abc\nu2,i2,def\n")
    page.get_by_role("button", name="Load these ratings").click()
    page.get_by_text("has no usable rating").wait_for()
    expect(page.get_by_text("What was loaded before is unchanged")).to_be_visible()
    page.get_by_role("link", name="Stereotypes").click()
    page.get_by_text("671 people").first.wait_for()


def test_two_people_at_once_do_not_see_each_others_data(page, browser, server):
    load_whole(page, "ann.csv", table(33, "ann"))
    with watched(browser, server) as other:
        load_whole(other, "bob.csv", table(44, "bob"))
        for tab, own, foreign in ((page, "33", "bob"), (other, "44", "ann")):
            tab.get_by_role("link", name="Stereotypes").click()
            tab.get_by_text(f"{own} people").first.wait_for()
            settle(tab)
            assert foreign not in tab.locator("body").inner_text()
            tab.get_by_role("combobox").first.click()
            assert foreign not in tab.locator("body").inner_text()
            tab.keyboard.press("Escape")
        open_page(other, page.url)  # even with the other's link
        expect(other.get_by_text("shown to nobody else")).to_be_visible()
        assert "ann" not in other.locator("[data-testid=stMain] [data-testid=stHeading]").all_inner_texts()


def test_a_long_fit_shows_progress_and_is_cancelled(page):
    page.goto("/?committee=32&sweeps=200")
    cancel = page.get_by_role("button", name="Cancel")
    cancel.wait_for()
    expect(page.get_by_text("Fitting").first).to_be_visible()
    cancel.click()
    page.get_by_text("This fit was cancelled").wait_for()
    expect(page.get_by_role("button", name="Fit it after all")).to_be_visible()
    page.get_by_role("link", name="Data").click()
    page.get_by_text("Pairs rated").wait_for()  # the rest of the program goes on


def test_a_fit_cancelled_after_a_reload_makes_room_for_the_next(page):
    cancel, computes = page.get_by_role("button", name="Cancel"), page.get_by_text(re.compile(r"iteration \d+"))
    page.goto("/?committee=32&sweeps=1000")
    computes.first.wait_for()
    page.reload()
    cancel.wait_for()
    cancel.click()
    page.get_by_text("This fit was cancelled").wait_for()
    page.goto("/?committee=32&sweeps=999")
    computes.first.wait_for()  # and no longer waits for its turn
    cancel.click()
    page.get_by_text("This fit was cancelled").wait_for()


def test_files_come_down(page):
    open_page(page, "/hierarchy?data=demo&eps=0.4&without=Comedy")
    page.get_by_role("link", name="Export").click()
    page.get_by_role("heading", name="Export").wait_for()
    settle(page)
    report = downloaded(page, "Report (HTML)")
    assert report.startswith(b"<!doctype html>")
    assert b"cdn.plot.ly" not in report[:20_000]
    assert f"This view</th><td>{page.url.replace('/export?', '/?')}<".encode() in report
    assert "At ε = 0.400".encode() in report  # what was looked at last
    assert downloaded(page, "Model (.nnm)").startswith(b"PK")
    page.get_by_role("link", name="Hierarchy").click()
    page.get_by_text("At ε = 0.400").wait_for()  # a page is found as it was left
    settle(page)
    assert "without=Comedy" in page.url


def downloaded(page, name):
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    return download.value.path().read_bytes()
