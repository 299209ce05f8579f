"""Where ratings come from."""

from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.loading import load_dataset
from nnm_core.datasets.report import ImportReport, describe

__all__ = ["Cleaning", "Dataset", "ImportReport", "Labels", "describe", "load_dataset"]
