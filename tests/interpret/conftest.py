"""Models that several tests of meaning look at."""

import pytest

from nnm_core import fit, preset
from tests.interpret.planted import Planted, plant


@pytest.fixture(scope="session")
def planted() -> Planted:
    return plant()


@pytest.fixture(scope="session")
def recommended(bundled):
    """The dashboard's first model."""
    return fit(bundled.ratings, preset("recommended"))
