"""What outlives the server: data that people gave it, models and results that took long, names, and shared views.

Contents are blobs, named by their hash, in a folder or a bucket (``blobs``). Which belongs to whom is in a database
(``database``): SQLite beside the blobs unless another is named. ``records`` brings both together, with ``shares`` for
links to a view and ``running`` for jobs under way. A blob is written before the row that refers to it and removed after
it (``references``), so a crash in between leaves at most a blob that nobody refers to; these are swept later.
"""

from dashboard.storage.records import Fault, KeptModel, KeptWork, kept_work
from dashboard.storage.references import digest_of, quota
from dashboard.storage.running import Interrupted
from dashboard.storage.shares import Share
from dashboard.storage.shares import View as SharedView

__all__ = ["Fault", "Interrupted", "KeptModel", "KeptWork", "Share", "SharedView", "digest_of", "kept_work", "quota"]
