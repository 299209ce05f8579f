"""The first time on a machine: the largest kernels are compiled in processes of their own, beside everything else.

Compiling holds a lock, so threads would not help. What was compiled lies in numba's cache, where every later process
finds it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from nnm_core._kernels.half_step import half_step

_beside: subprocess.Popen[bytes] | None = None


def begin_compiling() -> None:
    """Have another process compile the half-step, unless that was done on this machine before; returns at once."""
    global _beside
    if _beside is None and not _is_compiled(half_step):
        _beside = _started("compile_half_step()")


def finish_compiling() -> None:
    """Wait until the other process is done; if it failed, the kernel is compiled where it is called."""
    if _beside is not None:
        _beside.wait()


def compile_half_step() -> None:
    """A half-step over no rows, with arguments of the types that a fit of ratings with up to 256 levels has."""
    starts, partners, codes = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
    for column in (starts, partners, codes):
        column.flags.writeable = False
    numbers, table = np.empty(0), np.empty((0, 1))
    half_step(
        0,
        0,
        starts,
        partners,
        codes,
        targets=numbers,
        rows=table,
        explained=numbers,
        shared_gram=table,
        precision=table,
        centers=table,
        on_simplex=True,
        solution=table,
        errors=numbers,
        residuals=numbers,
    )


def _is_compiled(kernel: Any) -> bool:
    """Whether numba's cache has the kernel, or cannot be looked into."""
    folder, function = kernel.stats.cache_path, kernel.py_func
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    return folder is None or any(Path(folder).glob(f"{name}-*.nbi"))


def _started(work: str) -> subprocess.Popen[bytes]:
    """A process that does this, silently; whoever stops this one with Ctrl-C does not stop that one."""
    # It ends before its memory matters: to collect garbage would take a twentieth of the time.
    command = f"import gc; gc.disable(); from {__name__} import *; {work}"
    return subprocess.Popen(  # noqa: S603 - nothing from outside
        [sys.executable, "-c", command], stderr=subprocess.DEVNULL, start_new_session=True
    )
