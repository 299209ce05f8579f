"""Gone means gone, and cancelled means cancelled."""

import gc
import threading
import time
import weakref

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import session, wording
from dashboard.compute import jobs, store
from dashboard.compute.bounded_store import BoundedStore, kept, mentions
from dashboard.compute.current import fit_better
from dashboard.session import OwnModel, Spec, State
from nnm_core import DataError, fit, preset
from nnm_core.cluster import ClusterError
from nnm_core.datasets.synthetic import invented_report
from tests.dashboard.views.conftest import make_dataset, page_script, texts


def is_gone(reference):
    """Whether nothing refers to an object any more, at the latest when the thread of a job has put it down."""
    for _ in range(50):
        gc.collect()
        if reference() is None:
            return True
        time.sleep(0.1)
    return False


def press(app, label):
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


@pytest.mark.parametrize("with_own_model", [False, True])
def test_removed_data_are_nowhere_any_more(page, with_own_model):
    dataset = make_dataset(n_tags=5, n_users=31)
    hashes = {dataset.content_hash, dataset.ratings.content_hash}
    app = page("stereotypes", dataset, sure="true", lineage="true")
    own = fit(dataset.ratings, preset("paper")) if with_own_model else None
    model = own or store.known_model(store.model_key(dataset, preset("recommended", n_stereotypes=3), 0))
    for other in ("hierarchy", "people", "films", "accuracy", "data"):
        app = again(app, other)
        if own is not None:
            app.session_state["state"].own_model = OwnModel("mine.nnm", "0" * 64, own)
            app.run()
    key = app.session_state["data"]
    assert any(mentions(entry, hashes) for entry, _ in kept.items("results"))
    alive = [weakref.ref(each) for each in (dataset, dataset.ratings.by_user.codes, model)]
    del dataset, model, own
    press(app, "Remove these data from the server")
    assert store.own_dataset(key, "tester") is None
    for compartment in ("models", "results", "cancelled"):
        assert not any(mentions(entry, hashes) for entry, _ in kept.items(compartment))
    assert not any(mentions(entry, hashes) for entry in jobs._jobs)
    assert app.selectbox(key="data").value == "bundled"
    assert [is_gone(each) for each in alive] == [True] * 3


def again(app, name):
    """Another page in the same session."""
    following = AppTest.from_function(page_script, default_timeout=180, kwargs={"name": name})
    following.session_state["state"] = app.session_state["state"]
    following.session_state["data"] = app.session_state["data"]
    return following.run()


def test_jobs_about_removed_data_stop_and_keep_nothing(page):
    dataset, begun = make_dataset(n_users=32), threading.Event()
    key, _ = store.keep_own(dataset, invented_report(dataset), "tester")
    alive = weakref.ref(dataset)

    def endless(job, dataset=dataset):
        while True:
            begun.set()
            job.report(0.5, dataset.name)
            time.sleep(0.01)

    job = jobs.start(("endless", dataset.content_hash), "Endless", endless, "tester", "long")
    waiting = jobs.start(("waiting", dataset.content_hash), "Waiting", endless, "tester", "long")
    assert begun.wait(10)
    del dataset, endless
    store.remove_own(key, "tester")
    assert job.wait(10)
    assert (job.state, waiting.state) == ("cancelled", "cancelled")
    assert is_gone(alive)


def test_what_others_have_too_stays(page):
    dataset = make_dataset(n_users=33)
    own, theirs = (store.keep_own(dataset, invented_report(dataset), owner)[0] for owner in ("tester", "somebody"))
    key = ("towers", dataset.content_hash)
    store.derived(key, lambda: 1)
    assert store.remove_own(own, "tester") == frozenset()
    assert kept.has("results", key)
    assert store.remove_own(theirs, "somebody") == {dataset.content_hash, dataset.ratings.content_hash}
    assert not kept.has("results", key)


