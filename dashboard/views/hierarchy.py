"""Page: which tags include which, as ε moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import export, link
from dashboard.components import display, inclusions, ordering
from dashboard.components.current import current
from dashboard.components.inclusions import Kind
from dashboard.compute.current import View
from dashboard.figures.hierarchy import Chosen
from dashboard.wording import md
from nnm_core.interpret.hierarchy.graph import Order, edge_table, graph_text
from nnm_core.interpret.hierarchy.inclusion import Hierarchy

_WHY_EVERY = (
    "By default an arrow is left out where others already lead there. Inclusion at ε does not pass on from one to the "
    "next by itself, so this shows each one that holds."
)


def render() -> None:
    """Show the page."""
    view = current()
    kinds = {kind.key: kind for kind in ordering.kinds_of(view)}
    if not kinds:
        st.title("Which tags include which?")
        st.info(
            f"These data have neither tags of {view.words.items} nor traits of people, so there is nothing to order. "
            f"Add a file that says more about the {view.words.items} on the page **Data**, under “Load your own”.",
            icon=":material/label_off:",
        )
        return
    top = st.container()
    chosen = next(iter(kinds))
    if len(kinds) > 1:
        chosen = link.segments("Order", {key: kind.many for key, kind in kinds.items()}, "ordered")
    kind = kinds[chosen]
    top.title(f"Which {kind.many} include which?")
    st.markdown(inclusions.meaning(kind, view.words.like))
    screened = ordering.screened(view, kind)
    left_out = inclusions.describe_left_out(screened.left_out, kind, view.words)
    if left_out:
        st.caption(left_out)
    if len(screened.hierarchy.tags) < 2:
        st.info(f"There are fewer than two {kind.many} with enough data to compare.")
        return
    _explore(view, kind, screened.hierarchy)


@st.fragment
def _explore(view: View, kind: Kind, whole: Hierarchy) -> None:
    """Show the slider, the barcode, the graph and what is selected; runs alone when the slider moves."""
    words, crowded = view.words, len(whole.tags) > ordering.MOST_TAGS
    with st.container(horizontal=True, vertical_alignment="center"):
        every = st.toggle("Every arrow", key="every", bind="query-params", persist_state="session", help=_WHY_EVERY)
        all_of_them = f"All {len(whole.tags):,} {kind.many}"
        everything = crowded and st.toggle(all_of_them, key="everything", bind="query-params")
        with st.popover("Leave some out", icon=":material/filter_alt:"):
            hierarchy = whole.without(_choose_left_out(whole, kind))
        caveat = inclusions.caveat(hierarchy, kind, words.like)
        if caveat:
            with st.popover("How to read this", icon=":material/help:"):
                st.markdown(inclusions.explain_bundles(hierarchy, kind, words.like))
    if len(hierarchy.tags) < 2:
        st.info(f"Fewer than two {kind.many} are left; leave fewer of them out.")
        return
    order = hierarchy.at(ordering.choose_epsilon(view, hierarchy, ordering.first_epsilon(view, kind, hierarchy)))
    in_part = crowded and not everything
    n_arrows = 0 if in_part else inclusions.count_arrows(order, every_edge=every)
    st.markdown(f"{inclusions.describe_order(order, kind, words.likes, n_arrows)} {caveat}")
    doubted = ordering.contradicted(view, kind, order)
    if doubted:
        st.markdown(inclusions.describe_contradicted(doubted, order))
    left, right = st.columns([5, 3], gap="large")
    with right:
        chosen = ordering.choose_tags(hierarchy, kind)
        ordering.show_chosen(view, kind, hierarchy, order, chosen)
    with left:
        drawn = _near(order, hierarchy, chosen, kind) if in_part else order
        figure = ordering.draw(view, drawn, doubted, chosen, every_edge=every)
        alt = f"The hierarchy of {kind.many} at ε = {order.epsilon:.3f}"
        display.show_figure(figure, "graph", alt, on_select=partial(ordering.select_tag, hierarchy))
    _offer_files(view, kind, hierarchy, order, figure)


def _choose_left_out(whole: Hierarchy, kind: Kind) -> list[str]:
    """Return the tags to leave out; the link may name some that other data had."""
    label = f"{kind.many.capitalize()} to leave out"
    link.set_widget("without", link.several(whole.tags, "without", label))
    return st.multiselect(label, whole.tags, key="without", bind="query-params", persist_state="session")


def _near(order: Order, hierarchy: Hierarchy, chosen: Chosen, kind: Kind) -> Order:
    """Return the graph around the chosen tag, or around the one that comes to include the others soonest."""
    tag = chosen.tag or hierarchy.tags[int(hierarchy.births.mean(axis=0).argmin())]
    around = order.focus(tag)
    if len(around.tags) > ordering.MOST_TAGS:
        around = hierarchy.only([tag, *order.including(tag)[:20], *order.included(tag)[:20]]).at(order.epsilon)
    st.caption(
        f"With {len(hierarchy.tags):,} {kind.many} a whole picture is a tangle, so this is “{md(tag, 60)}” with what "
        f"includes it and what it includes ({len(around.tags) - 1:,} {kind.many}, the tightest first). Switch on "
        f"“All {len(hierarchy.tags):,}” for everything."
    )
    return around


def _offer_files(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, figure: go.Figure) -> None:
    file = f"hierarchy-eps-{order.epsilon:.3f}"
    people = ordering.count_people(view) if kind.key == "traits" else None

    def arrows() -> pd.DataFrame:
        table = edge_table(order)
        if people is not None:  # what the stereotypes say, and beside it what counting persons says
            pairs = zip(table["included"], table["includes"], strict=True)
            counts = [people.of(narrow, broad) if narrow else (0, 0) for narrow, broad in pairs]
            table["people with both"] = [both for both, _ in counts]
            table["people with the included one"] = [having for _, having in counts]
        return table

    def births() -> pd.DataFrame:
        others = np.where(np.eye(len(hierarchy.tags), dtype=np.bool_), np.nan, hierarchy.births)
        table = pd.DataFrame(others, columns=[f"in {tag}" for tag in hierarchy.tags])
        table.insert(0, f"included {kind.one}", list(hierarchy.tags))
        return table

    graph_files: dict[str, tuple[Callable[[], str | bytes], str, str]] = {
        "Graph (GraphML)": (lambda: graph_text(order, "graphml"), f"{file}.graphml", "text/xml"),
        "Graph (DOT)": (lambda: graph_text(order, "dot", reduced=True), f"{file}.dot", "text/vnd.graphviz"),
        "Arrows (CSV)": (lambda: export.csv_bytes(arrows()), f"{file}.csv", "text/csv"),
    }
    display.offer_files("hierarchy", {"All births": births}, {"Hierarchy": figure}, graph_files)
