"""What somebody gave the server is there after it was killed and started again, and only for them."""

import pytest

from tests.browser.conftest import free_port, open_page, running_server, settle, watched

pytestmark = pytest.mark.browser

RATINGS = "who,what,stars\n" + "".join(
    f"person {k},film {j},{1 + (k * j + k) % 5}\n" for k in range(20) for j in range(12)
)


def test_data_and_names_outlive_a_server_that_is_killed(browser, tmp_path):
    port = free_port()
    with running_server(port, tmp_path) as (address, process):
        context = browser.new_context(base_url=address, viewport={"width": 1400, "height": 1000})
        tab = context.new_page()
        open_page(tab, "/data?part=own")
        upload = {"name": "our-club.csv", "mimeType": "text/csv", "buffer": RATINGS.encode()}
        tab.locator("input[type=file]").first.set_input_files(upload)
        tab.get_by_role("button", name="Load these ratings").click(timeout=60_000)
        tab.get_by_text("Your data are loaded").wait_for(timeout=60_000)
        settle(tab)
        link = tab.url
        process.kill()
        process.wait(20)
    with running_server(port, tmp_path) as (address, _):
        open_page(tab, link)
        assert tab.get_by_role("combobox", name="Data set").input_value() == "our-club (yours)"
        assert tab.get_by_text("no longer on the server").count() == 0
        tab.get_by_text("240").first.wait_for(timeout=60_000)  # ratings
        with watched(browser, address) as other:  # without the cookie
            open_page(other, link)
            other.get_by_text("they are shown to nobody else").wait_for(timeout=60_000)
        tab.get_by_role("button", name="Remove these data from the server").click()
        settle(tab)
        assert [path for path in (tmp_path / "store" / "blobs").rglob("*") if path.is_file()] == []
        context.close()
