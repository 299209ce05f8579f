"""The hierarchy of a data set: what it can order, the slider of ε, and the chosen tag beside the picture."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session
from dashboard.components import inclusions
from dashboard.components.common import display, widgets
from dashboard.components.inclusions import Kind
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.hierarchy import Chosen, barcode_figure, hierarchy_figure, witness_figure
from dashboard.wording import a, counted, md, plain
from nnm_core.interpret.hierarchy import screening
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import By, Hierarchy
from nnm_core.phrases import shortened

# With more tags than this, a whole picture is a tangle: the page shows one tag with its neighbours unless asked
MOST_TAGS = 60
THIRD = 1 / 3  # the paper's ε
BY = {"taste": "By taste", "liking": "As in the paper"}  # what is compared
_PAPERS_D, _PAPERS_LEFT_OUT = 8, ("Film-Noir", "War")
_ABOUT_PAPERS_FIGURE = (
    "As in the paper: eight stereotypes and ε = 1/3, without Film-Noir and War where the data have them."
)


def kinds_of(view: View) -> list[Kind]:
    """Return what can be ordered in these data."""
    dataset = view.dataset
    kinds = [Kind("tags", view.words.tag, view.words.tags)] if dataset.tags.names else []
    if dataset.user_tags is not None and dataset.user_tags.names:
        kinds.append(Kind("words", "word", "words"))
    if dataset.traits:
        kinds.append(Kind("traits", "trait", "traits of people"))
    return kinds


def choose_kind(kinds: Sequence[Kind]) -> Kind:
    """Show the choices of how to compare and, where there are several, of what; return both."""
    hidden: dict[str, Any] = {"label_visibility": "collapsed", "on_change": _forget_epsilon}
    by = link.segments("Compare", BY, "by", **hidden)
    chosen = kinds[0].key
    if len(kinds) > 1:
        chosen = link.segments("Order", {kind.key: kind.short.capitalize() for kind in kinds}, "ordered", **hidden)
    return replace(next(kind for kind in kinds if kind.key == chosen), by=cast("By", by))


def _forget_epsilon() -> None:
    """Open at an ε that suits what is now compared."""
    st.session_state.pop("eps", None)
    link.set_param("eps", "")


def screened(view: View, kind: Kind) -> screening.Screened:
    """Return the hierarchy of all tags, or traits, that are sure enough to be ordered, and those that are left out."""
    key: Hashable = ("hierarchy", view.key, view.dataset.content_hash, kind.key, kind.by)

    def compute() -> screening.Screened:
        if kind.key == "traits":
            return screening.screen_traits(view.model, view.dataset.traits.items(), by=kind.by)
        labels = view.dataset.user_tags if kind.key == "words" else view.dataset.tags
        assert labels is not None  # noqa: S101 - kinds_of offers only what is there
        if kind.by == "taste":
            return screening.screen_taste(view.towers(labels, kind.key))
        return screening.screen_tags(view.model, labels)

    return store.derived(key, compute)


def first_epsilon(view: View, kind: Kind, hierarchy: Hierarchy) -> float:
    """Return the ε at which the page opens."""
    key = ("good epsilon", view.key, view.dataset.content_hash, kind.key, kind.by, hierarchy.tags)
    # Above this ε most arrows between traits, as in the paper, are not borne out by counting the persons.
    widest = THIRD if (kind.key, kind.by) == ("traits", "liking") else 1.0
    return store.derived(key, lambda: screening.opening_epsilon(hierarchy, widest))


def count_people(view: View) -> screening.Overlap:
    """Return how many people have two traits at once, whatever the model says."""
    traits = view.dataset.traits
    return store.derived(
        ("overlap", view.dataset.content_hash, *traits), lambda: screening.count_overlap(traits.items())
    )


def contradicted(view: View, kind: Kind, order: Order) -> Sequence[screening.Contradicted]:
    """Return the inclusions of traits that counting the persons does not bear out."""
    is_counted = (kind.key, kind.by) == ("traits", "liking")  # by taste, nothing is said of the same people
    return count_people(view).contradicted(order) if is_counted else ()


def draw(
    view: View,
    hierarchy: Hierarchy,
    order: Order,
    doubted: Sequence[screening.Contradicted],
    chosen: Chosen,
    *,
    every_edge: bool,
) -> go.Figure:
    """Return the picture of the graph at one ε."""
    pairs = {(one.narrow, one.broad) for one in doubted}
    items = view.words.items if np.isfinite(hierarchy.liked).all() else "people"
    return hierarchy_figure(
        order, view.look, every_edge=every_edge, chosen=chosen, doubted=pairs, hierarchy=hierarchy, items=items
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What this session looked at last; ``kind`` is empty and ``epsilon`` None where it never opened the page."""

    kind: str
    epsilon: float | None
    without: tuple[str, ...]
    every_edge: bool
    chosen: Chosen
    by: By
    all_inclusive: bool


