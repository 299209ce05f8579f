"""The cluster on which long jobs run, if the settings name one; else nothing of Dask is imported."""

from __future__ import annotations

import logging
import math
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from nnm_core.cli import server_settings
from nnm_core.errors import NnmError

if TYPE_CHECKING:
    from distributed import Client

_REST = 60.0  # seconds for which a cluster that did not answer is not asked again: each time a job waits for that
_log = logging.getLogger(__name__)
_lock = threading.Lock()
_open = ExitStack()  # closes the connection when the server ends
_client: Client | None = None
_ask_again = -math.inf


def client_for_long_jobs() -> Client | None:
    """Return a client of the cluster; None where there is none or it does not answer: the work is then done here."""
    global _client, _ask_again
    address = server_settings.current().cluster
    if not address:
        return None
    with _lock:
        if _client is not None and _client.status == "running":
            return _client
        if time.monotonic() < _ask_again:
            return None
        from nnm_core.cluster import connect

        disconnect()
        try:
            _client = _open.enter_context(connect(address))
        except NnmError as error:
            _log.warning("long jobs run in the server: %s", error)
            _ask_again = time.monotonic() + _REST
            return None
        return _client


def disconnect() -> None:
    """Close the connection, if there is one; whoever needs the cluster next asks for it at once."""
    global _client, _ask_again
    _client, _ask_again = None, -math.inf
    _open.close()
