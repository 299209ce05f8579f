"""Whole fits as tasks of their own: on a cluster, with progress and cancel as if they ran here.

What a task reports travels as events of the cluster, a few a second at most. To cancel, an event is set that the tasks
look at when they report, since Dask does not stop a task that runs. Where tasks wait for a worker and nothing is
reported, ``while_wanted`` says when to give up.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from nnm_core.cluster.connection import Watch, clear_errors
from nnm_core.errors import FitCancelled, InputError
from nnm_core.fitting.distilled.features import SideInformation
from nnm_core.fitting.one_start import fit_start
from nnm_core.fitting.progress import Callback, Progress, Reporter, Sweep
from nnm_core.fitting.starts import best_of_starts
from nnm_core.fitting.workers import Workers
from nnm_core.model import Model
from nnm_core.options import FitOptions
from nnm_core.ratings import Ratings

if TYPE_CHECKING:
    from distributed import Client

_PAUSE = 0.3
"""Seconds between two reports of a task."""

Report = Callable[[Any], bool]
"""What a task is given: called with how far it is, it returns False if the task should stop."""


_is_wanted: ContextVar[Callable[[], bool]] = ContextVar("is_wanted", default=lambda: True)


@contextmanager
def while_wanted(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """Cancel what this thread runs elsewhere as soon as ``is_wanted()`` is false, even while nothing is reported."""
    before = _is_wanted.set(is_wanted)
    try:
        yield
    finally:
        _is_wanted.reset(before)


def run_elsewhere(
    client: Client,
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    on_report: Callable[[int, Any], None],
    on_result: Callable[[int, Any], None] = lambda _number, _result: None,
) -> list[Any]:
    """Run ``function(*call, report)`` for every call as a task of its own, and return the results in their order.

    ``on_report(number, what)`` is called here with what the task of that number reports, and ``on_result`` with its
    result. Whatever they raise cancels all tasks. FitCancelled is raised if nobody wants the results any more.
    """
    import distributed

    topic, reports = f"nnm-{uuid.uuid4().hex}", queue.SimpleQueue[tuple[int, Any]]()

    def receive(event: tuple[float, dict[str, Any]]) -> None:
        reports.put((event[1]["number"], event[1]["what"]))

    with clear_errors():
        stop = distributed.Event(topic, client=client)
        client.subscribe_topic(topic, receive)
        futures = [
            client.submit(_call, topic, number, function, *call, key=f"{topic}-{number}", pure=False)
            for number, call in enumerate(calls)
        ]
    number_of = {future.key: number for number, future in enumerate(futures)}
    results: dict[int, Any] = {}
    watch = Watch(client)
    try:
        while len(results) < len(calls):
            with clear_errors(), client.as_current():
                waiting = [future for number, future in enumerate(futures) if number not in results]
                try:
                    done = distributed.wait(waiting, timeout=_PAUSE, return_when="FIRST_COMPLETED").done
                except TimeoutError:
                    done = set()
                new = {number_of[future.key]: future.result() for future in done}
            if not _is_wanted.get()():
                raise FitCancelled("It was cancelled.")
            watch.look()
            while not reports.empty():
                on_report(*reports.get())
            for number in sorted(new):
                results[number] = new[number]
                on_result(number, new[number])
    finally:
        if len(results) < len(calls):
            with clear_errors():
                stop.set()
                client.cancel(futures)
        client.unsubscribe_topic(topic)
    return [results[number] for number in range(len(calls))]


def _call(topic: str, number: int, function: Callable[..., Any], *call: Any) -> Any:
    """Run a function on a worker, with a way to report."""
    import distributed

    worker, last = distributed.get_worker(), -_PAUSE

    def report(what: Any) -> bool:
        nonlocal last
        if time.monotonic() < last + _PAUSE:
            return True
        worker.log_event(topic, {"number": number, "what": what})
        last = time.monotonic()
        return not distributed.Event(topic).is_set()

    return function(*call, report)


def fit_elsewhere(
    client: Client,
    ratings: Ratings,
    options: FitOptions,
    seed: tuple[int, int],
    side: SideInformation | None,
    reporter: Reporter,
) -> Model:
    """Fit from as many random starts as the options say, each a task of its own, and return the best."""
    sent = send_ratings(client, ratings)
    is_single = options.starts == 1

    def fit_group(group: Sequence[int], found: Sequence[Model]) -> list[Model]:
        calls = [(sent, options, (*seed, start), side, tuple(found)) for start in group]
        return run_fits(client, _fit_start, calls, reporter, first=seed[1] * options.starts + group[0])

    weights = ratings.by_item.counts / len(ratings)
    return fit_group([0], ())[0] if is_single else best_of_starts(options, fit_group, weights)


def run_fits(
    client: Client,
    function: Callable[..., Model],
    calls: Sequence[tuple[Any, ...]],
    reporter: Reporter,
    first: int = 0,
) -> list[Model]:
    """Run fits as tasks; ``first``: the number of the first one among all that the reporter counts."""
    reported = [0] * len(calls)

    def on_report(number: int, what: tuple[int, dict[str, Any]]) -> None:
        n_sweeps, fields = what
        new, reported[number] = n_sweeps - reported[number], n_sweeps
        start = first + number
        reporter.report(start, lambda *place: _sweep(fields | {"start": start}, *place), new)

    return run_elsewhere(client, function, calls, on_report, lambda number, _: reporter.end_start(first + number))


def send_ratings(client: Client, ratings: Ratings) -> Any:
    """Return a handle of ratings on the cluster: a task that can be run again where a worker was lost."""
    with clear_errors():
        return client.submit(_itself, ratings, key=f"nnm-ratings-{ratings.content_hash}", pure=True)


def _itself(ratings: Ratings) -> Ratings:
    return ratings


def _fit_start(
    ratings: Ratings,
    options: FitOptions,
    seed: tuple[int, int, int],
    side: SideInformation | None,
    found: tuple[Model, ...],
    report: Report,
) -> Model:
    """Fit from one random start on a worker."""
    with Workers(1) as workers:
        return fit_start(ratings, options, seed, side, workers, Progress(Reporter(watch_fit(report))), None, found)


def watch_fit(report: Report) -> Callback:
    """Return the callback of a fit on a worker, which tells those who wait for it how far it is."""
    names = ("stage", "is_filled", "objective", "training_error")
    return lambda sweep: report((sweep.number, {name: getattr(sweep, name) for name in names}))


def _sweep(fields: dict[str, Any], number: int, seconds: float, share: float) -> Sweep:
    def absent(*_: Any) -> Any:
        raise InputError("A fit that runs elsewhere shows its factors only when it is done.")

    return Sweep(number=number, seconds=seconds, share=share, expect=absent, snapshot=absent, **fields)
