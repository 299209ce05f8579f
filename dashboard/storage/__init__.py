"""What outlives the server: the data that people gave it, models that took long, and names that they chose.

Contents are blobs, named by their hash, in a folder or a bucket (``blobs``). Which belongs to whom is in a database
(``database``): SQLite beside the blobs unless another is named. ``records`` brings both together. A blob is written
before the row that refers to it and removed after it, so a crash in between leaves at most a blob that nobody refers
to; these are swept later.
"""

from dashboard.storage.records import Fault, KeptWork, kept_work

__all__ = ["Fault", "KeptWork", "kept_work"]
