"""Page: everybody between the stereotypes, one person up close, and one's own taste."""

from __future__ import annotations

import streamlit as st

from dashboard import link
from dashboard.components import people, taste
from dashboard.components.common import display, widgets
from dashboard.components.common.current import current
from dashboard.compute.current import View
from dashboard.export import mixtures_table
from nnm_core.phrases import shortened


def render() -> None:
    """Show the page."""
    view = current()
    st.title("The people")
    tab = link.segments(
        "Show",
        {"audience": "The audience", "taste": "Your own taste"},
        "people",
        width="content",
        label_visibility="collapsed",
    )
    if tab == "taste":
        taste.show(view)
    else:
        _show_audience(view)


def _show_audience(view: View) -> None:
    model, figures = view.model, {}
    st.markdown(people.describe_people(view))
    left, right = st.columns([4, 3], gap="large")
    with right:
        chosen = people.choose_person(view)
    with left:
        drawn = st.container()  # the picture is above what changes it
        color = people.choose_colour(view)
        if model.n_stereotypes > 1:
            corners = people.choose_corners(view)
            with drawn:
                figures = people.show_map(view, color, corners, chosen)
        if color != people.LARGEST_PART:
            people.show_trait(view, color)
    tables = {"Mixtures": lambda: mixtures_table(model, view.names)}
    if chosen is not None:
        who = f"Person {shortened(model.user_ids[chosen], 30)}"
        mixture, items = model.mixtures[chosen], people.items_of(view, chosen)
        with right:
            figures[f"{who}, mixture"] = people.show_mixture(view, chosen)
        people.show_person(view, chosen)
        tables |= {
            f"{who}, {view.words.rated}": lambda: people.history_table(view, chosen),
            f"{who}, recommendations": lambda: people.recommendations_table(view, mixture, items),
            f"{who}, nearest": lambda: people.nearest_table(view, chosen),
        }
    else:
        pick = "Click a point, or search for" if figures else "Search for"
        right.caption(f"{pick} somebody, to see what they are made of and what they would like.")
    display.offer_files("people", tables, figures)
    widgets.lead()
