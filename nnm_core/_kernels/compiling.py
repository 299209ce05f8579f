"""Compile the largest kernel in a process of its own, the first time on a machine.

Compiling holds a lock, so a thread would not help. The compiled code lies in numba's cache, where every later process
finds it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from nnm_core._kernels.grouping import RatingRows
from nnm_core._kernels.half_step import Solution, half_step, least_squares

_process: subprocess.Popen[bytes] | None = None


def begin_compiling() -> None:
    """Start compiling the half-step in another process, unless the cache has it; return at once."""
    global _process
    if _process is None and not _is_compiled(half_step):
        _process = _start("compile_half_step()")


def finish_compiling() -> None:
    """Wait for the other process; if it failed, the kernel is compiled where it is called."""
    if _process is not None:
        _process.wait()


def compile_half_step() -> None:
    """Run a half-step over no rows, with arguments of the types that a fit of ratings with up to 256 levels has."""
    nothing, table = np.empty(0), np.empty((0, 1))
    ratings = RatingRows(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8))
    problem = least_squares(nothing, table, np.empty((1, 1)), table, on_simplex=True)
    half_step(0, 0, ratings.read_only(), problem, Solution.starting_at(table))


def _is_compiled(kernel: Any) -> bool:
    """Return whether numba's cache has the kernel; true as well where there is no cache on disk."""
    folder, function = kernel.stats.cache_path, kernel.py_func
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    return folder is None or any(Path(folder).glob(f"{name}-*.nbi"))


def _start(call: str) -> subprocess.Popen[bytes]:
    """Start a silent process that calls a function of this module; Ctrl-C here does not stop it."""
    # It ends before its memory matters: collecting garbage would take a twentieth of the time.
    command = f"import gc; gc.disable(); from {__name__} import *; {call}"
    return subprocess.Popen(  # noqa: S603 - nothing from outside
        [sys.executable, "-c", command], stderr=subprocess.DEVNULL, start_new_session=True
    )
