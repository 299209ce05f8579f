"""The vector sums against numpy's."""

import numpy as np
import pytest

from nnm_core._kernels.gram import LANES, add_outer_products, add_targets, empty_gram, partner_rows


@pytest.mark.parametrize("dim", [*range(1, 18), 24, 31, 32, 33, 64, 100])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 100])
def test_sums_are_those_of_plain_algebra(dim, n):
    rng = np.random.default_rng(100 * dim + n)
    factors, targets = rng.standard_normal((50, dim)), rng.standard_normal(n + 3)
    partners = rng.integers(0, 50, n).astype(np.int32)
    gram = empty_gram(dim)
    add_outer_products(partner_rows(factors), partners, 0, n, targets, dim, gram)
    mine, y = factors[partners], targets[:n]
    assert np.triu(gram[:dim, :dim]) == pytest.approx(np.triu(mine.T @ mine), abs=1e-12)
    assert gram[-1, :dim] == pytest.approx(y @ mine, abs=1e-12)
    assert gram[-1, -1] == pytest.approx(y @ y, abs=1e-12)
    with_targets = empty_gram(dim)
    add_targets(partner_rows(factors), partners, 0, n, targets, dim, with_targets)
    assert with_targets[-1, :dim] == pytest.approx(gram[-1, :dim], abs=1e-12)
    assert with_targets[-1, -1] == gram[-1, -1]


def test_chunks_add_up():
    rng = np.random.default_rng(0)
    rows, targets = partner_rows(rng.random((9, 5))), rng.random(6)
    partners = np.array([8, 0, 3, 3, 1, 7], dtype=np.int32)
    at_once, in_parts = empty_gram(5), empty_gram(5)
    add_outer_products(rows, partners, 0, 6, targets, 5, at_once)
    for first, last in ((0, 2), (2, 6)):
        add_outer_products(rows, partners, first, last, targets[first:], 5, in_parts)
    assert in_parts == pytest.approx(at_once, abs=1e-14)


def test_rows_are_padded_to_whole_vectors_and_begin_with_a_line():
    rows = partner_rows(np.ones((3, LANES + 1)))
    assert rows.tolist() == [[1.0] * (LANES + 1) + [0.0] * (LANES - 1)] * 3
    assert rows.ctypes.data % 64 == 0
    assert rows.flags.c_contiguous
