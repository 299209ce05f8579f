"""The address under which a browser fetches the files that pages offer."""

from __future__ import annotations

import logging
from urllib.parse import quote

import anyio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dashboard.compute import downloads, sharing
from dashboard.compute.store import ONE_SESSION
from dashboard.serving.visitors import owner_of
from nnm_core import NnmError

_AT_ONCE = 2  # files that are made at the same time: a report takes a processor for seconds
_PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
_GONE = "This file is no longer offered. Go back, load the page again, and press the button once more.\n"
_log = logging.getLogger(__name__)
_limits: list[anyio.CapacityLimiter] = []


async def _send(request: Request) -> Response:
    """Make the file that the address names and send it, to whom it was offered."""
    owner = owner_of(request)
    offer = downloads.find(request.path_params["file"], owner, is_known=lambda each: not each.startswith(ONE_SESSION))
    if offer is None:
        return PlainTextResponse(_GONE, 404, _PRIVATE)
    if offer.share and not await anyio.to_thread.run_sync(_is_live, offer.share):
        return PlainTextResponse(_GONE, 404, _PRIVATE)
    if not _limits:  # it belongs to the loop of the server, which runs by now
        _limits.append(anyio.CapacityLimiter(_AT_ONCE))
    try:
        content = await anyio.to_thread.run_sync(offer.make, limiter=_limits[0])
    except NnmError as error:
        return PlainTextResponse(f"{error}\n", 409, _PRIVATE)
    except Exception:  # why: whatever happens, people read a sentence and the log keeps the rest
        _log.exception("a file of type %r could not be made", offer.mime)  # not its name, which may tell whose it is
        return PlainTextResponse("This file could not be made. The server's log has the details.\n", 500, _PRIVATE)
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")  # half a character is no UTF-8
    name = f"attachment; filename*=UTF-8''{quote(offer.file, safe='', errors='replace')}"
    return Response(content, media_type=offer.mime, headers=_PRIVATE | {"Content-Disposition": name})


def _is_live(share: str) -> bool:
    """Whether a share is still there; another server may have ended it, or its time is over."""
    try:
        return sharing.is_live(share)
    except NnmError:
        return False


ROUTE = Route("/download/{file}", _send, methods=["GET"])
