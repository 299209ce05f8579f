"""The server: Streamlit in this process, which makes the first page ready while it starts."""

from __future__ import annotations

import argparse
import os
import threading
from pathlib import Path

from streamlit.web import cli

_APP = Path(__file__).parent / "app.py"


def run(parsed: argparse.Namespace) -> int:
    """Serve the dashboard until somebody stops this process, at the port that the arguments name or at a free one."""
    threading.Thread(target=_make_ready, name="first page", daemon=True).start()
    # In a checkout the settings lie beside the package; in an installed copy inside it, where Streamlit finds them.
    if (_APP.parent.parent / ".streamlit").is_dir():
        os.chdir(_APP.parent.parent)
    cli.main(["run", str(_APP), *([] if parsed.port is None else ["--server.port", str(parsed.port)])])
    return 0


def _make_ready() -> None:
    """Import, read and fit what the first page needs: a browser takes as long to begin."""
    from dashboard import app

    app.make_ready()
