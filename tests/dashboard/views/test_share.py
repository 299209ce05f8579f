"""A shared view as its visitors see it, and the pages of whoever shares it."""

import gc
import time
import weakref
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import session
from dashboard.components.common import display
from dashboard.compute import downloads, jobs, kept_results, own_work, sharing, store
from dashboard.compute.bounded_store import kept, mentions
from dashboard.compute.evaluations import Experiment, evaluate_held_out
from dashboard.compute.sharing import SharedView
from dashboard.session import State
from dashboard.storage import kept_work
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import invented_report
from nnm_core.interpret.text.portraits import with_names
from tests.dashboard.storage.test_running import another_run
from tests.dashboard.views.conftest import make_dataset, texts
from tests.dashboard.views.test_every_page import PAGES
from tests.dashboard.views.test_removed_and_cancelled import is_gone, press

NAMES = {0: "Midnight crowd", 1: "Matinee crowd"}


@pytest.fixture
def share():
    """Share a view of planted data with names for two stereotypes; return the token."""
    made = []

    def make(*, may_download=False, lasts=timedelta(days=30), seed=0):
        dataset = make_dataset(n_tags=5, n_users=40 + seed)
        key, _ = store.keep_own(dataset, invented_report(dataset), "sharer")
        model = with_names(fit(dataset.ratings, preset("paper", n_stereotypes=2)), NAMES)
        view = SharedView(key, "Our club", "people", dataset, invented_report(dataset), model)
        made.append(key)
        return sharing.make("sharer", view, may_download=may_download, lasts=lasts)

    yield make
    for key in made:
        store.remove_own(key, "sharer")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_shows_what_was_shared(page_at, share, name):
    app = page_at(name, {"share": share()})
    assert "Our club" in texts(app)
    assert "gone" not in texts(app)
    assert not app.get("file_uploader")
    labels = [button.label for button in app.button]
    assert "Rename" not in labels
    assert "Remove these data from the server" not in labels
    assert [box.label for box in app.selectbox if box.label == "Data set"] == []


def test_visitors_see_the_names_and_the_number_of_stereotypes_of_the_owner(page_at, share):
    app = page_at("stereotypes", {"share": share(), "D": "5", "names": "Forged~Names"})
    told = texts(app)
    for name in NAMES.values():
        assert name in told
    assert "Forged" not in told
    assert app.session_state["state"].spec.options.n_stereotypes == 2


@pytest.mark.parametrize("may_download", [False, True])
def test_files_are_offered_only_where_the_owner_allows_it(page_at, share, monkeypatch, may_download):
    offered, offer = [], downloads.offer
    monkeypatch.setattr(display.downloads, "offer", lambda key, file: offered.append(file) or offer(key, file))
    token = share(may_download=may_download)
    app = page_at("export", {"share": token})
    assert bool(offered) == may_download
    assert ("lets you look at it" in texts(app)) == (not may_download)
    assert {file.share for file in offered} <= {sharing.find(token).id}
    app = page_at("data", {"share": token})
    assert any(box.label == "Download" for box in app.expander) == may_download


def test_who_may_only_look_finds_no_other_way_to_the_data(page_at, share):
    """The key under which the server knows shared data can be computed from the token, and opens nothing by itself."""
    look, fetch = share(), share(may_download=True, seed=1)
    secret = sharing.find(look)
    app = page_at("export", {"data": sharing.SHARED + secret.id})
    assert "which nobody knows here" in texts(app)
    assert app.session_state["state"].spec.data == session.FIRST.data
    app = page_at("compare", {"share": look})
    shown = app.session_state["state"].pinned = app.session_state["state"].spec
    assert shown.data == sharing.SHARED + secret.id
    app.query_params["share"] = fetch  # in the same session, as only a forged message can
    app.run()
    assert app.session_state["state"].share.may_download
    assert app.session_state["state"].pinned is None


def test_a_revoked_share_is_gone_in_the_next_run_and_its_files_too(page_at, share):
    token = share(may_download=True)
    app = page_at("export", {"share": token})
    assert app.session_state["state"].share is not None
    found = sharing.find(token)
    assert any(each.share == found.id for each, _ in downloads._offers.values())
    model = weakref.ref(sharing.content(found).model)
    sharing.revoke(found.id, "sharer")
    app.session_state["state"].spec = session.FIRST
    app.run()
    assert app.session_state["state"].share is None
    assert app.session_state["state"].share_token == token
    assert not any(each.share == found.id for each, _ in downloads._offers.values())
    assert not any(mentions(key, [found.id]) for place in ("shared", "results") for key, _ in kept.items(place))
    assert is_gone(model)


def app_script() -> None:
    """What AppTest runs: the whole dashboard."""
    from dashboard import app

    app.main()


