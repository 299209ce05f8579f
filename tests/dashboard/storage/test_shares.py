"""Shared views: what they show, for how long, and that they go with what they were made of."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sql

from dashboard.storage import KeptWork, SharedView, references
from dashboard.storage.database import SHARES, transaction
from nnm_core import fit, preset
from nnm_core.cli.server_settings import Settings
from nnm_core.datasets.synthetic import invented_report
from nnm_core.errors import DataError
from nnm_core.interpret.text.portraits import with_names
from tests.dashboard.storage.test_records import reopened, small

A_MONTH = timedelta(days=30)


@pytest.fixture
def work(tmp_path) -> KeptWork:
    return reopened(tmp_path)


def view_of(dataset, data="key", names=("Fans", "")) -> SharedView:
    model = with_names(fit(dataset.ratings, preset("paper", n_stereotypes=2)), dict(enumerate(names)))
    return SharedView(data, "Our club", "hierarchy", dataset, invented_report(dataset), model)


def files(folder) -> list[str]:
    return [path.name for path in (folder / "blobs").rglob("*") if path.is_file()]


def test_a_share_shows_what_was_there_when_it_was_made(work, tmp_path):
    dataset = small(seed=1)
    work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    view = view_of(dataset)
    token = work.shares.make("ann", view, may_download=False, lasts=A_MONTH)
    work.rename_dataset("key", "ann", "Another name")
    share = reopened(tmp_path).shares.find(token)
    assert (share.title, share.page, share.may_download, share.data) == ("Our club", "hierarchy", False, "key")
    assert abs(share.expires - datetime.now(UTC) - A_MONTH) < timedelta(minutes=5)
    again, report, model = reopened(tmp_path).shares.content(share)
    assert again.content_hash == dataset.content_hash
    assert report == invented_report(dataset)
    assert model.given_names == ("Fans", "")
    assert (model.mixtures == view.model.mixtures).all()
    assert work.dataset("key", "ann")[0].name == "Another name"


def test_a_token_has_192_bits_and_only_its_hash_is_kept(work, tmp_path):
    tokens = {work.shares.make("ann", view_of(small()), may_download=True, lasts=None) for _ in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {32}  # 6 bits each
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("nnm.sqlite*"))
    assert not [token for token in tokens if token.encode() in stored]


@pytest.mark.parametrize("token", ["", "unknown", "\ud83c", "' OR 1=1 --", "x" * 10_000])
def test_an_unknown_token_leads_nowhere(work, token):
    work.shares.make("ann", view_of(small()), may_download=True, lasts=None)
    assert work.shares.find(token) is None


def test_an_id_is_no_token(work):
    token = work.shares.make("ann", view_of(small()), may_download=True, lasts=None)
    (share,) = work.shares.listed("ann")
    assert work.shares.find(share.id) is None
    assert work.shares.find(token) == share


def test_only_the_owner_lists_and_revokes_and_then_it_is_gone(work, tmp_path):
    token = work.shares.make("ann", view_of(small()), may_download=True, lasts=None)
    (share,) = work.shares.listed("ann")
    assert work.shares.listed("bob") == []
    assert not work.shares.revoke(share.id, "bob")
    assert work.shares.find(token) is not None
    assert work.shares.revoke(share.id, "ann")
    assert work.shares.find(token) is None
    assert files(tmp_path) == []


def test_what_has_expired_is_gone_at_once_and_removed_later(work, tmp_path):
    token = work.shares.make("ann", view_of(small()), may_download=True, lasts=timedelta(seconds=-1))
    assert work.shares.find(token) is None
    assert [share.has_expired for share in work.shares.listed("ann")] == [True]  # its owner can see why it is gone
    work.sweep()
    assert len(work.shares.listed("ann")) == 1
    with transaction(work._database) as connection:
        connection.execute(SHARES.update().values(expires=datetime.now(UTC) - timedelta(days=8)))
    work.sweep()
    assert work.shares.listed("ann") == []
    assert files(tmp_path) == []


def test_shares_go_with_the_data_of_their_owner_and_with_nobody_elses(work, tmp_path):
    dataset, tokens = small(seed=2), {}
    for owner in ("ann", "bob"):
        work.keep_dataset(f"of {owner}", owner, dataset, invented_report(dataset))
        tokens[owner] = work.shares.make(owner, view_of(dataset, f"of {owner}"), may_download=True, lasts=None)
    (shared,) = work.shares.listed("ann")
    assert work.remove_dataset("of ann", "ann") == [shared.id]
    assert work.shares.find(tokens["ann"]) is None
    assert work.shares.content(work.shares.find(tokens["bob"]))[0].content_hash == dataset.content_hash
    work.remove_dataset("of bob", "bob")
    assert files(tmp_path) == []
    assert work.check() == []


def test_a_share_outlives_neither_quota_nor_missing_room(work, monkeypatch):
    monkeypatch.setattr(references, "current", lambda: Settings(quota_mb=0))
    with pytest.raises(DataError, match="You may keep 0"):
        work.shares.make("ann", view_of(small()), may_download=True, lasts=None)
    assert work.shares.listed("ann") == []


def test_the_same_content_counts_once(work):
    dataset = small(seed=3)
    work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    alone = work.usage("ann")
    assert alone == work.datasets("ann")[0].n_bytes
    for _ in range(3):
        work.shares.make("ann", view_of(dataset), may_download=True, lasts=None)
    (share, *_) = work.shares.listed("ann")
    assert work.usage("ann") == share.n_bytes > alone  # the data again, and one model
    assert work.usage("bob") == 0


def test_a_model_that_comes_after_its_data_are_removed_is_not_kept(work, tmp_path):
    dataset = small(seed=4)
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    work.keep_model("late", dataset.ratings.content_hash, model, named=False)
    work.keep_result("late", dataset.ratings.content_hash, 1.0, named=False)
    assert work.model("late") is None
    assert work.results(["late"]) == {}
    assert files(tmp_path) == []


def test_models_are_listed_for_whoever_has_the_data(work):
    dataset = small(seed=5)
    work.keep_dataset("key", "ann", dataset, invented_report(dataset))
    model = fit(dataset.ratings, preset("paper", n_stereotypes=2))
    work.keep_model("fit", dataset.ratings.content_hash, model, "two stereotypes", named=False)
    (listed,) = work.models("key", "ann")
    assert listed.title == "two stereotypes"
    assert work.models("key", "bob") == []
    work.remove_model(listed.key, "key", "bob")
    assert work.model("fit") is not None
    work.remove_model(listed.key, "key", "ann")
    assert work.model("fit") is None
    assert work.check() == []


def test_a_store_of_the_first_version_is_brought_up_to_date(tmp_path):
    from alembic import command
    from alembic.config import Config

    from dashboard.storage import database

    engine, config = sql.create_engine(f"sqlite:///{tmp_path}/nnm.sqlite"), Config()
    config.set_main_option("script_location", f"{database.__file__.removesuffix('database.py')}migrations")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql(
            "INSERT INTO models VALUES ('fit', 'hash', 'digest', 10, '2026-01-01 00:00:00.000000')"
        )
    engine.dispose()
    work = reopened(tmp_path)
    assert [fault.key for fault in work.check()] == ["digest"]
    assert work.shares.listed("ann") == []
