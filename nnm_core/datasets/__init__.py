"""Where ratings come from: one door for names, paths and uploads, and invented data with known truth."""

from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.dialect import Dialect
from nnm_core.datasets.doubts import doubt
from nnm_core.datasets.limits import Limits
from nnm_core.datasets.loading import load_dataset, sniff
from nnm_core.datasets.mapping import ColumnMapping, ItemColumns, RatingColumns, UserColumns
from nnm_core.datasets.prefill import Prefill
from nnm_core.datasets.report import Dropped, Example, ImportReport, Offer, describe

__all__ = [
    "Cleaning",
    "ColumnMapping",
    "Dataset",
    "Dialect",
    "Dropped",
    "Example",
    "ImportReport",
    "ItemColumns",
    "Labels",
    "Limits",
    "Offer",
    "Prefill",
    "RatingColumns",
    "UserColumns",
    "describe",
    "doubt",
    "load_dataset",
    "sniff",
]
