"""A thread pool that runs compiled kernels over blocks of rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from nnm_core.errors import InputError

_SMALLEST_BLOCK = 2**14
"""Ratings that are worth a call of their own."""

_BLOCKS_PER_THREAD = 8


class Workers:
    """A pool that runs ``kernel(first, last, ...)`` over ranges of rows; use it as a context.

    The kernels release the interpreter lock and never share a row, so any number of pools may run at once and the
    result does not depend on the number of threads.
    """

    def __init__(self, n_threads: int | None = None) -> None:
        n_threads = available_cpus() if n_threads is None else n_threads
        if n_threads < 1:
            raise InputError(f"The number of threads must be at least 1, not {n_threads}.")
        self.n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads - 1, thread_name_prefix="nnm") if n_threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, kernel: Callable[..., None], starts: NDArray[np.int64], *arguments: Any) -> None:
        """Run ``kernel(first, last, *arguments)`` over blocks of rows; ``starts`` (n_rows + 1,) balances them."""
        n_rows, n_ratings = len(starts) - 1, int(starts[-1])
        n_blocks = min(max(n_ratings // _SMALLEST_BLOCK, 1), self.n_threads * _BLOCKS_PER_THREAD)
        if self._pool is None or n_blocks == 1:
            kernel(0, n_rows, *arguments)
            return
        # Balance rows as well as ratings: a row costs about as much as a few dozen ratings.
        cost = starts + 32 * np.arange(n_rows + 1)
        bounds = np.searchsorted(cost, np.linspace(0, cost[-1], n_blocks + 1))
        bounds[0], bounds[-1] = 0, n_rows
        blocks = pairwise(bounds.tolist())

        def work() -> None:
            for first, last in blocks:  # shared: every thread takes the next block that is left
                kernel(first, last, *arguments)

        others = [self._pool.submit(work) for _ in range(self.n_threads - 1)]
        work()
        for other in others:
            other.result()


_lock = threading.Lock()
_limit: Any = None
_n_limiting = 0


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep numpy's linear algebra to one thread.

    Its threads go on looking for work for a while after each call, and take the processors from ours.
    """
    global _limit, _n_limiting
    with _lock:
        if _n_limiting == 0:
            _limit = threadpool_limits(1, user_api="blas")
        _n_limiting += 1
    try:
        yield
    finally:
        with _lock:
            _n_limiting -= 1
            if _n_limiting == 0:
                _limit.restore_original_limits()


def available_cpus() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
