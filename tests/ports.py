"""Ports for the servers of tests."""

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """A port that nobody listens on, and that the system gives to no connection of others: those begin at 32768."""
    while True:
        port = random.randrange(10_000, 32_000)  # noqa: S311
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
