"""Grouping and products against numpy and scipy."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from nnm_core._kernels.grouping import RatingRows, group_by_row, row_sums, transpose
from nnm_core._kernels.products import inner_products, partner_sums, row_products


@pytest.fixture(params=range(3))
def single(request):
    """Rows, partners and codes of distinct pairs in random order; some rows and partners have none."""
    rng = np.random.default_rng(request.param)
    rows, partners = np.nonzero(rng.random((30, 20)) < 0.2)
    order = rng.permutation(len(rows))
    codes = rng.integers(0, 5, len(rows)).astype(np.uint8)
    return rows[order].astype(np.int32), partners[order].astype(np.int32), codes


def test_ratings_are_grouped_as_by_a_sparse_matrix(single):
    rows, partners, codes = single
    grouped = group_by_row(rows, partners, codes, 30, 20)
    expected = csr_array((codes + 1, (rows, partners)), shape=(30, 20))
    for found, matrix in ((grouped, expected), (transpose(grouped, 20), expected.T.tocsr())):
        assert isinstance(found, RatingRows)
        matrix.sort_indices()
        np.testing.assert_array_equal(found.starts, matrix.indptr)
        np.testing.assert_array_equal(found.partners, matrix.indices)
        np.testing.assert_array_equal(found.codes + 1, matrix.data)
        np.testing.assert_array_equal(found.counts, np.diff(matrix.indptr))


def test_sums_are_those_of_plain_algebra(single):
    grouped = group_by_row(*single, 30, 20)
    values, factors = np.arange(5) / 4, np.random.default_rng(0).standard_normal((20, 3))
    dense, sums = np.zeros((30, 20)), np.empty((30, 3))
    dense[grouped.rows, grouped.partners] = 1
    partner_sums(0, 30, grouped, factors, sums)
    np.testing.assert_allclose(sums, dense @ factors, atol=1e-12)
    dense[grouped.rows, grouped.partners] = values[grouped.codes]
    np.testing.assert_allclose(row_sums(grouped, values), dense.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(inner_products(sums, dense), sums.T @ dense, atol=1e-12)
    np.testing.assert_allclose(row_products(dense, factors.T.copy()), dense @ factors, atol=1e-12)
