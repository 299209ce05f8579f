"""The one place where a server keeps what its sessions share: data sets, models, results, cancelled jobs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

T = TypeVar("T")
_MISSING = object()


class BoundedStore:
    """Named compartments in memory, each bounded to (entries, bytes).

    What was asked for longest ago is dropped first; the newest entry always stays. Safe to use from any thread.
    """

    def __init__(self, limits: Mapping[str, tuple[int, int]]) -> None:
        self._limits = dict(limits)
        self._lock = threading.RLock()
        self._entries: dict[str, OrderedDict[Hashable, tuple[Any, int]]] = {name: OrderedDict() for name in limits}
        self._bytes = dict.fromkeys(limits, 0)
        self._computing: dict[tuple[str, Hashable], threading.Event] = {}

    def get(self, compartment: str, key: Hashable, default: Any = None) -> Any:
        """Return what is kept under a key, or the default."""
        with self._lock:
            entries = self._entries[compartment]
            if key not in entries:
                return default
            entries.move_to_end(key)
            return entries[key][0]

    def has(self, compartment: str, key: Hashable) -> bool:
        """Whether something is kept under a key, even if it is None."""
        return self.get(compartment, key, _MISSING) is not _MISSING

    def put(self, compartment: str, key: Hashable, value: Any) -> None:
        """Keep a value, and let go of what has become too much."""
        size, (most, most_bytes) = size_of(value), self._limits[compartment]
        with self._lock:
            self.remove(compartment, key)
            entries = self._entries[compartment]
            entries[key] = (value, size)
            self._bytes[compartment] += size
            while len(entries) > 1 and (len(entries) > most or self._bytes[compartment] > most_bytes):
                self.remove(compartment, next(iter(entries)))

    def remove(self, compartment: str, key: Hashable) -> None:
        """Let go of what is kept under a key, if anything is."""
        with self._lock:
            self._bytes[compartment] -= self._entries[compartment].pop(key, (None, 0))[1]

    def remove_mentioning(self, names: Collection[Hashable]) -> None:
        """Let go of everything whose key mentions one of the names; what is being computed is not kept."""
        with self._lock:
            for compartment, entries in self._entries.items():
                for key in [key for key in entries if mentions(key, names)]:
                    self.remove(compartment, key)
            for place in [place for place in self._computing if mentions(place[1], names)]:
                self._computing.pop(place).set()

    def items(self, compartment: str) -> list[tuple[Hashable, Any]]:
        """Return all keys and values, what was asked for longest ago first."""
        with self._lock:
            return [(key, value) for key, (value, _) in self._entries[compartment].items()]

    def get_or_compute(self, compartment: str, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what is kept under a key, else compute and keep it; who asks meanwhile waits for the same result."""
        place, mine = (compartment, key), threading.Event()
        while True:
            with self._lock:
                found = self.get(compartment, key, _MISSING)
                if found is not _MISSING:
                    return found  # type: ignore[no-any-return]
                theirs = self._computing.setdefault(place, mine)
            if theirs is mine:
                break
            theirs.wait()  # if that fails, this thread computes it, and meets the error itself
        try:
            value = compute()
            with self._lock:
                if self._computing.get(place) is mine:
                    self.put(compartment, key, value)
            return value
        finally:
            with self._lock:
                if self._computing.get(place) is mine:
                    del self._computing[place]
            mine.set()


def mentions(key: Hashable, names: Collection[Hashable]) -> bool:
    """Whether one of the names is the key, or a part of it."""
    return key in names or (isinstance(key, tuple) and any(mentions(part, names) for part in key))


def size_of(value: Any) -> int:
    """Return about how many bytes something takes: its arrays, and those of its parts."""
    if isinstance(value, np.ndarray):
        return value.nbytes + 100
    if isinstance(value, csr_array):
        return int(value.data.nbytes + value.indices.nbytes + value.indptr.nbytes)
    if isinstance(value, (tuple, list)):
        return 100 + (sum(map(size_of, value)) if len(value) < 1000 else 80 * len(value))
    if isinstance(value, dict):
        return 100 + (sum(map(size_of, value.values())) if len(value) < 1000 else 150 * len(value))
    if is_dataclass(value):
        return 200 + sum(size_of(getattr(value, part.name)) for part in fields(value))
    return 200


# What this server keeps for all its sessions. Keys are tuples that name what the value was computed from
kept = BoundedStore(
    {
        "datasets": (8, 2 * 2**30),
        "uploads": (24, 2 * 2**30),
        "shared": (24, 2 * 2**30),
        "models": (96, 2 * 2**30),
        "results": (512, 512 * 2**20),
        "cancelled": (1000, 2**20),
    }
)
