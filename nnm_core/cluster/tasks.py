"""Where tasks run: on the workers of a Dask cluster, or at once in this process.

A fit is written against ``Tasks`` alone. ``InProcess`` runs every task when it is submitted, which is how the tests
compare any number of partitions with a fit on one machine, without a cluster.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from nnm_core.cluster.connection import Watch, clear_errors

if TYPE_CHECKING:
    from distributed import Client

_PAUSE = 1.0  # seconds of waiting for results, before somebody looks whether there are workers
FAN_IN = 8
"""How many results are added by one task."""


@dataclass(frozen=True, slots=True)
class Each:
    """An argument that every task of a map gets."""

    value: Any


def _lists(arguments: Sequence[Sequence[Any] | Each]) -> list[Sequence[Any]]:
    n_tasks = next(len(given) for given in arguments if not isinstance(given, Each))
    return [[given.value] * n_tasks if isinstance(given, Each) else given for given in arguments]


class Tasks(Protocol):
    """Runs functions; what ``submit`` returns can be an argument of other tasks, also inside lists."""

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run ``function(*arguments)`` somewhere; return a handle of its result. ``name``: of the kind of task."""

    def map(self, name: str, function: Callable[..., Any], *arguments: Sequence[Any] | Each) -> list[Any]:
        """Run a function once for each entry of the lists of ``arguments``; those that are ``Each`` are for all."""

    def gather(self, handles: Any) -> Any:
        """Return the results behind handles, which may be nested in lists and tuples."""


class InProcess:
    """Runs every task at once."""

    def submit(self, _name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(*arguments)``."""
        return function(*arguments)

    def map(self, name: str, function: Callable[..., Any], *arguments: Sequence[Any] | Each) -> list[Any]:
        """Return what the function returns for each entry."""
        return [self.submit(name, function, *each) for each in zip(*_lists(arguments), strict=True)]

    def gather(self, handles: Any) -> Any:
        """Return the results, which are what was handed out."""
        return handles


class OnCluster:
    """Runs tasks on the workers of a Dask cluster, which runs them again where a worker was lost."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._run, self._numbers = uuid.uuid4().hex[:8], itertools.count()

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run the function on a worker."""
        with clear_errors():
            key = f"{name}-{self._run}-{next(self._numbers)}"
            return self.client.submit(function, *arguments, key=key, pure=False)

    def map(self, name: str, function: Callable[..., Any], *arguments: Sequence[Any] | Each) -> list[Any]:
        """Run the function on the workers; all tasks go to the scheduler in one message."""
        with clear_errors():
            lists = _lists(arguments)
            keys = [f"{name}-{self._run}-{next(self._numbers)}" for _ in lists[0]]
            futures: list[Any] = self.client.map(function, *lists, key=keys, pure=False)
            return futures

    def gather(self, handles: Any) -> Any:
        """Wait for results and bring them here."""
        import distributed

        futures, watch = list(_futures_in(handles)), Watch(self.client)
        with clear_errors(), self.client.as_current():
            while futures:
                try:
                    distributed.wait(futures, timeout=_PAUSE)
                    break
                except TimeoutError:
                    watch.look()
            return self.client.gather(handles)


def _futures_in(handles: Any) -> Iterator[Any]:
    if isinstance(handles, list | tuple):
        for handle in handles:
            yield from _futures_in(handle)
    elif hasattr(handles, "key"):
        yield handles


def reduce_tree(
    tasks: Tasks, name: str, combine: Callable[[Sequence[Any]], Any], handles: Sequence[Any], until: int = FAN_IN
) -> list[Any]:
    """Combine results up a tree, neighbours first, until so few are left that the next task can combine them.

    Its shape depends on their number alone, and so do the bits.
    """
    level = list(handles)
    while len(level) > until:
        level = tasks.map(name, combine, [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)])
    return level
