"""What the examples in docstrings use: an invented cinema, its ratings and a model of it."""

import os

# Before NumPy is imported: where several processes share the processors, the threads of its linear algebra library
# spend most of their time waiting for one another, and use the processors while they wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

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