@pytest.mark.parametrize("why", ["unknown", "expired", "revoked"])
def test_a_link_that_leads_nowhere_says_so_and_where_to_go(share, why):
    link = "nonsense"
    if why == "expired":
        link = share(lasts=timedelta(seconds=-1), seed=1)
    elif why == "revoked":
        link = share(seed=2)
        sharing.revoke(sharing.find(link).id, "sharer")
    app = AppTest.from_function(app_script, default_timeout=180)
    app.session_state["state"] = State(owner="visitor")
    app.query_params["share"] = link
    app.run()
    assert not app.exception
    assert [title.value for title in app.title] == ["This shared view is gone"]
    assert "Ask the person who sent it" in texts(app)
    press(app, "Go to the data that come with the program")
    assert [title.value for title in app.title] == ["Who is the audience?"]
    assert "share" not in app.query_params


def sharing_script() -> None:
    """What AppTest runs: the hierarchy below the sidebar, and a link to it; AppTest cannot press buttons in dialogs."""
    import streamlit as st

    from dashboard import session
    from dashboard.components.common import share, sidebar
    from dashboard.views import hierarchy

    session.begin()
    with st.sidebar:
        session.state().spec = sidebar.render()
    hierarchy.render()
    st.code(share.make_link(share.current_view("hierarchy"), may_download=False, lasts=None))


def test_a_link_holds_the_model_the_names_and_the_epsilon_that_its_owner_sees(cinema):
    dataset = replace(cinema, name="Our cinema")
    key, _ = store.keep_own(dataset, invented_report(dataset), "tester")
    app = AppTest.from_function(sharing_script, default_timeout=180)
    app.session_state["state"] = State(owner="tester")
    for name, value in {"data": key, "D": "4", "seed": "3", "names": "One~Two~Three~Four", "every": "true"}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    (address,) = [code.value for code in app.code if "share=" in code.value]
    parts = dict(parse_qsl(address.partition("?")[2]))
    assert set(parts) == {"share", "eps", "every"}  # neither data nor names: both are in the share
    assert float(parts["eps"]) == round(app.session_state["eps"], 3)
    shared = sharing.content(sharing.find(parts["share"]))
    expected = fit(dataset.ratings, preset("recommended", n_stereotypes=4), seed=3)
    assert shared.dataset.content_hash == dataset.content_hash
    assert shared.model.given_names == ("One", "Two", "Three", "Four")
    assert (shared.model.n_stereotypes, shared.model.seed) == (4, 3)
    assert shared.model.data_hash == expected.data_hash
    store.remove_own(key, "tester")
    assert sharing.find(parts["share"]) is None


def test_my_work_lists_renames_revokes_and_deletes(page, page_at, share):
    share(seed=3)
    app = page_at("data", {"part": "mine"})
    assert "Our club" not in texts(app)  # which is somebody else's
    dataset = make_dataset(n_tags=5, n_users=46)
    app = page("data", dataset, part="mine")
    (mine,) = [each for each in own_work.datasets("tester") if each.name == "planted" and each.n_bytes][:1]
    app.text_input(key=f"rename-{mine.key}").set_value("  Our   cinema ").run()
    app.button(key=f"save-{mine.key}").click().run()
    assert "**Our cinema**" in texts(app)
    assert store.own_dataset(mine.key, "tester").dataset.name == "Our cinema"
    assert kept_work().dataset(mine.key, "tester")[0].name == "Our cinema"
    view = SharedView(mine.key, "Our cinema", "", dataset, invented_report(dataset), None)
    token = sharing.make("tester", view, may_download=True, lasts=None)
    app.run()
    assert "may download the data · until revoked" in texts(app)
    app.button(key=f"revoke-{sharing.find(token).id}").click().run()
    assert sharing.find(token) is None
    token = sharing.make("tester", view, may_download=True, lasts=None)
    app.run()
    app.button(key=f"delete-{mine.key}").click().run()
    assert not app.exception
    assert mine.key not in store.own_names("tester")
    assert sharing.find(token) is None


