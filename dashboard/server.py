"""The server: Streamlit with our cookie; ``nnm`` runs it, and makes the first page ready while it starts."""

from __future__ import annotations

import argparse
import os
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from dashboard import download_route, streamlit_compat
from dashboard.owner_cookie import OwnerCookie
from nnm_core import FitCancelled

app = st.App(Path(__file__).with_name("app.py"), routes=[download_route.ROUTE], middleware=[Middleware(OwnerCookie)])


def run(parsed: argparse.Namespace) -> int:
    """Serve the dashboard until somebody stops this process, at the port that the arguments name or at a free one."""
    threading.Thread(target=_make_ready, name="first page", daemon=True).start()
    # In a checkout the settings lie beside the package; in an installed copy inside it, where Streamlit finds them.
    checkout = Path(__file__).parents[1]
    if (checkout / ".streamlit").is_dir():
        os.chdir(checkout)
    streamlit_compat.serve(__file__, parsed.port)
    return 0


def _make_ready() -> None:
    """Import, read and fit what the first page needs while a browser starts."""
    import_module("dashboard.app")  # with all its pages
    from dashboard.compute.current import make_ready
    from dashboard.session import FIRST

    with suppress(FitCancelled):  # the server was stopped meanwhile
        make_ready(FIRST)
