"""The store that sessions share: bounded, and everything is computed once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dashboard.compute.bounded_store import BoundedStore, mentions


@pytest.fixture
def store():
    return BoundedStore({"arrays": (3, 10_000), "other": (3, 10_000)})


def test_a_compartment_is_bounded_in_number_and_in_bytes(store):
    store.put("other", "stays", 1)
    for k in range(5):
        store.put("arrays", k, np.zeros(10))
    assert [key for key, _ in store.items("arrays")] == [2, 3, 4]
    store.put("arrays", "large", np.zeros(1200))
    assert [key for key, _ in store.items("arrays")] == [4, "large"]
    assert store.get("arrays", 0) is None
    assert store.get("other", "stays") == 1


def test_what_was_asked_for_last_stays_longest(store):
    for k in range(3):
        store.put("arrays", k, k)
    store.get("arrays", 0)
    store.put("arrays", 3, 3)
    assert [key for key, _ in store.items("arrays")] == [2, 0, 3]


def test_what_several_ask_for_at_once_is_computed_once(store):
    runs, meet = [], threading.Barrier(4)

    def compute():
        runs.append(1)
        time.sleep(0.05)
        return 7

    def ask(_):
        meet.wait(10)
        return store.get_or_compute("other", "key", compute)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [7] * 4
    assert len(runs) == 1


def test_none_is_kept(store):
    runs = []
    for _ in range(2):
        assert store.get_or_compute("other", "nothing", lambda: runs.append(1)) is None
    assert len(runs) == 1
    assert store.has("other", "nothing")


def test_who_waits_for_what_fails_computes_it_and_meets_the_error(store):
    begun, runs = threading.Event(), []

    def fail():
        runs.append(1)
        begun.set()
        time.sleep(0.05)
        raise ValueError("no")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(store.get_or_compute, "other", "key", fail)
        assert begun.wait(10)
        second = pool.submit(store.get_or_compute, "other", "key", fail)
        for asked in (first, second):
            with pytest.raises(ValueError, match="no"):
                asked.result(10)
    assert len(runs) == 2
    assert store.get_or_compute("other", "key", lambda: 1) == 1


def test_keys_mention_their_parts():
    assert mentions(("portraits", ("fit", "abc", 3), "def"), {"abc"})
    assert mentions("abc", {"abc"})
    assert not mentions(("portraits", ("fit", "abcd", 3)), {"abc"})


def test_what_mentions_removed_data_goes_even_if_it_is_just_being_computed(store):
    begun, removed = threading.Event(), threading.Event()

    def compute():
        begun.set()
        assert removed.wait(10)
        return 1

    store.put("arrays", ("fit", "abc"), 1)
    store.put("other", ("fit", "def"), 2)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(store.get_or_compute, "other", ("towers", ("fit", "abc")), compute)
        assert begun.wait(10)
        store.remove_mentioning({"abc"})
        removed.set()
        assert asked.result(10) == 1
    assert store.items("arrays") == []
    assert [key for key, _ in store.items("other")] == [("fit", "def")]
