"""Page: the items; what each stereotype makes of one, what is like it, and what divides the audience."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard.components import items
from dashboard.components.common import display, widgets
from dashboard.components.common.current import current
from dashboard.compute.current import View
from dashboard.wording import a, counted, md
from nnm_core.phrases import shortened

_OFFERED = 1000  # the best known; any other is found by typing part of its title


def render() -> None:
    """Show the page."""
    view = current()
    words = view.words
    st.title(f"The {words.items}")
    what = f"how likely each stereotype is to {words.like} it"
    if view.model.options.mode == "stars":
        what = "how often each stereotype gives it which rating"
    st.markdown(f"Pick {a(words.item)} to see {what}, and which {words.items} the stereotypes disagree about.")
    left, right = st.columns([4, 5], gap="large")
    with left:
        item = _choose(view)
        figures = items.show_item(view, item) if item is not None else {}
    with right:
        figures |= items.show_divisive(view)
    if item is not None:
        items.show_alike(view, item)
    display.offer_files("films", {words.items.capitalize(): lambda: items.items_table(view)}, figures)
    widgets.lead()


def _choose(view: View) -> int | None:
    """Return the chosen item's row, the best known one at first."""
    words, model = view.words, view.model
    counts = view.dataset.ratings.by_item.counts
    best_known = [model.item_ids[row] for row in np.argsort(-counts, kind="stable")[:_OFFERED]]
    chosen, typed, found = widgets.search_select(
        f"Search {words.items}",
        "film",
        offered=best_known,
        known=model.item_index,
        find=lambda sought: [model.item_ids[row] for row in widgets.search_items(view, sought)],
        form=lambda key: shortened(view.dataset.titles[model.item_index[key]] if key in model.item_index else key, 80),
        default=best_known[0],
        help="Choose from the list, or type part of a title and press Enter.",
    )
    if typed:
        having = f"with “{md(typed, 80)}” in the title"
        shown = "; the best match is shown, the others head the list" if len(found) > 1 and chosen == found[0] else ""
        how_many = f"{counted(len(found), words.item, words.items)} {having}{shown}."
        st.caption(how_many if found else f"There is no {words.item} {having}.")
    return None if chosen is None else model.item_index[chosen]
