"""What the examples in docstrings use: an invented cinema, its ratings and a model of it."""

import pytest

from nnm_core import fit
from nnm_core.datasets import load_dataset
from nnm_core.evaluation import random_folds


@pytest.fixture(scope="session")
def demo():
    """Return the names that the examples use."""
    dataset, _ = load_dataset("demo")
    names = {"dataset": dataset, "ratings": dataset.ratings, "random_folds": random_folds}
    return names | {"model": fit(dataset.ratings)}


@pytest.fixture(autouse=True)
def _names_of_examples(request, doctest_namespace):
    if request.node.name.startswith(("nnm_core.interpret", "nnm_core.evaluation")):
        doctest_namespace.update(request.getfixturevalue("demo"))
