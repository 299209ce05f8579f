"""Load ratings from any table that people bring, from MovieLens by name, or make them with known truth.

``load_dataset`` is the one way in. A rating goes through three stages:

- ``reading``: a path, folder, archive or upload becomes files, and a file becomes a table;
- ``columns``: a table becomes columns of users, items and ratings, as a mapping says;
- ``cleaning``: columns become ``Ratings``; what cannot be used is left out and counted in the ``report``.

Without a mapping, one is guessed from the first rows (``guessing``). ``metadata`` adds titles, tags and traits.
``movielens`` knows GroupLens's own files, ``catalogue`` where to get them; ``synthetic`` invents data.
"""

from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.columns import ColumnMapping, ItemColumns, RatingColumns, UserColumns
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.guessing.hints import Hints
from nnm_core.datasets.loading import SourceGuess, load_dataset, sniff
from nnm_core.datasets.reading.sources import Limits
from nnm_core.datasets.reading.tables import Dialect, TableSample
from nnm_core.datasets.report import Dropped, Example, ImportReport, Offer, describe, diagnose

__all__ = [
    "Cleaning", "ColumnMapping", "Dataset", "Dialect", "Dropped", "Example", "Hints", "ImportReport", "ItemColumns",
    "Labels", "Limits", "Offer", "RatingColumns", "SourceGuess", "TableSample", "UserColumns", "describe", "diagnose",
    "load_dataset", "sniff",
]  # fmt: skip
