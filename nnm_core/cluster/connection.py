"""Reach a cluster by its address, and say in plain words what went wrong with it."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from nnm_core.errors import InputError, NnmError, in_short

if TYPE_CHECKING:
    from distributed import Client

_LOCAL = "local:"
_TIMEOUT = "10 s"
_HERE = "127.0.0.1"
_PROGRAM = "nnm_core"
_NOT_INTERRUPTED = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
"""What a local worker runs first: Ctrl-C reaches it too, but whoever started it ends it."""

_CONFIG = {
    "distributed.deploy.lost-worker-timeout": "10 minutes",  # to start again: 15 seconds are too few on a busy machine
    # Where Dask gives freed memory back at once, every array is made of new pages: a third more time
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.admin.large-graph-warning-threshold": "1 TiB",  # ratings in memory are sent as one task
}

NO_WORKERS = 120.0
"""Seconds for which a cluster may be without workers before a fit gives up."""

LOOK = 5.0
"""Seconds between two looks whether there are workers."""


class ClusterError(NnmError):
    """A cluster that cannot be reached, was lost, or whose workers died again and again over the same task."""


@contextmanager
def connect(address: str, security: Any = None, memory: str = "auto") -> Iterator[Client]:
    """Give a client of the cluster at an address, and close it in the end.

    Parameters
    ----------
    address
        ``"tcp://host:8786"`` or ``"tls://host:8786"`` of a scheduler; or ``"local:4"``, which starts four worker
        processes on this machine, listening on 127.0.0.1 alone, and stops them in the end.
    security
        A ``distributed.security.Security``, if the cluster is reached by TLS and Dask's configuration does not say how.
    memory
        That each local worker may use, such as ``"2GiB"``; its share of the machine's if not given.

    Raises
    ------
    ClusterError
        If Dask is not installed or the scheduler does not answer.
    """
    try:
        import dask
        import distributed
    except ImportError as error:
        raise ClusterError("A cluster needs Dask; install it with: pip install 'nnm-explorer[cluster]'") from error
    for name in ("distributed", "distributed.client"):  # what matters is raised here, without their tracebacks
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if not address.startswith(_LOCAL):
        with dask.config.set(_CONFIG), _connected(distributed, address, security) as client:
            yield client
        return
    number = address.removeprefix(_LOCAL)
    if not number.isdecimal() or not int(number):
        raise InputError(f"{address!r} does not say how many workers to start; write for example local:2.")
    with dask.config.set(_CONFIG):
        cluster = distributed.LocalCluster(
            n_workers=int(number),
            threads_per_worker=1,
            host=_HERE,
            dashboard_address=f"{_HERE}:0",  # both: else their servers of status pages listen everywhere
            worker_dashboard_address=f"{_HERE}:0",
            security=security,
            memory_limit=memory,
            preload=[_NOT_INTERRUPTED],
            silence_logs=logging.CRITICAL,
        )
        try:
            with _connected(distributed, cluster, security) as client:
                yield client
        finally:
            with suppress(TimeoutError):  # of workers that end slowly on a busy machine, which is no reason to fail
                cluster.close()


@contextmanager
def _connected(distributed: Any, cluster: Any, security: Any) -> Iterator[Client]:
    try:
        client = distributed.Client(cluster, timeout=_TIMEOUT, security=security, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise ClusterError(
            f"No scheduler answers at {cluster} ({in_short(error)}). Start one with 'dask scheduler', and workers with "
            "'dask worker ADDRESS --nthreads 1'; or use local:2 for workers on this machine."
        ) from error
    try:
        _check_workers(client)
        yield client
    finally:
        with suppress(TimeoutError):
            client.close(timeout=5)


def _check_workers(client: Client) -> None:
    """Raise ClusterError if a worker lacks this program: it would die over the first message that it cannot read."""
    found = client.run(find_spec, _PROGRAM, on_error="return")
    lacking = [worker for worker, spec in found.items() if spec is None]
    if lacking:
        raise ClusterError(
            f"{len(lacking)} of {len(found)} workers do not have this program, such as the one at {lacking[0]}; "
            "install the same version of nnm-explorer there."
        )


class Watch:
    """Notices that a cluster has had no workers that work for long, so that nobody waits for ever."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._since = self._looked = time.monotonic()

    def look(self) -> None:
        """Raise ClusterError if no worker has worked for a while; asks the scheduler every few seconds at most."""
        now = time.monotonic()
        if now < self._looked + LOOK:
            return
        self._looked = now
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        if any(worker["status"] == "running" for worker in workers):
            self._since = now
        elif now > self._since + NO_WORKERS:
            if workers:
                raise ClusterError(
                    f"All workers have been out of memory for {NO_WORKERS:.0f} seconds: Dask pauses those that use "
                    "more than four fifths of what they may. Give them more memory (dask worker --memory-limit), or "
                    "make partitions and parts smaller. If the fit kept checkpoints, start it again with --resume."
                )
            raise ClusterError(
                f"The cluster has had no workers for {NO_WORKERS:.0f} seconds. Start some with 'dask worker ADDRESS "
                "--nthreads 1'. If the fit kept checkpoints, start it again with --resume."
            )


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn what Dask raises when workers or the scheduler are lost into ClusterError."""
    import distributed

    try:
        yield
    except distributed.scheduler.KilledWorker as error:
        task = str(error.task).rpartition("-")[0].rpartition("-")[0]
        raise ClusterError(
            f"Workers died again and again over the task {task!r}, most likely for want of memory. Give them more "
            "memory, or make partitions and parts smaller."
        ) from error
    except (CancelledError, distributed.CancelledError, distributed.client.ClosedClientError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError):
            raise  # of a task, such as a full disk
        why = f" ({in_short(error)})" if isinstance(error, OSError) else ""
        raise ClusterError(
            f"The connection to the scheduler was lost{why}. If the fit kept checkpoints, start it again with --resume."
        ) from error
