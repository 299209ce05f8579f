"""Downloads: made for whoever they were offered to, and for nobody else."""

import asyncio
import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette

from dashboard.compute import downloads
from dashboard.compute.downloads import Offer
from dashboard.compute.store import ONE_SESSION
from dashboard.serving import download_route, owner_cookie
from nnm_core import DataError

LARGE = 3 * 2**20


@pytest.fixture(autouse=True)
def nothing_offered(monkeypatch):
    monkeypatch.setattr(downloads, "_offers", type(downloads._offers)())
    monkeypatch.setattr(downloads, "_ids", {})


def visitor() -> tuple[str, str]:
    """The cookie of somebody's browser, and who they are."""
    value = owner_cookie.issue()
    return f"{owner_cookie.name()}={value}", owner_cookie.owner_of(value)


def fetch(file_id, cookie="") -> tuple[int, dict[str, str], bytes]:
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    path, headers = f"/download/{file_id}", [(b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    called = Starlette(routes=[download_route.ROUTE])(scope, receive, send)
    with ThreadPoolExecutor(1) as pool:  # a browser's event loop may run in this thread
        download_route._limits.clear()
        pool.submit(asyncio.run, called).result()
    answer = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], answer, b"".join(message.get("body", b"") for message in sent)


def offered(owner, content, key="button", session="session", share=""):
    make = content if callable(content) else lambda: content
    return downloads.offer(key, Offer(session, owner, make, "Café ratings.csv", "text/csv", share))


def test_a_file_comes_with_its_name_and_stays_out_of_caches():
    cookie, owner = visitor()
    file_id = offered(owner, "a,b\n")
    status, answer, content = fetch(file_id, cookie)
    assert (status, content) == (200, b"a,b\n")
    assert answer["content-disposition"] == "attachment; filename*=UTF-8''Caf%C3%A9%20ratings.csv"
    assert answer["content-type"].startswith("text/csv")
    assert (answer["cache-control"], answer["x-content-type-options"]) == ("no-store", "nosniff")
    assert fetch(file_id, cookie)[2] == b"a,b\n"  # again, as a browser may that was interrupted
    assert fetch(offered(owner, "half \ud800"), cookie)[2] == b"half \\ud800"


def test_contents_that_are_alike_in_length_and_samples_never_come_to_somebody_else():
    """Streamlit names a large file by its length and three samples, so that these two replaced one another."""
    people = [visitor() for _ in range(2)]
    contents = []
    for k in range(2):
        content = bytearray(LARGE)
        content[LARGE // 4 : LARGE // 4 + 100] = bytes([k + 1]) * 100  # away from head, middle and tail
        contents.append(bytes(content))
    ids = [
        offered(owner, content, session=owner)
        for _ in range(3)
        for (_, owner), content in zip(people, contents, strict=True)
    ]
    assert ids[:2] == ids[2:4] == ids[4:]  # the button of a page keeps its address
    assert ids[0] != ids[1]
    for me, other in ((0, 1), (1, 0)):
        assert fetch(ids[me], people[me][0])[2] == contents[me]
        status, _, body = fetch(ids[me], people[other][0])
        assert status == 404
        assert bytes([me + 1]) * 100 not in body


def test_who_shows_no_cookie_or_a_forged_one_gets_nothing():
    _, owner = visitor()
    file_id = offered(owner, b"secret")
    assert len(file_id) == 32  # 192 bits
    for cookie in ("", f"{owner_cookie.name()}={owner}", f"{owner_cookie.name()}={owner}.forged"):
        assert fetch(file_id, cookie)[0] == 404
    assert fetch("0" * 32, visitor()[0])[0] == 404


def test_without_cookies_the_address_alone_has_to_do():
    assert fetch(offered(ONE_SESSION + "x", b"mine"))[2] == b"mine"


def test_what_goes_wrong_is_a_sentence(caplog):
    def refuse():
        raise DataError("The data are gone.")

    def fail():
        raise RuntimeError("a secret path")

    cookie, owner = visitor()
    assert fetch(offered(owner, refuse, "a"), cookie)[::2] == (409, b"The data are gone.\n")
    status, _, body = fetch(offered(owner, fail, "b"), cookie)
    assert status == 500
    assert b"secret" not in body
    assert "could not be made" in caplog.text


def test_a_file_lasts_as_long_as_its_page_and_a_while_longer(monkeypatch):
    cookie, owner = visitor()
    now, connected = [1000.0], {"session"}
    monkeypatch.setattr(downloads.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(downloads, "is_connected", connected.__contains__)
    monkeypatch.setattr(downloads, "_last_look", 0.0)
    file_id = offered(owner, b"mine")
    for others in range(200):  # as many runs of other people's pages
        offered("somebody", b"theirs", session=f"other {others}")
    now[0] += 10 * downloads.LASTS
    offered("somebody", b"theirs", session="busy")
    assert fetch(file_id, cookie)[0] == 200
    connected.clear()
    now[0] += downloads.LASTS - 1
    offered("somebody", b"theirs", session="busy")
    assert fetch(file_id, cookie)[0] == 200
    now[0] += downloads.LASTS + 1
    offered("somebody", b"theirs", session="busy")
    assert fetch(file_id, cookie)[0] == 404
    assert len(downloads._offers) == len(downloads._ids) == 1


def test_offers_are_bounded():
    cookie, owner = visitor()
    first = offered(owner, b"first")
    for number in range(downloads._MOST_IN_SESSION):
        last = offered(owner, b"more", number)
    assert fetch(first, cookie)[0] == 404
    assert fetch(last, cookie)[0] == 200
    for number in range(downloads._MOST + 10):
        offered("somebody", b"theirs", session=f"session {number}")
    assert len(downloads._offers) == len(downloads._ids) == downloads._MOST


def test_what_is_withdrawn_is_let_go_of():
    class Data:
        pass

    cookie, owner = visitor()
    data, shared = Data(), Data()
    alive = [weakref.ref(data), weakref.ref(shared)]
    mine = offered(owner, lambda data=data: str(data), "mine")
    theirs = offered("visitor", lambda data=shared: str(data), "theirs", share="a share")
    del data, shared
    downloads.withdraw(owner)
    gc.collect()
    assert fetch(mine, cookie)[0] == 404
    assert [each() is None for each in alive] == [True, False]
    downloads.withdraw_shared(["a share"])
    gc.collect()
    assert fetch(theirs)[0] == 404
    assert alive[1]() is None
