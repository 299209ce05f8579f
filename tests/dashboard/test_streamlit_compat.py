"""What we use of the insides of Streamlit and plotly: each test names one, and fails when an upgrade takes it away."""

import dataclasses
import inspect
import logging
import re
import tomllib
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit
import uvicorn.config
from starlette.datastructures import Headers
from streamlit import auth_util, config, deprecation_util, logger, runtime
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import ScriptRunner, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.secrets import AttrDict
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest
from streamlit.web import bootstrap
from streamlit.web.server.starlette import starlette_app_utils, starlette_websocket

from dashboard import streamlit_compat

ROOT = Path(__file__).parents[2]
INTERNAL = re.compile(r"streamlit\.(runtime|web|proto)|get_script_run_ctx|data-testid|st-key-|xsrf|_validate=")


@pytest.fixture(scope="module")
def frontend():
    """All scripts that Streamlit sends to a browser."""
    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    return "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.js"))


def test_no_other_module_touches_an_internal():
    touching = [
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "dashboard").rglob("*.py")
        if INTERNAL.search(file.read_text(encoding="utf-8"))
    ]
    assert touching == ["dashboard/streamlit_compat.py"]


def test_test_ids_stand_in_no_other_style_sheet_or_script():
    found = {
        file.parent.relative_to(ROOT).as_posix()
        for pattern in ("*.css", "*.js")
        for file in (ROOT / "dashboard").rglob(pattern)
        if "data-testid" in file.read_text(encoding="utf-8")
    }
    assert found == {"dashboard/browser"}


def test_the_version_is_bounded_to_the_one_that_was_tested():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert "streamlit>=1.67,<1.68" in wanted
    assert streamlit.__version__.startswith("1.67.")


def test_the_test_ids_and_key_classes_of_our_style_sheets_exist(frontend):
    sheets = streamlit_compat.STYLE + streamlit_compat.beside_a_form("place", "#fff", "#000")
    sheets += streamlit_compat.LEARN_STYLE + streamlit_compat.PRESENT_STYLE
    sheets += streamlit_compat.SIDEBAR + streamlit_compat.menu_link("people")
    sheets += streamlit_compat.VIEW_ONLY_STYLE
    used = set(re.findall(r"data-testid=(\w+)", sheets + streamlit_compat.PAGE_SCRIPT))
    assert len(used) >= 15
    for test_id in used:
        assert re.search(rf"[\"'`]{test_id}[\"'`]", frontend), test_id
    assert "st-key-" in frontend
    assert "__creatable__" in frontend
    assert "data-tag" in frontend


def test_a_slider_is_an_input_of_type_range_as_our_script_expects(frontend):
    assert 'querySelector("input[type=range]")' in streamlit_compat.WATCH_SLIDER
    assert re.search(r"type:\s*[\"'`]range[\"'`]", frontend)
    assert "setTriggerValue" in frontend


def test_streamlit_writes_the_address_by_the_two_functions_that_our_script_replaces(frontend):
    assert "history.pushState = history.replaceState = write" in streamlit_compat.PAGE_SCRIPT
    assert "window.history.pushState(" in frontend
    assert "window.history.replaceState(" in frontend


def test_a_link_button_opens_a_new_tab_which_our_script_prevents_for_downloads(frontend):
    assert 'file.removeAttribute("target")' in streamlit_compat.PAGE_SCRIPT
    assert "stLinkButton" in frontend
    assert re.search(r"target:\s*[\"'`]_blank[\"'`]", frontend)


def test_a_run_knows_whether_the_back_button_led_to_it():
    assert not streamlit_compat.is_history_navigation()  # outside a page
    assert "is_history_navigation" in {field.name for field in dataclasses.fields(ScriptRunContext)}


def test_every_stereotype_has_a_stripe():
    sheet = streamlit_compat.stripes(33, lambda k: f"#{k:06x}")
    assert ".st-key-portrait-32{border-top-color:#000020}" in sheet
    assert streamlit_compat.stripes(2, str) == streamlit_compat.stripes(32, str)


def test_plotly_takes_the_private_flag_against_validation():
    figure = streamlit_compat.unchecked_figure([{"type": "bar", "y": [1]}], {"height": 200, "nonsense": 1})
    assert isinstance(figure, go.Figure)
    assert figure.to_dict()["layout"]["nonsense"] == 1


def test_fragments_are_forgotten_when_a_script_returns():
    assert "_fragment_storage.clear(" in inspect.getsource(ScriptRunner._run_script)


def test_get_script_run_ctx_has_the_session_id():
    assert get_script_run_ctx() is None
    assert streamlit_compat.session_id() == "nobody"
    script = "import streamlit as st\nfrom dashboard import streamlit_compat\nst.text(streamlit_compat.session_id())"
    assert AppTest.from_string(script).run().text[0].value == "test session id"


def test_the_runtime_says_which_sessions_are_active(monkeypatch):
    assert streamlit_compat.is_connected("anybody")  # where no server runs
    assert list(inspect.signature(Runtime.is_active_session).parameters) == ["self", "session_id"]
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: FakeRuntime)
    assert streamlit_compat.is_connected("here")
    assert not streamlit_compat.is_connected("gone")


