"""How long people wait: the dashboard in a headless browser, from input to drawn.

python benchmarks/dashboard.py [--repeat 15]

Measures, on the bundled data: starting the server until the first page is complete, once with an empty cache of
compiled code and once with a full one; a warm switch between pages; a step of ε; a step of D to a model that nobody has
fitted yet, and to one that is there. Then, on invented data of 200,000 people and 1,000 tags: the upload, the pages
with most to draw, a step of ε, and the graph of all tags. Needs Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from machine import print_machine
from playwright.sync_api import Browser, Page, sync_playwright

from nnm_core.datasets.synthetic import invent

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
N_PEOPLE, N_ITEMS, N_RATINGS, N_TAGS = 200_000, 8_000, 3_000_000, 1_000
LOOK = 1200
"""Milliseconds for which people look at a page before they do something, at the least."""

COMPLETE = (
    "n => document.querySelectorAll('.js-plotly-plot .plot-container').length >= n"
    " && document.querySelector('[data-testid=stApp]')?.getAttribute('data-test-script-state') === 'notRunning'"
    " && !document.querySelector('[data-testid=stSkeleton]')"
)
WATCH = """([complete, n, wanted]) => {
  const isComplete = eval(complete), isWanted = eval(wanted);
  let began = null, drawn = null;
  const input = event => { began ??= event.timeStamp; };
  for (const kind of ['click', 'keydown']) addEventListener(kind, input, {capture: true, once: true});
  const isSeen = change => {
    const element = change.target.nodeType === 1 ? change.target : change.target.parentElement;
    const isForReaders = change.attributeName?.startsWith('aria-') || element?.closest('canvas');
    return element?.closest('[data-testid=stMain]') && !isForReaders;
  };
  const watcher = new MutationObserver(changes => {
    if (!changes.some(isSeen)) return;
    drawn = null;
    requestAnimationFrame(() => setTimeout(() => { drawn = performance.now(); }));
  });
  watcher.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  window.seconds = new Promise((resolve, reject) => {
    setTimeout(() => reject(`not drawn in a minute: ${wanted}`), 60_000);
    const timer = setInterval(() => {
      if (began === null || drawn === null || performance.now() - drawn < 300 || !isComplete(n) || !isWanted()) return;
      clearInterval(timer);
      watcher.disconnect();
      resolve((drawn - began) / 1000);
    }, 50);
  });
}"""
"""The browser's own clock, from the event of the input to the frame after the last change of what is seen.

Nothing is asked of the page in between, for that would hold it up. Once the page is complete and as wanted, a rest of
0.3 s shows that a change was the last; it does not count. What only screen readers are told, such as names of buttons
and what a table writes inside its canvas, is not seen.
"""


NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve")
MANY = 5  # from so many stereotypes on, all of them are in one picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=15)
    repeat = parser.parse_args().repeat
    print_machine("streamlit", "plotly", "playwright")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as empty:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), headless=True, args=FLAGS
        )
        for name, cache in (("nothing compiled yet", empty), ("compiled before", empty)):
            with server(cache) as (address, began):
                page = first_page(chromium, address)
                print(f"server start to first page complete, {name}: {time.perf_counter() - began:.1f} s")
                if name == "compiled before":
                    measure(page, address, repeat)
                    measure_large(page, address, Path(empty), repeat)
        chromium.close()


@contextmanager
def server(cache: str) -> Iterator[tuple[str, float]]:
    """The dashboard as users start it; its address, and when it was started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
    began = time.perf_counter()
    command = [sys.executable, "-m", "nnm_core.cli", "dashboard", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}", began
        finally:
            process.terminate()
            process.wait(20)


def wait_until_healthy(address: str) -> None:
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:  # noqa: S310
                if answer.read() == b"ok":
                    return
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit("the dashboard did not start")


def first_page(chromium: Browser, address: str) -> Page:
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    page.add_init_script("try { localStorage.setItem('nnm-tour', 'done'); } catch {}")  # it would lie on the page
    page.goto(address)
    page.wait_for_function(COMPLETE, arg=3, timeout=180_000)
    return page


def measure(page: Page, address: str, repeat: int) -> None:
    report("warm switch to Films", [switch(page, "Films", "The films", 2) for _ in range(repeat)])
    report(
        "warm switch to Stereotypes", [switch(page, "Stereotypes", "Who is the audience?", 3) for _ in range(repeat)]
    )
    page.goto(f"{address}/hierarchy?eps=0.2")
    page.wait_for_function(COMPLETE, arg=2, timeout=60_000)
    report("step of ε", [step_epsilon(page, 0.2 + 0.001 * (k + 1)) for k in range(repeat)])
    page.goto(address)
    page.wait_for_function(COMPLETE, arg=3, timeout=60_000)
    report("step of D, not asked for before", [step_dimension(page, "ArrowRight", 4 + k) for k in range(5)])
    report("step of D, fitted before", [step_dimension(page, "ArrowLeft", 7 - k) for k in range(5)])


