"""Page: which tags include which, as ε moves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session
from dashboard.components import inclusions, inspector, live, parts
from dashboard.components.current import current
from dashboard.components.inclusions import Kind
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.export import files
from dashboard.figures.barcode import barcode_figure
from dashboard.figures.hierarchy import Chosen, hierarchy_figure
from dashboard.wording import counted, md
from nnm_core.interpret.hierarchy.export import edge_table, graph_text
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Hierarchy
from nnm_core.interpret.hierarchy.screening import (
    MIN_ITEMS,
    MIN_PEOPLE,
    Contradicted,
    Screened,
    opening_epsilon,
    screen_tags,
    screen_traits,
)
from nnm_core.phrases import percent

_WIDEST_OF_TRAITS = 1 / 3
"""Above this ε most arrows between traits are not borne out by counting the persons."""

FOCUS_FROM = 60
"""With more tags than this, the page shows one tag with its neighbours unless somebody asks for all."""


def render() -> None:
    """Show the page."""
    view = current()
    kinds = _kinds(view)
    if not kinds:
        st.title("Which tags include which?")
        st.info(
            f"These data have neither tags of {view.words.items} nor traits of people, so there is nothing to order. "
            f"Add a file that says more about the {view.words.items} on the page **Data**, under “Load your own”.",
            icon=":material/label_off:",
        )
        return
    top = st.container()
    kind = _choose(kinds)
    top.title(f"Which {kind.many} include which?")
    st.markdown(inclusions.meaning(kind, view.words.like))
    hierarchy = _hierarchy(view, kind)
    _say_left_out(view, kind)
    if len(hierarchy.tags) < 2:
        st.info(f"There are fewer than two {kind.many} with enough data to compare.")
        return
    _explore(view, kind, hierarchy)


def _kinds(view: View) -> list[Kind]:
    dataset = view.dataset
    kinds = [Kind("tags", view.words.tag, view.words.tags)] if dataset.tags.names else []
    if dataset.user_tags is not None and dataset.user_tags.names:
        kinds.append(Kind("words", "word", "words"))
    if dataset.traits:
        kinds.append(Kind("traits", "trait", "traits of people", _WIDEST_OF_TRAITS))
    return kinds


def _choose(kinds: list[Kind]) -> Kind:
    if len(kinds) == 1:
        return kinds[0]
    by_key = {kind.key: kind for kind in kinds}
    chosen = link.segments("Order", {kind.key: kind.many for kind in kinds}, "ordered")
    return by_key[chosen]


def _hierarchy(view: View, kind: Kind) -> Hierarchy:
    """All tags, or traits, that are sure enough to be ordered."""
    return _screened(view, kind).hierarchy


def _screened(view: View, kind: Kind) -> Screened:
    key: Hashable = ("hierarchy", view.key, view.dataset.content_hash, kind.key)

    def compute() -> Screened:
        if kind.key == "traits":
            return screen_traits(view.model, view.dataset.traits.items())
        labels = view.dataset.user_tags if kind.key == "words" else view.dataset.tags
        assert labels is not None  # noqa: S101 - _kinds offers only what is there
        return screen_tags(view.model, labels)

    return store.derived(key, compute)


def _say_left_out(view: View, kind: Kind) -> None:
    """Which tags or traits are not ordered, and why."""
    of_people = kind.key == "traits"
    fewest, those = (MIN_PEOPLE, "people") if of_people else (MIN_ITEMS, view.words.items)
    nobody = "that no stereotype of taste has" if of_people else f"that no stereotype {view.words.likes}"
    reasons = {
        "few": f"with fewer than {fewest} {those}",
        "unsure": "about which random halves of the people disagree",
        "empty": f"{nobody}, so that everything would include it",
    }
    left_out = _screened(view, kind).left_out
    told = []
    for why, reason in reasons.items():
        names = [f"{md(one.name, 40)} ({one.count:,})" for one in left_out if one.why == why]
        if names:
            told.append(f"{reason}: {', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}")
    if told:
        st.caption(f"Left out: {counted(len(left_out), kind.one, kind.many)}, {'; '.join(told)}.")


_NAMED = 12
"""Tags that were left out which the page names, of each kind."""


@st.fragment
def _explore(view: View, kind: Kind, whole: Hierarchy) -> None:
    """The slider, the barcode, the graph and what was picked; runs alone when the slider moves."""
    crowded = len(whole.tags) > FOCUS_FROM
    with st.container(horizontal=True, vertical_alignment="center"):
        every = st.toggle("Every arrow", key="every", bind="query-params", persist_state="session", help=_WHY_EVERY)
        everything = crowded and st.toggle(
            f"All {len(whole.tags):,} {kind.many}", key="everything", bind="query-params"
        )
        with st.popover("Leave some out", icon=":material/filter_alt:"):
            hierarchy = whole.without(_left_out(whole, kind))
        caveat = inclusions.caveat(hierarchy, kind, view.words.like)
        if caveat:
            _how_to_read(hierarchy, kind, view.words.like)
    if len(hierarchy.tags) < 2:
        st.info(f"Fewer than two {kind.many} are left; leave fewer of them out.")
        return
    epsilon, reach = _epsilon(view, kind, hierarchy)
    parts.picture(barcode_figure(hierarchy.births, epsilon, view.style, reach), "barcode", "Where inclusions begin")
    st.caption("Every stroke is an ε at which one more inclusion begins; the coloured line is where you are.")
    order = hierarchy.at(epsilon)
    only_near = crowded and not everything
    told = inclusions.in_words(order, kind, view.words.likes, 0 if only_near else _n_arrows(order, every))
    st.markdown(f"{told} {caveat}")
    doubted = _contradicted(view, kind, order)
    if doubted:
        st.markdown(_among_persons(doubted, order))
    left, right = st.columns([5, 3], gap="large")
    with right:
        chosen = inspector.choose(hierarchy, kind)
        inspector.show(view, kind, hierarchy, order, chosen)
    with left:
        drawn = _near(order, hierarchy, chosen, kind) if only_near else order
        pairs = {(one.narrow, one.broad) for one in doubted}
        figure = hierarchy_figure(drawn, view.style, every_edge=every, chosen=chosen, doubted=pairs)
        alt = f"The hierarchy of {kind.many} at ε = {epsilon:.3f}"
        parts.picture(figure, "graph", alt, on_select=partial(inspector.pick, hierarchy))
    _files(view, kind, hierarchy, order, figure)


def _left_out(whole: Hierarchy, kind: Kind) -> list[str]:
    """The tags to leave out; the link may name some that other data had."""
    told = st.session_state.get("without", st.query_params.get_all("without"))
    link.set_widget("without", [tag for tag in told if tag in whole.tags])
    return st.multiselect(
        f"{kind.many.capitalize()} to leave out",
        whole.tags,
        key="without",
        bind="query-params",
        persist_state="session",
    )


def _epsilon(view: View, kind: Kind, hierarchy: Hierarchy) -> tuple[float, tuple[float, float]]:
    """The slider over the range in which anything changes; where it stands, and the ends of that range."""
    own = np.eye(len(hierarchy.tags), dtype=np.bool_)
    births = hierarchy.births[~own]
    low = max(0.0, np.floor((births.min() - 0.01) * 20) / 20)
    high = min(1.0, np.ceil((births.max() + 0.01) * 20) / 20)
    key = ("good epsilon", view.key, view.dataset.content_hash, kind.key, hierarchy.tags)
    start = store.derived(key, lambda: opening_epsilon(hierarchy, kind.widest))
    epsilon = min(max(_asked(start), low), high)
    mine = session.state()
    if (st.session_state.get("eps"), mine.epsilon_range) != (epsilon, (low, high)):
        # Only where it has to move: a slider that is set takes back what somebody did to it in the meantime.
        st.session_state["eps"], mine.epsilon_range = epsilon, (low, high)
    mine.epsilon_start = min(max(start, low), high)
    chosen = float(
        st.slider(
            "ε: how much may fall outside", low, high, step=0.001, format="%.3f", key="eps", persist_state="session"
        )
    )
    # In the link only once somebody moved it: until then every view has an ε of its own, wherever it is opened.
    link.set_param("eps", "" if chosen == mine.epsilon_start else f"{chosen:.3f}")
    held = live.dragged("eps")
    return chosen if held is None else min(max(held, low), high), (float(low), float(high))


def _asked(start: float) -> float:
    """The ε that somebody chose, here or in the link; while nobody has, the telling one of what is shown now."""
    asked = st.session_state.get("eps", st.query_params.get("eps"))
    if asked is None or asked == session.state().epsilon_start:
        return start
    try:
        epsilon = round(float(asked), 3)
    except ValueError:
        return start
    return start if np.isnan(epsilon) else epsilon


def _how_to_read(hierarchy: Hierarchy, kind: Kind, like: str) -> None:
    """Why a small step of ε may change much."""
    ranked = [md(hierarchy.tags[row], 40) for row in np.argsort(-hierarchy.vectors.mean(axis=1), kind="stable")]
    with st.popover("How to read this", icon=":material/help:"):
        st.markdown(
            f"Here the hierarchy is mostly an order of how well liked the {kind.many} are. Where an inclusion begins "
            f"depends on its broad {kind.one}. So strokes come in bundles: when ε reaches the next best liked "
            f"{kind.one}, it includes nearly all others at once, and stands in one square with those that did so "
            f"before. People {like} them in this order: "
            f"{', '.join(ranked[:_RANKED])}{' …' if len(ranked) > _RANKED else '.'}"
        )


_RANKED = 6

_WHY_EVERY = (
    "By default an arrow is left out where others already lead there. Inclusion at ε does not pass on from one to the "
    "next by itself, so this shows each one that holds."
)


def _near(order: Order, hierarchy: Hierarchy, chosen: Chosen, kind: Kind) -> Order:
    """The graph around the chosen tag, or around the one that comes to include the others soonest."""
    tag = chosen.tag or hierarchy.tags[int(hierarchy.births.mean(axis=0).argmin())]
    around = order.focus(tag)
    others = [*order.including(tag)[:20], *order.included(tag)[:20]]
    if len(around.tags) > FOCUS_FROM:
        around = hierarchy.only([tag, *others]).at(order.epsilon)
    st.caption(
        f"With {len(hierarchy.tags):,} {kind.many} a whole picture is a tangle, so this is “{md(tag, 60)}” with what "
        f"includes it and what it includes ({len(around.tags) - 1:,} {kind.many}, the tightest first). Switch on "
        f"“All {len(hierarchy.tags):,}” for everything."
    )
    return around


def _n_arrows(order: Order, every_edge: bool) -> int:
    return int((order.between if every_edge else order.reduced).sum())


def _contradicted(view: View, kind: Kind, order: Order) -> Sequence[Contradicted]:
    """Where the people themselves are not as the stereotypes that they are drawn from."""
    return inspector.people_with_both(view).contradicted(order) if kind.key == "traits" else ()


def _among_persons(found: Sequence[Contradicted], order: Order) -> str:
    """Which inclusions counting the persons does not bear out."""
    named = [
        f"{md(one.narrow, 40)} in {md(one.broad, 40)} ({one.both:,} of {one.people:,}; of all {percent(one.rate)})"
        for one in found[:6]
    ]
    more = f" and {len(found) - 6:,} more" if len(found) > 6 else ""
    how_many = "one" if len(found) == 1 else f"{len(found):,}"
    dashed = " (dashed where an arrow draws them)" if order.between.any() else ""
    return (
        f"**Counting the persons does not bear out {how_many} of these**{dashed}: too few of those with the narrow "
        "trait have the broad one, which means fewer than half, or clearly fewer than among all people. "
        f"{', '.join(named)}{more}."
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What this session looked at last on this page; ``kind`` is empty and ``epsilon`` None where it never did."""

    kind: str
    epsilon: float | None
    without: tuple[str, ...]
    every_edge: bool
    chosen: Chosen


