"""How much of a file is read before it is refused: a broken or hostile upload ends in a message, not in a hang."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that every file is read under; the defaults leave room for 32 million ratings.

    ``max_unpacked``: bytes that one source may give once unpacked.
    ``max_ratio``: how many times larger than its archive a file may unpack, beyond the first ``free_unpacked`` bytes.
    ``max_members``: files in one archive or folder. ``max_columns``: columns of one table.
    ``max_line``: bytes of one line. ``max_side_rows``: rows of an item or a user file.
    """

    max_unpacked: int = 4 * 2**30
    max_ratio: float = 200.0
    free_unpacked: int = 64 * 2**20
    max_members: int = 10_000
    max_columns: int = 100_000
    max_line: int = 16 * 2**20
    max_side_rows: int = 5_000_000


DEFAULT_LIMITS = Limits()


def in_bytes(size: float) -> str:
    """A size for people: "3.4 MB"."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
