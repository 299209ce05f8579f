"""Every touch of something that Streamlit or plotly may change without notice: the one file to read after an upgrade.

Each entry says why it is needed, and ``tests/dashboard/test_streamlit_compat.py`` has a test that names the internal
and fails when it is gone. Streamlit is imported inside the functions, because pictures, which use ``unchecked_figure``,
work without it.
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

STYLE = (
    "<style>"
    # Whole pixels: at any other width Streamlit and plotly round differently, and every picture is drawn twice.
    "div[data-testid=stFullScreenFrame]{width:round(down,100%,1px)}"
    # The components that watch sliders are invisible and take no room.
    "[class*=st-key-live-]{display:none}"
    # The title near the top, so that a projector shows more than a title.
    "[data-testid=stMainBlockContainer]{padding-top:4.5rem}"
    # Narrow margins on a projector, where three towers are to stand side by side.
    "@media(min-width:641px) and (max-width:1300px){[data-testid=stMainBlockContainer]{padding-inline:2.5rem}}"
    # Chips are lower than buttons.
    "[class*=st-key-chips-] button{min-height:1.75rem;padding:0 .6rem;border-radius:1rem}"
    # On a phone the arrows that open the sidebar say what is behind them: the pages and the options.
    "@media(max-width:640px){[data-testid=stExpandSidebarButton]{border:1px solid;border-radius:.4rem;padding:0 .6rem}"
    "[data-testid=stExpandSidebarButton]>*{display:none}"
    "[data-testid=stExpandSidebarButton]::after{content:'☰ Menu'}}"
    # Chosen values in the colours of the text: white on the light blue of the dark theme cannot be read.
    "[data-testid=stMultiSelect] [data-tag]{background:transparent;border:1px solid;color:inherit}"
    "[data-testid=stMultiSelect] [data-tag] *{color:inherit}"
    # What is typed into a list is searched for; Streamlit would offer to add it.
    "[role=option][id$=__creatable__]>*{display:none}"
    "[role=option][id$=__creatable__]::after{content:'Search for this text'}"
    # As many towers to a row as have room for a name and a bar: all on a desk, one on a phone.
    "[class*=st-key-towers]>div>[data-testid=stHorizontalBlock]{display:grid;gap:1rem 1.5rem;"
    "grid-template-columns:repeat(auto-fill,minmax(max(190px,28%),1fr))}"
    ".st-key-towers-two>div>[data-testid=stHorizontalBlock]{"
    "grid-template-columns:repeat(auto-fill,minmax(max(240px,40%),1fr))}"
    ".st-key-towers-four>div>[data-testid=stHorizontalBlock]{"
    "grid-template-columns:repeat(auto-fill,minmax(max(205px,22%),1fr))}"
    "[class*=st-key-portrait-] h2{font-size:1.3rem;padding:.2rem 0}"
    "[class*=st-key-portrait-] p{line-height:1.35}"
    "[class*=st-key-towers]>div>[data-testid=stHorizontalBlock]>[data-testid=stColumn]{width:100%;min-width:0}"
    "</style>"
)
"""The style sheet of every page: what Streamlit's theme has no setting for."""

LEARN_STYLE = (
    "<style>"
    # A scene has to fit on a projector: a low title, and little room between the parts.
    "[data-testid=stMain] h1{font-size:1.7rem;padding:0 0 .6rem}"
    "[data-testid=stMainBlockContainer]>[data-testid=stVerticalBlock]{gap:.6rem}"
    "@media(max-width:640px){.st-key-present-button{display:none}"  # nobody projects a phone held upright
    # A row of choices would scroll sideways. When it is tapped, it gives the focus to the choice that had it last and
    # scrolls there, and the tap is lost. So it gets several lines.
    "[data-testid=stMain] [role=radiogroup]{flex-wrap:wrap;overflow:visible;mask-image:none}"
    ".st-key-learn-scenes [role=radio]{padding:0 .5rem}}"
    "</style>"
)
"""The style sheet of the page Learn."""

