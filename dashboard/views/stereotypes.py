"""Page: the stereotypes of the audience, in words and as towers."""

from __future__ import annotations

import streamlit as st

from dashboard.components import audience, display, sidebar, towers, widgets
from dashboard.components.audience import summarise_audience
from dashboard.components.current import current
from dashboard.wording import md


def render() -> None:
    """Show the page."""
    view = current()
    words, n_people, n_kinds = view.words, view.dataset.ratings.n_users, view.model.n_stereotypes
    st.title("Who is the audience?")
    st.markdown(summarise_audience(view, towers.weighting()))
    if n_kinds > max(n_people, 1):
        st.info(
            f"There are more kinds of taste here than people ({n_kinds} and {n_people}), so most of them describe "
            "nobody. Choose fewer in the sidebar, or load more people on the page **Data**.",
            icon=":material/groups:",
        )
    source, labels = towers.choose_tags(view)
    bars = view.towers(labels, source, towers.weighting())
    found, tables = None, {}
    if bars.tags:
        figures, found = towers.show_tag_towers(view, bars, source)
        names, by_tag = view.names[:n_kinds], view.towers(view.dataset.tags, "tags", bars.weighting)
        tables = {"Towers": lambda: by_tag.table(names)}
        if source == "words":
            tables["Towers of people's own words"] = lambda: bars.table(names)
    else:
        st.caption(
            f"These data say nothing about their {words.items} but who {words.rated} them, so the towers are made of "
            f"the {words.items} that divide the stereotypes most. A file with tags can be added on the page **Data**."
        )
        figures = towers.show_item_towers(view)
    if bars.tags:
        towers.show_other_descriptions(view, labels, bars)
    towers.show_evidence(view, bars, labels, None if found is None else found.is_firm)
    audience.show_lineage(view)
    display.offer_files("stereotypes", tables, figures)
    st.caption(f"Data: {md(sidebar.title_of(view.spec.data))}. {md(view.dataset.licence, 600)}")
    widgets.lead()
