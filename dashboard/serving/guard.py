"""What every request passes before Streamlit sees it: sign-in, limits, and headers that protect the browser."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote, unquote, urlencode, urlsplit

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.status import WS_1008_POLICY_VIOLATION, WS_1013_TRY_AGAIN_LATER
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard import streamlit_compat
from dashboard.serving import metrics, visitors
from dashboard.wording import NAME
from nnm_core.cli.server_settings import current

HEALTH, READY = "/_stcore/health", "/ready"
_WITHOUT_SIGN_IN = (HEALTH, READY, "/auth/login", "/auth/logout", "/oauth2callback")
_NOBODYS_BUSINESS = ("/_stcore/metrics", "/_stcore/agent")
_UPLOADS = "/_stcore/upload_file/"
_WANTED = "nnm_wanted"  # the cookie that remembers where somebody wanted to go before signing in
_MB = 10**6
_STALLED = 60.0  # seconds after which an upload that sends nothing is given up
_AT_ONCE = 2  # largest files that one visitor may upload at the same time


class Guard:
    """Middleware that lets a request through, or says why not."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._n_open = 0
        self._n_uploading: Counter[str] = Counter()  # bytes, by visitor
        self._headers = {
            "Content-Security-Policy": _content_policy(),
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        }
        visitors.has_guard.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await self._stream(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, self._with_headers(send))
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit = HTTPConnection(scope)
        refusal = self._refusal(visit)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["path"].startswith(_UPLOADS) and scope["method"] == "PUT":
            with self._uploading(visitors.owner_of(visit), int(visit.headers["content-length"])):
                await self._take_upload(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _take_upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on, and give it up if nothing more arrives: it must not keep others from uploading."""
        has_begun = False

        async def receive_soon() -> Message:
            with anyio.fail_after(_STALLED):
                return await receive()

        async def send_and_note(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive_soon, send_and_note)
        except TimeoutError:
            if not has_begun:
                await PlainTextResponse("Nothing more arrived of this file.", 408)(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open the websocket of a page, unless nobody is signed in or too many pages are open."""
        visit = HTTPConnection(scope)
        origin = urlsplit(visit.headers.get("origin", "")).netloc
        is_ours = origin in ("", visit.headers.get("host"), urlsplit(current().url).netloc)
        if not (is_ours and _is_our_host(visit) and _may_enter(visit)):
            await send({"type": "websocket.close", "code": WS_1008_POLICY_VIOLATION})
        elif self._n_open >= current().max_sessions:
            await send({"type": "websocket.close", "code": WS_1013_TRY_AGAIN_LATER})
        else:
            self._n_open += 1
            metrics.SESSIONS.inc()
            try:
                await self._app(_with_own_session(scope, visit), _without_commands(receive), send)
            finally:
                self._n_open -= 1
                metrics.SESSIONS.dec()

    def _refusal(self, visit: HTTPConnection) -> Response | None:
        """Return what to answer instead of what was asked for, if anything."""
        path, settings = visit.scope["path"], current()  # not `url.path`, into which a Host header could write
        is_page = "text/html" in visit.headers.get("accept", "")
        if path not in (HEALTH, READY) and not _is_our_host(visit):
            return PlainTextResponse("This server is not known by that name.", 400)
        if path.startswith(_NOBODYS_BUSINESS):
            return PlainTextResponse("Not found", 404)
        if not _may_enter(visit) and path not in _WITHOUT_SIGN_IN and not path.startswith("/static/"):
            if settings.sign_in == "oidc" and path == "/sign-in":
                return _begin_sign_in(visit)
            return _sign_in_page(visit) if is_page else PlainTextResponse("Sign in first.", 401)
        if is_page and path == "/" and _WANTED in visit.cookies:
            return _lead_back(visit.cookies[_WANTED])
        if is_page and self._n_open >= settings.max_sessions and path not in _WITHOUT_SIGN_IN:
            text = "As many people as it can take are using it. Please come back in a minute."
            return HTMLResponse(_page("This service is full", f"<p>{text}</p>"), 503, {"Retry-After": "60"})
        return self._refusal_of_upload(visit) if path.startswith(_UPLOADS) else None

    def _refusal_of_upload(self, visit: HTTPConnection) -> Response | None:
        session = visit.scope["path"].removeprefix(_UPLOADS).partition("/")[0]
        if not visitors.has_session(session, visit):
            return PlainTextResponse("This page is not yours.", 403)
        length = visit.headers.get("content-length", "")
        if visit.scope["method"] != "PUT":
            return None
        if not length.isdecimal():
            return PlainTextResponse("Say how long the file is.", 411)
        if self._n_uploading[visitors.owner_of(visit)] + int(length) > _AT_ONCE * current().upload_mb * _MB:
            return PlainTextResponse("Wait until your other files are uploaded.", 429)
        in_memory = streamlit_compat.uploaded_bytes() + self._n_uploading.total()
        if in_memory + int(length) > current().uploads_mb * _MB:
            return PlainTextResponse("Too much is being uploaded just now. Try again in a few minutes.", 507)
        return None

    @contextmanager
    def _uploading(self, owner: str, n_bytes: int) -> Iterator[None]:
        """Count an upload while it arrives."""
        self._n_uploading[owner] += n_bytes
        try:
            yield
        finally:
            self._n_uploading[owner] -= n_bytes
            self._n_uploading = +self._n_uploading  # without those who upload nothing

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return send_with_headers


def _content_policy() -> str:
    """Return what a page may load: scripts of ours and Streamlit's, and nothing from elsewhere."""
    scripts = " ".join(["'self'", "blob:", *streamlit_compat.inline_script_hashes()])
    return (
        f"default-src 'self'; script-src {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self' data:; connect-src 'self' data: blob:; worker-src 'self' blob:; media-src 'self' blob:; "
        "object-src 'none'; base-uri 'self'; frame-ancestors 'self'"
    )


def _is_our_host(visit: HTTPConnection) -> bool:
    """Whether a request names this server; a page elsewhere that points its own name here must not get through."""
    settings = current()
    host = visit.headers.get("host", "")
    asked = re.fullmatch(r"([\w.-]+|\[[\da-f:.]+\])(:\d+)?", host, re.ASCII | re.IGNORECASE)
    known = {"localhost", "127.0.0.1", "::1", settings.address, settings.host}
    everything = settings.is_public and not settings.host
    return asked is not None and (everything or asked[1].lower().strip("[]") in known)


def _may_enter(visit: HTTPConnection) -> bool:
    if current().sign_in == "header":
        is_trusted = visit.client is not None and visitors.is_trusted(visit.client.host)
        if not is_trusted or len(visit.headers.getlist(current().user_header)) != 1:  # of two, one is a browser's
            return False
    return visitors.may_enter(visit)


def _begin_sign_in(visit: HTTPConnection) -> Response:
    """Send somebody to the provider, and remember where they wanted to go."""
    answer = RedirectResponse(f"/auth/login?{urlencode({'provider': streamlit_compat.sign_in_token()})}", 303)
    secure = current().url.startswith("https:")
    answer.set_cookie(
        _WANTED, quote(visit.query_params.get("to", "/")), max_age=600, httponly=True, samesite="lax", secure=secure
    )
    return answer


def _lead_back(wanted: str) -> Response:
    """Send somebody who has signed in to the page they wanted, which is one of ours."""
    parts = urlsplit(unquote(wanted))
    answer = RedirectResponse("/" + parts.path.lstrip("/\\") + (f"?{parts.query}" if parts.query else ""), 303)
    answer.delete_cookie(_WANTED)
    return answer


def _sign_in_page(visit: HTTPConnection) -> Response:
    if current().sign_in == "header":
        return HTMLResponse(_page("You are not signed in", "<p>Open this service at its usual address.</p>"), 401)
    query = visit.scope["query_string"].decode("latin-1")
    wanted = visit.scope["path"] + (f"?{query}" if query else "")
    link = html.escape(f"/sign-in?{urlencode({'to': wanted})}")
    return HTMLResponse(_page(NAME, f'<p>Sign in to see this page.</p><p><a href="{link}">Sign in</a></p>'), 401)


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>:root{{color-scheme:light dark}}body{{font:18px/1.5 sans-serif;"
        "display:grid;place-content:center;min-height:90vh;text-align:center}h1{font-family:serif}"
        "a{display:inline-block;padding:.5rem 1.5rem;background:#0b5c8a;color:#fff;border-radius:.3rem;"
        f"text-decoration:none}}</style><h1>{title}</h1>{body}</html>"
    )


def _with_own_session(scope: Scope, visit: HTTPConnection) -> Scope:
    """Return the request without the session that it wants to go on with, if that is not this visitor's."""
    wanted = visit.headers.get("sec-websocket-protocol", "")
    session = streamlit_compat.wanted_session(wanted)
    if not session or visitors.has_session(session, visit):
        return scope
    headers = MutableHeaders(raw=list(Headers(scope=scope).raw))
    headers["sec-websocket-protocol"] = wanted.rpartition(",")[0]
    return {**scope, "headers": headers.raw, "subprotocols": scope.get("subprotocols", [])[:2]}


def _without_commands(receive: Receive) -> Receive:
    """Leave out messages by which any page could change the server for everybody."""

    async def receive_others() -> Message:
        message = await receive()
        while message["type"] == "websocket.receive" and streamlit_compat.is_command(message.get("bytes") or b""):
            message = await receive()
        return message

    return receive_others
