"""Ratings are the same whatever order and type they came in, and refuse what cannot be used."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnm_core import InputError, Ratings, Scale

ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
tables = st.dictionaries(st.tuples(ids, ids), st.sampled_from([1.0, 2.0, 3.5, 4.0, 5.0]), min_size=1, max_size=40)


def of(table, **options):
    pairs = list(table)
    return Ratings.from_arrays([u for u, _ in pairs], [i for _, i in pairs], list(table.values()), **options)


@given(table=tables, seed=st.integers(0, 100))
@settings(max_examples=200)
def test_what_goes_in_comes_out_in_any_order(table, seed):
    scale = Scale(1, 5, 0.5)
    ratings = of(table, scale=scale)
    found = {
        (ratings.user_ids[u], ratings.item_ids[i]): value
        for u, i, value in zip(ratings.users, ratings.items, ratings.values, strict=True)
    }
    assert found == table
    shuffled = [list(table.items())[k] for k in np.random.default_rng(seed).permutation(len(table))]
    assert of(dict(shuffled), scale=scale).content_hash == ratings.content_hash


@given(table=tables)
def test_both_orientations_agree(table):
    ratings = of(table, scale=Scale(1, 5, 0.5))
    by_user = set(zip(ratings.users, ratings.items, ratings.by_user.codes, strict=True))
    by_item = set(zip(ratings.by_item.partners, ratings.by_item.rows, ratings.by_item.codes, strict=True))
    assert by_user == by_item
    assert ratings.by_user.counts.sum() == ratings.by_item.counts.sum() == len(table)
    for side in (ratings.by_user, ratings.by_item):
        for row in range(len(side.starts) - 1):
            assert (np.diff(side.partners[side.of(row)]) > 0).all()


def test_ids_stay_text_and_whole_numbers_are_ordered_as_numbers():
    ratings = Ratings.from_arrays([10, 9, 100], ["b", "a", "007"], [1, 2, 3])
    assert ratings.user_ids == ("9", "10", "100")
    assert ratings.item_ids == ("007", "a", "b")
    assert ratings.user_index["100"] == 2


def test_text_and_number_ids_give_the_same_ratings():
    as_text = Ratings.from_arrays(["1", "2"], ["5", "6"], [1, 2])
    as_numbers = Ratings.from_arrays(np.array([1, 2]), [5, 6], [1.0, 2.0])
    assert as_text.content_hash == as_numbers.content_hash


def test_the_hash_depends_on_everything():
    base = Ratings.from_arrays(["a", "b"], ["x", "y"], [1, 5])
    others = [
        Ratings.from_arrays(["a", "c"], ["x", "y"], [1, 5]),
        Ratings.from_arrays(["a", "b"], ["x", "z"], [1, 5]),
        Ratings.from_arrays(["a", "b"], ["x", "y"], [5, 1]),
        Ratings.from_arrays(["a", "b"], ["x", "y"], [1, 5], scale=Scale(1, 5)),
        Ratings.from_arrays(["a", "b"], ["y", "x"], [1, 5]),
    ]
    assert len({ratings.content_hash for ratings in [base, *others]}) == 6


def test_arrays_are_read_only_and_small(small):
    side = small.by_user
    assert side.partners.dtype == np.int32
    assert side.codes.dtype == np.uint8
    for array in (side.starts, side.partners, side.codes, small.levels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_subset_keeps_ids_and_scale(small):
    none_of_first = small.subset(small.users != 0)
    assert none_of_first.user_ids == small.user_ids
    assert none_of_first.scale == small.scale
    assert none_of_first.by_user.counts[0] == 0
    assert none_of_first.content_hash != small.content_hash


def test_ratings_among_some_users_and_items_are_those_of_them_alone(small):
    users, items = np.arange(1, small.n_users), np.array([0, small.n_items - 1])
    some = small.among(users, items)
    assert some.user_ids == small.user_ids[1:]
    assert some.item_ids == (small.item_ids[0], small.item_ids[-1])
    given = {(u, i): v for u, i, v in zip(small.users, small.items, small.values, strict=True) if u and i in items}
    found = zip(users[some.users], items[some.items], some.values, strict=True)
    assert {(u, i): v for u, i, v in found} == given
    assert some.scale == small.scale


@pytest.mark.parametrize(("rule", "kept"), [("first", 1.0), ("last", 5.0), ("mean", 3.0)])
def test_duplicates_are_resolved_as_asked(rule, kept):
    ratings = Ratings.from_arrays(
        ["a", "b", "a", "a"], ["x", "x", "x", "y"], [1, 2, 5, 4], scale=Scale(1, 5), duplicates=rule
    )
    assert len(ratings) == 3
    assert ratings.values[0] == kept


def test_continuous_ratings_keep_their_exact_values():
    values = np.random.default_rng(1).normal(size=500)
    ratings = Ratings.from_arrays(np.arange(500), np.arange(500), values)
    assert ratings.scale.is_continuous
    assert ratings.values.tolist() == values.tolist()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([], [], []), "no ratings"),
        ((["a"], ["x"], [np.nan]), r"1 of 1 ratings are not finite.*rating 1 \(nan\)"),
        ((["a", "b"], ["x", "x"], [1, np.inf]), r"rating 2 \(inf\)"),
        ((["a", "b"], ["x"], [1, 2]), "equally long, not 2, 1 and 2"),
        ((["a", None], ["x", "y"], [1, 2]), "Rating 2 has no user id"),
        ((["a", "a"], ["x", "x"], [1, 2]), r"repeat a user and an item.*'a' with item 'x'.*duplicates='first'"),
        ((["a", "b"], ["x", "x"], [4, 4]), "Every rating is 4"),
    ],
)
def test_bad_columns_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        Ratings.from_arrays(*columns)


def test_ratings_that_do_not_fit_the_scale_are_refused():
    with pytest.raises(InputError, match=r"outside the scale from 1 to 5.*rating 2 \(6\)"):
        Ratings.from_arrays(["a", "b"], ["x", "x"], [1, 6], scale=Scale(1, 5))
    with pytest.raises(InputError, match=r"Rating 2 \(2.5\) lies between the levels"):
        Ratings.from_arrays(["a", "b"], ["x", "x"], [1, 2.5], scale=Scale(1, 5))


def test_choices_among_values_give_the_same_as_the_values_themselves():
    rng = np.random.default_rng(3)
    cells = rng.permutation(40 * 30)[:700]
    users, items = (cells // 30).astype(np.int32), (cells % 30).astype(np.int32)
    user_ids, item_ids = [f"u{k}" for k in range(40)], [f"i{k}" for k in range(30)]
    choices = rng.integers(0, 5, 700)
    for values, scale in (([4, np.nan, 1, 3, 5, 2], Scale(1, 5)), ([0.1, 0.25, -1, 7, 0.11, np.nan], Scale(-1, 7, 0))):
        array = np.array(values)
        chosen = np.where(np.isnan(array[choices]), 0, choices)
        one = Ratings.from_codes(users, items, chosen, array, user_ids, item_ids, scale=scale)
        other = Ratings.from_numbers(users, items, array[chosen], user_ids, item_ids, scale=scale)
        assert one.content_hash == other.content_hash
        for side in ("by_user", "by_item"):
            for name in ("starts", "partners", "codes"):
                assert np.array_equal(getattr(getattr(one, side), name), getattr(getattr(other, side), name))


def test_bad_choices_are_told_of_the_rating_that_has_them():
    ids, numbers = ["a", "b", "c"], np.arange(3)
    with pytest.raises(InputError, match=r"Rating 3 \(2.5\) lies between the levels"):
        Ratings.from_codes(numbers, numbers, np.array([1, 1, 0]), np.array([2.5, 1]), ids, ids, scale=Scale(1, 5))
    with pytest.raises(InputError, match=r"1 ratings repeat a user and an item, the first is user 'b' with item 'b'"):
        Ratings.from_codes(
            np.array([1, 0, 1]),
            np.array([1, 1, 1]),
            np.array([0, 0, 1]),
            np.array([1.0, 2.0]),
            ids,
            ids,
            scale=Scale(1, 5),
        )


def test_the_same_item_by_two_users_in_a_row_is_no_repeat():
    ratings = Ratings.from_arrays(["a", "b", "c"], ["x", "x", "x"], [1, 2, 3])
    assert len(ratings) == 3


def test_both_sides_hold_the_same_ratings_in_order():
    rng = np.random.default_rng(4)
    cells = rng.permutation(90 * 70)[:2000]
    users, items, values = cells // 70, cells % 70, rng.integers(1, 6, 2000)
    names = [str(k) for k in range(90)]
    ratings = Ratings.from_numbers(users, items, values, names, names[:70], scale=Scale(1, 5))
    for side, rows, partners in ((ratings.by_user, users, items), (ratings.by_item, items, users)):
        order = np.lexsort([partners, rows])
        assert np.array_equal(side.rows, rows[order])
        assert np.array_equal(side.partners, partners[order])
        assert np.array_equal(ratings.levels[side.codes], values[order])


def test_positions_outside_the_ids_are_refused():
    with pytest.raises(InputError, match="user number 2, but there are 2 user ids"):
        Ratings.from_numbers(np.array([0, 2]), np.array([0, 0]), [1, 2], ["a", "b"], ["x"])
    with pytest.raises(InputError, match="Two users have the id 'a'"):
        Ratings.from_numbers(np.array([0, 1]), np.array([0, 0]), [1, 2], ["a", "a"], ["x"])
