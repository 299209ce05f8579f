"""What a request has to pass before Streamlit sees it."""

import json
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg

from dashboard import streamlit_compat
from dashboard.serving import guard, owner_cookie, visitors
from dashboard.serving.guard import Guard
from nnm_core.cli import server_settings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it asks for another version of httpx
    from starlette.testclient import TestClient

STREAM = "ws://localhost/_stcore/stream"
PAGE = {"accept": "text/html"}
SECRET = "0123456789abcdef" * 4
OIDC = {
    "NNM_SIGN_IN": "oidc",
    "NNM_URL": "https://nnm.example.org",
    "NNM_COOKIE_SECRET": SECRET,
    "NNM_SIGN_IN_DAYS": "7",
}
ANN = {"iss": "https://provider.example.org", "sub": "ann", "email": "ann@example.org", "is_logged_in": True}


async def echo(websocket):
    """Send back what arrives, after the protocols that were asked for."""
    await websocket.accept()
    await websocket.send_text(websocket.headers.get("sec-websocket-protocol", ""))
    async for message in websocket.iter_bytes():
        await websocket.send_bytes(message)


async def anything(request):
    await request.body()
    return PlainTextResponse("inside")


@pytest.fixture
def enter(monkeypatch):
    """Return a client of a server with these settings; the machine it comes from is ``peer``."""

    def start(peer="127.0.0.1", host="localhost", **settings):
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        server_settings.current.cache_clear()
        methods = ["GET", "PUT", "DELETE"]
        routes = [WebSocketRoute("/_stcore/stream", echo), Route("/{path:path}", anything, methods=methods)]
        return TestClient(Guard(Starlette(routes=routes)), f"http://{host}", follow_redirects=False, client=(peer, 1))

    monkeypatch.setattr("streamlit.web.server.server_util.get_cookie_secret", lambda: SECRET)
    yield start
    monkeypatch.undo()
    server_settings.current.cache_clear()


def cookie_of(user, secret=SECRET):
    from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

    return create_signed_value(secret, "_streamlit_user", json.dumps(user)).decode()


def streams(client, **headers):
    """Whether a page could talk to the server."""
    try:
        with client.websocket_connect(STREAM, headers=headers) as stream:
            return isinstance(stream.receive_text(), str)
    except WebSocketDisconnect:
        return False


