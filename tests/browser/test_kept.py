"""What somebody gave the server is there after it was killed and started again, and only for them."""

import sqlite3
import time
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import new_context, open_page, running_server, settle, watched
from tests.ports import free_port

pytestmark = pytest.mark.browser

RATINGS = "who,what,stars\n" + "".join(
    f"person {k},film {j},{1 + (k * j + k) % 5}\n" for k in range(20) for j in range(12)
)


def large_file(folder, n_rows=1_000_000):
    """A file with many ratings: a million take a second to import."""
    rows = (f"person {k % 5003},film {k % 997},{1 + k % 5}" for k in range(n_rows))
    file = folder / "large.csv"
    file.write_text("who,what,stars\n" + "\n".join(rows) + "\n")
    return file


def wait_for_import(folder):
    """Wait until the server notes in its database that it imports a file."""
    database = sqlite3.connect(folder / "store" / "nnm.sqlite")
    for _ in range(3000):
        if database.execute("SELECT 1 FROM jobs WHERE content_hash = ''").fetchone():
            return
        time.sleep(0.01)
    pytest.fail("no import began")


def blobs_of_own_data(folder, bundled):
    """The names of all blobs except models of the bundled data, which are kept where they took long to fit."""
    with closing(sqlite3.connect(folder / "store" / "nnm.sqlite")) as database:
        rows = database.execute("SELECT digest, content_hash FROM models").fetchall()
    known = {digest for digest, content in rows if content in (bundled.content_hash, bundled.ratings.content_hash)}
    return {path.name for path in (folder / "store" / "blobs").rglob("*") if path.is_file()} - known


def test_data_and_names_outlive_a_server_that_is_killed(browser, tmp_path, bundled):
    port = free_port()
    with running_server(port, tmp_path) as (address, process):
        context = new_context(browser, address)
        tab = context.new_page()
        open_page(tab, "/data?part=own&data=demo")
        upload = {"name": "our-club.csv", "mimeType": "text/csv", "buffer": RATINGS.encode()}
        tab.locator("input[type=file]").first.set_input_files(upload)
        tab.get_by_role("button", name="Load these ratings").click()
        tab.get_by_text("Your data are loaded").wait_for()
        settle(tab)
        link = tab.url
        open_page(tab, "/data?part=own&data=demo")
        tab.locator("input[type=file]").first.set_input_files(large_file(tmp_path))
        tab.get_by_role("button", name="Load these ratings").click()
        wait_for_import(tmp_path)
        process.kill()
        process.wait(20)
    with running_server(port, tmp_path) as (address, _):
        open_page(tab, "/data?part=mine")
        tab.get_by_text("large.csv was being imported when the server stopped").wait_for()
        tab.get_by_text("upload it again").wait_for()
        assert tab.locator("strong", has_text="large").count() == 1  # it is no data set
        tab.get_by_role("button", name="Dismiss").click()
        settle(tab)
        expect(tab.get_by_text("was being imported")).to_have_count(0)
        open_page(tab, link)
        assert tab.get_by_role("combobox", name="Data set").input_value() == "our-club (yours)"
        expect(tab.get_by_text("no longer on the server")).to_have_count(0)
        tab.get_by_text("240").first.wait_for()  # ratings
        with watched(browser, address) as other:  # without the cookie
            open_page(other, link)
            other.get_by_text("they are shown to nobody else").wait_for()
        assert blobs_of_own_data(tmp_path, bundled)
        tab.get_by_role("button", name="Remove these data from the server").click()
        settle(tab)
        for _ in range(600):  # on a busy machine the page rests for a while before it hears of the click
            left = blobs_of_own_data(tmp_path, bundled)
            if not left:
                break
            time.sleep(0.1)
        assert left == set()
        context.close()
