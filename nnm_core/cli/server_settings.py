"""Every setting of the server once: for the settings file, the environment, the command line and the documentation.

A value comes from a flag of ``nnm serve``, else from the environment (``NNM_PORT``), else from the settings file
(``port = 8501``), else from its default. Whatever a flag or the file says is put into the environment, so that every
part of the server finds it there.
"""

from __future__ import annotations

import argparse
import importlib.util
import ipaddress
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nnm_core.errors import InputError

_SHORTEST_SECRET = 32  # characters
_HIGHEST_PORT = 65_535
_CHOICES = {"sign_in": ("open", "oidc", "header"), "log_format": ("text", "json")}
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


def _setting(default: Any, help: str, *, secret: bool = False) -> Any:  # noqa: A002 - as argparse calls it
    return field(default=default, metadata={"help": help, "secret": secret})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is started with. The fields are the table: name, type, default and what they mean."""

    address: str = _setting("localhost", "where to listen; 0.0.0.0 is everywhere")
    port: int = _setting(0, "the port to listen on; 0 is the first free one from 8501")
    url: str = _setting("", "the address that people open, such as https://nnm.example.org")
    sign_in: str = _setting("open", "who may use the service: open (everybody), oidc or header")
    open_to_everybody: bool = _setting(False, "allow sign_in = open on an address that others can reach")
    oidc_metadata_url: str = _setting("", "of the provider; it ends in /.well-known/openid-configuration")
    oidc_client_id: str = _setting("", "what the provider calls this service")
    oidc_client_secret: str = _setting("", "what the provider gave this service", secret=True)
    cookie_secret: str = _setting(
        "", "signs sign-in cookies; 32 characters or more, the same on all replicas", secret=True
    )
    sign_in_days: int = _setting(7, "for how many days people stay signed in with oidc, 30 at most")
    user_header: str = _setting("X-Forwarded-User", "the header in which the proxy says who it is")
    trusted_proxies: str = _setting("127.0.0.1 ::1", "addresses and networks whose header is believed")
    sign_out_url: str = _setting("", "where Sign out leads to with sign_in = header")
    store: str = _setting("", "where data are kept: a folder, or a bucket (s3://bucket/nnm); else the user's folder")
    database: str = _setting("", "the database's address, as SQLAlchemy has it; else SQLite in the folder", secret=True)
    quota_mb: int = _setting(2000, "megabytes that each person may keep")
    max_sessions: int = _setting(200, "open pages at most; others are asked to come back later")
    upload_mb: int = _setting(500, "megabytes that one file may have")
    uploads_mb: int = _setting(2000, "megabytes of all uploads that are in memory at once")
    metrics_port: int = _setting(0, "the port of the Prometheus metrics; 0 is none")
    metrics_address: str = _setting("localhost", "where the metrics are served")
    cluster: str = _setting("", "a Dask cluster on which long jobs run (tls://scheduler:8786); else they run here")
    grace_seconds: int = _setting(30, "how long running jobs may take after SIGTERM")
    log_format: str = _setting("text", "text, or json for one object a line")

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Return the settings that the environment holds; raise InputError if one has no usable value."""
        given = {name: environment[variable(name)] for name in names() if variable(name) in environment}
        if "STREAMLIT_SERVER_ADDRESS" in environment:
            given.setdefault("address", environment["STREAMLIT_SERVER_ADDRESS"])
        return cls(**{name: _parsed(name, text) for name, text in given.items()})

    @property
    def is_public(self) -> bool:
        """Whether other machines can reach the address that this server listens on."""
        try:
            return self.address != "localhost" and not ipaddress.ip_address(self.address).is_loopback
        except ValueError:
            return True

    @property
    def host(self) -> str:
        """The host name in ``url``."""
        return urlsplit(self.url).hostname or ""

    @property
    def proxies(self) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
        """The networks whose header is believed."""
        return [ipaddress.ip_network(each) for each in self.trusted_proxies.replace(",", " ").split()]

    def faults(self) -> Iterator[str]:
        """Yield why a server must not start with these settings, in sentences."""
        if self.sign_in == "open" and self.is_public and not self.open_to_everybody:
            yield (
                f"Everybody who reaches {self.address} could use this service. Choose another `sign_in`, listen on "
                "localhost, or say --open-to-everybody."
            )
        if self.sign_in == "oidc":
            yield from self._faults_of_oidc()
        if self.sign_in == "header":
            try:
                believed = self.proxies
            except ValueError as error:
                yield f"`trusted_proxies` cannot be read: {error}."
            else:
                if not believed or any(network.prefixlen == 0 for network in believed):
                    yield "`trusted_proxies` has to name the proxies: anybody else could claim to be anybody."
            if not self.user_header:
                yield "`user_header` is missing: the header in which the proxy says who somebody is."

    def _faults_of_oidc(self) -> Iterator[str]:
        for name in ("url", "oidc_metadata_url", "oidc_client_id", "oidc_client_secret"):
            if not getattr(self, name):
                yield f"`{name}` is missing, without which nobody can sign in."
        if self.url and not self.url.startswith("https://") and self.host not in ("localhost", "127.0.0.1"):
            yield "`url` has to begin with https://, or others could read along."
        secret = self.cookie_secret
        if len(secret) < _SHORTEST_SECRET or len(set(secret)) < 8 or "change" in secret.lower():
            yield (
                f"`cookie_secret` has to be a secret of {_SHORTEST_SECRET} characters or more. Make one with "
                "`python -c 'import secrets; print(secrets.token_hex(32))'`."
            )
        if not 1 <= self.sign_in_days <= 30:
            yield "`sign_in_days` has to be from 1 to 30."
        if importlib.util.find_spec("authlib") is None:
            yield "Sign-in needs Authlib: install nnm-explorer[hosted]."


