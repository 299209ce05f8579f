"""The vector sums against numpy's."""

import numpy as np
import pytest

from nnm_core._kernels.gram import CHUNK, add_outer_products, add_targets, empty_block, empty_gram, partner_rows
from nnm_core._kernels.vectors import LANES


@pytest.mark.parametrize("dim", [*range(1, 18), 24, 31, 32, 33, 64, 100])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 16, CHUNK])
def test_sums_are_those_of_plain_algebra(dim, n):
    rng = np.random.default_rng(100 * dim + n)
    factors, block = rng.standard_normal((50, dim)), empty_block(dim)
    block[0][:], block[1][:] = rng.standard_normal(block[0].shape), rng.standard_normal(block[1].shape)
    s, y = block[1][:, :n].copy()
    partners = rng.integers(0, 50, n + 5).astype(np.int32)
    gram = empty_gram(dim)
    add_outer_products(partner_rows(factors), partners, 3, n + 3, dim, block, gram)
    mine = factors[partners[3 : n + 3]]
    assert np.triu(gram[:dim, :dim]) == pytest.approx(np.triu(mine.T @ mine), abs=1e-12)
    assert gram[-2:, :dim] == pytest.approx(np.array([s, y]) @ mine, abs=1e-12)
    assert gram[-2:, -2:] == pytest.approx(np.array([[0.0, 0.0], [s @ y, y @ y]]), abs=1e-12)
    with_targets = empty_gram(dim)
    add_targets(partner_rows(factors), partners, 3, n + 3, dim, block, with_targets)
    assert with_targets[-2:] == pytest.approx(gram[-2:], abs=1e-12)


def test_chunks_add_up():
    rng = np.random.default_rng(0)
    rows, sides = partner_rows(rng.random((9, 5))), rng.random((2, 6))
    partners = np.array([8, 0, 3, 3, 1, 7], dtype=np.int32)

    def total(*bounds):
        gram, block = empty_gram(5), empty_block(5)
        for first, last in bounds:
            block[1][:, : last - first] = sides[:, first:last]
            add_outer_products(rows, partners, first, last, 5, block, gram)
        return gram

    assert total((0, 2), (2, 6)) == pytest.approx(total((0, 6)), abs=1e-14)


def test_rows_are_padded_to_whole_vectors_and_begin_with_a_line():
    rows = partner_rows(np.ones((3, LANES + 1)))
    assert rows.tolist() == [[1.0] * (LANES + 1) + [0.0] * (LANES - 1)] * 3
    assert rows.ctypes.data % 64 == 0
    assert rows.flags.c_contiguous
