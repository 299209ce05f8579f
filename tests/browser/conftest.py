"""The running server and a real browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as TookTooLong

expect.set_options(timeout=20_000)  # a busy machine is no fault of a page
ROOT = Path(__file__).resolve().parents[2]
STILL = (
    "() => document.querySelector('[data-testid=stApp]')?.getAttribute('data-test-script-state') === 'notRunning'"
    " && !document.querySelector('[data-testid=stSkeleton]')"
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


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


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
            process.wait(20)


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


@pytest.fixture
def page(browser: Browser, warm_server: str) -> Iterator[Page]:
    """A page of 1400 × 1000 that fails the test if anything leaves this machine or the console shows an error."""
    with watched(browser, warm_server) as tab:
        yield tab


@contextmanager
def watched(browser: Browser, server: str) -> Iterator[Page]:
    """Somebody's browser, with cookies of its own; an error in the console fails the test."""
    context = browser.new_context(base_url=server, viewport={"width": 1400, "height": 1000})
    context.add_init_script("try { localStorage.setItem('nnm-tour', 'done'); } catch {}")  # it would lie on the page
    tab = context.new_page()
    outside: list[str] = []
    errors: list[str] = []
    tab.on("request", lambda r: outside.append(r.url) if not r.url.startswith((server, "data:", "blob:")) else None)
    tab.on("console", lambda m: errors.append(m.text) if m.type == "error" and not _is_probe(m.location) else None)
    yield tab
    context.close()
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
    """Wait until nothing runs any more, twice: between two runs there may be a moment of rest."""
    for _ in range(2):
        page.wait_for_function(STILL, timeout=90_000)
        page.wait_for_timeout(250)


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