def asked() -> Asked:
    """What the page shows in this session, as far as it was opened."""
    told = st.session_state
    chosen = Chosen(told.get("node"), told.get("inside"))
    return Asked(
        told.get("ordered", ""), told.get("eps"), tuple(told.get("without", ())), bool(told.get("every")), chosen
    )


def for_report(view: View, asked: Asked) -> tuple[go.Figure, str] | None:
    """The picture that was looked at and what it says; at a telling ε where none was asked for. None without tags."""
    kinds = {kind.key: kind for kind in _kinds(view)}
    if not kinds:
        return None
    kind = kinds.get(asked.kind, next(iter(kinds.values())))
    whole = _hierarchy(view, kind)
    left_out = [tag for tag in asked.without if tag in whole.tags]
    hierarchy = whole.without(left_out)
    if not 2 <= len(hierarchy.tags) <= FOCUS_FROM:
        return None
    order = hierarchy.at(opening_epsilon(hierarchy, kind.widest) if asked.epsilon is None else asked.epsilon)
    doubted = _contradicted(view, kind, order)
    pairs = {(one.narrow, one.broad) for one in doubted}
    figure = hierarchy_figure(order, view.style, every_edge=asked.every_edge, chosen=asked.chosen, doubted=pairs)
    text = [
        inclusions.in_words(order, kind, view.words.likes, _n_arrows(order, asked.every_edge)),
        inclusions.caveat(hierarchy, kind, view.words.like),
        _among_persons(doubted, order) if doubted else "",
        f"Left out: {inclusions.some_of(left_out, len(left_out))}." if left_out else "",
    ]
    return figure, " ".join(part for part in text if part)


