"""The hierarchy of a data set: what it can order, the slider of ε, and the chosen tag beside the picture."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session
from dashboard.components import display, inclusions, widgets
from dashboard.components.inclusions import Kind
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.hierarchy import Chosen, barcode_figure, hierarchy_figure, witness_figure
from dashboard.wording import a, counted, md
from nnm_core.interpret.hierarchy import screening
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import Hierarchy
from nnm_core.phrases import shortened

# With more tags than this, a whole picture is a tangle: the page shows one tag with its neighbours unless asked
MOST_TAGS = 60
_WIDEST_OF_TRAITS = 1 / 3  # above this ε most arrows between traits are not borne out by counting the persons


def kinds_of(view: View) -> list[Kind]:
    """Return what can be ordered in these data."""
    dataset = view.dataset
    kinds = [Kind("tags", view.words.tag, view.words.tags)] if dataset.tags.names else []
    if dataset.user_tags is not None and dataset.user_tags.names:
        kinds.append(Kind("words", "word", "words"))
    if dataset.traits:
        kinds.append(Kind("traits", "trait", "traits of people", _WIDEST_OF_TRAITS))
    return kinds


def screened(view: View, kind: Kind) -> screening.Screened:
    """Return the hierarchy of all tags, or traits, that are sure enough to be ordered, and those that are left out."""
    key: Hashable = ("hierarchy", view.key, view.dataset.content_hash, kind.key)

    def compute() -> screening.Screened:
        if kind.key == "traits":
            return screening.screen_traits(view.model, view.dataset.traits.items())
        labels = view.dataset.user_tags if kind.key == "words" else view.dataset.tags
        assert labels is not None  # noqa: S101 - kinds_of offers only what is there
        return screening.screen_tags(view.model, labels)

    return store.derived(key, compute)


def first_epsilon(view: View, kind: Kind, hierarchy: Hierarchy) -> float:
    """Return the ε at which the page opens."""
    key = ("good epsilon", view.key, view.dataset.content_hash, kind.key, hierarchy.tags)
    return store.derived(key, lambda: screening.opening_epsilon(hierarchy, kind.widest))


def count_people(view: View) -> screening.Overlap:
    """Return how many people have two traits at once, whatever the model says."""
    traits = view.dataset.traits
    return store.derived(
        ("overlap", view.dataset.content_hash, *traits), lambda: screening.count_overlap(traits.items())
    )


def contradicted(view: View, kind: Kind, order: Order) -> Sequence[screening.Contradicted]:
    """Return the inclusions of traits that counting the persons does not bear out."""
    return count_people(view).contradicted(order) if kind.key == "traits" else ()


def draw(
    view: View, order: Order, doubted: Sequence[screening.Contradicted], chosen: Chosen, *, every_edge: bool
) -> go.Figure:
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
    n_arrows = inclusions.count_arrows(order, every_edge=asked.every_edge)
    text = [
        inclusions.describe_order(order, kind, view.words.likes, n_arrows),
        inclusions.caveat(hierarchy, kind, view.words.like),
        inclusions.describe_contradicted(doubted, order),
        f"Left out: {inclusions.some_of(left_out, len(left_out))}." if left_out else "",
    ]
    figure = draw(view, order, doubted, asked.chosen, every_edge=asked.every_edge)
    return figure, " ".join(part for part in text if part)


def choose_epsilon(view: View, hierarchy: Hierarchy, start: float) -> float:
    """Show the slider over the range in which anything changes, and the barcode; return the ε, first ``start``."""
    births = hierarchy.births[~np.eye(len(hierarchy.tags), dtype=np.bool_)]
    low = float(max(0.0, np.floor((births.min() - 0.01) * 20) / 20))
    high = float(min(1.0, np.ceil((births.max() + 0.01) * 20) / 20))
    in_link, epsilon = link.asked_for("eps"), min(max(_asked_epsilon(start), low), high)
    link.compare("eps", "ε", in_link, round(epsilon, 3))
    mine = session.state()
    if (st.session_state.get("eps"), mine.epsilon_range) != (epsilon, (low, high)):
        # Only where it has to move: setting a slider undoes what somebody did to it in the meantime.
        st.session_state["eps"], mine.epsilon_range = epsilon, (low, high)
    mine.epsilon_start = min(max(start, low), high)
    label = "ε: how much may fall outside"
    epsilon = float(st.slider(label, low, high, step=0.001, format="%.3f", key="eps", persist_state="session"))
    # In the link only once somebody moved it: until then every view has an ε of its own, wherever it is opened.
    link.set_param("eps", "" if epsilon == mine.epsilon_start else f"{epsilon:.3f}")
    held = widgets.dragged("eps")
    epsilon = epsilon if held is None else min(max(held, low), high)
    barcode = barcode_figure(hierarchy.births, view.style, epsilon=epsilon, reach=(low, high))
    display.show_figure(barcode, "barcode", "Where inclusions begin")
    st.caption("Every stroke is an ε at which one more inclusion begins; the coloured line is where you are.")
    return epsilon


def _asked_epsilon(start: float) -> float:
    """Return the ε that somebody chose, here or in the link; else ``start``."""
    asked = st.session_state.get("eps", st.query_params.get("eps"))
    if asked is None or asked == session.state().epsilon_start:
        return start
    try:
        epsilon = round(float(asked), 3)
    except ValueError:
        return start
    return start if np.isnan(epsilon) else epsilon


def choose_tags(hierarchy: Hierarchy, kind: Kind) -> Chosen:
    """Return the chosen tag and, for the numbers of an arrow, another one."""
    tags = sorted(hierarchy.tags, key=str.casefold)
    hint = "pick one here or in the picture"
    node = link.select(f"Look at {a(kind.one)}", tags, "node", form=shortened, placeholder=hint)
    inside = link.select("Is it included in …?", tags, "inside", form=shortened, placeholder="another one")
    return Chosen(node, inside if inside != node else None)


def select_tag(hierarchy: Hierarchy) -> None:
    """Look at the node, or the arrow, whose point is selected in the picture."""
    data = display.selected_data("graph")
    if isinstance(data, str) and data in hierarchy.tags:
        st.session_state["node"], st.session_state["inside"] = data, None
    elif isinstance(data, (list, tuple)) and len(data) == 2 and set(data) <= set(hierarchy.tags):
        st.session_state["node"], st.session_state["inside"] = data


def show_chosen(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, chosen: Chosen) -> None:
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
    display.show_figure(figure, "witness", "What carries and what breaks the inclusion")
    st.caption(f"Full: stays inside. Pale: falls outside; together the pale parts make {witness.birth:.1%}.")
    if kind.key == "traits":
        both, people = count_people(view).of(narrow, broad)
        st.markdown(
            f"Among the persons themselves, {both:,} of {counted(people, 'person', 'people')} with “{md(narrow, 60)}” "
            f"{'has' if both == 1 else 'have'} “{md(broad, 60)}” as well."
        )
