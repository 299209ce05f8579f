"""Models that several tests of meaning look at."""

import pytest

from nnm_core import preset
from tests.fits import fitted
from tests.interpret.planted import Planted, plant


@pytest.fixture(scope="session")
def planted() -> Planted:
    return plant()


@pytest.fixture(scope="session")
def recommended(bundled):
    """The dashboard's first model."""
    return fitted(bundled.ratings, preset("recommended"))
