"""Invented data: the truth is planted, the shape is MovieLens's, and nothing changes from run to run."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nnm_core.datasets import load_dataset
from nnm_core.datasets.synthetic import GENRES, STEREOTYPES, demo, invent
from nnm_core.errors import InputError
from nnm_core.scale import Scale


@pytest.mark.parametrize(
    ("n_users", "n_items", "n_ratings"), [(50, 40, 700), (1000, 300, 20_000), (3, 4, 6), (1, 2, 1)]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_ratings_are_exactly_as_many_and_all_different(n_users: int, n_items: int, n_ratings: int, seed: int) -> None:
    invented = invent(n_users, n_items, n_ratings, seed=seed)
    pairs = invented.users.astype(np.int64) * n_items + invented.items
    assert len(invented.values) == n_ratings == len(np.unique(pairs))
    counts = np.bincount(invented.users, minlength=n_users)
    assert counts.min() >= 1
    assert counts.max() <= max(n_items // 2, 1)
    assert set(np.unique(invented.values)) <= {1, 2, 3, 4, 5}
    assert_allclose(invented.truth.mixtures.sum(axis=1), 1)
    assert invented.truth.likes.min() >= 0
    assert invented.truth.likes.max() <= 1


def test_same_seed_gives_the_same_ratings_and_another_seed_others() -> None:
    one, two, other = (invent(200, 100, 5000, seed=seed).ratings() for seed in (7, 7, 8))
    assert one.content_hash == two.content_hash != other.content_hash


def test_ratings_follow_the_planted_truth() -> None:
    invented = invent(400, 200, 30_000, seed=3, noise=0.05)
    expected = np.einsum("nd,nd->n", invented.truth.mixtures[invented.users], invented.truth.likes[invented.items])
    unit = invented.scale.to_unit(invented.values)
    assert np.sqrt(np.mean((unit - expected) ** 2)) < 0.13
    assert np.corrcoef(unit, expected)[0, 1] > 0.9


def test_few_users_and_items_have_most_of_the_ratings() -> None:
    ratings = invent(2000, 1000, 100_000, seed=1).ratings()
    for counts in (ratings.by_user.counts, ratings.by_item.counts):
        busiest = np.sort(counts)[-len(counts) // 10 :].sum()
        assert 0.3 < busiest / len(ratings) < 0.75


def test_other_scales_are_met() -> None:
    invented = invent(100, 60, 2000, scale=Scale(0.5, 5, 0.5))
    assert set(np.unique(invented.values)) <= set(np.arange(1, 11) / 2)


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be invented"):
        invent(10, 10, 60)
    with pytest.raises(InputError, match="cannot be invented"):
        invent(10, 10, 5)


def test_demo_is_what_it_promises() -> None:
    made = demo()
    dataset, truth = made.dataset, made.truth
    assert dataset.ratings.n_items == 60 == len(set(dataset.titles))
    assert dataset.tags.names == GENRES
    assert truth.mixtures.shape == (150, len(STEREOTYPES))
    assert truth.likes.shape == (60, len(STEREOTYPES))
    clear = (truth.mixtures.max(axis=1) > 0.75).mean()
    assert clear > 0.7, "most people must be near one stereotype"
    ratings = dataset.ratings
    expected = np.einsum("nd,nd->n", truth.mixtures[ratings.users], truth.likes[ratings.items])
    assert np.corrcoef(ratings.values, expected)[0, 1] > 0.9


def test_demo_stereotypes_like_their_genres() -> None:
    made = demo()
    member = made.dataset.tags.member.toarray().astype(float)
    taste = (member.T @ made.truth.likes) / member.sum(axis=0)[:, None]
    favourites = {STEREOTYPES[d]: GENRES[k] for d, k in enumerate(taste.argmax(axis=0))}
    assert favourites == {"the thrill seeker": "Horror", "the romantic": "Romance", "the parent": "Family"}


def test_demo_comes_through_the_door_and_never_changes() -> None:
    dataset, report = load_dataset("demo")
    assert dataset is demo().dataset
    assert report.rows_kept == len(dataset.ratings) == 4840
    assert dataset.content_hash.startswith("697679d1b2842c9a")
