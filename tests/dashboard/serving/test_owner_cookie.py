"""Whose uploads are whose: a signed cookie of our own, which nobody can make up."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.serving import owner_cookie
from dashboard.serving.owner_cookie import OwnerCookie, issue, owner_of


def answered(*, accept="text/html", cookie="", scheme="http", kind="http"):
    """The cookies that a request is answered with."""
    sent = []

    async def page(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept.encode()), (b"cookie", cookie.encode())]
    called = OwnerCookie(page)({"type": kind, "scheme": scheme, "headers": headers}, None, send)
    with ThreadPoolExecutor(1) as pool:  # a browser's event loop may run in this thread
        pool.submit(asyncio.run, called).result()
    return [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]


def test_a_page_comes_with_a_cookie_that_scripts_and_other_sites_cannot_use():
    (cookie,) = answered()
    assert cookie.startswith(f"{owner_cookie.name()}=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert "Secure" in answered(scheme="https")[0]


def test_who_has_one_keeps_it():
    (cookie,) = answered()
    assert answered(cookie=cookie.partition(";")[0]) == []
    assert len(answered(cookie=f"{owner_cookie.name()}=made-up.signature")) == 1


def test_only_pages_bring_one():
    assert answered(accept="*/*") == answered(kind="websocket") == []


def test_owners_differ_and_cannot_be_made_up():
    first, second = issue(), issue()
    assert owner_of(first) == owner_of(first) != owner_of(second)
    for value in ("", "nonsense", owner_of(first), first[:-1], owner_of(second) + first[first.rindex(".") :]):
        assert owner_of(value) == ""


def script():
    import streamlit as st

    from dashboard import session

    st.text(session.owner())


@pytest.mark.parametrize("value", [issue(), "made-up"], ids=["issued", "made up"])
def test_a_session_belongs_to_the_cookies_owner_or_else_to_itself(monkeypatch, value):
    cookies = {owner_cookie.name(): value, "_streamlit_xsrf": "2|00|0102|3"}
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.cookies", cookies)
    first, second = (AppTest.from_function(script).run() for _ in range(2))
    owners = [app.text[0].value for app in (first, first.run(), second)]
    assert owners[0] == owners[1]
    assert (owners[0] == owners[2] == owner_of(value)) if owner_of(value) else (owners[0] != owners[2])
