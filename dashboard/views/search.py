"""Searching items by their titles."""

from __future__ import annotations

from dashboard import cache
from dashboard.views.current import View


def items(view: View, sought: str) -> list[int]:
    """The rows of the items whose titles have all words that are sought, the best known first."""
    dataset = view.dataset
    wanted = sought.casefold().split()
    titles = cache.derived(("folded titles", dataset.content_hash), lambda: [t.casefold() for t in dataset.titles])
    found = [row for row, title in enumerate(titles) if all(part in title for part in wanted)]
    counts = dataset.ratings.by_item.counts
    return sorted(found, key=lambda row: -int(counts[row]))
