"""Page: which tags include which, as ε moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import export, link
from dashboard.components import inclusions, ordering
from dashboard.components.common import display
from dashboard.components.common.current import current
from dashboard.components.inclusions import Kind
from dashboard.compute import jobs
from dashboard.compute.current import View
from dashboard.figures.hierarchy import Chosen
from dashboard.wording import md, plain
from nnm_core.interpret.hierarchy.graph import Order, edge_table, graph_text
from nnm_core.interpret.hierarchy.inclusion import Hierarchy
from nnm_core.interpret.hierarchy.screening import all_inclusive

_WHY_EVERY = (
    "By default an arrow is left out where others already lead there. Inclusion at ε does not pass on from one to the "
    "next by itself, so this shows each one that holds."
)


def render() -> None:
    """Show the page."""
    view = current()
    kinds = ordering.kinds_of(view)
    if not kinds:
        st.title("Hierarchy")
        st.info(
            f"These data have neither tags of {view.words.items} nor traits of people, so there is nothing to order. "
            f"Add a file that says more about the {view.words.items} on the page **Data**, under “Load your own”.",
            icon=":material/label_off:",
        )
        return
    _explore(view, kinds)


@st.fragment
@jobs.drawing()
def _explore(view: View, kinds: Sequence[Kind]) -> None:
    """Show the controls, the graph and what is selected; runs alone when one of them changes."""
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        kind = ordering.choose_kind(kinds)
        screened = ordering.screened(view, kind)
        with st.popover("Options", icon=":material/tune:"):
            hierarchy, every, everything = _options(screened.hierarchy, kind)
        chips = st.container(horizontal=True, vertical_alignment="center", gap="small", width="content")
    top.title(f"Hierarchy of {kind.many}")
    left_out = inclusions.describe_left_out(screened.left_out, kind, view.words)
    if why := inclusions.nothing_to_order(hierarchy, kind, view.words):
        compared = (
            "how often stereotypes have them" if kind.key == "traits" else f"how well they are {view.words.liked}"
        )
        other = f" **As in the paper** compares {compared} instead." if kind.by == "taste" else ""
        st.info(f"{why}{other} {left_out}")
        return
    epsilon = ordering.choose_epsilon(view, kind, hierarchy, papers=ordering.papers_figure(view, kinds))
    order = hierarchy.at(epsilon)
    with chips:
        broadest = ordering.choose_all_inclusive(all_inclusive(order), kind)
        order = order.without(broadest)
        ordering.show_left_out()
    top.markdown(inclusions.promise(order, kind, view.words))
    figure, about = _show_graph(view, kind, hierarchy, order, every=every, everything=everything)
    st.markdown(f"{about} {inclusions.describe_all_inclusive(broadest)}")
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown(inclusions.meaning(kind, view.words.like))
        st.markdown(inclusions.explain_bundles(hierarchy, kind, view.words.like))
        if left_out:
            st.markdown(left_out)
    _offer_files(view, kind, hierarchy, order, figure)


def _options(whole: Hierarchy, kind: Kind) -> tuple[Hierarchy, bool, bool]:
    """Return the hierarchy of what is not left out, whether to draw every arrow, and whether all of very many tags."""
    without = _choose_left_out(whole, kind)
    every = st.toggle("Every arrow", key="every", bind="query-params", persist_state="session", help=_WHY_EVERY)
    crowded = len(whole.tags) > ordering.MOST_TAGS
    everything = crowded and st.toggle(f"All {len(whole.tags):,} {kind.many}", key="everything", bind="query-params")
    return whole.without(without), every, everything or not crowded


def _show_graph(
    view: View, kind: Kind, hierarchy: Hierarchy, order: Order, *, every: bool, everything: bool
) -> tuple[go.Figure, str]:
    """Show the picture, its legend and, beside it, what was chosen; return the picture and what it says."""
    place = st.container()
    chosen = ordering.choose_tags(hierarchy, kind)
    doubted = ordering.contradicted(view, kind, order)
    with place:
        left, right = st.columns([5, 3], gap="medium") if chosen.tag else (st.container(), st.container())
        with left:
            drawn = order if everything else _near(order, hierarchy, chosen, kind)
            figure = ordering.draw(view, hierarchy, drawn, doubted, chosen, every_edge=every)
            alt = inclusions.describe_order(drawn, kind, inclusions.count_arrows(drawn, every_edge=every))
            display.show_figure(figure, "graph", plain(alt), on_select=partial(ordering.select_tag, hierarchy))
            st.html(inclusions.legend(drawn, kind, view.words, view.look))
        with right:
            ordering.show_chosen(view, kind, hierarchy, order, chosen)
    n_arrows = inclusions.count_arrows(order, every_edge=every) if everything else 0
    said = [
        inclusions.describe_order(order, kind, n_arrows),
        inclusions.caveat(hierarchy, kind, view.words.like),
        inclusions.describe_contradicted(doubted, order),
    ]
    return figure, " ".join(part for part in said if part)


def _choose_left_out(whole: Hierarchy, kind: Kind) -> list[str]:
    """Return the tags to leave out; the link may name some that other data had."""
    label = f"{kind.many.capitalize()} to leave out"
    link.set_widget("without", link.several(whole.tags, "without", label))
    return st.multiselect(label, whole.tags, key="without", bind="query-params", persist_state="session")


def _near(order: Order, hierarchy: Hierarchy, chosen: Chosen, kind: Kind) -> Order:
    """Return the graph around the chosen tag, or around the one that comes to include the others soonest."""
    hierarchy = hierarchy.only(order.tags)
    tag = chosen.tag if chosen.tag in order.tags else hierarchy.tags[int(hierarchy.births.mean(axis=0).argmin())]
    around = order.focus(tag)
    if len(around.tags) > ordering.MOST_TAGS:
        around = hierarchy.only([tag, *order.including(tag)[:20], *order.included(tag)[:20]]).at(order.epsilon)
    st.caption(
        f"With {len(hierarchy.tags):,} {kind.many} a whole picture is a tangle, so this is “{md(tag, 60)}” with what "
        f"includes it and what it includes ({len(around.tags) - 1:,} {kind.many}, the tightest first). Switch on "
        f"“All {len(hierarchy.tags):,}” under “Options” for everything."
    )
    return around


def _offer_files(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, figure: go.Figure) -> None:
    file = f"hierarchy-by-{kind.by}-eps-{order.epsilon:.3f}"
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
