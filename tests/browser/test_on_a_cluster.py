"""A server whose long jobs run on a cluster: the same results, progress and cancel, whatever is lost on the way."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, open_page, running_server, settle, watched
from tests.dashboard.storage.test_services import wait_for
from tests.ports import free_port

pytest.importorskip("distributed", reason="Dask is not here: install nnm-explorer[cluster] to test a cluster")
pytestmark = pytest.mark.browser
SEEDS = itertools.count(100)  # so that nothing is there already
ITERATES = re.compile(r"iteration \d{2,}")
A_MINUTE = "/?committee=32&sweeps=1000"  # and more, for the fit that this link asks for


class Cluster:
    """A scheduler and two workers, each a process of its own, and a client that asks what they do."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.address, self._folder = f"tcp://127.0.0.1:{port}", folder
        self._processes = [self._start("scheduler", "--port", str(port))]
        self._processes += [self._start("worker", self.address, "--nthreads", "1") for _ in range(2)]
        wait_for(port)
        from distributed import Client

        self.client = Client(self.address, timeout="60 s", set_as_default=False)
        self.client.wait_for_workers(2, timeout=120)

    def _start(self, what: str, *flags: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *flags, "--host", "127.0.0.1"]
        command += ["--dashboard-address", "127.0.0.1:0"]
        command += ["--local-directory", str(self._folder)] if what == "worker" else []
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def n_done(self) -> int:
        """How many fits the workers have done."""
        log = self.client.run_on_scheduler(lambda dask_scheduler: [step[:3] for step in dask_scheduler.transition_log])
        return sum(to == "memory" and not key.startswith("nnm-ratings") for key, _, to in log)

    def busy(self) -> list[str]:
        """The addresses of the workers that have something to do."""
        return [address for address, keys in self.client.processing().items() if keys]

    def pids(self) -> dict[str, int]:
        """The processes of the workers, by address."""
        return dict(self.client.run(os.getpid))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let no worker do anything for a while."""
        pids = self.pids().values()
        send(signal.SIGSTOP, *pids)
        try:
            yield
        finally:
            send(signal.SIGCONT, *pids)

    def end(self) -> None:
        """End everything at once; first the workers' parents, which would start others."""
        if self.client.status == "running":
            pids = self.pids().values()
            self.client.close()
            for process in reversed(self._processes):
                process.kill()
                process.wait(60)
            send(signal.SIGKILL, *pids)


def send(what: signal.Signals, *pids: int) -> None:
    """Send a signal to processes, as far as they are there."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)


def until(look: Any) -> Any:
    """Return what somebody sees once there is something to see."""
    for _ in range(600):
        if seen := look():
            return seen
        time.sleep(0.1)
    raise TimeoutError


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("workers"))
    yield cluster
    cluster.end()


@pytest.fixture(scope="module")
def log(cluster, tmp_path_factory):
    """The log of the server; its name says the port."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    with running_server(port, folder, NNM_CLUSTER=cluster.address):
        yield folder / f"log-{port}.txt"


@pytest.fixture
def tab(browser, log):
    """A page of the server with a cluster; ``page`` is one of a server without."""
    with watched(browser, f"http://127.0.0.1:{log.stem.rpartition('-')[2]}") as tab:
        yield tab


def final_text(tab: Page) -> str:
    """What a page says once nothing is under way any more; a slow machine asks before it computes a curve."""
    more = tab.get_by_role("button", name=re.compile(r"Compute \w+ more point"))

    def text_at_rest() -> str:
        settle(tab)
        if tab.locator("[data-testid=stProgress], .st-key-under-way p").count():
            return ""
        if more.count():
            more.click()
            return ""
        return tab.get_by_test_id("stMain").inner_text()

    return str(until(text_at_rest))


@pytest.mark.parametrize(
    ("link", "says", "n_fits"),
    [
        ("/?data=demo&fit=accurate&sure=true", "Fitting 3 stereotypes", 1 + 5),  # and from other random starts
        ("/accuracy?data=demo", "Testing on held-out ratings", 7 * 5),
    ],
)
def test_workers_do_what_takes_long_and_the_page_says_the_same(page, tab, cluster, link, says, n_fits):
    link, before = f"{link}&seed={next(SEEDS)}", cluster.n_done()
    with cluster.paused():  # in which the server would go on if it did the work itself
        tab.goto(link)
        expect(tab.get_by_test_id("stProgress")).to_contain_text(says)
        expect(tab.get_by_role("button", name="Cancel")).to_be_visible()
        assert cluster.n_done() == before
    text = final_text(tab)
    assert cluster.n_done() >= before + n_fits
    open_page(page, link)
    assert text == final_text(page)


def test_the_best_of_eight_starts_is_the_same_although_a_worker_is_killed(page, tab, cluster):
    link, before = f"/?seed={next(SEEDS)}", cluster.n_done()
    tab.goto(link)
    expect(tab.get_by_text(re.compile("comparing random starts, [1-9]"))).to_be_visible()
    send(signal.SIGKILL, cluster.pids()[until(cluster.busy)[0]])  # another takes its place
    text = final_text(tab)
    assert "of 8 random starts" in text
    assert cluster.n_done() >= before + 8
    open_page(page, link)
    assert text == final_text(page)


def test_cancel_stops_the_worker(tab, cluster):
    tab.goto(f"{A_MINUTE}&seed={next(SEEDS)}")
    expect(tab.get_by_text(ITERATES)).to_be_visible()
    assert cluster.busy()
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.get_by_text("This fit was cancelled")).to_be_visible()
    until(lambda: not cluster.busy())


def test_where_the_cluster_is_lost_the_page_says_so_and_the_server_goes_on_when_asked(tab, cluster, log):
    tab.goto(f"{A_MINUTE}&seed={next(SEEDS)}")
    expect(tab.get_by_text(ITERATES)).to_be_visible()
    cluster.end()
    said = tab.get_by_text("The cluster that computed this was lost")
    expect(said).to_be_visible()
    tab.get_by_role("link", name="Data").click()
    expect(tab.get_by_text("Pairs rated")).to_be_visible()
    tab.get_by_role("link", name="Stereotypes").click()
    expect(said).to_be_visible()
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    tab.get_by_role("button", name="Try again").click()
    expect(tab.get_by_text(ITERATES)).to_be_visible()
    expect(said).to_have_count(0)
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.get_by_text("This fit was cancelled")).to_be_visible()
    assert "long jobs run in the server: No scheduler answers" in log.read_text()
    assert "Traceback" not in log.read_text()
