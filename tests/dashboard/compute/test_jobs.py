"""Jobs: shared, cancelled, bounded, and their faults in words."""

import gc
import subprocess
import sys
import threading
import time
import weakref
from functools import partial

import numpy as np
import prometheus_client
import pytest

from dashboard.compute import jobs
from dashboard.compute.bounded_store import kept
from nnm_core import FitCancelled, InputError
from nnm_core.cluster import ClusterError


def test_the_same_work_is_done_once_for_everybody():
    gate, runs = threading.Event(), []

    def work(job):
        runs.append(1)
        gate.wait(10)
        return 7

    first = jobs.start("shared", "Shared", work, "ann")
    second = jobs.start("shared", "Shared", work, "bob")
    assert first is second
    gate.set()
    assert first.wait(10)
    assert (first.state, first.result, len(runs)) == ("done", 7, 1)


def test_a_job_stops_when_nobody_wants_it_any_more():
    begun, go_on = threading.Event(), threading.Event()

    def work(job):
        for k in range(1000):
            job.report(k / 1000, "counting")
            begun.set()
            go_on.wait(0.01)

    job = jobs.start("long", "Long", work, "ann", "long")
    jobs.start("long", "Long", work, "bob", "long")
    assert begun.wait(10)
    jobs.cancel(job, "ann")
    assert not job.wait(0.1)
    jobs.cancel(job, "bob")
    assert job.wait(10)
    assert job.state == "cancelled"
    assert jobs.start("long", "Long", lambda job: 1, "ann", "long").wait(10)


def test_who_asks_for_another_fit_leaves_the_one_before():
    gate, begun = threading.Event(), threading.Event()

    def work(job):
        begun.set()
        while not gate.wait(0.01):
            job.report(0.5, "counting")

    passed, shared, other = (jobs.start(key, "Fit", work, "ann") for key in (("fit", 1), ("fit", 2), ("curve", 1)))
    jobs.start(("fit", 2), "Fit", work, "bob")
    assert begun.wait(10)
    jobs.leave("fit", "ann", ("fit", 3))
    assert passed.wait(10)
    assert passed.state == "cancelled"
    assert not shared.wait(0.1)
    gate.set()
    assert shared.wait(10)
    assert other.wait(10)
    assert (shared.state, other.state) == ("done", "done")


def test_a_server_that_stops_while_something_computes_says_nothing():
    script = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
from dashboard.compute import jobs

begun = threading.Event()

def work(job):
    begun.set()
    with ThreadPoolExecutor(1) as pool:
        while True:
            pool.submit(time.sleep, 0.05).result()

job = jobs.start("endless", "Endless", work, "ann")
assert begun.wait(30)
time.sleep(0.2)
assert job.state == "running"
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""


def test_faults_become_sentences(caplog):
    def refuse(job):
        raise InputError("Not like this.")

    def crash(job):
        raise ZeroDivisionError

    told, hidden = jobs.start("refused", "Refused", refuse, "ann"), jobs.start("crashed", "Crashed", crash, "ann")
    assert told.wait(10)
    assert hidden.wait(10)
    assert (told.state, told.error) == ("failed", "Not like this.")
    assert (hidden.state, hidden.error) == ("failed", jobs.UNEXPECTED)

    def lose_the_cluster(_job):
        raise ClusterError("The cluster at tcp://10.0.0.7:8786 has had no workers; add --resume.")

    lost = jobs.start("lost", "Lost", lose_the_cluster, "ann")
    assert lost.wait(10)
    assert (lost.state, lost.error) == ("failed", jobs.LOST_CLUSTER)  # without addresses and flags of a command


def test_time_left_follows_the_pace():
    gate, begun = threading.Event(), threading.Event()

    def work(job):
        job.report(0.25, "a quarter")
        begun.set()
        gate.wait(10)

    job = jobs.start("paced", "Paced", work, "ann")
    assert begun.wait(10)
    assert job.seconds_left is None
    job._began -= 10
    assert job.seconds_left == pytest.approx(30, rel=0.05)
    gate.set()
    assert job.wait(10)
    assert job.seconds_left is None


def test_a_result_that_is_no_longer_kept_is_computed_again():
    runs = []
    job = jobs.start("evicted", "Evicted", lambda job: runs.append(1), "ann")
    assert job.wait(10)
    assert jobs.start("evicted", "Evicted", lambda job: runs.append(1), "ann") is job  # its result, None, is kept
    kept.remove("results", "evicted")
    assert jobs.find("evicted") is None
    assert jobs.start("evicted", "Evicted", lambda job: runs.append(1), "ann").wait(10)
    assert len(runs) == 2


