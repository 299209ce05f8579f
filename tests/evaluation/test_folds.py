"""Folds hold every rating out once."""

import numpy as np
import pytest

from nnm_core import DataError, InputError
from nnm_core.evaluation import own_folds, random_folds, single_split


def test_every_rating_is_held_out_once(small):
    folds = random_folds(small, 5, seed=3)
    assert (np.sum(folds, axis=0) == 1).all()
    sizes = [fold.sum() for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    assert any((a != b).any() for a, b in zip(folds, random_folds(small, 5, seed=4), strict=True))
    (split,) = single_split(small, 0.1, seed=1)
    assert split.sum() == round(0.1 * len(small))


@pytest.mark.movielens
def test_movielens_own_folds_hold_every_rating_out_once(ml_100k, ml_100k_folder):
    folds = own_folds(ml_100k_folder, ml_100k.ratings)
    assert [int(fold.sum()) for fold in folds] == [20_000] * 5
    assert (np.sum(folds, axis=0) == 1).all()


def test_impossible_folds_are_refused(small, tmp_path):
    with pytest.raises(InputError, match="between 2 and the"):
        random_folds(small, 1)
    with pytest.raises(InputError, match="between 0 and 1, not 1"):
        single_split(small, 1.0)
    with pytest.raises(DataError, match=r"u1.test is missing"):
        own_folds(tmp_path, small)
    for name in ("u1", "u2", "u3", "u4", "u5"):
        (tmp_path / f"{name}.test").write_text("0\t0\t5\t0\nnobody\t0\t5\t0\n")
    with pytest.raises(DataError, match=r"u1.test, line 2: user 'nobody'"):
        own_folds(tmp_path, small)
