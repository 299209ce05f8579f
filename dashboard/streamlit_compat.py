"""Every touch of something that Streamlit or plotly may change without notice: the one file to read after an upgrade.

The style sheets and scripts that it hands to the browser lie in ``browser``. Each entry says why it is needed, and
``tests/dashboard/test_streamlit_compat.py`` has a test that names the internal and fails when it is gone. Streamlit is
imported inside the functions, because pictures, which use ``unchecked_figure``, work without it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

_BROWSER = Path(__file__).with_name("browser")


def _script(name: str) -> str:
    """Return a script that a component runs in the browser."""
    return (_BROWSER / name).read_text(encoding="utf-8")


def _style(name: str) -> str:
    """Return a style sheet as ``st.html`` takes it."""
    return f"<style>{(_BROWSER / name).read_text(encoding='utf-8')}</style>"


STYLE, LEARN_STYLE, PRESENT_STYLE = _style("page.css"), _style("learn_page.css"), _style("presenter.css")
VIEW_ONLY_STYLE = "<style>[data-testid=stElementToolbar]{display:none}</style>"
"""Takes the buttons off tables, one of which saves the table as a file."""

PAGE_SCRIPT, PRESENTER_KEYS = _script("page.js"), _script("presenter_keys.js")
WATCH_SLIDER, SCROLL_TO = _script("watch_slider.js"), _script("scroll_to.js")

SIDEBAR = "[data-testid=stSidebar]"


def menu_link(page: str) -> str:
    """Return the selector of a page's link in the menu, by the page's address."""
    return f'[data-testid=stTopNavLink][href*="/{page}"]'


def beside_a_form(key: str, paper: str, border: str) -> str:
    """Return the style sheet that lays out the containers ``key``-said, -drawn, -form and -more inside ``key``.

    The form is on the left and the others on the right. On a phone they are one below the other, and held upright,
    what is drawn stays at the top of the screen while the rest moves.
    """
    inside = "[data-testid=stLayoutWrapper]:has(>.st-key-" + key
    areas = "".join(f"{inside}-{part}){{grid-area:{part}}}" for part in ("said", "drawn", "form", "more"))
    return (
        f"<style>@media(min-width:641px){{.st-key-{key}{{display:grid;column-gap:2rem;"
        f"grid-template:'form said' auto 'form drawn' auto 'form more' 1fr/minmax(20rem,2fr) minmax(0,3fr)}}{areas}}}"
        f"@media(max-width:640px) and (min-height:640px){{{inside}-drawn)"
        f"{{position:sticky;top:3.75rem;z-index:9;max-height:13.5rem;overflow:auto;background:{paper};"
        f"border-bottom:1px solid {border}}}"
        "[data-testid=stMain]{scroll-padding-top:18rem}}</style>"  # so that a focused field is not hidden below it
    )


def stripes(n_stereotypes: int, color: Callable[[int], str]) -> str:
    """Return the style sheet that puts a stereotype's colour on top of the container ``portrait-{k}``.

    It is the same for up to 32 stereotypes: at a new style sheet a browser lays out the whole page again.
    """
    enough = 32 * -(-n_stereotypes // 32)
    rules = (f".st-key-portrait-{k}{{border-top-color:{color(k)}}}" for k in range(enough))
    return f"<style>[class*=st-key-portrait-]{{border-top:5px solid;padding-top:.5rem}}{''.join(rules)}</style>"


def unchecked_figure(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> go.Figure:
    """Return a figure that plotly has not validated, which takes most of the time to build one."""
    return go.Figure(traces, layout, _validate=False)


class PageStopped(Exception):  # noqa: N818 - no error
    """Ends a page that has said all it can; :mod:`dashboard.app` catches it.

    ``st.stop()`` would do the same, but after it Streamlit keeps the fragments that the page no longer draws. One that
    refreshes itself then draws into an element that has taken its place, and the browser's page goes blank.
    """


def session_id() -> str:
    """Return Streamlit's id of the session whose page runs in this thread; "nobody" outside a page."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    return "nobody" if context is None else context.session_id