def names() -> list[str]:
    """Return the names of all settings."""
    return [each.name for each in fields(Settings)]


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"NNM_{name.upper()}"


@cache
def current() -> Settings:
    """Return the settings of this process."""
    return Settings.read(os.environ)


def apply(flags: Mapping[str, Any], file: Path | None) -> Settings:
    """Put what flags and a file say into the environment; return all settings.

    Raises
    ------
    InputError
        If a setting is unknown or has no usable value, or a server must not start with these settings.
    """
    given = {} if file is None else _read_file(file)
    os.environ.update({variable(name): text for name, text in given.items() if variable(name) not in os.environ})
    os.environ.update({variable(name): str(value) for name, value in flags.items() if value is not None})
    if (store := os.environ.get("NNM_STORE")) and "://" not in store:
        os.environ["NNM_STORE"] = str(Path(store).absolute())
    current.cache_clear()
    if faults := list(current().faults()):
        raise InputError("This server does not start. " + " ".join(faults))
    return current()


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting but secrets, which other users of the machine could read from the process list."""
    for each in fields(Settings):
        if each.metadata["secret"]:
            continue
        flag, about = "--" + each.name.replace("_", "-"), f"{each.metadata['help']} (default: {each.default or 'none'})"
        how: dict[str, Any] = {"action": argparse.BooleanOptionalAction} if each.default is False else {}
        if not how:
            how = {"type": type(each.default), "choices": _CHOICES.get(each.name), "metavar": "X"}
        parser.add_argument(flag, dest=each.name, default=argparse.SUPPRESS, help=about, **how)


def table() -> str:
    """Return the settings as a table for the documentation."""
    rows = ["| in the file | environment | what it says | default |", "|---|---|---|---|"]
    for each in fields(Settings):
        default = "" if each.default == "" else f"`{str(each.default).lower()}`"
        if isinstance(each.default, str) and each.default:
            default = f"`{each.default}`"
        rows.append(f"| `{each.name}` | `{variable(each.name)}` | {each.metadata['help']} | {default} |")
    return "\n".join(rows)


def _read_file(file: Path) -> dict[str, str]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"The settings in {file} cannot be read: {error}.") from error
    if unknown := sorted(set(content) - set(names())):
        raise InputError(f"{file} has settings that do not exist: {', '.join(unknown)}.")
    return {
        name: " ".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in content.items()
    }


def _parsed(name: str, text: str) -> Any:
    default = next(each.default for each in fields(Settings) if each.name == name)
    if isinstance(default, bool):
        if text.lower() not in (*_YES, *_NO):
            raise InputError(f"{variable(name)} has to be true or false, not {text!r}.")
        return text.lower() in _YES
    if isinstance(default, int):
        if not text.isdecimal():
            raise InputError(f"{variable(name)} has to be a whole number of at least 0, not {text!r}.")
        if name.endswith("port") and int(text) > _HIGHEST_PORT:
            raise InputError(f"{variable(name)} has to be {_HIGHEST_PORT} at most, not {text}.")
        return int(text)
    if name in _CHOICES and text not in _CHOICES[name]:
        raise InputError(f"{variable(name)} has to be one of {', '.join(_CHOICES[name])}, not {text!r}.")
    return text.rstrip("/") if name == "url" else text
