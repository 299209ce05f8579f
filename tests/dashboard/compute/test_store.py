"""Data sets and models that sessions share, and uploads that they do not."""

import pytest

from dashboard.compute import store
from nnm_core import preset
from nnm_core.datasets.synthetic import demo, invented_report


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
