"""Two browsers and one server that is killed in between: what one of them shares, the other sees, until it is gone."""

import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import (
    assert_well,
    new_context,
    open_page,
    plots,
    running_server,
    settle,
    watched,
)
from tests.browser.test_kept import RATINGS
from tests.ports import free_port

pytestmark = pytest.mark.browser
PERSON = "person 7"


def upload(tab):
    open_page(tab, "/data?part=own&data=demo")
    file = {"name": "our-club.csv", "mimeType": "text/csv", "buffer": RATINGS.encode()}
    tab.locator("input[type=file]").first.set_input_files(file)
    tab.get_by_role("button", name="Load these ratings").click()
    tab.get_by_text("Your data are loaded").wait_for()
    settle(tab)


def share(tab, page, may="Look only"):
    """Press Share on a page; return the link."""
    tab.get_by_role("link", name=page, exact=True).click()
    tab.get_by_role("heading", level=1).wait_for()
    settle(tab)
    tab.get_by_role("button", name="Share", exact=True).click()
    tab.get_by_text(may, exact=True).click()
    settle(tab)
    tab.get_by_role("button", name="Make a link").click()
    code = tab.locator("code", has_text="share=")
    code.wait_for()
    link = code.inner_text().strip()
    tab.keyboard.press("Escape")
    settle(tab)
    return link


def is_gone(tab, link):
    open_page(tab, link)
    return tab.get_by_role("heading", name="This shared view is gone").count() == 1


def my_work(tab):
    open_page(tab, "/data?part=mine")
    tab.get_by_role("heading", name="Shared links").wait_for()


def test_share_open_elsewhere_rename_revoke_expire_delete(browser, tmp_path):
    port, links = free_port(), {}
    with running_server(port, tmp_path) as (address, process):
        mine = new_context(browser, address)
        tab = mine.new_page()
        upload(tab)
        links = {"revoked": share(tab, "Stereotypes"), "expired": share(tab, "Hierarchy")}
        links["deleted"] = share(tab, "People", "Look and download the data")
        process.kill()
        process.wait(20)
    with running_server(port, tmp_path) as (address, _):
        with watched(browser, address) as other:
            open_page(other, links["revoked"])
            other.get_by_text("our-club, shared as it was").wait_for()
            other.locator(".js-plotly-plot").first.wait_for()
            assert plots(other) == 3  # one for each stereotype
            assert_well(other)
            assert other.get_by_text("Download", exact=True).count() == 0
            other.get_by_role("link", name="Export", exact=True).click()
            other.get_by_text("lets you look at it").wait_for()
            assert other.locator("a[href*='download/']").count() == 0
            open_page(other, links["deleted"])  # in which the data may be downloaded
            other.get_by_role("link", name="Export", exact=True).click()
            with other.expect_download() as waiting:
                other.get_by_role("link", name="ratings.csv", exact=True).click()
            assert PERSON in Path(waiting.value.path()).read_text("utf-8-sig")
            file = other.get_by_role("link", name="ratings.csv", exact=True).get_attribute("href")
            assert tab.request.get(f"{address}/{file}").status == 404  # offered to somebody else

            my_work(tab)
            tab.get_by_role("button", name="Rename").click()
            tab.get_by_role("textbox", name="Name").fill("Our cinema")
            tab.get_by_role("button", name="Save").click()
            tab.locator("strong", has_text="Our cinema").wait_for()
            open_page(other, links["revoked"])
            other.get_by_text("our-club, shared as it was").wait_for()  # as it was

            revoke = tab.get_by_role("button", name="Revoke")
            expect(revoke).to_have_count(3)
            revoke.last.click()  # the oldest is the last
            settle(tab)
            assert is_gone(other, links["revoked"])
            database = sqlite3.connect(tmp_path / "store" / "nnm.sqlite")
            with database:
                database.execute("UPDATE shares SET expires = '2020-01-01 00:00:00.000000' WHERE page = 'hierarchy'")
            database.close()
            assert is_gone(other, links["expired"])
            open_page(other, links["deleted"])
            other.get_by_text("our-club, shared as it was").wait_for()

            my_work(tab)
            tab.get_by_text("expired on 1 January 2020").wait_for()
            tab.get_by_role("button", name="Delete", exact=True).click()
            tab.get_by_role("button", name="Delete Our cinema").click()
            tab.get_by_text("None yet.").wait_for()
            other.get_by_role("link", name="Stereotypes", exact=True).click()
            other.get_by_role("heading", name="This shared view is gone").wait_for()
            assert other.request.get(f"{address}/{file}").status == 404
        stored = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
        assert PERSON.encode() not in stored
        assert b"our-club" not in stored
        mine.close()
