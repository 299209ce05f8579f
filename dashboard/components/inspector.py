"""Beside the hierarchy: the chosen tag, and with whom the inclusion in another holds or fails."""

from __future__ import annotations

import streamlit as st

from dashboard import link
from dashboard.components import charts, inclusions, ordering
from dashboard.components.inclusions import Kind
from dashboard.compute.current import View
from dashboard.figures.hierarchy import Chosen
from dashboard.figures.witness import witness_figure
from dashboard.wording import a, counted, md
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Hierarchy
from nnm_core.phrases import shortened


def choose(hierarchy: Hierarchy, kind: Kind) -> Chosen:
    """Return the chosen tag and, for the numbers of an arrow, another one."""
    tags = sorted(hierarchy.tags, key=str.casefold)
    node = link.select(
        f"Look at {a(kind.one)}", tags, "node", form=shortened, placeholder="pick one here or in the picture"
    )
    inside = link.select("Is it included in …?", tags, "inside", form=shortened, placeholder="another one")
    return Chosen(node, inside if inside != node else None)


def select(hierarchy: Hierarchy) -> None:
    """Look at the node, or the arrow, whose point is selected in the picture."""
    data = charts.selected_data("graph")
    if isinstance(data, str) and data in hierarchy.tags:
        st.session_state["node"], st.session_state["inside"] = data, None
    elif isinstance(data, (list, tuple)) and len(data) == 2 and set(data) <= set(hierarchy.tags):
        st.session_state["node"], st.session_state["inside"] = data


def show(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, chosen: Chosen) -> None:
    """Show what there is to say about the choice."""
    tag = chosen.tag
    if tag is None:
        st.caption(f"Pick {a(kind.one)} to see what includes it, or the dot on an arrow to see what carries it.")
        return
    row = int(hierarchy.rows([tag])[0])
    one, many = ("person", "people") if kind.key == "traits" else (view.words.item, view.words.items)
    rests_on = counted(int(hierarchy.counts[row]), one, many)
    st.markdown(f"{inclusions.describe_neighbours(order, tag, kind)} It rests on {rests_on}.")
    if chosen.broad is None:
        st.caption(f"Pick the dot on an arrow, or a second {kind.one} above, to see what carries an inclusion.")
    elif hierarchy.vectors[row].sum() <= 0:
        have = "has" if kind.key == "traits" else view.words.likes
        st.caption(f"No stereotype {have} “{md(tag, 60)}” at all, so there is nothing to carry or to break.")
    else:
        _show_witness(view, kind, hierarchy, order, tag, chosen.broad)


def _show_witness(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, narrow: str, broad: str) -> None:
    witness = hierarchy.witness(narrow, broad)
    st.markdown(inclusions.describe_witness(witness, view.names, order.epsilon))
    figure = witness_figure(witness, view.style, names=view.names)
    charts.show_figure(figure, "witness", "What carries and what breaks the inclusion")
    st.caption(f"Full: stays inside. Pale: falls outside; together the pale parts make {witness.birth:.1%}.")
    if kind.key == "traits":
        both, people = ordering.count_people(view).of(narrow, broad)
        st.markdown(
            f"Among the persons themselves, {both:,} of {counted(people, 'person', 'people')} with “{md(narrow, 60)}” "
            f"{'has' if both == 1 else 'have'} “{md(broad, 60)}” as well."
        )
