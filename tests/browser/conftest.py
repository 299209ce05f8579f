"""The running server and a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as TookTooLong

from tests.ports import free_port

PATIENCE = 60_000  # milliseconds: a busy machine is no fault of a page
expect.set_options(timeout=PATIENCE)
ROOT = Path(__file__).resolve().parents[2]
SIZE: ViewportSize = {"width": 1400, "height": 1000}
STILL = """id => {
  const app = document.querySelector('[data-testid=stApp]');
  const still = app?.getAttribute('data-test-script-state') === 'notRunning'
    && !document.querySelector('[data-testid=stSkeleton]');
  if (window.rest?.id !== id) window.rest = { id, looks: 0 };
  window.rest.looks = still ? window.rest.looks + 1 : 0;
  return window.rest.looks > 12;
}"""
"""Whether nothing ran when somebody looked thirteen times in a row; ``id`` begins to count anew."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try a test once more if it fails: a busy machine can miss a click. The last line of a run counts such tests."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def _chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    message = "no Chromium on this machine: install it to run the browser tests"
    if os.environ.get("NNM_REQUIRE_BROWSER"):
        pytest.fail(message)
    return pytest.skip(message)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard that runs as users start it."""
    with running_server(free_port(), tmp_path_factory.mktemp("server")) as (address, _):
        yield address


@contextmanager
def running_server(
    port: int, folder: Path, command: str = "dashboard", *, by: Sequence[str | Path] = (), **settings: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A dashboard at that port which keeps what it is given in that folder; its address, and its process.

    ``by``: a program that starts it, and its arguments.
    """
    log = folder / f"log-{port}.txt"
    start = [*by, sys.executable, "-m", "nnm_core.cli", command, "--port", str(port)]
    environment = os.environ | {"NNM_ADDRESS": "127.0.0.1", "NNM_STORE": str(folder / "store"), **settings}
    with log.open("w") as out, subprocess.Popen(start, cwd=ROOT, stdout=out, stderr=out, env=environment) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_until_healthy(address, process, log)
            yield address, process
        finally:
            process.terminate()
            process.wait(60)


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:  # noqa: S310
                if answer.read() == b"ok":
                    return
        except OSError:
            pass
        time.sleep(0.25)
    pytest.fail(f"the dashboard did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_chromium(), headless=True, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def warm_server(browser: Browser, server: str) -> str:
    """The server once it has shown its first page: on a new machine the first fit compiles for a while."""
    tab = browser.new_page()
    tab.goto(server)
    tab.locator(".js-plotly-plot").first.wait_for(timeout=240_000)
    tab.close()
    return server


@pytest.fixture(scope="session")
def desk(browser: Browser, warm_server: str) -> Iterator[BrowserContext]:
    """The browser of ``page``."""
    context = new_context(browser, warm_server)
    yield context
    context.close()


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether a test failed, for what its fixtures do afterwards."""
    report = yield
    item.stash[_FAILED] = report.failed
    return report


@pytest.fixture
def page(desk: BrowserContext, warm_server: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of 1400 × 1000 that fails the test if anything leaves this machine or the console shows an error.

    All tests have the same tab, since a new one takes three times as long to load and compile what the dashboard draws
    with. Each begins without cookies, anything stored or a history; after one that failed there is a new tab.
    """
    tab = desk.pages[0] if desk.pages else desk.new_page()
    tab.goto(f"{warm_server}/_stcore/health")
    tab.evaluate("sessionStorage.clear()")
    protocol = desk.new_cdp_session(tab)
    protocol.send("Storage.clearDataForOrigin", {"origin": warm_server, "storageTypes": "cookies,local_storage"})
    protocol.send("Page.resetNavigationHistory")
    protocol.detach()
    tab.emulate_media(color_scheme="light")
    tab.set_viewport_size(SIZE)
    with _watching(tab, warm_server):
        yield tab
        if request.node.stash[_FAILED]:
            tab.close()
        else:
            tab.goto(f"{warm_server}/_stcore/health")


@contextmanager
def watched(browser: Browser, server: str) -> Iterator[Page]:
    """Somebody else's browser, with cookies of its own; an error in the console fails the test."""
    context = new_context(browser, server)
    tab = context.new_page()
    with _watching(tab, server):
        yield tab
        context.close()


def new_context(browser: Browser, server: str, *, knows_tour: bool = True, **options: Any) -> BrowserContext:
    """A browser of somebody who has seen the tour, which would lie on the page, unless they are new."""
    context = browser.new_context(**{"base_url": server, "viewport": SIZE} | options)
    context.set_default_timeout(PATIENCE)
    if knows_tour:
        context.add_init_script("try { localStorage.setItem('nnm-tour', 'done'); } catch {}")
    return context


@contextmanager
def _watching(tab: Page, server: str) -> Iterator[None]:
    """Fail if the tab asks for anything from elsewhere or has an error in the console."""
    outside: list[str] = []
    errors: list[str] = []

    def on_request(request: Request) -> None:
        if not request.url.startswith((server, "data:", "blob:")):
            outside.append(request.url)

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and not _is_probe(message.location):
            errors.append(message.text)

    tab.on("request", on_request)
    tab.on("console", on_console)
    yield
    tab.remove_listener("request", on_request)
    tab.remove_listener("console", on_console)
    assert outside == []
    assert errors == []


def _is_probe(location: dict[str, object]) -> bool:
    """Streamlit looks for its own health below a page's address first, and gets a 404 that means nothing."""
    return "_stcore/" in str(location.get("url"))


def open_page(page: Page, address: str) -> None:
    """Go there and wait until nothing runs any more."""
    page.goto(address)
    settle(page)


def settle(page: Page) -> None:
    """Wait until nothing has run for half a second: between two runs there may be a moment of rest."""
    page.wait_for_function(STILL, arg=time.monotonic(), polling=40, timeout=90_000)


def choose(page: Page, field: str, option: str) -> None:
    """Choose an option in a select box; a run of the page may close its list, so it is opened again if need be."""
    place = page.get_by_role("option", name=option)
    for _ in range(3):
        page.get_by_role("combobox", name=field).click()
        with suppress(TookTooLong):
            place.click(timeout=10_000)
            return
    place.click()


def plots(page: Page) -> int:
    """How many pictures a page shows."""
    return page.locator(".js-plotly-plot").count()


def assert_well(page: Page) -> None:
    """No fault is shown, nothing overlaps, and nothing has to be scrolled sideways."""
    assert page.locator("[data-testid=stException], [data-testid=stAlertContentError]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 2")
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate(WIDE) == []


OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stElementContainer]')]
    .filter(e => e.checkVisibility() && e.offsetHeight && !e.querySelector('[data-testid=stElementContainer]'))
    .filter(e => !e.closest('.st-key-under-way'))  // which hovers over the page, in its corner
    .map(e => [e, e.getBoundingClientRect()]);
  const found = [];
  for (let a = 0; a < boxes.length; a++) for (let b = a + 1; b < boxes.length; b++) {
    const [x, y] = [boxes[a][1], boxes[b][1]];
    const wide = Math.min(x.right, y.right) - Math.max(x.left, y.left);
    const high = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
    if (wide > 4 && high > 4 && !boxes[a][0].contains(boxes[b][0]))
      found.push(boxes[a][0].innerText.slice(0, 60) + ' | ' + boxes[b][0].innerText.slice(0, 60));
  }
  return found;
}"""
"""Elements of a page that lie on one another."""

WIDE = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stElementContainer]')]
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > window.innerWidth + 2)
  .map(e => e.innerText.slice(0, 60))"""
"""Elements that reach beyond the window."""
