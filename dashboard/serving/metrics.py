"""What is counted while the server runs, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import Gauge, Histogram, start_http_server

SESSIONS = Gauge("nnm_sessions", "Pages that are open in a browser.")
RUNS = Histogram("nnm_page_run_seconds", "Seconds that a run of a page took.")
JOBS = Histogram(
    "nnm_job_seconds",
    "Seconds that a job took, by its lane and how it ended.",
    ["lane", "state"],
    buckets=(0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000),
)
_STORE = Gauge("nnm_store_bytes", "Bytes of all data and models that are kept.")


def serve(address: str, port: int, count_bytes: Callable[[], int]) -> None:
    """Serve all figures at a port of their own, in a thread; the bytes are counted when somebody asks."""
    _STORE.set_function(count_bytes)
    start_http_server(port, address)