def is_history_navigation() -> bool:
    """Whether the browser's back or forward button led to this run of the page."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def is_connected(session: str) -> bool:
    """Whether a browser is connected to a session; True where no server runs, as in tests."""
    from streamlit import runtime

    return not runtime.exists() or runtime.get_instance().is_active_session(session)


def remove_uploaded_files() -> None:
    """Remove the files that this session uploaded: Streamlit keeps them until the session ends."""
    from streamlit import runtime

    if runtime.exists():
        runtime.get_instance().uploaded_file_mgr.remove_session_files(session_id())


def skip_component_discovery() -> None:
    """Keep Streamlit from searching all installed packages for components, which takes a second; we have our own."""
    from streamlit.components.v2 import manifest_scanner

    manifest_scanner.scan_component_manifests = lambda *_, **__: []


def serve(file: str, options: Mapping[str, Any]) -> None:
    """Serve the ``st.App`` called ``app`` in a file until the process is stopped, with these options of Streamlit.

    As ``streamlit run`` does, for ``st.App.run`` does not heed environment variables such as STREAMLIT_SERVER_ADDRESS.
    """
    from click import Abort
    from streamlit.web import cli

    skip_component_discovery()
    flags = [f"--{name}={value}" for name, value in options.items()]
    with suppress(Abort):  # Ctrl+C is how a server ends
        cli.main(["run", file, *flags], standalone_mode=False)


def uploaded_bytes() -> int:
    """Return how many bytes of uploaded files are in memory."""
    from streamlit import runtime

    return runtime.get_instance().uploaded_file_mgr._total_bytes if runtime.exists() else 0  # type: ignore[attr-defined]


def wanted_session(protocols: str) -> str:
    """Return the session that a websocket wants to go on with: the third of its protocols; empty if there is none."""
    parts = [part.strip() for part in protocols.split(",")]
    return parts[2] if len(parts) > 2 else ""


def is_command(data: bytes) -> bool:
    """Whether a page's message would clear everybody's caches, change a setting of the server, or ask for its code."""
    from google.protobuf.message import DecodeError
    from streamlit.proto.BackMsg_pb2 import BackMsg

    try:
        kind = BackMsg.FromString(data).WhichOneof("type")
    except DecodeError:
        return False  # Streamlit closes the connection
    return kind in ("clear_cache", "set_run_on_save", "load_git_info")


def inline_script_hashes() -> list[str]:
    """Return the hashes of the scripts that stand in Streamlit's own page, as a content policy names them."""
    import streamlit

    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts]


def signed_in_user(cookies: Mapping[str, str], days: int) -> dict[str, Any]:
    """Return what the provider said about who signed in with this browser, at most so many days ago; else nothing."""
    from streamlit.auth_util import get_cookie_with_chunks
    from streamlit.web.server.server_util import get_cookie_secret
    from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    def part(name: str) -> bytes | None:
        return decode_signed_value(get_cookie_secret(), name, cookies.get(name, ""), days)

    found = get_cookie_with_chunks(part, USER_COOKIE_NAME)
    user: dict[str, Any] = json.loads(found) if found else {}
    return user if user.get("is_logged_in") else {}


def sign_in_token() -> str:
    """Return the token with which ``/auth/login`` sends a browser to the provider; good for two minutes."""
    from streamlit.auth_util import encode_provider_token

    return encode_provider_token("default")


def set_log_formatter(formatter: Callable[..., logging.Formatter]) -> None:
    """Write the logs of Streamlit and uvicorn with this formatter, without addresses of visitors."""
    from streamlit import logger as streamlit_logger
    from uvicorn.config import LOGGING_CONFIG

    def set_up(logger: logging.Logger) -> None:  # instead of a handler for each
        logger.propagate = True
        logger.handlers = []

    streamlit_logger.setup_formatter = set_up
    streamlit_logger.update_formatter()
    LOGGING_CONFIG["formatters"]["default"] = {"()": formatter}
    LOGGING_CONFIG["loggers"]["uvicorn.error"]["level"] = "WARNING"  # below that it writes the addresses of visitors
