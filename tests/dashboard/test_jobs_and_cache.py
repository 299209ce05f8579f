"""Jobs, names in the link, files: what pages rest on."""

import gc
import io
import subprocess
import sys
import threading
import weakref
from functools import partial

import numpy as np
import pandas as pd
import pytest

from dashboard.compute import jobs, store
from dashboard.compute.bounded_store import kept
from dashboard.export import files
from dashboard.figures.drawing import label
from dashboard.theme import DARK, LIGHT, look, translucent, wordmark
from dashboard.wording import counted, duration, md, message, number
from nnm_core import InputError, preset
from nnm_core.datasets.demo import demo, invented_report


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


def test_uploads_are_for_their_owner_only():
    dataset = demo().dataset
    key = store.keep_own(dataset, invented_report(dataset), "ann")
    assert store.own_dataset(key, "ann").dataset is dataset
    assert store.own_dataset(key, "bob") is None
    assert key not in store.own_datasets("bob")
    store.remove_own(key, "bob")
    assert store.own_dataset(key, "ann") is not None
    store.remove_own(key, "ann")
    assert store.own_dataset(key, "ann") is None


def test_csv_runs_no_formula():
    table = pd.DataFrame({"title": ["=1+1", "-5", "plain", "@x"], "n": [-1.0, 2.0, 3.0, 4.0]})
    rounded = files.csv_bytes(pd.DataFrame({"many": [8045.21349, 0.123456], "share": [0.123456789, 1.0]}))
    assert rounded.decode("utf-8-sig").splitlines()[1:] == ["8045.2,0.1235", "0.1,1.0"]
    back = pd.read_csv(io.BytesIO(files.csv_bytes(table)), dtype=str)
    assert list(back["title"]) == ["'=1+1", "-5", "plain", "'@x"]
    assert list(back["n"]) == ["-1.0", "2.0", "3.0", "4.0"]


def test_texts_from_outside_stay_texts():
    assert md("**a** [b](c) <d>") == r"\*\*a\*\* \[b\]\(c\) \<d\>"
    assert md(":red[x] :smile:") == ":\u2060red\\[x\\] :\u2060smile:"
    assert label("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;"
    assert len(label("y" * 300)) == 26
    assert message("one\n\ntwo") == "one\n\ntwo"


def test_numbers_for_people():
    assert (number(3), number(40)) == ("three", "40")
    assert (counted(1, "person", "people"), counted(1200, "rating")) == ("1 person", "1,200 ratings")
    assert (duration(0.2), duration(12.3), duration(600)) == (
        "less than a second",
        "about 12 s",
        "about 10 min",
    )


def test_a_stereotype_has_one_colour_per_mood():
    assert len(LIGHT.colors) == len(DARK.colors) == len(set(LIGHT.colors)) == len(set(DARK.colors))
    assert (look("dark"), look("light"), look(None)) == (DARK, LIGHT, LIGHT)
    assert translucent("#0a0b0c", 0.5) == "rgba(10, 11, 12, 0.5)"
    assert all(color in wordmark(DARK) for color in DARK.colors[:3])


@pytest.mark.parametrize(("here", "near"), [(1, [2]), (3, [4, 2]), (256, [255])])
def test_only_models_that_there_can_be_are_fitted_ahead(monkeypatch, here, near):
    options = preset("recommended", n_stereotypes=here)  # and a seed that no other test fits
    monkeypatch.setattr(store, "expected_seconds", lambda *_: 0.1)
    assert [each.n_stereotypes for each in store.quick_neighbours(demo().dataset, options, 987_654)] == near
    monkeypatch.setattr(store, "expected_seconds", lambda *_: 9.0)
    assert store.quick_neighbours(demo().dataset, options, 987_654) == []


def test_pictures_show_quotation_marks_and_no_markup():
    assert label('"Quoted" <b>film</b>') == '"Quoted" &lt;b&gt;film&lt;/b&gt;'
