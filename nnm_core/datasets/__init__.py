"""Load ratings from any table that people bring, from MovieLens by name, or make them with known truth.

``load_dataset`` is the one way in. A rating goes through four stages, each a module:

- ``sources``: a path, folder, archive or upload becomes named files, nothing unpacked to disk;
- ``readers``: a file becomes a table (``tables``; for text, ``dialects`` guesses the dialect, ``delimited`` reads);
- ``columns``: a table becomes columns of users, items and ratings, as a mapping says;
- ``cleaning``: columns become ``Ratings``; what cannot be used is left out and counted in the ``report``.

Without a mapping, one is guessed from the first rows (``profiles``, ``roles`` and ``wide``). ``metadata`` adds titles,
tags and traits. ``movielens`` knows GroupLens's own files, ``catalogue`` where to get them; ``synthetic`` invents data.
"""

from nnm_core.datasets.cleaning import Cleaning
from nnm_core.datasets.columns import ColumnMapping, ItemColumns, RatingColumns, UserColumns
from nnm_core.datasets.dataset import Dataset, Labels
from nnm_core.datasets.hints import Hints
from nnm_core.datasets.loading import SourceGuess, load_dataset, sniff
from nnm_core.datasets.report import Dropped, Example, ImportReport, Offer, describe, diagnose
from nnm_core.datasets.sources import Limits
from nnm_core.datasets.tables import Dialect, TableSample

__all__ = [
    "Cleaning",
    "ColumnMapping",
    "Dataset",
    "Dialect",
    "Dropped",
    "Example",
    "Hints",
    "ImportReport",
    "ItemColumns",
    "Labels",
    "Limits",
    "Offer",
    "RatingColumns",
    "SourceGuess",
    "TableSample",
    "UserColumns",
    "describe",
    "diagnose",
    "load_dataset",
    "sniff",
]
