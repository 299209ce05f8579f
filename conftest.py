"""What the examples in the docstrings of ``nnm_core.interpret`` use: an invented cinema and a model of it."""

import pytest

from nnm_core import fit
from nnm_core.datasets import load_dataset


@pytest.fixture(scope="session")
def demo():
    """Return the names that the examples use."""
    dataset, _ = load_dataset("demo")
    return {"dataset": dataset, "model": fit(dataset.ratings)}


@pytest.fixture(autouse=True)
def _names_of_examples(request, doctest_namespace):
    if request.node.name.startswith("nnm_core.interpret."):
        doctest_namespace.update(request.getfixturevalue("demo"))