def test_deleted_means_deleted_from_files_memory_and_database(page, share):
    """Of data with a name and people that occur nowhere else, nothing is left that could be searched for."""
    store_folder = Path(kept_work()._blobs._root).parent
    dataset = make_dataset(n_tags=5, n_users=47)
    secret, hashes = "Zanzibar cinema club", {dataset.content_hash, dataset.ratings.content_hash}
    key, _ = store.keep_own(dataset, invented_report(dataset), "tester")
    store.rename_own(key, "tester", secret)
    dataset = store.own_dataset(key, "tester").dataset
    options = preset("paper", n_stereotypes=2)
    model, model_key = fit(dataset.ratings, options), store.model_key(dataset, options, 0)
    kept_work().keep_model((*model_key, store.PROGRAM), str(model_key[1]), model, "a model", named=False)
    store.keep_names("tester", model_key, ["Quagga fans", ""])
    kept_results.keep(("peers", dataset.ratings.content_hash, "Okapi result"), dataset, ("Okapi result",), None)
    another_run(kept_work()).begin("tester", "job", str(model_key[1]), "Dodo job")
    view = SharedView(key, f"{secret}, shared", "", dataset, invented_report(dataset), with_names(model, NAMES))
    sharing.content(sharing.find(sharing.make("tester", view, may_download=True, lasts=None)))
    downloads.offer("file", downloads.Offer("s", "tester", lambda d=dataset: str(d.name), "f", "text/csv"))
    sought = [secret, "Quagga fans", "Okapi result", "Dodo job", "Midnight crowd", dataset.content_hash]
    codes = dataset.ratings.by_user.codes.tobytes()

    def found():
        content = b"".join(path.read_bytes() for path in store_folder.rglob("*") if path.is_file())
        return [each for each in sought if each.encode() in content] + (["the ratings"] if codes in content else [])

    assert found() == [*sought, "the ratings"]
    alive = [weakref.ref(each) for each in (dataset, dataset.ratings.by_user.codes, model, view.model)]
    state = State(owner="tester")
    app = page("data", part="mine")
    assert app.session_state["state"].owner == state.owner
    del dataset, model, view, state
    app.button(key=f"delete-{key}").click().run()
    assert not app.exception
    assert found() == []
    assert not any(mentions(entry, hashes) for place in kept._entries for entry, _ in kept.items(place))
    assert not any(mentions(entry, hashes) for entry in jobs._jobs)
    gc.collect()
    assert [is_gone(each) for each in alive] == [True] * 4


def test_what_another_server_deleted_or_renamed_leaves_this_ones_memory(monkeypatch):
    dataset, other = make_dataset(n_users=48), make_dataset(n_users=49)
    gone, renamed = (store.keep_own(each, invented_report(each), "tester")[0] for each in (dataset, other))
    store.derived(("towers", dataset.content_hash), lambda: 1)
    kept_work().remove_dataset(gone, "tester")
    kept_work().rename_dataset(renamed, "tester", "Renamed elsewhere")
    monkeypatch.setattr(store, "_last_look", -1e9)
    store.forget_removed()
    assert not kept.has("uploads", gone)
    assert not kept.has("results", ("towers", dataset.content_hash))
    assert store.own_dataset(renamed, "tester").dataset.name == "Renamed elsewhere"
    store.remove_own(renamed, "tester")


def test_finished_curves_outlive_the_server(monkeypatch):
    dataset = make_dataset(n_users=50)
    key, _ = store.keep_own(dataset, invented_report(dataset), "tester")
    model = fit(dataset.ratings, preset("recommended", n_stereotypes=2))

    class Silent:
        def report(self, share, step):
            pass

    experiment = Experiment.of(dataset, model)
    before = evaluate_held_out(experiment, Silent())
    monkeypatch.setattr("dashboard.compute.evaluations.kept", other := type(kept)(kept._limits))
    monkeypatch.setattr(kept_results, "kept", other)
    again = experiment.held_out
    assert again is not before
    for one, same in zip(before.evaluation.folds, again.evaluation.folds, strict=True):
        assert one.scores == same.scores
        assert one.sweeps == same.sweeps
        assert one.training_errors.tolist() == same.training_errors.tolist()
    assert again.evaluation.options == before.evaluation.options
    assert [(peer.name, peer.folds) for peer in again.means] == [(peer.name, peer.folds) for peer in before.means]
    assert experiment.known([2, 3]).evaluations[2].scores == before.evaluation.scores
    store.remove_own(key, "tester")
    other.remove_mentioning({dataset.ratings.content_hash, dataset.content_hash})
    assert experiment.held_out is None


def test_a_fit_that_was_interrupted_waits_to_be_run_again(page):
    dataset = make_dataset(n_users=51)
    key = store.model_key(dataset, preset("recommended", n_stereotypes=3), 7)
    another_run(kept_work()).begin("tester", key, str(key[1]), "A fit")
    app = page("stereotypes", dataset, seed=7)
    assert "This fit was interrupted, because the server stopped" in texts(app)
    assert store.known_model(key) is None
    press(app, "Run again")
    assert "interrupted" not in texts(app)
    assert store.known_model(key) is not None


def test_a_long_job_is_noted_while_it_runs():
    dataset = make_dataset(n_users=52)
    key, go_on = ("endless", dataset.content_hash), []

    def work(job):
        while not go_on:
            job.report(0.5, "waiting")
            time.sleep(0.01)

    job = jobs.start(key, "Endless", work, "somebody", "long")
    jobs.remember(job, "tester")
    seen = "SELECT count(*) FROM jobs WHERE title = 'Endless'"
    with kept_work()._database.connect() as connection:
        assert connection.exec_driver_sql(seen).scalar() == 1
    go_on.append(True)
    assert job.wait(20)
    with kept_work()._database.connect() as connection:
        assert connection.exec_driver_sql(seen).scalar() == 0
