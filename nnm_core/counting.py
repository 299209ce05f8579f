"""Numbers with their nouns."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """ "1 person", "671 people"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
