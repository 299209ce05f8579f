"""The running server and a real browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [sys.executable, "-m", "nnm_core.cli", "dashboard", "--port", str(port)]
    environment = os.environ | {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
    with log.open("w") as out, subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=environment) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_until_healthy(address, process, log)
            yield address
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


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """A page of 1400 × 1000 that fails the test if anything leaves this machine or the console shows an error."""
    context = browser.new_context(base_url=server, viewport={"width": 1400, "height": 1000})
    tab = context.new_page()
    outside: list[str] = []
    errors: list[str] = []
    tab.on("request", lambda r: outside.append(r.url) if not r.url.startswith((server, "data:", "blob:")) else None)
    tab.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    yield tab
    context.close()
    assert outside == []
    assert errors == []


def open_page(page: Page, address: str) -> None:
    """Go there and wait until nothing runs any more."""
    page.goto(address)
    page.wait_for_function(STILL, timeout=90_000)
    page.wait_for_timeout(300)
    page.wait_for_function(STILL, timeout=90_000)
