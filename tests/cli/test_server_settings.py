"""The settings of the server: where they come from, and with which of them it does not start."""

import os
import re
from pathlib import Path

import pytest

from dashboard import server
from nnm_core.cli import main, make_parser, server_settings
from nnm_core.cli.server_settings import Settings, apply, names, table
from nnm_core.errors import InputError

SECRET = "0123456789abcdef" * 4
OIDC = {
    "sign_in": "oidc",
    "url": "https://nnm.example.org",
    "oidc_metadata_url": "https://provider.example.org/.well-known/openid-configuration",
    "oidc_client_id": "nnm",
    "oidc_client_secret": "given by the provider",
    "cookie_secret": SECRET,
}


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """An environment without settings, which is as before afterwards."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("NNM_", "STREAMLIT_"))]:
        monkeypatch.delenv(name)
    yield
    os.environ.clear()
    os.environ.update(before)
    server_settings.current.cache_clear()


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path, monkeypatch):
    file = tmp_path / "nnm.toml"
    file.write_text('port = 1\nquota_mb = 2\ngrace_seconds = 3\ntrusted_proxies = ["10.0.0.0/8", "::1"]\n')
    monkeypatch.setenv("NNM_PORT", "11")
    monkeypatch.setenv("NNM_QUOTA_MB", "12")
    parsed = make_parser().parse_args(["serve", "--port", "111", "--settings", str(file)])
    found = apply({"port": parsed.port}, parsed.settings)
    assert (found.port, found.quota_mb, found.grace_seconds) == (111, 12, 3)
    assert found.max_sessions == 200  # the default
    assert [str(network) for network in found.proxies] == ["10.0.0.0/8", "::1/128"]
    assert os.environ["NNM_GRACE_SECONDS"] == "3"  # for whoever reads the environment


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("prot = 1", "settings that do not exist: prot"),
        ("port = ", "cannot be read"),
        ('port = "high"', "NNM_PORT has to be a whole number of at least 0, not 'high'"),
        ("port = -5", "NNM_PORT has to be a whole number of at least 0, not '-5'"),
        ("metrics_port = 65536", "NNM_METRICS_PORT has to be 65535 at most, not 65536"),
        ('sign_in = "maybe"', "NNM_SIGN_IN has to be one of open, oidc, header"),
        ('open_to_everybody = "perhaps"', "true or false"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, content, said):
    file = tmp_path / "nnm.toml"
    file.write_text(content)
    with pytest.raises(InputError, match=said):
        apply({}, file)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.7", "nnm.example.org"])  # noqa: S104
def test_open_to_everybody_only_on_purpose(address, capsys):
    assert main(["serve", "--address", address]) == 2
    assert "--open-to-everybody" in capsys.readouterr().err
    assert apply({"address": address, "open_to_everybody": True}, None).is_public


def test_nnm_itself_does_not_open_to_everybody_either(monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")  # noqa: S104
    with pytest.raises(InputError, match="Everybody who reaches 0.0.0.0"):
        apply({}, None)


def test_oidc_starts_with_everything_in_place():
    assert list(Settings(**OIDC).faults()) == []
    assert list(Settings(**OIDC | {"address": "0.0.0.0"}).faults()) == []  # noqa: S104
    assert list(Settings(**OIDC | {"url": "http://localhost:8501"}).faults()) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cookie_secret": ""}, "`cookie_secret` has to be a secret"),
        ({"cookie_secret": "short"}, "`cookie_secret` has to be a secret"),
        ({"cookie_secret": "a" * 64}, "`cookie_secret` has to be a secret"),
        ({"cookie_secret": "CHANGE-ME-0123456789-0123456789-0123456789"}, "`cookie_secret` has to be a secret"),
        ({"url": ""}, "`url` is missing"),
        ({"url": "http://nnm.example.org"}, "https://"),
        ({"oidc_client_secret": ""}, "`oidc_client_secret` is missing"),
        ({"oidc_metadata_url": ""}, "`oidc_metadata_url` is missing"),
        ({"sign_in_days": 31}, "from 1 to 30"),
        ({"sign_in": "header", "trusted_proxies": "0.0.0.0/0"}, "anybody else could claim"),
        ({"sign_in": "header", "trusted_proxies": ""}, "anybody else could claim"),
        ({"sign_in": "header", "trusted_proxies": "the proxy"}, "cannot be read"),
        ({"sign_in": "header", "user_header": ""}, "`user_header` is missing"),
    ],
)
def test_a_service_that_would_not_be_safe_does_not_start(change, said):
    (fault,) = Settings(**OIDC | change).faults()
    assert said in fault


def test_secrets_have_no_flag(capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args(["serve", "--help"])
    flags = set(re.findall(r"--([a-z-]+)", capsys.readouterr().out))
    without = {name.replace("_", "-") for name in names()} - flags
    assert without == {"oidc-client-secret", "cookie-secret", "database"}


def test_the_documentation_has_every_setting():
    assert table() in Path("docs/hosting.md").read_text(encoding="utf-8")


def test_the_example_of_a_settings_file_is_one(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="cookie_secret"):  # as long as nobody has put a secret there
        apply({}, Path("deploy/nnm.toml"))
    monkeypatch.setenv("NNM_COOKIE_SECRET", SECRET)
    assert apply({}, Path("deploy/nnm.toml")).sign_in == "oidc"


def test_uploads_need_a_temporary_folder(monkeypatch, tmp_path):
    def fail():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(server.tempfile, "gettempdir", fail)
    monkeypatch.setenv("TMPDIR", "/nonexistent")
    for store in ("", "s3://bucket/nnm"):
        with pytest.raises(InputError, match="`TMPDIR`"):
            server._ensure_temporary_folder(store)
    server._ensure_temporary_folder(str(tmp_path))
    assert os.environ["TMPDIR"] == str(tmp_path / "tmp")
    assert (tmp_path / "tmp").stat().st_mode & 0o777 == 0o700
