"""How common each value of a trait is among the people of each stereotype, and where that is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from nnm_core.datasets.dataset import Labels
from nnm_core.interpret.traits import check_same_people
from nnm_core.model import Model
from nnm_core.types import FloatArray

_DOUBT = 0.05
"""How likely it may be that chance alone makes any value of a trait look uncommon for any stereotype."""


@dataclass(frozen=True, slots=True, eq=False)
class TraitShares:
    """Shares of people with each value of a trait, among those of whom it is known; arrays are read-only.

    ``shares`` (n_values, n_stereotypes): everybody counts by how much of the stereotype they are. ``audience``
    (n_values,): everybody counts alike. ``surprise`` (n_values, n_stereotypes): the difference in standard deviations
    of what it would be if the values were dealt to people at random.
    """

    shares: FloatArray
    audience: FloatArray
    surprise: FloatArray

    def __post_init__(self) -> None:
        for array in (self.shares, self.audience, self.surprise):
            array.flags.writeable = False

    def clearest(self) -> tuple[int, int] | None:
        """The value and the stereotype that differ most surprisingly from the audience, None if that could be chance.

        The more pairs there are, the more surprising the first of them is by chance alone, so the more it has to be.
        """
        if not self.surprise.size:
            return None
        value, stereotype = np.unravel_index(int(np.abs(self.surprise).argmax()), self.surprise.shape)
        enough = NormalDist().inv_cdf(1 - _DOUBT / (2 * self.surprise.size))
        return (int(value), int(stereotype)) if abs(self.surprise[value, stereotype]) > enough else None


def trait_shares(model: Model, labels: Labels, trait: str = "trait") -> TraitShares:
    """The shares of the values of a trait; of nobody, all are 0."""
    check_same_people(model, labels, trait)
    known = np.diff(labels.member.indptr) > 0
    n_people = max(int(known.sum()), 1)
    parts = model.mixtures[known, : model.n_stereotypes]
    weights = parts.sum(axis=0)
    shares = np.asarray(labels.member[known].T.astype(np.float64) @ parts) / np.maximum(weights, 1e-12)
    audience = labels.counts / n_people
    # Values dealt at random leave the parts as they are: the more unequal these are, the further the shares stray.
    unequal = np.sqrt(n_people * parts.var(axis=0)) if len(parts) else np.zeros(parts.shape[1])
    spread = np.sqrt(audience * (1 - audience))[:, None] * unequal / np.maximum(weights, 1e-12)
    apart = shares - audience[:, None]
    return TraitShares(shares, audience, np.where(spread > 1e-9, apart / np.maximum(spread, 1e-9), 0.0))
