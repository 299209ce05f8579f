"""What is said about one half of the people holds in the other half, which the words have never seen."""

from dataclasses import replace

import numpy as np
import pytest

from nnm_core import fit, preset
from nnm_core.interpret.compare import match_stereotypes, stereotype_distances
from nnm_core.interpret.text.claims import find_claims
from nnm_core.interpret.towers import compute_towers

pytestmark = pytest.mark.movielens


def of_people(dataset, mask):
    """The data set with the ratings of these people alone."""
    return replace(dataset, ratings=dataset.ratings.subset(mask[dataset.ratings.users]))


def replicated(dataset, options, split_seed):
    """For each tag that is named in one half: does the matching stereotype of the other half lean the same way?"""
    mask = np.random.default_rng(split_seed).random(dataset.ratings.n_users) < 0.5
    first, second = of_people(dataset, mask), of_people(dataset, ~mask)
    model, other = (fit(part.ratings, options) for part in (first, second))
    heirs = match_stereotypes(stereotype_distances(model, other, dataset.ratings))
    theirs = compute_towers(other, second).taste
    return [
        sign * theirs[tag, heirs[claim.stereotype]] > 0
        for claim in find_claims(model, first)
        for sign, tags in ((1, claim.likes), (-1, claim.avoids))
        for tag in tags
    ]


@pytest.mark.parametrize(
    ("name", "dim", "least"), [("recommended", 3, 0.93), ("paper", 2, 0.93), ("recommended", 8, 0.8)]
)
def test_claims_replicate_on_ml_1m(ml_1m, name, dim, least):
    found = [held for seed in range(2) for held in replicated(ml_1m, preset(name, n_stereotypes=dim), seed)]
    assert len(found) >= 6 * dim
    assert np.mean(found) >= least


def test_claims_replicate_on_ml_100k(ml_100k):
    found = [held for seed in range(3) for held in replicated(ml_100k, preset("recommended"), seed)]
    assert len(found) >= 20
    assert np.mean(found) >= 0.9