PRESENT_STYLE = (
    "<style>"
    "[data-testid=stSidebar],[data-testid=stHeader],[data-testid=stPageLink]{display:none}"
    "html{font-size:18px}"
    "[data-testid=stMain] [data-testid=stMainBlockContainer]{padding:.8rem 1.5rem 0}"
    # Black on white or white on black: a projector in a bright room shows little else.
    "[data-testid=stApp]{background:light-dark(#fff,#000);color:light-dark(#000,#fff)}"
    "[data-testid=stMain] :is(p,li,h1,label){color:inherit;font-weight:500}"
    "</style>"
)
"""The style sheet of presenter mode: nothing but the page, in large type and high contrast."""

SIDEBAR = "[data-testid=stSidebar]"


def menu_link(page: str) -> str:
    """Return the selector of a page's link in the menu, by the page's address."""
    return f'[data-testid=stTopNavLink][href*="/{page}"]'


PRESENTER_KEYS = """
export default function ({ data, parentElement, setTriggerValue }) {
  const turns = { ArrowRight: "next", PageDown: "next", ArrowLeft: "previous", PageUp: "previous" };
  const onKey = event => {
    const target = event.composedPath()[0];
    const isField = target.closest?.("input, textarea, select, [role=slider], [role=combobox], [contenteditable=true]");
    const leaves = event.key === "Escape" && data.presenting && !document.querySelector("[role=dialog]");
    const action = event.key === "p" || leaves ? "present" : data.presenting && turns[event.key];
    if (isField || !action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    setTriggerValue("action", action);
  };
  // The button lies below the picture that is to be shown.
  if (data.presenting && !parentElement.presenting) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  parentElement.presenting = data.presenting;
  parentElement.stop?.();
  parentElement.stop = () => removeEventListener("keydown", onKey, true);
  addEventListener("keydown", onKey, true);
  return parentElement.stop;
}
"""
"""Sends the keys of presenter mode: Streamlit has shortcuts for buttons only, and none for a whole page."""

WATCH_SLIDER = """
export default function ({ data, setTriggerValue }) {
  const slider = document.querySelector(`.st-key-${data.slider}`);
  if (!slider) return;
  const isWatched = Boolean(slider.send);
  slider.send = value => setTriggerValue("value", value);
  if (isWatched) {
    if (data.drawn === null) slider.sendAgain();
    return;
  }

  let sent = null, timer = null, start = null;
  const value = () => Number(slider.querySelector("input[type=range]")?.value);
  slider.sendAgain = () => { if (start !== null && sent !== start) slider.send(sent = value()); };
  const send = () => {
    timer = null;
    if (value() !== sent) slider.send(sent = value());
  };
  const move = () => { timer ??= setTimeout(send, data.every); };
  slider.addEventListener("pointerdown", () => {
    start = sent = value();
    addEventListener("pointermove", move, true);
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => {
        removeEventListener("pointermove", move, true);
        clearTimeout(timer);
        timer = start = null;
      }, { capture: true, once: true });
    }
  }, true);
}
"""
"""Sends a slider's value while it is dragged: Streamlit sends it only on release."""

SCROLL_TO = """
export default function ({ data }) {
  const isNew = window.lastScroll !== data.turn;
  window.lastScroll = data.turn;
  if (isNew) setTimeout(() => {
    const place = document.querySelector(`.st-key-${data.place}`);
    place?.scrollIntoView({ behavior: "smooth", block: "nearest" });
    place?.querySelector("input[type=text]:not([role])")?.focus({ preventScroll: true });
  }, 150);
}
"""
"""Scrolls to a container and puts the cursor into its text field: Streamlit can do neither."""

_HISTORY = """
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  let isNew = true;  // whether the current entry belongs to what somebody did last
  const write = (...entry) => {
    const add = isNew ? replace : push;
    isNew = true;
    add(...entry);
  };
  history.pushState = history.replaceState = write;
  for (const action of ["pointerdown", "keydown"]) addEventListener(action, () => { isNew = false; }, true);
  addEventListener("popstate", () => { isNew = true; }, true);
"""
"""Gives every action that changes the address one entry in the browser's history.

Streamlit itself replaces the entry when a bound widget changes, and adds one for each parameter that a page sets.
"""