def test_pages_carry_a_policy_that_lets_in_nothing_from_elsewhere(enter):
    headers = enter().get("/").headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert policy["script-src"].startswith("'self' blob: 'sha256-")
    assert "unsafe" not in policy["script-src"]
    assert policy["frame-ancestors"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"


def test_another_name_for_this_server_is_refused(enter):
    client = enter(NNM_URL="https://nnm.example.org")
    for host, status in [("localhost", 200), ("nnm.example.org", 200), ("evil.example", 400), ("", 400)]:
        assert client.get("/", headers={"host": host}).status_code == status
        assert streams(client, host=host) is (status == 200)
    for host in ("localhost/static/x", "localhost?", "ann@localhost", "localhost:x", "[::1"):
        assert client.get("/", headers={"host": host}).status_code == 400
    for host in ("[::1]:8501", "LOCALHOST:1", "127.0.0.1:8501"):
        assert client.get("/", headers={"host": host}).text == "inside"
    assert client.get("/ready", headers={"host": "10.0.0.7:8501"}).status_code == 200  # a probe knows no name
    assert not streams(client, origin="https://evil.example")
    assert streams(client, host="nnm.example.org", origin="https://nnm.example.org")


def test_insides_are_nobodys_business(enter):
    client = enter()
    for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json"):
        assert client.get(path).status_code == 404


def test_no_page_can_clear_everybodys_caches(enter):
    with enter().websocket_connect(STREAM) as stream:
        stream.receive_text()
        for command in (BackMsg(clear_cache=True), BackMsg(set_run_on_save=True), BackMsg(load_git_info=True)):
            stream.send_bytes(command.SerializeToString())
        stream.send_bytes(b"\xff no message")
        rerun = BackMsg()
        rerun.rerun_script.query_string = "D=4"
        stream.send_bytes(rerun.SerializeToString())
        assert stream.receive_bytes() == b"\xff no message"  # which Streamlit answers by hanging up
        assert BackMsg.FromString(stream.receive_bytes()).rerun_script.query_string == "D=4"


def test_a_full_service_says_so(enter):
    client = enter(NNM_MAX_SESSIONS="2")
    with client.websocket_connect(STREAM), client.websocket_connect(STREAM):
        with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect(STREAM):
            pass
        assert refused.value.code == 1013
        full = client.get("/hierarchy", headers=PAGE)
        assert full.status_code == 503
        assert "This service is full" in full.text
        assert client.get("/_stcore/health").status_code == 200
    assert streams(client)
    assert client.get("/hierarchy", headers=PAGE).text == "inside"


def test_uploads_go_into_ones_own_session_and_only_so_many_fit(enter, monkeypatch):
    client = enter(NNM_UPLOADS_MB="1")
    mine, other = owner_cookie.issue(), owner_cookie.issue()
    client.cookies.set(owner_cookie.name(), mine)
    visitors.note_session("session-1", client)
    address = "/_stcore/upload_file/session-1/file"
    assert client.put(address, content=b"x" * 1000).text == "inside"
    assert client.put(address, content=b"x" * 1_000_001).status_code == 507
    monkeypatch.setattr(streamlit_compat, "uploaded_bytes", lambda: 999_500)
    assert client.put(address, content=b"x" * 1000).status_code == 507
    assert client.put(address, content=iter([b"x"])).status_code == 411
    assert client.put("/_stcore/upload_file/invented/file", content=b"x").status_code == 403
    client.cookies.set(owner_cookie.name(), other)
    for method in ("PUT", "DELETE"):
        assert client.request(method, address).status_code == 403


def test_nobody_blocks_the_uploads_of_others(enter, monkeypatch):
    """Not by saying that many large files come, and not by sending nothing."""
    client = enter(NNM_UPLOAD_MB="1")
    client.cookies.set(owner_cookie.name(), owner_cookie.issue())
    visitors.note_session("session-3", client)
    monkeypatch.setattr(guard, "_STALLED", 0.5)
    cookie = f"{owner_cookie.name()}={client.cookies[owner_cookie.name()]}".encode()
    headers = [(b"host", b"localhost"), (b"cookie", cookie), (b"content-length", b"1000000")]
    scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/session-3/file", "headers": headers}

    async def read(scope, receive, send):
        await receive()
        await PlainTextResponse("inside")(scope, receive, send)

    guarded, statuses = Guard(read), []

    async def put(seconds):
        async def send(message):
            statuses.extend([message["status"]] if "status" in message else [])

        async def receive():
            await anyio.sleep(seconds)
            return {"type": "http.request"}

        await guarded(scope, receive, send)

    async def several():
        async with anyio.create_task_group() as group:
            group.start_soon(put, 60)
            group.start_soon(put, 60)
            await anyio.sleep(0.1)
            await put(0)
        await put(0)

    with ThreadPoolExecutor(1) as pool:  # a browser's event loop may run in this thread
        pool.submit(anyio.run, several).result(30)
    assert statuses == [429, 408, 408, 200]


def test_nobody_takes_over_a_session_of_somebody_else(enter):
    client = enter()
    client.cookies.set(owner_cookie.name(), owner_cookie.issue())
    visitors.note_session("session-2", client)
    protocols = {"sec-websocket-protocol": "streamlit, token, session-2"}
    with client.websocket_connect(STREAM, headers=protocols) as stream:
        assert stream.receive_text() == "streamlit, token, session-2"
    client.cookies.set(owner_cookie.name(), owner_cookie.issue())
    with client.websocket_connect(STREAM, headers=protocols) as stream:
        assert stream.receive_text() == "streamlit, token"


def test_before_sign_in_there_is_nothing_but_a_page_to_sign_in(enter):
    client = enter(**OIDC)
    asked = client.get("/hierarchy?D=4", headers=PAGE)
    assert asked.status_code == 401
    assert "inside" not in asked.text
    assert "/sign-in?to=%2Fhierarchy%3FD%3D4" in asked.text
    assert not streams(client)
    for method, path in [("GET", "/media/x.csv"), ("PUT", "/_stcore/upload_file/a/b"), ("GET", "/_stcore/host-config")]:
        assert client.request(method, path).status_code == 401
    for path in ("/_stcore/health", "/ready", "/static/js/index.js", "/oauth2callback"):
        assert client.get(path).text == "inside"
    assert client.get("/media/x.csv", headers={"host": "localhost/static/"}).status_code == 400  # no way around


@pytest.mark.parametrize(
    "cookie",
    [
        "made up",
        cookie_of(ANN, "another secret"),
        cookie_of(ANN | {"is_logged_in": False}),
        cookie_of({**ANN, "sub": ""}),
        cookie_of({"is_logged_in": True}),
    ],
    ids=["made up", "another secret", "signed out", "no subject", "nobody"],
)
def test_who_has_no_valid_cookie_stays_outside(enter, cookie):
    client = enter(**OIDC)
    client.cookies.set("_streamlit_user", cookie)
    assert client.get("/", headers=PAGE).status_code == 401
    assert not streams(client)


def test_an_account_is_the_issuer_and_the_subject(enter, monkeypatch):
    client = enter(**OIDC)
    owners = []
    for user in (ANN, ANN | {"email": "new@example.org"}, ANN | {"sub": "bob"}, ANN | {"iss": "https://elsewhere"}):
        client.cookies.set("_streamlit_user", cookie_of(user))
        assert client.get("/", headers=PAGE).text == "inside"
        assert streams(client)
        owners.append(visitors.owner_of(client))
    assert owners[0] == owners[1]
    assert len(set(owners)) == 3
    assert "ann" not in owners[0]
    later = time.time() + 7 * 86400 + 60
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: later)
    assert client.get("/", headers=PAGE).status_code == 401  # signed in too long ago