def asked() -> Asked:
    """Return what the page shows in this session, as far as it was opened."""
    state = st.session_state
    chosen = Chosen(state.get("node"), state.get("inside"))
    without, every_edge = tuple(state.get("without", ())), bool(state.get("every"))
    by: By = "liking" if state.get("by") == "liking" else "taste"
    return Asked(
        state.get("ordered", ""), state.get("eps"), without, every_edge, chosen, by, bool(state.get("inclusive"))
    )


def for_report(view: View, asked: Asked) -> tuple[go.Figure, str] | None:
    """Return the picture that was looked at and what it says; None without tags or with too many for a picture."""
    kinds = {kind.key: replace(kind, by=asked.by) for kind in kinds_of(view)}
    if not kinds:
        return None
    kind = kinds.get(asked.kind, next(iter(kinds.values())))
    whole = screened(view, kind).hierarchy
    left_out = [tag for tag in asked.without if tag in whole.tags]
    hierarchy = whole.without(left_out)
    if len(hierarchy.tags) > MOST_TAGS or inclusions.nothing_to_order(hierarchy, kind, view.words):
        return None
    order = hierarchy.at(first_epsilon(view, kind, hierarchy) if asked.epsilon is None else exact(asked.epsilon))
    broadest = () if asked.all_inclusive else screening.all_inclusive(order)
    order = order.without(broadest)
    doubted = contradicted(view, kind, order)
    n_arrows = inclusions.count_arrows(order, every_edge=asked.every_edge)
    text = [
        inclusions.promise(order, kind, view.words),
        inclusions.describe_order(order, kind, n_arrows),
        inclusions.caveat(hierarchy, kind, view.words.like),
        inclusions.describe_contradicted(doubted, order),
        inclusions.describe_all_inclusive(broadest),
        f"Left out: {inclusions.some_of(left_out, len(left_out))}." if left_out else "",
        inclusions.explain_marks(kind, view.words),
    ]
    figure = draw(view, hierarchy, order, doubted, asked.chosen, every_edge=asked.every_edge)
    return figure, " ".join(part for part in text if part)


def choose_epsilon(view: View, kind: Kind, hierarchy: Hierarchy, *, papers: Callable[[], None] | None) -> float:
    """Show the slider over the range in which anything changes, and the barcode; return the ε.

    ``papers`` shows the paper's figure; None where these data do not allow it.
    """
    start = first_epsilon(view, kind, hierarchy)
    low, high = _range(view, kind, hierarchy)
    in_link, epsilon = link.asked_for("eps"), min(max(_asked_epsilon(start), low), high)
    link.compare("eps", "ε", in_link, round(epsilon, 3))
    mine = session.state()
    if (st.session_state.get("eps"), mine.epsilon_range) != (epsilon, (low, high)):
        # Only where it has to move: setting a slider undoes what somebody did to it in the meantime.
        st.session_state["eps"], mine.epsilon_range = epsilon, (low, high)
    mine.epsilon_start = min(max(start, low), high)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        place = st.container(gap=None)
        if papers is not None and st.button("Paper’s figure", on_click=papers, help=_ABOUT_PAPERS_FIGURE):
            st.rerun()  # the whole page: the number of stereotypes is another one
    with place:
        label = "ε: how much may fall outside"
        epsilon = float(st.slider(label, low, high, step=0.001, format="%.3f", key="eps", persist_state="session"))
        # In the link only once somebody moved it: until then every view has an ε of its own, wherever it is opened.
        link.set_param("eps", "" if epsilon == mine.epsilon_start else f"{epsilon:.3f}")
        held = widgets.dragged("eps")
        epsilon = epsilon if held is None else min(max(held, low), high)
        barcode = barcode_figure(hierarchy.births, view.look, epsilon=epsilon, reach=(low, high))
        births = hierarchy.births[~np.eye(len(hierarchy.births), dtype=np.bool_)]
        found = (
            f"{np.count_nonzero(births <= epsilon):,} of {len(births):,} begin at or below {epsilon:.3f}, the current ε"
        )
        alt = f"Where inclusions begin, a stroke for each: {found}"
        display.show_figure(barcode, "barcode", alt, has_camera=False)  # which would hide strokes on a phone
    return exact(epsilon)


def exact(epsilon: float) -> float:
    """Return the ε that a position of the slider stands for: 0.333 is a third, which the paper uses."""
    return THIRD if round(epsilon, 3) == round(THIRD, 3) else epsilon


