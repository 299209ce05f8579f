"""What the hierarchy orders: the kinds of tags and traits that a data set has, and their inclusions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from dashboard.components import inclusions
from dashboard.components.inclusions import Kind
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.hierarchy import Chosen, hierarchy_figure
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Hierarchy
from nnm_core.interpret.hierarchy.screening import (
    Contradicted,
    Overlap,
    Screened,
    count_overlap,
    opening_epsilon,
    screen_tags,
    screen_traits,
)

MOST_TAGS = 60
"""With more tags than this, a whole picture is a tangle: the page shows one tag with its neighbours unless asked."""

_WIDEST_OF_TRAITS = 1 / 3
"""Above this ε most arrows between traits are not borne out by counting the persons."""


def kinds_of(view: View) -> list[Kind]:
    """Return what can be ordered in these data."""
    dataset = view.dataset
    kinds = [Kind("tags", view.words.tag, view.words.tags)] if dataset.tags.names else []
    if dataset.user_tags is not None and dataset.user_tags.names:
        kinds.append(Kind("words", "word", "words"))
    if dataset.traits:
        kinds.append(Kind("traits", "trait", "traits of people", _WIDEST_OF_TRAITS))
    return kinds


def screened(view: View, kind: Kind) -> Screened:
    """Return the hierarchy of all tags, or traits, that are sure enough to be ordered, and those that are left out."""
    key: Hashable = ("hierarchy", view.key, view.dataset.content_hash, kind.key)

    def compute() -> Screened:
        if kind.key == "traits":
            return screen_traits(view.model, view.dataset.traits.items())
        labels = view.dataset.user_tags if kind.key == "words" else view.dataset.tags
        assert labels is not None  # noqa: S101 - kinds_of offers only what is there
        return screen_tags(view.model, labels)

    return store.derived(key, compute)


def first_epsilon(view: View, kind: Kind, hierarchy: Hierarchy) -> float:
    """Return the ε at which the page opens."""
    key = ("good epsilon", view.key, view.dataset.content_hash, kind.key, hierarchy.tags)
    return store.derived(key, lambda: opening_epsilon(hierarchy, kind.widest))


def count_people(view: View) -> Overlap:
    """Return how many people have two traits at once, whatever the model says."""
    traits = view.dataset.traits
    return store.derived(("overlap", view.dataset.content_hash, *traits), lambda: count_overlap(traits.items()))


def contradicted(view: View, kind: Kind, order: Order) -> Sequence[Contradicted]:
    """Return the inclusions of traits that counting the persons does not bear out."""
    return count_people(view).contradicted(order) if kind.key == "traits" else ()


def draw(view: View, order: Order, doubted: Sequence[Contradicted], chosen: Chosen, *, every_edge: bool) -> go.Figure:
    """Return the picture of the graph at one ε."""
    pairs = {(one.narrow, one.broad) for one in doubted}
    return hierarchy_figure(order, view.style, every_edge=every_edge, chosen=chosen, doubted=pairs)


@dataclass(frozen=True, slots=True)
class Asked:
    """What this session looked at last; ``kind`` is empty and ``epsilon`` None where it never opened the page."""

    kind: str
    epsilon: float | None
    without: tuple[str, ...]
    every_edge: bool
    chosen: Chosen


def asked() -> Asked:
    """Return what the page shows in this session, as far as it was opened."""
    state = st.session_state
    chosen = Chosen(state.get("node"), state.get("inside"))
    without, every_edge = tuple(state.get("without", ())), bool(state.get("every"))
    return Asked(state.get("ordered", ""), state.get("eps"), without, every_edge, chosen)


def for_report(view: View, asked: Asked) -> tuple[go.Figure, str] | None:
    """Return the picture that was looked at and what it says; None without tags or with too many for a picture."""
    kinds = {kind.key: kind for kind in kinds_of(view)}
    if not kinds:
        return None
    kind = kinds.get(asked.kind, next(iter(kinds.values())))
    whole = screened(view, kind).hierarchy
    left_out = [tag for tag in asked.without if tag in whole.tags]
    hierarchy = whole.without(left_out)
    if not 2 <= len(hierarchy.tags) <= MOST_TAGS:
        return None
    order = hierarchy.at(first_epsilon(view, kind, hierarchy) if asked.epsilon is None else asked.epsilon)
    doubted = contradicted(view, kind, order)
    text = [
        inclusions.describe_order(
            order, kind, view.words.likes, inclusions.count_arrows(order, every_edge=asked.every_edge)
        ),
        inclusions.caveat(hierarchy, kind, view.words.like),
        inclusions.describe_contradicted(doubted, order),
        f"Left out: {inclusions.some_of(left_out, len(left_out))}." if left_out else "",
    ]
    figure = draw(view, order, doubted, asked.chosen, every_edge=asked.every_edge)
    return figure, " ".join(part for part in text if part)
