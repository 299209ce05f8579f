"""Beside the hierarchy: the tag that was picked, and what carries or breaks the inclusion of one in another."""

from __future__ import annotations

import streamlit as st

from dashboard import link
from dashboard.components import inclusions, parts
from dashboard.components.inclusions import Kind
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.hierarchy import Chosen
from dashboard.figures.witness import witness_figure
from dashboard.wording import a, counted, md
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Hierarchy
from nnm_core.interpret.hierarchy.screening import Overlap, count_overlap
from nnm_core.phrases import shortened


def choose(hierarchy: Hierarchy, kind: Kind) -> Chosen:
    """The chosen tag and, for the numbers of an arrow, another one."""
    tags = sorted(hierarchy.tags, key=str.casefold)
    node = link.select(
        f"Look at {a(kind.one)}", tags, "node", form=shortened, placeholder="pick one here or in the picture"
    )
    inside = link.select("Is it included in …?", tags, "inside", form=shortened, placeholder="another one")
    return Chosen(node, inside if inside != node else None)


def pick(hierarchy: Hierarchy) -> None:
    """Somebody picked a node or the dot on an arrow."""
    point = parts.picked("graph")
    data = None if point is None else point.get("customdata")
    if isinstance(data, str) and data in hierarchy.tags:
        st.session_state["node"], st.session_state["inside"] = data, None
    elif isinstance(data, (list, tuple)) and len(data) == 2 and set(data) <= set(hierarchy.tags):
        st.session_state["node"], st.session_state["inside"] = data


def show(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, chosen: Chosen) -> None:
    """What there is to say about the choice."""
    tag = chosen.tag
    if tag is None:
        st.caption(f"Pick {a(kind.one)} to see what includes it, or the dot on an arrow to see what carries it.")
        return
    row = int(hierarchy.rows([tag])[0])
    st.markdown(f"{inclusions.neighbours(order, tag, kind)} It rests on {_counted(view, kind, hierarchy, row)}.")
    if chosen.broad is None:
        st.caption(f"Pick the dot on an arrow, or a second {kind.one} above, to see what carries an inclusion.")
    elif hierarchy.vectors[row].sum() <= 0:
        have = "has" if kind.key == "traits" else view.words.likes
        st.caption(f"No stereotype {have} “{md(tag, 60)}” at all, so there is nothing to carry or to break.")
    else:
        _show_witness(view, kind, hierarchy, order, tag, chosen.broad)


def _counted(view: View, kind: Kind, hierarchy: Hierarchy, row: int) -> str:
    """How many items, or people, have the tag."""
    count = int(hierarchy.counts[row])
    if kind.key == "traits":
        return counted(count, "person", "people")
    return counted(count, view.words.item, view.words.items)


def _show_witness(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, narrow: str, broad: str) -> None:
    witness = hierarchy.witness(narrow, broad)
    st.markdown(inclusions.why(witness, view.names, order.epsilon))
    figure = witness_figure(witness, view.names, view.style)
    parts.picture(figure, "witness", "What carries and what breaks the inclusion")
    st.caption(f"Full: stays inside. Pale: falls outside; together the pale parts make {witness.birth:.1%}.")
    if kind.key == "traits":
        both, people = people_with_both(view).of(narrow, broad)
        st.markdown(
            f"Among the persons themselves, {both:,} of {counted(people, 'person', 'people')} with “{md(narrow, 60)}” "
            f"{'has' if both == 1 else 'have'} “{md(broad, 60)}” as well."
        )


def people_with_both(view: View) -> Overlap:
    """How many people have two traits at once, whatever the model says."""
    traits = view.dataset.traits
    return store.derived(("overlap", view.dataset.content_hash, *traits), lambda: count_overlap(traits.items()))
