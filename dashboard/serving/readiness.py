"""Whether this server can take work: the kernels are compiled, and database and store can be reached."""

from __future__ import annotations

import threading
import time

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse

from dashboard.storage import kept_work

_CHECKED_FOR = 2.0  # seconds that an answer is good for, so that asking often costs nothing
has_kernels = threading.Event()  # the first page was computed, and everything that it needs compiled
is_stopping = threading.Event()  # so that a proxy sends nobody here
_lock = threading.Lock()
_last: tuple[float, bool] = (float("-inf"), False)


async def answer(_: Request) -> JSONResponse:
    """Answer 200 if this server can take work, and 503 if not yet, or no longer."""
    state = {
        "kernels": has_kernels.is_set(),
        "storage": await run_in_threadpool(_can_keep),
        "running": not is_stopping.is_set(),
    }
    return JSONResponse(state, 200 if all(state.values()) else 503)


def _can_keep() -> bool:
    global _last
    with _lock:
        if time.monotonic() > _last[0] + _CHECKED_FOR:
            work = kept_work()
            _last = (time.monotonic(), work is not None and work.is_reachable())
        return _last[1]
