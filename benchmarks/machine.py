"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def print_machine(*packages: str) -> None:
    """Processor, number of cores, and the versions of the given packages."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    print(f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(", ".join(f"{name} {_version(name)}" for name in packages), flush=True)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"
