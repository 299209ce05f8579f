"""The first fit on a machine: the largest kernel is compiled in a process of its own, while this one does the rest.

Compiling holds a lock, so threads would not help. What was compiled lies in numba's cache, where every later process
finds it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from nnm_core.kernels import half_step

_beside: subprocess.Popen[bytes] | None = None


def begin_compiling() -> None:
    """Have another process compile the half-step, unless that was done on this machine before; returns at once."""
    global _beside
    cache = half_step.stats.cache_path
    if _beside is None and cache is not None and not any(Path(cache).glob("kernels.half_step-*.nbi")):
        # It ends before its memory matters: to collect garbage would take a twentieth of the time.
        command = f"import gc; gc.disable(); from {__name__} import compile_half_step; compile_half_step()"
        _beside = subprocess.Popen([sys.executable, "-c", command])  # noqa: S603 - nothing from outside


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
