"""Page: everybody between the stereotypes, one person up close, and one's own taste."""

from __future__ import annotations

import streamlit as st

from dashboard import link
from dashboard.components import display, people, taste
from dashboard.components.current import current
from dashboard.compute.current import View
from dashboard.export import mixtures_table
from nnm_core.phrases import shortened


def render() -> None:
    """Show the page."""
    view = current()
    st.title("The people")
    tab = link.segments("Show", {"audience": "The audience", "taste": "Your own taste"}, "people", width="content")
    if tab == "taste":
        taste.show(view)
    else:
        _show_audience(view)


def _show_audience(view: View) -> None:
    model = view.model
    st.markdown(people.describe_people(view))
    color = people.choose_colour(view)
    chosen = people.choose_person(view)
    figures = people.show_map(view, color, chosen) if model.n_stereotypes > 1 else {}
    if color != people.LARGEST_PART:
        people.show_trait(view, color)
    tables = {"Mixtures": lambda: mixtures_table(model, view.names)}
    if chosen is not None:
        who = f"Person {shortened(model.user_ids[chosen], 30)}"
        mixture, items = model.mixtures[chosen], people.items_of(view, chosen)
        figures[f"{who}, mixture"] = people.show_person(view, chosen)
        tables |= {
            f"{who}, {view.words.rated}": lambda: people.history_table(view, chosen),
            f"{who}, recommendations": lambda: people.recommendations_table(view, mixture, items),
            f"{who}, nearest": lambda: people.nearest_table(view, chosen),
        }
    else:
        pick = "Pick a point, or choose" if figures else "Choose"
        st.caption(f"{pick} somebody above, to see what they are made of and what they would like.")
    display.offer_files("people", tables, figures)