def test_two_cancelled_jobs_stay_cancelled_after_a_reload(page, page_at, cinema):
    first, second = (store.model_key(cinema, preset("recommended", n_stereotypes=n), 4_242) for n in (5, 6))
    app = page("stereotypes", cinema, seed=4_242)
    for key in (first, second):
        kept.put("cancelled", ("tester", key), True)
    link = {"data": app.session_state["data"], "seed": "4242"}
    for n in ("5", "6"):  # each in a new session, as after a reload
        assert "This fit was cancelled" in texts(page_at("stereotypes", link | {"D": n}))
    assert jobs.find(first) is None
    app = page_at("stereotypes", link | {"D": "5"})
    press(app, "Fit it after all")
    assert "This fit was cancelled" not in texts(app)
    assert store.known_model(first) is not None
    assert "This fit was cancelled" in texts(page_at("stereotypes", link | {"D": "6"}))


@pytest.fixture
def as_session(monkeypatch):
    """Be somebody, in one of their tabs."""

    def become(owner, tab):
        monkeypatch.setattr(session, "owner", lambda: owner)
        monkeypatch.setattr(session, "who", lambda: tab)

    return become


def test_what_one_owner_cancels_goes_on_for_others_and_in_other_tabs(as_session):
    gate = threading.Event()
    job = jobs.start("shared by tabs", "Shared", lambda job: gate.wait(10), "first tab")
    jobs.join(job, "second tab")
    as_session("ann", "first tab")
    session.cancel(job)
    assert session.has_cancelled(job.key)
    as_session("ann", "second tab")
    assert not session.has_cancelled(job.key)
    as_session("bob", "third tab")
    assert not session.has_cancelled(job.key)
    gate.set()
    assert job.wait(10)
    as_session("ann", "reloaded")
    assert session.has_cancelled(job.key)
    session.allow(job.key)
    assert not session.has_cancelled(job.key)


def test_a_session_keeps_its_things_by_name():
    assert State().spec.data == "bundled"
    with pytest.raises(AttributeError):
        State().speck = 1


def test_data_that_cannot_be_read_are_told_of_until_somebody_tries_again(page_at, monkeypatch):
    tried = []

    def refuse(name):
        tried.append(name)
        raise DataError("The file is torn.")

    monkeypatch.setattr(store, "load_dataset", refuse)
    monkeypatch.setattr(store, "kept", BoundedStore(kept._limits))
    app = page_at("stereotypes", {"data": "demo"})
    for _ in range(2):
        assert [error.value for error in app.error] == ["The file is torn\\."]
        app.run()
    assert tried == ["demo"]
    monkeypatch.undo()
    press(app, "Try again")
    assert not app.error


@pytest.mark.parametrize("n_starts", [1, 8])
def test_a_fit_that_failed_is_told_of_until_somebody_tries_again(page, cinema, as_session, monkeypatch, n_starts):
    as_session("tester", "a tab")
    tried = []

    def fit_or_lose_the_cluster(ratings, options, **how):
        if options.starts < n_starts:
            return fit(ratings, options, **how)
        tried.append(options.starts)
        raise ClusterError("The connection to tcp://10.0.0.7:8786 was lost.")

    monkeypatch.setattr(store, "fit", fit_or_lose_the_cluster)
    monkeypatch.setattr(store, "IMPROVE_WITHIN", 60.0 * (n_starts > 1))
    options = preset("recommended", n_stereotypes=5)
    app = page("stereotypes", cinema, D=5, seed=27)
    if n_starts > 1:
        assert fit_better(Spec("cinema", options, 27), store.Loaded(cinema, None), "a tab").wait(60)
        app.run()
    for _ in range(2):
        assert [message.value for message in app.error] == [wording.message(jobs.LOST_CLUSTER)]
        app.run()
    assert tried == [n_starts]
    assert ("first of eight random starts" in texts(app)) == (n_starts > 1)
    monkeypatch.setattr(store, "fit", fit)
    press(app, "Try again")
    assert not app.error


def test_reading_that_was_cancelled_waits_to_be_asked_for(page_at, monkeypatch):
    monkeypatch.setattr(store, "kept", BoundedStore(kept._limits))
    kept.put("cancelled", ("tester", ("data", "demo")), True)
    app = page_at("stereotypes", {"data": "demo"})
    assert "This was cancelled" in texts(app)
    monkeypatch.undo()
    press(app, "Read them after all")
    assert "This was cancelled" not in texts(app)