_NAMES = """
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const name = (element, ...parts) => {
    const label = parts.join(" ").trim();
    if (element && parts.every(Boolean) && element.ariaLabel !== label) element.ariaLabel = label;
  };
  const giveNames = () => {
    name(document.querySelector("[data-testid=stExpandSidebarButton]"), "Menu: pages and options");
    for (const stars of all("[data-testid=stFeedback] [role=radiogroup]")) {
      const row = stars.closest("[data-testid=stHorizontalBlock]");
      name(stars, "Your rating of", row?.querySelector("[data-testid=stMarkdownContainer]")?.innerText);
    }
    for (const field of all("[data-testid=stFileUploaderDropzone]"))
      name(field.querySelector("button"), "Upload:", field.ariaLabel);
    for (const words of all("[class*=st-key-words-]"))
      for (const button of all("[data-testid=stButton] button", words))
        name(button, button.querySelector("p")?.innerText, words.querySelector("strong")?.innerText);
    for (const picture of all("[data-testid=stPlotlyChart]"))
      for (const camera of all(".modebar-btn", picture)) name(camera, camera.dataset.title + ":", picture.ariaLabel);
  };
  let waiting = null;
  const soon = () => { waiting ??= setTimeout(() => { waiting = null; giveNames(); }, 300); };
  new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
  soon();
"""
"""Tells apart controls that look alike to a screen reader: Streamlit has no argument for their names."""

_SIDEBAR = """
  const closeOnPhone = () => {
    if (innerWidth <= 640) document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  };
  let field = null;  // the select box of the sidebar whose list is open
  addEventListener("pointerdown", ({ target }) => {
    const isOption = field && target.closest("[role=option]");
    if (!isOption) field = target.closest("[data-testid=stSidebar] [data-testid=stSelectbox]");
    const isChoice = "[data-testid=stSidebar] [data-testid=stSlider], [data-testid=stSidebarNavLink]";
    if (isOption || target.closest(isChoice))
      addEventListener("pointerup", () => setTimeout(closeOnPhone, 300), { capture: true, once: true });
  }, true);
"""
"""Closes the sidebar on a phone, where it hides the page, once somebody has chosen something in it."""

_THEME = """
  const paper = () => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
  let before = paper();
  setInterval(() => {
    if (paper() !== before) setTriggerValue('theme', before = paper());
  }, 500);
"""
"""Runs the page again after a change between light and dark: Streamlit does not, and pictures keep their colours."""

_DOWNLOADS = """
  addEventListener("click", event => {
    const file = event.target.closest?.("a[href*='download/']");
    if (file) {
      file.removeAttribute("target");
      file.download = "";
    }
  }, true);
"""
"""Downloads files in place: Streamlit's links open a new tab, which a phone would leave empty."""

VIEW_ONLY_STYLE = "<style>[data-testid=stElementToolbar]{display:none}</style>"
"""Takes the buttons off tables, one of which saves the table as a file."""

PAGE_SCRIPT = (
    "export default function ({ setTriggerValue }) {\n  if (window.isAttended) return;\n  window.isAttended = true;"
    f"{_HISTORY}{_NAMES}{_SIDEBAR}{_THEME}{_DOWNLOADS}}}"
)
"""What every page needs besides Streamlit's own scripts; it begins once and lasts as long as the tab."""


def beside_a_form(key: str, paper: str, border: str) -> str:
    """Return the style sheet that lays out the containers ``key``-said, -drawn, -form and -more inside ``key``.

    The form is on the left and the others on the right. On a phone they are one below the other, and held upright,
    what is drawn stays at the top of the screen while the rest moves.
    """
    inside = "[data-testid=stLayoutWrapper]:has(>.st-key-" + key
    areas = "".join(f"{inside}-{part}){{grid-area:{part}}}" for part in ("said", "drawn", "form", "more"))
    return (
        f"<style>@media(min-width:641px){{.st-key-{key}{{display:grid;column-gap:3rem;"
        f"grid-template:'form said' auto 'form drawn' auto 'form more' 1fr/minmax(0,2fr) minmax(0,3fr)}}{areas}}}"
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
