"""Page: the items; what each stereotype makes of one, what is like it, and what divides the audience."""

from __future__ import annotations

import streamlit as st

from dashboard import link
from dashboard.components import display, items, widgets
from dashboard.components.current import current
from dashboard.compute.current import View
from dashboard.wording import counted, md
from nnm_core.phrases import shortened

_OFFERED = 60


def render() -> None:
    """Show the page."""
    view = current()
    words = view.words
    st.title(f"The {words.items}")
    answer = f"how likely each kind of taste is to {words.like} it."
    if view.model.options.mode == "stars":
        answer = "how often each kind of taste gives it which rating."
    st.markdown(f"To the model every {words.item} is a question with an answer per stereotype: {answer}")
    item = _choose(view)
    figures = items.show_item(view, item) if item is not None else {}
    figures |= items.show_divisive(view)
    display.offer_files("films", {words.items.capitalize(): lambda: items.items_table(view)}, figures)


def _choose(view: View) -> int | None:
    """Return the chosen item's row: searched for by title, or one of the best known."""
    words, dataset, model = view.words, view.dataset, view.model
    left, right = st.columns(2)
    with left:
        label, hint = f"Search {words.items}", "part of a title"
        sought = widgets.search_field(label, "q", "film", placeholder=hint, max_chars=120)
    found = widgets.search_items(view, sought)
    ids = [model.item_ids[row] for row in found[:_OFFERED]]
    first = ids[0] if ids else None
    with right:
        options, label = widgets.with_asked(ids, "film", model.item_index), words.item.capitalize()
        titles = {key: shortened(dataset.titles[model.item_index[key]], 80) for key in options}
        chosen = link.select(label, options, "film", default=first, form=titles.__getitem__)
    if sought:
        having = f"with “{md(sought, 80)}” in the title"
        offered = f", of which the {_OFFERED} best known are offered" if len(found) > _OFFERED else ""
        shown = "; the closest is shown" if len(found) > 1 and chosen == first else ""
        how_many = f"{counted(len(found), words.item, words.items)} {having}{offered}{shown}."
        st.caption(how_many if found else f"There is no {words.item} {having}.")
    return None if chosen is None else model.item_index[chosen]
