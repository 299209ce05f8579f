"""Data sets and models that sessions share, and uploads that they do not."""

import pytest

from dashboard.compute import store
from dashboard.storage import kept_work
from nnm_core import Model, preset
from nnm_core.datasets.synthetic import demo, invented_report
from tests.dashboard.storage.test_records import small


def test_uploads_are_for_their_owner_only():
    dataset = demo().dataset
    key, _ = store.keep_own(dataset, invented_report(dataset), "ann")
    assert store.own_dataset(key, "ann").dataset is dataset
    assert store.own_dataset(key, "bob") is None
    assert key not in store.own_names("bob")
    store.remove_own(key, "bob")
    assert store.own_dataset(key, "ann") is not None
    store.remove_own(key, "ann")
    assert store.own_dataset(key, "ann") is None


@pytest.mark.parametrize(("here", "near"), [(1, [2]), (3, [4, 2]), (256, [255])])
def test_only_models_that_there_can_be_are_fitted_ahead(monkeypatch, here, near):
    options = preset("recommended", n_stereotypes=here)  # and a seed that no other test fits
    monkeypatch.setattr(store, "expected_seconds", lambda *_: 0.1)
    assert [each.n_stereotypes for each in store.quick_neighbours(demo().dataset, options, 987_654)] == near
    monkeypatch.setattr(store, "expected_seconds", lambda *_: 9.0)
    assert store.quick_neighbours(demo().dataset, options, 987_654) == []


def test_what_another_tab_still_computes_from_removed_data_is_forgotten_too(monkeypatch):
    """Its page was running with the data in hand while they were deleted."""
    dataset, options = small(seed=91), preset("paper", n_stereotypes=2)
    key, _ = store.keep_own(dataset, invented_report(dataset), "ann")
    store.remove_own(key, "ann")
    model_key = store.model_key(dataset, options, 0)
    assert isinstance(store.model(dataset, options, 0, "another tab", patience=60), Model)
    assert store.known_model(model_key) is not None
    monkeypatch.setattr(store, "_last_look", float("-inf"))
    store.forget_removed()
    assert store.known_model(model_key) is None
    again, _ = store.keep_own(dataset, invented_report(dataset), "ann")  # who changed their mind
    store.model(dataset, options, 0, "another tab", patience=60)
    monkeypatch.setattr(store, "_last_look", float("-inf"))
    store.forget_removed()
    assert store.known_model(model_key) is not None
    store.remove_own(again, "ann")


def test_two_tabs_rename_and_delete_the_same_data():
    dataset = small(seed=92)
    key, _ = store.keep_own(dataset, invented_report(dataset), "ann")
    for name in ("First", "Second"):
        store.rename_own(key, "ann", name)
    assert store.own_names("ann")[key] == kept_work().dataset_name(key, "ann") == "Second"
    store.remove_own(key, "ann")
    store.rename_own(key, "ann", "Third")  # the other tab still shows it
    store.remove_own(key, "ann")
    assert key not in store.own_names("ann")
    assert store.own_dataset(key, "ann") is None
