"""Towers of items: where a stereotype's taste for a single item is more than chance.

Standard errors from the fit itself would be far too small, because everybody's mixture was chosen to explain the very
ratings that are tested: on random ratings about one bar in twenty would pass even a Bonferroni test. So half of the
items are set aside, a model of the other half gives everybody's mixture, and the ratings of the items that were set
aside are regressed on these mixtures, in which they have had no part. Then the halves change places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtr

from nnm_core.datasets.dataset import Dataset
from nnm_core.fitting.fit_model import fit
from nnm_core.fitting.progress import Callback
from nnm_core.interpret.audience import check_same_rows, taste_shares
from nnm_core.interpret.compare import match_stereotypes
from nnm_core.interpret.exemplars import item_taste, widely_known
from nnm_core.interpret.towers import CHANCE, RATINGS_PER_STEREOTYPE
from nnm_core.model import Model
from nnm_core.options import FitOptions, preset
from nnm_core.types import BoolArray, FloatArray, IntArray

_RIDGE = 1.0  # ratings' worth of pull toward the same liking by all stereotypes
_USUAL = 10.0  # ratings' worth of the usual variance, which is mixed into an item's own


@dataclass(frozen=True, slots=True, eq=False)
class ItemChance:
    """The taste of each stereotype for each item, tested on ratings that had no part in finding the tastes.

    ``rows`` (n_tested,): the items that were tested, those that are widely known. ``expected`` (n_tested,
    n_stereotypes): their taste in the model; ``taste`` and ``errors``: the same found again, with its standard error.
    ``freedom`` (n_tested,): degrees of freedom of the errors.
    """

    rows: IntArray
    n_items: int
    expected: FloatArray
    taste: FloatArray
    errors: FloatArray
    freedom: FloatArray

    @property
    def is_clear(self) -> BoolArray:
        """Where taste is more than chance and leans as it does in the model, (n_items, n_stereotypes).

        Of the places that are called clear, at most a share of ``CHANCE`` are expected to be wrong (Benjamini and
        Hochberg); where nobody has any taste at all, that is how likely it is that there is any such place.
        """
        z = np.divide(self.taste, self.errors, out=np.zeros_like(self.taste), where=self.errors > 0)
        chances = 2 * stdtr(self.freedom[:, None], -np.abs(z))
        ranked = np.sort(chances, axis=None)
        below = np.flatnonzero(ranked <= CHANCE * np.arange(1, ranked.size + 1) / max(ranked.size, 1))
        found = np.zeros((self.n_items, self.taste.shape[1]), dtype=np.bool_)
        if len(below):
            found[self.rows] = (chances <= ranked[below[-1]]) & (np.sign(z) == np.sign(self.expected))
        return found


def measure_item_chance(model: Model, dataset: Dataset, *, callback: Callback | None = None) -> ItemChance:
    """Test where the taste for single items is more than chance; fits two models of half of the items each.

    ``callback`` is called after every iteration of both fits; returning False cancels.

    >>> bool(measure_item_chance(model, dataset).is_clear.any())
    True
    """
    check_same_rows(model, dataset.ratings)
    counts, n = dataset.ratings.by_item.counts, model.n_stereotypes
    tested = widely_known(dataset) & (counts > 0)
    is_first = np.zeros(len(counts), dtype=np.bool_)
    is_first[np.argsort(-counts, kind="stable")[::2]] = True  # so that both halves have items of every popularity
    taste, errors, freedom = np.zeros((len(counts), n)), np.zeros((len(counts), n)), np.ones(len(counts))
    for half in (is_first, ~is_first) if n > 1 else ():
        rest = dataset.ratings.subset(~half[dataset.ratings.items])
        rows = np.flatnonzero(half & tested)
        if len(rest) and len(rows):
            other = fit(rest, _options(model.options), seed=model.seed, callback=callback)
            found = _regress(other, dataset, rows, _matched(model, other), taste_shares(model))
            taste[rows], errors[rows], freedom[rows] = found
    rows = np.flatnonzero(tested)
    expected = item_taste(model, dataset)[rows]
    return ItemChance(rows, len(counts), expected, taste[rows], errors[rows], freedom[rows])


def _options(options: FitOptions) -> FitOptions:
    """Return a quick fit of the same kind."""
    if options.method == "distilled":
        return preset("recommended", n_stereotypes=options.n_stereotypes)
    return replace(options, mode="like", starts=1, committee=1)


def _matched(model: Model, other: Model) -> IntArray:
    """Return for each stereotype the one of another model that the same people have."""
    n = model.n_stereotypes
    return match_stereotypes(-np.corrcoef(model.mixtures[:, :n].T, other.mixtures[:, :n].T)[:n, n:].round(12))


def _regress(
    other: Model, dataset: Dataset, rows: IntArray, columns: IntArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Regress ratings of these items on mixtures; return the taste for them, its errors, and degrees of freedom.

    The model is rating = mixture · (level + deviation), where the level is one number per item; deviations are drawn
    toward 0. Taste is the deviation less the audience's, less the same over all items.
    """
    n, scale = len(columns), dataset.ratings.scale
    mixtures, habits = other.mixtures[:, columns], other.mixtures[:, other.n_stereotypes :]
    habit = habits @ other.likes[0, other.n_stereotypes :]
    given = _rows_of(dataset, rows, scale.to_unit(dataset.ratings.levels))
    seen = _rows_of(dataset, rows, np.ones(len(dataset.ratings.levels)))

    def sums(values: FloatArray) -> FloatArray:
        """Sum values of people (n_users, n) over those who rated each item; over all where nobody rated."""
        return np.tile(values.sum(axis=0), (len(rows), 1)) if dataset.implicit else np.asarray(seen @ values)

    counts = sums(np.ones((len(mixtures), 1)))[:, 0]
    gram = sums((mixtures[:, :, None] * mixtures[:, None, :]).reshape(-1, n * n)).reshape(-1, n, n)
    # Of what habits leave of a rating: its products with the mixtures, and its square.
    products = given @ mixtures - sums(mixtures * habit[:, None])
    squares = np.asarray(given.multiply(given).sum(axis=1)) - 2 * (given @ habit) + sums(habit[:, None] ** 2)[:, 0]
    total = gram.sum(axis=2)
    level = products.sum(axis=1) / np.maximum(total.sum(axis=1), 1e-9)
    inverse = np.linalg.inv(gram + _RIDGE * np.eye(n))
    deviation = np.einsum("ijk,ik->ij", inverse, products - level[:, None] * total)
    fitted = level[:, None] + deviation
    left = squares - 2 * (fitted * products).sum(axis=1) + np.einsum("ij,ijk,ik->i", fitted, gram, fitted)
    freedom = np.maximum(counts - n, 0.0)
    usual = float(left[freedom > 0].sum() / max(freedom.sum(), 1.0))
    variance = np.maximum(left + _USUAL * usual, 0.0) / (freedom + _USUAL)
    contrast = (np.eye(n) - shares) @ inverse
    spread = np.einsum("iaj,ijk,iak->ia", contrast, gram, contrast)
    trust = counts / (counts + RATINGS_PER_STEREOTYPE * n)
    relative = deviation - (deviation @ shares)[:, None]
    taste = relative - (trust @ relative) / trust.sum()
    return taste, np.sqrt(variance[:, None] * np.maximum(spread, 0.0)), freedom + _USUAL


def _rows_of(dataset: Dataset, rows: IntArray, values: FloatArray) -> Any:
    """Return a sparse matrix (n_rows, n_users) with the value of each rating, given by level."""
    side, shape = dataset.ratings.by_item, (dataset.ratings.n_items, dataset.ratings.n_users)
    return csr_array((values[side.codes], side.partners, side.starts), shape=shape)[rows]
