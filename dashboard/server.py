"""The server: Streamlit behind our guard; ``nnm`` runs it, and makes the first page ready while it starts."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.routing import Route

from dashboard import streamlit_compat
from dashboard.serving import download_route, guard, logs, metrics, readiness
from dashboard.serving.owner_cookie import OwnerCookie
from dashboard.storage import kept_work
from nnm_core import FitCancelled
from nnm_core.cli.server_settings import Settings, apply, current, names
from nnm_core.errors import InputError

_log = logging.getLogger("dashboard.server")  # Streamlit imports this file under another name


@asynccontextmanager
async def _until_jobs_are_done(_: st.App) -> AsyncIterator[None]:
    """Let running jobs finish for a while when the server is told to stop."""
    _log.info("the server has started at port %s", st.get_option("server.port"))
    yield
    from dashboard.compute import jobs

    readiness.is_stopping.set()
    await run_in_threadpool(jobs.finish, current().grace_seconds)
    _log.info("the server has stopped")


def _secrets(settings: Settings) -> dict[str, Any] | None:
    """Return what Streamlit's sign-in needs to know."""
    if settings.sign_in != "oidc":
        return None
    return {
        "auth": {
            "redirect_uri": f"{settings.url}/oauth2callback",
            "cookie_secret": settings.cookie_secret,
            "client_id": settings.oidc_client_id,
            "client_secret": settings.oidc_client_secret,
            "server_metadata_url": settings.oidc_metadata_url,
        }
    }


app = st.App(
    Path(__file__).with_name("app.py"),
    middleware=[Middleware(guard.Guard), Middleware(OwnerCookie)],
    routes=[Route(guard.READY, readiness.answer), download_route.ROUTE],
    lifespan=_until_jobs_are_done,
    secrets=_secrets(current()),
)


def run(parsed: argparse.Namespace) -> int:
    """Serve the dashboard until somebody stops this process: ``nnm`` for oneself, ``nnm serve`` for others."""
    given = vars(parsed)
    is_service = "settings" in given
    file = (given["settings"] or os.environ.get("NNM_SETTINGS")) if is_service else None
    settings = apply({name: given[name] for name in names() if name in given}, Path(file) if file else None)
    if is_service:
        logs.write(settings.log_format)
        _prepare_service(settings)
    threading.Thread(target=_make_ready, name="first page", daemon=True).start()
    # In a checkout the settings of Streamlit lie beside the package; in an installed copy inside it.
    checkout = Path(__file__).parents[1]
    if (checkout / ".streamlit").is_dir():
        os.chdir(checkout)
    options = {"server.address": settings.address, "server.maxUploadSize": settings.upload_mb}
    if settings.port:
        options["server.port"] = settings.port
    if is_service:
        options["logger.hideWelcomeMessage"] = True  # which would ask another machine for our address
    streamlit_compat.serve(__file__, options)
    return 0


def _prepare_service(settings: Settings) -> None:
    """Check what a service cannot do without, and start its metrics."""
    # What the web server passes on once it has stopped; without a handler that would end the process at once.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    os.environ["FORWARDED_ALLOW_IPS"] = ""  # the address of a request is that of the machine which sent it
    if settings.cookie_secret:
        os.environ["STREAMLIT_SERVER_COOKIE_SECRET"] = settings.cookie_secret
    work = kept_work()
    if work is None:
        raise InputError("This server does not start, because it could keep nothing. Name a place in `store`.")
    _ensure_temporary_folder(settings.store)
    if settings.metrics_port:
        metrics.serve(settings.metrics_address, settings.metrics_port, work.n_bytes)


def _ensure_temporary_folder(store: str) -> None:
    """Have uploads pass through a folder in the store where no usual one can be written to."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        if not store or "://" in store:
            raise InputError("This server does not start, because uploads need a folder in `TMPDIR`.") from None
        folder = Path(store, "tmp")
        folder.mkdir(mode=0o700, exist_ok=True)
        os.environ["TMPDIR"] = str(folder)


def _make_ready() -> None:
    """Import, read and fit what the first page needs while a browser starts."""
    import_module("dashboard.app")  # with all its pages
    from dashboard.compute.current import make_ready
    from dashboard.session import FIRST

    with suppress(FitCancelled):  # the server was stopped meanwhile
        make_ready(FIRST)
        readiness.has_kernels.set()