def test_after_sign_in_people_get_where_they_wanted_to_go(enter, monkeypatch):
    monkeypatch.setattr(streamlit_compat, "sign_in_token", lambda: "token")
    client = enter(**OIDC)
    begun = client.get("/sign-in", params={"to": "/hierarchy?D=4&data=Ä"}, headers=PAGE)
    assert begun.headers["location"] == "/auth/login?provider=token"
    assert "Secure" in begun.headers["set-cookie"]
    client.cookies.set("_streamlit_user", cookie_of(ANN))
    for wanted, place in [
        ("/hierarchy?D=4", "/hierarchy?D=4"),
        ("//evil.example/x", "/x"),
        ("https://evil.example", "/"),
    ]:
        client.cookies.set("nnm_wanted", guard.quote(wanted))
        assert client.get("/", headers=PAGE).headers["location"] == place


def test_a_header_counts_only_from_a_proxy_that_is_named(enter):
    settings = {"NNM_SIGN_IN": "header", "NNM_USER_HEADER": "X-User", "NNM_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8"}
    ann = PAGE | {"x-user": "ann"}
    for peer, status in [("127.0.0.1", 200), ("10.2.3.4", 200), ("192.0.2.1", 401), ("somewhere", 401)]:
        client = enter(peer, **settings)
        assert client.get("/", headers=ann).status_code == status
        assert streams(client, **{"x-user": "ann"}) is (status == 200)
        assert client.get("/", headers=PAGE).status_code == 401
        assert not streams(client)
        twice = [("accept", "text/html"), ("x-user", "ann"), ("X-User", "bob")]  # the proxy added one to a browser's
        assert client.get("/", headers=twice).status_code == 401


def test_without_the_guard_no_header_is_believed(enter, monkeypatch):
    client = enter(NNM_SIGN_IN="header", NNM_USER_HEADER="X-User")
    client.headers["x-user"] = "ann"
    assert visitors.owner_of(client).startswith("account-")
    assert visitors.name_of(client) == "ann"
    visitors.has_guard.clear()
    assert visitors.owner_of(client) == visitors.name_of(client) == ""
    assert not visitors.may_enter(client)
