"""A cookie of our own that tells browsers apart, so that a reload finds what was uploaded before.

Its value is random and signed. The key is kept where uploads are, so that both outlive the server.
"""

from __future__ import annotations

import secrets
from functools import cache

import streamlit as st
from itsdangerous import BadSignature, Signer
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.storage import kept_work
from nnm_core.cli.server_settings import current

_A_MONTH = 30 * 24 * 3600


@cache
def _signer() -> Signer:
    work = kept_work()
    return Signer(secrets.token_hex(32) if work is None else work.secret("owner cookie"))


def name() -> str:
    """Return the cookie's name: with the port, for servers on the same host share their cookies; not behind a proxy."""
    return "nnm_owner" if current().url else f"nnm_owner_{st.get_option('server.port')}"


def issue() -> str:
    """Return the value for a new owner."""
    return _signer().sign(secrets.token_urlsafe(24)).decode()


def owner_of(value: str) -> str:
    """Return the owner whom a cookie's value names; empty if this server has not signed it."""
    try:
        return _signer().unsign(value).decode()
    except BadSignature:
        return ""


class OwnerCookie:
    """Middleware that gives a browser without a valid cookie a new one, along with the page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_secure = scope["scheme"] == "https" or current().url.startswith("https:")
                secure = "; Secure" if is_secure else ""
                cookie = f"{name()}={issue()}; Path=/; Max-Age={_A_MONTH}; HttpOnly; SameSite=Lax{secure}"
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        # Parallel requests for the parts of a page get none.
        page = scope["type"] == "http" and "text/html" in HTTPConnection(scope).headers.get("accept", "")
        known = page and owner_of(HTTPConnection(scope).cookies.get(name(), ""))
        await self._app(scope, receive, send_with_cookie if page and not known else send)