def _files(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, figure: go.Figure) -> None:
    epsilon = f"eps-{order.epsilon:.3f}"
    counted_people = inspector.people_with_both(view) if kind.key == "traits" else None

    def arrows() -> pd.DataFrame:
        table = edge_table(order)
        if counted_people is not None:  # what the stereotypes say, and beside it what counting persons says
            pairs = zip(table["included"], table["includes"], strict=True)
            counts = [counted_people.of(narrow, broad) if narrow else (0, 0) for narrow, broad in pairs]
            table["people with both"] = [both for both, _ in counts]
            table["people with the included one"] = [people for _, people in counts]
        return table

    def births() -> pd.DataFrame:
        others = np.where(np.eye(len(hierarchy.tags), dtype=np.bool_), np.nan, hierarchy.births)
        table = pd.DataFrame(others, columns=[f"in {tag}" for tag in hierarchy.tags])
        table.insert(0, f"included {kind.one}", list(hierarchy.tags))
        return table

    parts.take_away(
        "hierarchy",
        {"All births": births},
        {"Hierarchy": figure},
        {
            "Graph (GraphML)": (lambda: graph_text(order, "graphml"), f"hierarchy-{epsilon}.graphml", "text/xml"),
            "Graph (DOT)": (
                lambda: graph_text(order, "dot", reduced=True),
                f"hierarchy-{epsilon}.dot",
                "text/vnd.graphviz",
            ),
            "Arrows (CSV)": (lambda: files.csv_bytes(arrows()), f"hierarchy-{epsilon}.csv", "text/csv"),
        },
    )
