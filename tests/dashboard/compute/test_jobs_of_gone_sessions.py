"""A job that nobody who is here wants any more makes room for others; what the server wants needs no session."""

import threading
import time

import pytest

from dashboard.compute import jobs


@pytest.fixture
def here(monkeypatch):
    """Who is connected; a job outlives them by a fifth of a second."""
    connected = {"ann", "bob"}
    monkeypatch.setattr(jobs, "is_connected", connected.__contains__)
    monkeypatch.setattr(jobs, "GRACE", 0.2)
    monkeypatch.setattr(jobs, "_LOOK", 0.01)
    return connected


@pytest.fixture
def endless():
    """Start work that ends only if it is stopped, or at the end of the test."""
    over = threading.Event()

    def work(job):
        while not over.wait(0.01):
            job.report(0.5, "counting")
        return "counted"

    started = []

    def start(key, who):
        started.append(jobs.start(key, "Endless", work, who, "long"))
        return started[-1]

    yield start
    over.set()
    assert all(job.wait(10) for job in started)


def running(job):
    for _ in range(1000):
        if job.state == "running":
            return True
        time.sleep(0.01)
    return False


def test_cancel_after_a_reload_stops_the_job_and_the_next_one_gets_its_turn(here, endless):
    job = endless("reloaded", "ann")
    assert running(job)
    here.remove("ann")
    here.add("ann again")
    assert endless("reloaded", "ann again") is job
    following = endless("following", "bob")
    jobs.cancel(job, "ann again")
    assert job.wait(10)
    assert job.state == "cancelled"
    assert running(following)


def test_a_job_whose_session_is_gone_stops_by_itself_and_leaves_no_trace(here, endless):
    job = endless("left alone", "ann")
    assert running(job)
    here.remove("ann")
    assert not job.wait(0.05)  # not at once: it may be a reload
    assert job.wait(10)
    assert job.state == "cancelled"
    assert jobs.find("left alone") is None


def test_so_does_one_that_waits_for_its_turn(here, endless):
    first, waiting = endless("first", "bob"), endless("waiting", "ann")
    assert running(first)
    here.remove("ann")
    assert waiting.wait(10)
    assert (first.state, waiting.state) == ("running", "cancelled")
    cancelled = endless("cancelled", "bob")
    jobs.cancel(cancelled, "bob")
    assert cancelled.wait(10)  # and does not wait for its turn to stop
    assert first.state == "running"


@pytest.mark.parametrize("back", ["reconnected", "reloaded", "somebody else"])
def test_who_comes_back_in_time_finds_it_going_on(here, endless, monkeypatch, back):
    monkeypatch.setattr(jobs, "GRACE", 1.0)
    job = endless(("kept", back), "ann")
    assert running(job)
    here.remove("ann")
    assert not job.wait(0.3)
    here.add("ann" if back == "reconnected" else "ann again")
    if back == "reloaded":
        assert endless(("kept", back), "ann again") is job
    if back == "somebody else":
        jobs.join(job, "bob")
    assert not job.wait(1.5)


def test_the_server_needs_no_session(here, endless):
    job = endless("made ahead", jobs.AHEAD)
    assert not job.wait(0.5)