class FakeRuntime:
    uploaded_file_mgr = MemoryUploadedFileManager("/upload")
    is_active_session = staticmethod("here".__eq__)


def test_the_files_of_a_session_can_be_removed(monkeypatch):
    assert isinstance(Runtime.uploaded_file_mgr, property)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: FakeRuntime)
    storage = FakeRuntime.uploaded_file_mgr.file_storage
    storage["nobody"], storage["somebody"] = {}, {}
    streamlit_compat.remove_uploaded_files()
    assert list(storage) == ["somebody"]


def test_streamlit_does_not_search_all_installed_packages_for_components(monkeypatch):
    searched = []
    monkeypatch.setattr("importlib.metadata.distributions", lambda: searched.append("packages") or [])
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", manifest_scanner.scan_component_manifests)
    streamlit_compat.skip_component_discovery()
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
    assert not searched


def test_the_command_line_serves_the_app_in_a_file_at_a_port(monkeypatch):
    calls = []
    monkeypatch.setattr(bootstrap, "run_asgi_app", lambda *arguments: calls.append(arguments))
    monkeypatch.setattr(bootstrap, "load_config_options", lambda flag_options: None)
    monkeypatch.setattr(config, "_main_script_path", None)
    streamlit_compat.serve(str(ROOT / "dashboard" / "server.py"), {"server.port": 8765})
    file, app, _, options = calls[0]
    assert (Path(file).name, app) == ("server.py", "server:app")
    assert options["server_port"] == 8765


def test_our_hidden_settings_are_known_to_streamlit():
    for section, options in tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text()).items():
        if section != "theme":
            for name in options:
                assert f"{section}.{name}" in config._config_options_template


def test_what_streamlit_logs_as_deprecated_is_an_error_in_tests():
    assert logging.getLogger("streamlit.deprecation_util") is deprecation_util._LOGGER
    with pytest.raises(AssertionError, match="use something else"):
        deprecation_util.show_deprecation_warning("use something else")


def test_a_websocket_names_its_session_in_the_third_protocol():
    for text in ("", "streamlit", "streamlit, token", "streamlit, token, session", "streamlit, , session"):
        headers = Headers({"sec-websocket-protocol": text})
        assert streamlit_compat.wanted_session(text) == (starlette_websocket._parse_subprotocols(headers)[2] or "")


def test_uploads_in_memory_are_counted():
    manager = MemoryUploadedFileManager("/upload")
    manager.add_file("session", UploadedFileRec("file", "a.csv", "text/csv", b"12345"))
    assert manager._total_bytes == 5


def test_who_signed_in_is_in_a_cookie_in_as_many_parts_as_it_takes(monkeypatch):
    secret = "0123456789abcdef" * 4
    monkeypatch.setattr("streamlit.web.server.server_util.get_cookie_secret", lambda: secret)
    user = {"sub": "ann", "is_logged_in": True, "about": np.random.default_rng(0).bytes(6000).hex()}
    sign, cookies = partial(starlette_app_utils.create_signed_value, secret), {}
    auth_util.set_cookie_with_chunks(cookies.__setitem__, sign, "_streamlit_user", user, cookie_attr_size=100)
    signed = {name: sign(name, text).decode() for name, text in cookies.items()}
    assert len(signed) > 2
    assert streamlit_compat.signed_in_user(signed, 7) == user
    assert streamlit_compat.signed_in_user({}, 7) == {}


def test_the_sign_in_route_takes_our_token(monkeypatch):
    monkeypatch.setattr(
        auth_util, "get_secrets_auth_section", lambda: AttrDict({"cookie_secret": "0123456789abcdef" * 4})
    )
    assert auth_util.decode_provider_token(streamlit_compat.sign_in_token())["provider"] == "default"


def test_the_hashes_are_those_of_the_scripts_in_streamlits_page():
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text()
    n_inline = len(re.findall("<script", page)) - len(re.findall(r"<script[^>]* src=", page))
    hashes = streamlit_compat.inline_script_hashes()
    assert len(hashes) == n_inline >= 1
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", text) for text in hashes)


def test_all_logs_take_our_formatter(monkeypatch):
    config_of_uvicorn = deepcopy(uvicorn.config.LOGGING_CONFIG)
    monkeypatch.setattr(uvicorn.config, "LOGGING_CONFIG", config_of_uvicorn)
    monkeypatch.setattr(logger, "_loggers", {})
    monkeypatch.setattr(logger, "setup_formatter", logger.setup_formatter)
    streamlit_compat.set_log_formatter(logging.Formatter)
    made = logger.get_logger("streamlit.of.a.test")
    assert made.propagate
    assert made.handlers == []
    assert config_of_uvicorn["formatters"]["default"]["()"] is logging.Formatter
    assert config_of_uvicorn["loggers"]["uvicorn.error"]["level"] == "WARNING"
