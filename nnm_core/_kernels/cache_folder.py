"""Find a folder for compiled kernels that can be written to: without one, numba refuses to import them."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import numba
import platformdirs

from nnm_core.errors import InputError


def ensure_writable() -> None:
    """Use a temporary folder if neither the package, nor the user, nor NUMBA_CACHE_DIR has one that can be written to.

    What a read-only NUMBA_CACHE_DIR holds is copied there: kernels that were compiled when an image was built.

    Raises
    ------
    InputError
        If nothing on this machine can be written to.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    usual = [Path(__file__).with_name("__pycache__"), platformdirs.user_cache_path("numba", appauthor=False)]
    places = [Path(given)] if given else usual
    if any(map(_is_writable, places)):
        return
    try:
        folder = tempfile.mkdtemp(prefix="nnm-kernels-")
    except OSError as error:
        message = "There is no folder for compiled code. Name one that can be written to in NUMBA_CACHE_DIR."
        raise InputError(message) from error
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if given and Path(given).is_dir():
        shutil.copytree(given, folder, dirs_exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = folder  # for child processes
    numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]  # for this one; numba sets it at runtime


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
