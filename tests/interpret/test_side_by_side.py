"""Two views side by side: parts of an audience, matching, and differences that are planted or not there."""

import numpy as np
import pytest

from nnm_core import InputError, Ratings, Scale, fit, preset
from nnm_core.datasets import Dataset, Labels
from nnm_core.interpret import compute_towers
from nnm_core.interpret.side_by_side import Side, compare_sides, part_of

TAGS = ("Action", "Comedy", "Drama", "Horror")
OPTIONS = preset("recommended", n_stereotypes=2)


def audience(second_love: str, n: int = 150, seed: int = 0) -> Dataset:
    """People of whom half love Action; the others love Drama in one half of the audience, another tag in the other."""
    rng = np.random.default_rng(seed)
    tag_of_item = np.repeat(np.arange(4), 15)
    half = np.arange(n) < n // 2
    loved = np.where(np.arange(n) % 2 == 0, 0, np.where(half, 2, TAGS.index(second_love)))
    users, items = np.nonzero(rng.random((n, 60)) < 0.5)
    means = np.where(tag_of_item[items] == loved[users], 4.6, 2.2)
    values = np.clip(np.rint(means + rng.normal(0, 0.5, len(users))), 1, 5)
    ratings = Ratings.from_numbers(
        users, items, values, [f"u{k}" for k in range(n)], [f"i{k}" for k in range(60)], scale=Scale(1, 5, 1)
    )
    tags = Labels.from_pairs(np.arange(60), tag_of_item, TAGS, 60)
    group = Labels.from_categories({k: "early" if half[k] else "late" for k in range(n)}, n)
    return Dataset("two groups", ratings, tuple(f"Title {k}" for k in range(60)), tags, {"group": group})


def side(dataset: Dataset, options=OPTIONS, seed: int = 0) -> Side:
    model = fit(dataset.ratings, options, seed=seed, starts=4)
    return Side(model, dataset, compute_towers(model, dataset))


def halves(dataset: Dataset) -> tuple[Side, Side]:
    early = dataset.traits["group"].member[:, [0]].toarray().ravel() > 0
    return side(part_of(dataset, early, "early")), side(part_of(dataset, ~early, "late"))


def test_a_part_has_its_people_and_their_ratings_and_nothing_else():
    dataset = audience("Horror")
    early = dataset.traits["group"].member[:, [0]].toarray().ravel() > 0
    part = part_of(dataset, early, "early")
    ratings = dataset.ratings
    assert part.ratings.user_ids == tuple(f"u{k}" for k in range(75))
    assert part.ratings.item_ids == ratings.item_ids
    assert len(part.ratings) == early[ratings.users].sum()
    assert part.ratings.values.sum() == ratings.values[early[ratings.users]].sum()
    assert part.traits["group"].counts.tolist() == [75, 0]
    with pytest.raises(InputError, match="Nobody in 'none' has rated"):
        part_of(dataset, np.zeros(150, dtype=bool), "none")


def test_a_planted_difference_between_two_parts_is_found_and_named():
    found = compare_sides(*halves(audience("Horror")))
    action = int(found.first[found.tags.index("Action")].argmax())
    other = 1 - action
    assert found.differs[:, other].tolist() == [False, False, True, True]
    assert found.change(other)[found.tags.index("Horror")] > 0.2
    assert found.change(other)[found.tags.index("Drama")] < -0.2
    assert "Horror more" in found.in_words(other)
    assert "Drama less" in found.in_words(other)


def test_parts_with_the_same_tastes_do_not_differ():
    for seed in range(5):
        found = compare_sides(*halves(audience("Drama", seed=seed)))
        assert not found.differs.any()
        assert found.in_words(0).endswith("No difference in taste beyond chance.")


def test_another_number_of_stereotypes_leaves_one_unmatched():
    dataset = audience("Horror")
    two, three = side(dataset), side(dataset, preset("recommended", n_stereotypes=3))
    found = compare_sides(two, three)
    assert sorted([*found.matches.tolist(), *found.unmatched]) == [0, 1, 2]
    back = compare_sides(three, two)
    assert (back.matches == -1).sum() == 1
    lonely = int(np.flatnonzero(back.matches == -1)[0])
    assert back.in_words(lonely) == "The other view has no stereotype like this one."
    assert not back.differs[:, lonely].any()


def test_data_of_other_items_are_matched_by_their_common_tags():
    first, second = audience("Drama"), audience("Drama", seed=1)
    renamed = Ratings.from_numbers(
        second.ratings.users, second.ratings.items, second.ratings.values, second.ratings.user_ids,
        [f"other{k}" for k in range(60)], scale=second.ratings.scale,
    )  # fmt: skip
    other = Dataset("other", renamed, second.titles, second.tags)
    found = compare_sides(side(first), side(other))
    assert not found.differs.any()
    assert [found.first[:, k].argmax() == found.second[:, found.matches[k]].argmax() for k in range(2)] == [True, True]
    without = Dataset("bare", renamed, second.titles, Labels.none(60))
    with pytest.raises(InputError, match="0 tags in common"):
        compare_sides(side(first), side(without))


def test_random_halves_of_the_bundled_people_hardly_ever_differ(bundled):
    """The two halves have the same tastes, whatever two separate fits make of them."""
    n_differ = 0
    for seed in range(200, 206):
        first = np.random.default_rng(seed).random(bundled.ratings.n_users) < 0.5
        parts = [part_of(bundled, people, "half") for people in (first, ~first)]
        models = [fit(part.ratings, preset("recommended", n_stereotypes=3)) for part in parts]
        sides = [Side(model, part, compute_towers(model, part)) for model, part in zip(models, parts, strict=True)]
        n_differ += compare_sides(*sides).differs.any()
    assert n_differ <= 1
