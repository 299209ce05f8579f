"""The log: text for a person at a terminal, or one JSON object a line without anything that people gave the server."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dashboard import streamlit_compat


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON.

    Of an exception it has the type and the lines of code, and not the message, which may quote somebody's data.
    """

    def __init__(self, **_: Any) -> None:  # uvicorn passes options of its own formatter
        super().__init__()

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0] is not None:
            frames = traceback.extract_tb(record.exc_info[2])
            entry["error"] = record.exc_info[0].__name__
            entry["at"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(entry)


def write(form: str) -> None:
    """Write every log in this process as "text", or as "json": then that of Streamlit and its web server, too."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter("%(asctime)s %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("dashboard").setLevel(logging.INFO)
    if form == "json":
        logging.captureWarnings(True)
        streamlit_compat.set_log_formatter(JsonFormatter)
