"""Page: the stereotypes of the audience, as towers and in words."""

from __future__ import annotations

import streamlit as st

from dashboard.components import audience, over_time, portraits, taste, towers
from dashboard.components.common import display, sidebar, widgets
from dashboard.components.common.current import current
from dashboard.components.evidence import show_evidence
from dashboard.wording import md


def render() -> None:
    """Show the page."""
    view = current()
    n_people, n_kinds = view.dataset.ratings.n_users, view.model.n_stereotypes
    weighting = towers.weighting()
    st.title("Who is the audience?")
    st.markdown(audience.open_with(view, weighting))
    if n_kinds > max(n_people, 1):
        st.info(
            f"There are more stereotypes here than people ({n_kinds} and {n_people}), so most of them describe "
            "nobody. Choose fewer in the sidebar, or load more people on the page **Data**.",
            icon=":material/groups:",
        )
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        source, labels = towers.choose_tags(view)
    bars, tables = view.towers(labels, source, weighting), {}
    if bars.tags:
        shown = towers.show_tag_towers(view, bars, source, row)
        names, by_tag = view.names[:n_kinds], view.towers(view.dataset.tags, "tags", weighting)
        tables = {"Towers": lambda: by_tag.table(names)}
        if source == "words":
            tables["Towers of people's own words"] = lambda: bars.table(names)
    else:
        shown = towers.show_item_towers(view)
    is_firm = None if shown.found is None else shown.found.is_firm
    show_evidence(view, bars, labels, is_firm, ask=n_kinds < towers.MANY)
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown(f"{audience.summarise_audience(view, weighting)}\n\n{shown.how_to_read}")
    if n_kinds < towers.MANY:
        portraits.show_words(view, shown.told, shown.found)
    taste.show_few(view)
    if bars.tags:
        towers.show_other_descriptions(view, labels, bars)
    audience.show_lineage(view)
    over_time.show_over_time(view)
    display.offer_files("stereotypes", tables, shown.figures)
    st.caption(f"Data: {md(sidebar.title_of(view.spec.data))}. {md(view.dataset.licence, 600)}")
    widgets.lead()