def _range(view: View, kind: Kind, hierarchy: Hierarchy) -> tuple[float, float]:
    """Return the ends of the slider: from the first inclusion to where all are one class, and a third between them."""
    key = ("one class", view.key, view.dataset.content_hash, kind.key, kind.by, hierarchy.tags)
    last = store.derived(key, hierarchy.one_class_at)
    first = hierarchy.births[~np.eye(len(hierarchy.tags), dtype=np.bool_)].min()
    low = min(float(np.floor((first - 0.01) * 20) / 20), 0.3)
    high = max(float(np.ceil((last + 0.01) * 20) / 20), 0.35)
    return max(low, 0.0), min(high, 1.0)


def papers_figure(view: View, kinds: Sequence[Kind]) -> Callable[[], None] | None:
    """Return what shows the paper's figure; None without tags, or with a model from a file of another D."""
    is_free = session.own_model() is None
    if kinds[0].key != "tags" or not (is_free or view.model.n_stereotypes == _PAPERS_D):
        return None
    without = [tag for tag in _PAPERS_LEFT_OUT if tag in view.dataset.tags.names]

    def show() -> None:
        values: dict[str, Any] = {"by": "liking", "eps": round(THIRD, 3), "without": without, "inclusive": "shown"}
        if len(kinds) > 1:
            values["ordered"] = "tags"
        if is_free:
            values["D"] = _PAPERS_D
        st.session_state.update(values)
        session.state().epsilon_start = None  # a third is now asked for, even where the page would open there

    return show


def choose_all_inclusive(tags: Sequence[str], kind: Kind) -> Sequence[str]:
    """Return which of the tags that include all others are left out; a chip brings them back."""
    asked = st.session_state.get("inclusive", st.query_params.get("inclusive"))
    if not tags:
        return ()
    link.set_widget("inclusive", "shown" if asked == "shown" else None)
    text = f"{md(tags[0], 20)} includes" if len(tags) == 1 else f"{len(tags):,} {kind.short} include"
    chosen = st.pills(
        f"{kind.short.capitalize()} that include everything",
        ["shown"],
        key="inclusive",
        persist_state="session",
        format_func=lambda _: f":material/visibility: {text} everything",
        label_visibility="collapsed",
        help=f"{inclusions.some_of(tags)}: left out, since their place says little. Press to show them.",
    )
    link.set_param("inclusive", chosen or "")
    return () if chosen else tags


def show_left_out() -> None:
    """Show a chip for every tag that somebody left out, which brings it back."""
    without = list(st.session_state.get("without", ()))
    for number, tag in enumerate(without):
        rest = [other for other in without if other != tag]
        name = md(tag, 30)
        st.button(
            f"{name} :material/close:",
            key=f"back-{number}",
            on_click=lambda rest=rest: st.session_state.update(without=rest),
            help=f"“{name}” is left out. Press to bring it back.",
        )


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
    first, second = st.columns(2)
    with first:
        hint = "pick one here or in the picture"
        node = link.select(f"Look at {a(kind.one)}", tags, "node", form=shortened, placeholder=hint)
    with second:
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
        return
    row = int(hierarchy.rows([tag])[0])
    one, many = ("person", "people") if kind.key == "traits" else (view.words.item, view.words.items)
    rests_on = counted(int(hierarchy.counts[row]), one, many)
    if tag in order.tags:
        st.markdown(f"**{md(tag, 60)}** rests on {rests_on}. {inclusions.describe_neighbours(order, tag, kind)}")
    else:
        st.markdown(f"**{md(tag, 60)}** rests on {rests_on}. It includes everything, so it is left out of the picture.")
    if chosen.broad is None:
        st.caption(f"Pick the dot on an arrow, or a second {kind.one} below, to see which stereotypes are behind it.")
    elif hierarchy.vectors[row].sum() <= 0:
        have = "leans toward" if kind.by == "taste" else "has" if kind.key == "traits" else view.words.likes
        st.caption(f"No stereotype {have} “{md(tag, 60)}” at all, so there is nothing to compare.")
    else:
        _show_witness(view, kind, hierarchy, order, tag, chosen.broad)


def _show_witness(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, narrow: str, broad: str) -> None:
    witness = hierarchy.witness(narrow, broad)
    words = inclusions.describe_witness(witness, view.names, order.epsilon)
    st.markdown(words)
    display.show_figure(witness_figure(witness, view.look, names=view.names), "witness", plain(words))
    st.caption(f"Full: stays inside. Pale: falls outside; together the pale parts make {witness.birth:.1%}.")
    if kind.key == "traits":
        both, people = count_people(view).of(narrow, broad)
        st.markdown(
            f"Among the persons themselves, {both:,} of {counted(people, 'person', 'people')} with “{md(narrow, 60)}” "
            f"{'has' if both == 1 else 'have'} “{md(broad, 60)}” as well."
        )
