"""Who may see and change what: the owner, another account and a stranger, against everything that can be owned."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from dashboard import session
from dashboard.compute import downloads, jobs, own_work, sharing, store
from dashboard.compute.downloads import Offer
from dashboard.compute.sharing import SharedView
from dashboard.serving import owner_cookie
from dashboard.storage import kept_work
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import invented_report
from tests.dashboard.storage.test_records import small
from tests.dashboard.storage.test_running import another_run
from tests.dashboard.test_downloads import fetch

STRANGERS = ["", store.ONE_SESSION + "stranger"]  # without a cookie, and without one that this server signed


@dataclass
class Mine:
    """What somebody has, of every kind."""

    owner: str
    cookie: str
    data: str
    model_key: tuple
    job: tuple
    file: str
    share: str
    token: str


def known_visitor():
    value = owner_cookie.issue()
    return f"{owner_cookie.name()}={value}", owner_cookie.owner_of(value)


@pytest.fixture
def mine():
    cookie, owner = known_visitor()
    dataset = small(seed=77)
    data, problem = store.keep_own(dataset, invented_report(dataset), owner)
    assert not problem
    options = preset("paper", n_stereotypes=2)
    model, key = fit(dataset.ratings, options), store.model_key(dataset, options, 0)
    kept_work().keep_model((*key, store.PROGRAM), str(key[1]), model, "a model", named=False)
    store.keep_names(owner, key, ["Fans", "Others"])
    job = ("curve", *key)
    another_run(kept_work()).begin(owner, job, str(key[1]), "A curve")
    another_run(kept_work()).begin(owner, ("upload", "a session"), "", "club.csv")
    file = downloads.offer("ratings", Offer("a session", owner, lambda: b"ratings", "ratings.csv", "text/csv"))
    view = SharedView(data, "Ours", "", dataset, invented_report(dataset), model)
    token = sharing.make(owner, view, may_download=False, lasts=timedelta(days=1))
    (share,) = sharing.listed(owner)
    yield Mine(owner, cookie, data, key, job, file, share.id, token)
    store.remove_own(data, owner)
    own_work.remove_rest(owner)
    assert own_work.interrupted_imports(owner) == []
    jobs.discard_mentioning([key])


@pytest.fixture
def become(monkeypatch):
    def set_owner(owner):
        monkeypatch.setattr(session, "owner", lambda: owner)

    return set_owner


SEEN = {
    "data": lambda mine, who, _: store.own_dataset(mine.data, who) is not None,
    "data, by the key of any data": lambda mine, who, _: store.known_dataset(mine.data, who) is not None,
    "name of the data": lambda mine, who, _: mine.data in store.own_names(who),
    "list of work": lambda mine, who, _: any(each.models for each in own_work.datasets(who)),
    "model": lambda mine, who, _: bool(kept_work().models(mine.data, who)),
    "names": lambda mine, who, _: store.kept_names(who, mine.model_key) == ("Fans", "Others"),
    "job": lambda mine, who, _: session.is_interrupted(mine.job),
    "interrupted import": lambda mine, who, _: (
        [each.title for each in own_work.interrupted_imports(who)] == ["club.csv"]
    ),
    "export": lambda mine, who, cookie: fetch(mine.file, cookie)[0] == 200,
    "share": lambda mine, who, _: bool(sharing.listed(who)),
    "size": lambda mine, who, _: own_work.usage(who)[0] > 0,
}


@pytest.mark.parametrize("what", SEEN)
def test_only_the_owner_sees(mine, become, what):
    become(mine.owner)
    assert SEEN[what](mine, mine.owner, mine.cookie)
    cookie, other = known_visitor()
    for who, their_cookie in ((other, cookie), *((stranger, "") for stranger in STRANGERS)):
        become(who)
        assert not SEEN[what](mine, who, their_cookie), who


CHANGES = {
    "delete data": lambda mine, who: store.remove_own(mine.data, who),
    "rename data": lambda mine, who: store.rename_own(mine.data, who, "Stolen"),
    "delete a model": lambda mine, who: [
        own_work.remove_model(model, own_work.OwnData(mine.data, "Ours"), who)
        for model in kept_work().models(mine.data, mine.owner)
    ],
    "give names": lambda mine, who: store.keep_names(who, mine.model_key, ["Stolen", ""]),
    "revoke a share": lambda mine, who: sharing.revoke(mine.share, who),
    "delete everything": lambda mine, who: own_work.remove_rest(who),
    "forget an import": lambda mine, who: [
        own_work.forget_import(who, each) for each in own_work.interrupted_imports(mine.owner)
    ],
    "withdraw exports": lambda mine, who: downloads.withdraw(who),
}


@pytest.mark.parametrize("what", CHANGES)
def test_nobody_else_changes_anything(mine, become, what):
    _, other = known_visitor()
    for who in (other, *STRANGERS):
        become(who)
        CHANGES[what](mine, who)
    become(mine.owner)
    assert [seen for seen, sees in SEEN.items() if not sees(mine, mine.owner, mine.cookie)] == []
    assert store.own_names(mine.owner)[mine.data] == "mine"
    assert sharing.find(mine.token) is not None


def test_a_share_shows_its_own_content_and_nothing_else_of_its_owner(mine):
    """Whoever has the token sees what was shared; the id alone, as the owner's list has it, is no token."""
    _, other = known_visitor()
    share = sharing.find(mine.token)
    assert store.known_dataset(sharing.SHARED + share.id, other).dataset.content_hash == share.content_hash
    assert sharing.find(mine.share) is None
    assert sharing.find(mine.data) is None
    assert store.own_dataset(share.data, other) is None
    assert store.own_dataset(sharing.SHARED + share.id, other) is None
    sharing.revoke(mine.share, mine.owner)
    assert store.known_dataset(sharing.SHARED + share.id, other) is None


def test_a_file_of_a_share_is_gone_with_it_also_where_another_server_ended_it(mine):
    cookie, other = known_visitor()
    offer = Offer("their session", other, lambda: b"ratings", "ratings.csv", "text/csv", mine.share)
    file = downloads.offer("shared ratings", offer)
    assert fetch(file, cookie)[::2] == (200, b"ratings")
    assert kept_work().shares.revoke(mine.share, mine.owner)  # in the database alone, as another server does
    assert fetch(file, cookie)[0] == 404


def test_cancelling_is_everybodys_own(mine, become):
    _, other = known_visitor()
    job = jobs.start(mine.job, "A curve", lambda job: None, "a session")
    job.wait(20)
    become(other)
    session.cancel(job)
    assert session.has_cancelled(mine.job)
    become(mine.owner)
    assert not session.has_cancelled(mine.job)