def measure_large(page: Page, address: str, folder: Path, repeat: int) -> None:
    ratings, items = invent_files(folder)
    page.goto(f"{address}/data?part=own")
    chooser = page.locator("input[type=file]")
    chooser.first.wait_for(state="attached")
    began = time.perf_counter()
    chooser.nth(0).set_input_files(ratings)
    page.get_by_role("button", name="Load these ratings").wait_for()
    chooser.nth(1).set_input_files(items)
    page.get_by_text("items.csv").first.wait_for()
    page.wait_for_function(COMPLETE, arg=0)
    page.get_by_role("button", name="Load these ratings").click()
    page.get_by_text("Your data are loaded").wait_for(timeout=120_000)
    print(f"{N_RATINGS:,} ratings dropped, guessed and loaded: {time.perf_counter() - began:.1f} s")
    page.get_by_role("link", name="Stereotypes", exact=True).click()
    page.wait_for_function(COMPLETE, arg=3, timeout=120_000)
    people = [switch(page, "People", "The people", 1) for _ in range(repeat)]
    report(f"warm switch to People, {N_PEOPLE:,} of them", people)
    tags = [switch(page, "Hierarchy", "Hierarchy of tags", 2) for _ in range(repeat)]
    report(f"warm switch to Hierarchy, {N_TAGS:,} tags", tags)
    at = float(page.locator(".st-key-eps").get_by_role("slider").get_attribute("aria-valuetext") or 0.0)
    report(f"step of ε, {N_TAGS:,} tags", [step_epsilon(page, at + 0.001 * (k + 1)) for k in range(repeat)])
    page.get_by_role("button", name="Options").click()
    switch_on = page.locator(".st-key-everything label").click
    whole = seconds(page, switch_on, "() => location.search.includes('everything')", 2)
    report(f"the graph of all {N_TAGS:,} tags", [whole])


def invent_files(folder: Path) -> tuple[Path, Path]:
    """Ratings, and items with tags that go with tastes, as files."""
    invented = invent(N_PEOPLE, N_ITEMS, N_RATINGS, 3, seed=0)
    ratings, items = folder / "ratings.csv", folder / "items.csv"
    columns = {"user": invented.users, "item": invented.items, "rating": invented.values}
    pd.DataFrame(columns).to_csv(ratings, index=False)
    rng = np.random.default_rng(0)
    leaning = invented.truth.likes @ rng.normal(size=(3, N_TAGS)) + rng.gumbel(size=(N_ITEMS, N_TAGS))
    tagged = np.argpartition(-leaning, 8, axis=1)[:, :8]
    lists = ["|".join(f"tag {tag}" for tag in row) for row in tagged.tolist()]
    titles = [f"Item number {k}" for k in range(N_ITEMS)]
    pd.DataFrame({"item": range(N_ITEMS), "title": titles, "tags": lists}).to_csv(items, index=False)
    return ratings, items


def switch(page: Page, link: str, title: str, n_plots: int) -> float:
    """Seconds until another page is drawn; on the way there, the page switches away first."""
    page.get_by_role("link", name="Export", exact=True).click()
    page.get_by_role("heading", name="Export").wait_for()
    page.wait_for_function(COMPLETE, arg=0)
    wanted = f"() => document.querySelector('h1')?.innerText === '{title}'"
    return seconds(page, page.get_by_role("link", name=link, exact=True).click, wanted, n_plots)


def step_epsilon(page: Page, wanted: float) -> float:
    """Seconds from the key to the sentence and the graph at the next ε."""
    slider = page.locator(".st-key-eps").get_by_role("slider")
    slider.focus()
    shown = f"() => document.querySelector('[data-testid=stMain]').innerText.includes('At ε = {wanted:.3f}')"
    return seconds(page, lambda: slider.press("ArrowRight"), shown, 2)


def step_dimension(page: Page, key: str, wanted: int) -> float:
    """Seconds from the key to the sentence and the pictures: a tower each, from five on one of all and one tower."""
    slider = page.get_by_role("slider").first
    slider.focus()
    words = f"{NUMBERS[wanted]} stereotypes"
    said = f"() => document.querySelector('[data-testid=stMain]').innerText.includes('{words}')"
    return seconds(page, lambda: slider.press(key), said, wanted if wanted < MANY else 2)


def seconds(page: Page, act: Callable[[], None], wanted: str, n_plots: int) -> float:
    """Seconds from an input until everything that it brings about is drawn."""
    page.wait_for_timeout(LOOK)
    page.evaluate(WATCH, [COMPLETE, n_plots, wanted])
    act()
    return float(page.evaluate("() => window.seconds"))


def report(name: str, seconds: list[float]) -> None:
    print(
        f"{name}: median {1000 * statistics.median(seconds):.0f} ms, fastest {1000 * min(seconds):.0f} ms, slowest "
        f"{1000 * max(seconds):.0f} ms ({len(seconds)} times)"
    )


if __name__ == "__main__":
    main()