def test_results_of_jobs_are_bounded_in_bytes(monkeypatch):
    monkeypatch.setitem(kept._limits, "results", (512, 10_000))
    for k in range(3):
        assert jobs.start(("large", k), "Large", lambda job: np.zeros(1000), "ann").wait(10)
    assert jobs.find(("large", 0)) is None
    assert jobs.find(("large", 2)).result is not None


def test_work_that_nobody_waits_for_is_let_go_while_others_compute():
    """A cancelled job's place in the queue holds none of the data that it was about."""
    gate, begun = threading.Event(), threading.Event()
    first = jobs.start("occupied", "First", lambda job: (begun.set(), gate.wait(10)), "ann", "long")
    assert begun.wait(10)

    class Data:
        pass

    data = Data()
    alive = weakref.ref(data)
    queued = jobs.start("queued", "Queued", partial(lambda data, job: data, data), "ann", "long")
    jobs.cancel(queued, "ann")
    del data
    gc.collect()
    assert (queued.state, first.state) == ("cancelled", "running")
    assert alive() is None
    gate.set()
    assert first.wait(10)


def count(job):
    for k in range(40):
        job.report(k / 40, "counting")
    return threading.current_thread().name


def test_background_jobs_pause_while_a_page_runs():
    with jobs.drawing():
        quick = jobs.start("quick one", "Quick", count, "ann")
        polite = jobs.start("polite one", "Polite", count, "ann", "background")
        assert quick.wait(10)
        assert not polite.wait(0.3)
    assert polite.wait(10)
    assert polite.result.startswith("job-background")


def test_a_background_job_that_a_page_waits_for_neither_queues_nor_pauses():
    with jobs.drawing():
        before = jobs.start("before it", "Before", count, "ann", "background")
        queued = jobs.start("queued behind", "Queued", count, "ann", "background")
        assert jobs.start("queued behind", "Queued", count, "ann") is queued
        assert queued.wait(10)
        assert queued.result.startswith("job-quick")
        assert not before.is_finished
        assert jobs.start("before it", "Before", count, "ann") is before
        assert before.wait(10)


def test_a_better_fit_pauses_while_a_page_runs_but_queues_behind_nothing_in_the_background():
    release = threading.Event()
    before = jobs.start("in its way", "Before", lambda _: release.wait(30), "ann", "background")
    with jobs.drawing():
        better = jobs.start("better fit", "Better", count, "ann", "better")
        assert not better.wait(0.3)
    assert better.wait(10)
    assert not before.is_finished
    release.set()
    assert before.wait(10)


@pytest.mark.parametrize(("grace", "state"), [(30, "done"), (0.1, "cancelled")])
def test_a_server_that_stops_lets_running_jobs_finish_for_a_while(monkeypatch, grace, state):
    monkeypatch.setattr(jobs, "_is_stopping", threading.Event())
    begun = threading.Event()
    key = f"slow-{grace}"
    seen = f'nnm_job_seconds_count{{lane="long",state="{state}"}}'
    counted = figures().get(seen, 0.0)

    def work(job):
        begun.set()
        for k in range(100):
            job.report(k / 100, "counting")
            time.sleep(0.01)
        return 7

    running = jobs.start(key, "Slow", work, "ann", "long")
    assert begun.wait(10)
    waiting = jobs.start(key + "-next", "Next", work, "ann", "long")
    jobs.finish(grace)
    assert running.wait(10)
    assert (running.state, waiting.state) == (state, "cancelled")
    with pytest.raises(FitCancelled, match="stopping"):
        jobs.start(key + "-new", "New", work, "ann")
    assert figures()[seen] == counted + 1


def figures():
    lines = prometheus_client.generate_latest().decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a thread has a priority of its own")
def test_work_in_the_background_is_nicer_than_the_server_however_nice_that_is(monkeypatch):
    """A server that nobody special runs with `nice` may not become less nice."""
    given = []
    monkeypatch.setattr(jobs.os, "getpriority", lambda which, thread: 15)
    monkeypatch.setattr(jobs.os, "setpriority", lambda which, thread, nice: given.append(nice))
    jobs._give_way()
    assert given == [20]


def test_a_job_that_was_stopped_keeps_nothing_that_it_finds_later():
    """Its data may be gone by then."""
    began, goes_on = threading.Event(), threading.Event()

    def work(job):
        assert jobs.keep_from(job, ("found", "removed"), 1)
        began.set()
        assert goes_on.wait(20)
        assert not jobs.keep_from(job, ("found later", "removed"), 2)

    job = jobs.start(("work", "removed"), "test", work, jobs.AHEAD)
    assert began.wait(20)
    jobs.discard_mentioning(["removed"])
    kept.remove_mentioning(["removed"])
    goes_on.set()
    assert job.wait(20)
    assert job.state == "cancelled"
    assert not kept.has("results", ("found later", "removed"))
