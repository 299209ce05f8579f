"""Which tags a page speaks about: those of the items, or the words that people attached to them."""

from __future__ import annotations

from dashboard import link
from dashboard.compute.current import View
from nnm_core.datasets import Labels


def choose_tags(view: View, key: str) -> tuple[str, Labels]:
    """The chosen set of tags with a name for caches; asks only where there is a choice."""
    words = view.dataset.user_tags
    if words is None or not words.names:
        return "tags", view.dataset.tags
    if not view.dataset.tags.names:
        return "words", words
    chosen = link.segments("Described by", {"tags": view.words.tags, "words": "people's own words"}, key)
    return ("words", words) if chosen == "words" else ("tags", view.dataset.tags)
