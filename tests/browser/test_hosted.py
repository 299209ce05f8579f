"""A service for several people: sign-in with a real provider, and two servers behind a real proxy."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.browser.conftest import ROOT, new_context, open_page, running_server, settle
from tests.browser.test_kept import RATINGS
from tests.browser.test_shared import PERSON, is_gone, my_work, share
from tests.dashboard.storage.test_services import postgres, wait_for
from tests.ports import free_port

__all__ = ["postgres"]
pytestmark = pytest.mark.browser


def upload(tab: Page) -> str:
    """Load the ratings; return a link to them, on the page that is drawn the fastest."""
    open_page(tab, "/data?part=own&data=demo")
    file = {"name": "our-club.csv", "mimeType": "text/csv", "buffer": RATINGS.encode()}
    tab.locator("input[type=file]").first.set_input_files(file)
    tab.get_by_role("button", name="Load these ratings").click()
    tab.get_by_text("Your data are loaded").wait_for()
    settle(tab)
    return f"/about?{urlsplit(tab.url).query}"


def shown_data(tab: Page) -> str:
    return tab.get_by_role("combobox", name="Data set").input_value()


def refused(address: str, **headers: str) -> int:
    """The status with which a server refuses a websocket; 0 if it takes it."""

    async def knock() -> int:
        try:
            async with connect(f"ws{address.removeprefix('http')}/_stcore/stream", additional_headers=headers):
                return 0
        except InvalidStatus as error:
            return error.response.status_code

    with ThreadPoolExecutor(1) as pool:  # a browser's event loop may run in this thread
        return pool.submit(asyncio.run, knock()).result()


@contextmanager
def provider() -> Iterator[str]:
    """The address of an OpenID provider at which everybody can sign in under any name."""
    pytest.importorskip("authlib", reason="Authlib is not here: install nnm-explorer[hosted] to test sign-in")
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(port)
            yield f"http://localhost:{port}"
        finally:
            process.terminate()


def sign_in(tab: Page, name: str) -> None:
    tab.get_by_role("link", name="Sign in").click()
    tab.get_by_placeholder("sub").fill(name)
    tab.get_by_role("button", name="Authorize").click()
    tab.get_by_text(f"Signed in as {name}").wait_for(timeout=90_000)
    settle(tab)


def new_tab(browser: Browser, address: str, **options: object) -> Page:
    context = new_context(browser, address, **options)
    context.route("https://cdn.jsdelivr.net/**", lambda route: route.abort())  # the style of the provider's page
    return context.new_page()


def test_data_belong_to_the_account_that_signed_in(browser, tmp_path):
    port = free_port()
    address = f"http://localhost:{port}"
    settings = {
        "NNM_SIGN_IN": "oidc",
        "NNM_URL": address,
        "NNM_OIDC_CLIENT_ID": "nnm",
        "NNM_OIDC_CLIENT_SECRET": "only known to us",
        "NNM_COOKIE_SECRET": "0123456789abcdef" * 4,
        "NNM_METRICS_PORT": str(free_port()),
        "NNM_LOG_FORMAT": "json",
    }
    with provider() as issuer:
        settings["NNM_OIDC_METADATA_URL"] = f"{issuer}/.well-known/openid-configuration"
        with running_server(port, tmp_path, "serve", **settings) as (_, process):
            tab = new_tab(browser, address)
            streams: list[str] = []
            tab.on("websocket", lambda stream: streams.append(stream.url))
            tab.goto("/about?D=4")
            expect(tab.get_by_role("link", name="Sign in")).to_have_count(1)
            assert streams == []  # nothing was computed
            assert refused(address) == 403
            sign_in(tab, "ann")
            assert (tab.url.partition("?")[0], "D=4" in tab.url) == (f"{address}/about", True)
            link = upload(tab)
            look, fetch = share(tab, "Stereotypes"), share(tab, "People", "Look and download the data")
            tab.get_by_role("button", name="Sign out").click()
            tab.get_by_role("button", name="End session").click()  # at the provider, too
            tab.get_by_role("link", name="Sign in").wait_for()
            for shared in (look, fetch):  # a link alone opens nothing
                tab.goto(shared)
                assert tab.locator("body").inner_text().split("\n")[-1] == "Sign in"
                assert tab.request.get(shared).status == 401
            sign_in(tab, "bob")
            file = open_shares(tab, look, fetch)
            open_page(tab, link)
            assert "our-club" not in shown_data(tab)
            elsewhere = new_tab(browser, address)  # another browser, without any cookie of the first
            elsewhere.goto(link)
            sign_in(elsewhere, "ann")
            assert shown_data(elsewhere) == "our-club (yours)"
            assert (tab.request.get(file).status, elsewhere.request.get(file).status) == (200, 404)  # it is bob's
            my_work(elsewhere)
            elsewhere.get_by_role("button", name="Revoke").first.click()  # the newest: to look and download
            elsewhere.get_by_text("may download the data").wait_for(state="detached")
            assert tab.request.get(file).status == 404
            assert (is_gone(tab, look), is_gone(tab, fetch)) == (False, True)
            with urllib.request.urlopen(f"http://localhost:{settings['NNM_METRICS_PORT']}/metrics", timeout=20) as seen:
                figures = dict(line.rsplit(" ", 1) for line in seen.read().decode().splitlines() if line[0] != "#")
            assert float(figures["nnm_sessions"]) == 2
            assert float(figures["nnm_page_run_seconds_count"]) >= 6
            assert float(figures["nnm_store_bytes"]) > 1000
            for each in (tab, elsewhere):
                each.context.close()
            process.terminate()
            assert process.wait(40) == 0
    lines = [json.loads(line) for line in (tmp_path / f"log-{port}.txt").read_text().splitlines()]
    assert "the server has stopped" in [line["message"] for line in lines]
    assert not [line for line in lines if "ann" in str(line) or "our-club" in str(line) or "127.0.0.1" in str(line)]


def open_shares(tab: Page, look: str, fetch: str) -> str:
    """Open both links: one lets nothing be downloaded, the other does; return the address of that file."""
    open_page(tab, look)
    tab.get_by_text("our-club, shared as it was").wait_for()
    tab.get_by_role("link", name="Export", exact=True).click()
    tab.get_by_text("lets you look at it").wait_for()
    assert tab.locator("a[href*='download/']").count() == 0
    open_page(tab, fetch)
    tab.get_by_role("link", name="Export", exact=True).click()
    ratings = tab.get_by_role("link", name="ratings.csv", exact=True)
    with tab.expect_download() as waiting:
        ratings.click()
    assert PERSON in Path(waiting.value.path()).read_text("utf-8-sig")
    return urljoin(tab.url, ratings.get_attribute("href"))


@contextmanager
def nginx(folder: Path, servers: list[int]) -> Iterator[str]:
    """The address of nginx with our example of a configuration, and passwords for ann and bob."""
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if program is None:
        pytest.skip("no nginx on this machine: install it to test several servers")
    port = free_port()
    example = (ROOT / "deploy" / "nginx.conf").read_text()
    changes = {"listen 80;": f"listen 127.0.0.1:{port};", "# auth_basic": "auth_basic"}
    changes |= {f":{old} ": f":{new} " for old, new in zip((8501, 8502), servers, strict=True)}
    changes |= {"/etc/nginx/nnm.htpasswd": str(folder / "passwords")}
    for old, new in changes.items():
        assert old in example
        example = example.replace(old, new)
    (folder / "passwords").write_text("ann:{PLAIN}secret\nbob:{PLAIN}secret\n")
    stay = "daemon off; pid nginx.pid; error_log nginx.log;" + ("user root;" if os.geteuid() == 0 else "")
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    log = 'log_format which "$upstream_addr"; access_log which.log which;'
    (folder / "nginx.conf").write_text(f"{stay} events {{}} http {{ {temporary} {log} {example} }}")
    with subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def test_two_servers_behind_nginx_have_everything_in_common(browser, tmp_path, postgres):
    ports = [free_port(), free_port()]
    with ExitStack() as stack:
        address = stack.enter_context(nginx(tmp_path, ports))
        settings = {"NNM_SIGN_IN": "header", "NNM_URL": address, "NNM_DATABASE": postgres, "HOME": "/nonexistent"}
        servers = [running_server(port, tmp_path, "serve", **settings) for port in ports]
        with ThreadPoolExecutor(2) as pool:
            started = list(pool.map(stack.enter_context, servers))
        tab = new_tab(browser, address, http_credentials={"username": "ann", "password": "secret"})
        link = upload(tab)
        which = (tmp_path / "which.log").read_text().split()
        first = ports.index(int(which[-1].rpartition(":")[2]))
        assert set(which) <= {f"127.0.0.1:{ports[first]}", "-"}  # one browser, one server
        for direct, _ in started:  # past nginx, as it would ask
            other = new_tab(browser, direct, extra_http_headers={"X-Forwarded-User": "ann"})
            open_page(other, link)
            assert shown_data(other) == "our-club (yours)"
            other.context.close()
        assert refused(started[0][0]) == 403
        assert refused(address, **{"X-Forwarded-User": "ann"}) == 401  # nginx asks for the password
        started[first][1].kill()
        open_page(tab, link)
        assert shown_data(tab) == "our-club (yours)"
        tab.get_by_text("Signed in as ann").wait_for()
        bob = new_tab(browser, address, http_credentials={"username": "bob", "password": "secret"})
        open_page(bob, link)
        assert "our-club" not in shown_data(bob)
        for each in (tab, bob):
            each.context.close()
