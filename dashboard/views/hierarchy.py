"""Page: which tags include which, as ε moves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import cache, state
from dashboard.figures.barcode import barcode_figure
from dashboard.figures.hierarchy import Chosen, hierarchy_figure
from dashboard.figures.witness import witness_figure
from dashboard.views import live, parts
from dashboard.views.current import View, current
from dashboard.wording import a, counted, md
from nnm_core.meaning.graph_files import graph_text
from nnm_core.meaning.inclusion import Hierarchy
from nnm_core.meaning.order import Order
from nnm_core.meaning.phrases import listed, percent, shortened
from nnm_core.meaning.screening import MIN_ITEMS, MIN_PEOPLE, Overlap, Screened, ordered_tags, ordered_traits, overlap
from nnm_core.types import FloatArray

_WIDEST_OF_TRAITS = 1 / 3
"""Above this ε most arrows between traits are not borne out by counting the persons."""

FOCUS_FROM = 60
"""With more tags than this, the page shows one tag with its neighbours unless somebody asks for all."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is ordered: its key for caches, what one of it and several of it are called, and up to which ε it opens."""

    key: str
    one: str
    many: str
    widest: float = 1.0


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
    st.markdown(_meaning(view, kind))
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
    chosen = state.segments("Order", {kind.key: kind.many for kind in kinds}, "ordered")
    return by_key[chosen]


def _meaning(view: View, kind: Kind) -> str:
    """What it means that one is included in another."""
    if kind.key == "traits":
        included = (
            "when the stereotypes that its people are drawn from mostly have the other as well. It compares "
            "**stereotypes, not persons**: the same people need not have both"
        )
    else:
        like = view.words.like
        included = f"when the stereotypes that {like} the one mostly {like} the other as well"
    return (
        f"One {kind.one} is **included** in another {included}. **ε** is the part that may fall outside, and up to "
        "you: the smaller it is, the more an arrow says. Arrows lead from the broad to the narrow."
    )


def _hierarchy(view: View, kind: Kind) -> Hierarchy:
    """All tags, or traits, that are sure enough to be ordered."""
    return _screened(view, kind).hierarchy


def _screened(view: View, kind: Kind) -> Screened:
    key: Hashable = ("hierarchy", view.key, view.dataset.content_hash, kind.key)

    def compute() -> Screened:
        if kind.key == "traits":
            return ordered_traits(view.model, view.dataset.traits.items())
        labels = view.dataset.user_tags if kind.key == "words" else view.dataset.tags
        assert labels is not None  # noqa: S101 - _kinds offers only what is there
        return ordered_tags(view.model, labels)

    return cache.derived(key, compute)


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
        _how_to_read(hierarchy, kind, view.words.like)
    if len(hierarchy.tags) < 2:
        st.info(f"Fewer than two {kind.many} are left; leave fewer of them out.")
        return
    epsilon, reach = _epsilon(view, kind, hierarchy)
    parts.picture(barcode_figure(hierarchy.births, epsilon, view.style, reach), "barcode", "Where inclusions begin")
    st.caption("Every stroke is an ε at which one more arrow appears; the coloured line is where you are.")
    chosen = _picks(hierarchy, kind)
    order = hierarchy.at(epsilon)
    drawn = order
    if crowded and not everything:
        drawn = _focus(order, hierarchy, chosen, kind)
    figure = hierarchy_figure(drawn, view.style, every_edge=every, chosen=chosen)
    n_arrows = _n_arrows(order, every) if drawn is order else 0
    st.markdown(in_words(order, kind, view.words.likes, n_arrows))
    if kind.key == "traits":
        _say_contradicted(view, order)
    parts.picture(
        figure,
        "graph",
        f"The hierarchy of {kind.many} at ε = {epsilon:.3f}",
        on_select=lambda: _pick(hierarchy),
    )
    _about(view, kind, hierarchy, order, chosen)
    _files(kind, hierarchy, order, figure)


def _left_out(whole: Hierarchy, kind: Kind) -> list[str]:
    """The tags to leave out; the link may name some that other data had."""
    told = st.session_state.get("without", st.query_params.get_all("without"))
    state.put("without", [tag for tag in told if tag in whole.tags])
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
    start = cache.derived(key, lambda: _telling(hierarchy, kind.widest))
    epsilon = min(max(_asked(start), low), high)
    if (st.session_state.get("eps"), st.session_state.get("eps reach")) != (epsilon, (low, high)):
        # Only where it has to move: a slider that is set takes back what somebody did to it in the meantime.
        st.session_state["eps"], st.session_state["eps reach"] = epsilon, (low, high)
    st.session_state["eps start"] = min(max(start, low), high)
    chosen = float(
        st.slider(
            "ε: how much may fall outside", low, high, step=0.001, format="%.3f", key="eps", persist_state="session"
        )
    )
    # In the link only once somebody moved it: until then every view has an ε of its own, wherever it is opened.
    state.set_link("eps", "" if chosen == st.session_state["eps start"] else f"{chosen:.3f}")
    held = live.dragged("eps")
    return chosen if held is None else min(max(held, low), high), (float(low), float(high))


def _asked(start: float) -> float:
    """The ε that somebody chose, here or in the link; while nobody has, the telling one of what is shown now."""
    asked = st.session_state.get("eps", st.query_params.get("eps"))
    if asked is None or asked == st.session_state.get("eps start"):
        return start
    try:
        epsilon = round(float(asked), 3)
    except ValueError:
        return start
    return start if np.isnan(epsilon) else epsilon


def _telling(hierarchy: Hierarchy, widest: float) -> float:
    """An ε up to ``widest`` at which there is something to see: as many levels as can be had while few tags are equal.

    Among those with as many levels, one that leaves few tags alone, puts few into a square, and is not too wide.
    """
    some = hierarchy.only(hierarchy.tags[:FOCUS_FROM])
    births = some.births[~np.eye(len(some.tags), dtype=np.bool_)]
    steps = np.unique(np.ceil(1000 * births - 1e-6)) / 1000
    steps = steps[: max(int((steps <= widest).sum()), 1)]
    candidates = np.unique(steps[np.linspace(0, len(steps) - 1, min(len(steps), _TRIED)).astype(np.int64)]).tolist()
    best, chosen = (-1, 0, 0, 0), float(candidates[0])
    for epsilon in candidates:
        order = some.at(epsilon)
        equal = len(order.tags) - sum(len(members) == 1 for members in order.classes)
        if equal > max(2, len(order.tags) * _FEW):
            break  # more ε only makes more of them equal
        alone = int((~(order.reduced.any(axis=0) | order.reduced.any(axis=1))).sum())
        score = (int(order.layers.max(initial=0)), -alone, -equal, -int(np.bincount(order.layers).max()))
        if score > best:
            best, chosen = score, float(epsilon)
    return chosen


def _how_to_read(hierarchy: Hierarchy, kind: Kind, like: str) -> None:
    """Why a small step of ε may change much, where that is so."""
    share = 0.0 if kind.key == "traits" else hierarchy.share_of_the_broad()
    if share < _MOSTLY:
        return
    ranked = [md(hierarchy.tags[row], 40) for row in np.argsort(-hierarchy.vectors.mean(axis=1), kind="stable")]
    with st.popover("How to read this", icon=":material/help:"):
        st.markdown(
            f"Here the hierarchy is mostly an order of how well liked the {kind.many} are. Where an inclusion begins "
            f"depends on its broad {kind.one}: that alone explains {percent(share)} of the differences between the "
            f"strokes. So strokes come in bundles: when ε reaches the next best liked {kind.one}, it includes nearly "
            f"all others at once, and stands in one square with those that did so before. People {like} them in this "
            f"order: {', '.join(ranked[:_RANKED])}{' …' if len(ranked) > _RANKED else '.'}"
        )


_TRIED = 48
"""Positions of ε that are looked at for a telling one."""

_FEW = 1 / 6
"""The part of the tags that may be equal to others in the first picture."""

_MOSTLY = 0.5
"""From this part of the variance on, one may say that the order is mostly one of being liked."""

_RANKED = 6

_TOPS = 3
"""Equally broad ones that the sentence names; more are counted."""

_EQUALS = 4
"""Equal tags that the sentence names."""


_WHY_EVERY = (
    "By default an arrow is left out where others already lead there. Inclusion at ε does not pass on from one to the "
    "next by itself, so this shows each one that holds."
)


def _picks(hierarchy: Hierarchy, kind: Kind) -> Chosen:
    """The chosen tag and, for the numbers of an arrow, another one."""
    left, right = st.columns(2)
    tags = sorted(hierarchy.tags, key=str.casefold)
    with left:
        node = state.select(
            f"Look at {a(kind.one)}", tags, "node", form=shortened, placeholder="pick one here or in the picture"
        )
    with right:
        inside = state.select("Is it included in …?", tags, "inside", form=shortened, placeholder="another one")
    return Chosen(node, inside if inside != node else None)


def _pick(hierarchy: Hierarchy) -> None:
    """Somebody picked a node or an edge."""
    point = parts.picked("graph")
    data = None if point is None else point.get("customdata")
    if isinstance(data, str) and data in hierarchy.tags:
        st.session_state["node"], st.session_state["inside"] = data, None
    elif isinstance(data, (list, tuple)) and len(data) == 2 and set(data) <= set(hierarchy.tags):
        st.session_state["node"], st.session_state["inside"] = data


def _focus(order: Order, hierarchy: Hierarchy, chosen: Chosen, kind: Kind) -> Order:
    tag = chosen.tag or hierarchy.tags[int(hierarchy.counts.argmax())]
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


def in_words(order: Order, kind: Kind, likes: str, n_arrows: int) -> str:
    """What the graph says, in a few sentences; ``n_arrows``: how many arrows are drawn, 0 if only a part is drawn."""
    n_tags = len(order.tags)
    if order.n_edges == 0:
        return f"At ε = {order.epsilon:.3f} nothing includes anything yet: move ε to the right."
    if len(order.classes) == 1:
        return f"At ε = {order.epsilon:.3f} all {n_tags:,} {kind.many} include each other: move ε to the left."
    verb = "there is" if order.n_edges == 1 else "there are"
    there = f"{verb} {counted(order.n_edges, 'inclusion')} among {n_tags:,} {kind.many}"
    squares = len(order.classes) < n_tags
    if 0 < n_arrows < order.n_edges:
        undrawn = ["a square shares its arrows"] if squares else []
        undrawn += ["none leads where others already lead"] if n_arrows < order.between.sum() else []
        there += f", drawn as {counted(n_arrows, 'arrow')}: {listed(undrawn)}" if undrawn else ""
    sentences = [f"At ε = {order.epsilon:.3f} {there}.", _broadest(order)]
    if squares:
        sentences.append(f"A square stands for {kind.many} that include each other, directly or around a circle.")
    return " ".join([*sentences, _promise(order.epsilon, kind, likes)])


def _broadest(order: Order) -> str:
    """From which nodes arrows lead to most others; tags of one node count alike."""
    sizes = np.array([len(members) for members in order.classes])
    below = order.reach @ sizes
    most = int(below.max())
    tops = np.flatnonzero(below == most).tolist()
    if len(tops) > _TOPS:
        return f"None is the broadest: from {len(tops):,} of them arrows lead to {counted(most, 'other')} each."
    names = []
    for number in tops:
        tags = [order.tags[row] for row in order.classes[number]]
        more = f" and {len(tags) - _EQUALS:,} more" if len(tags) > _EQUALS else ""
        names.append(f"**{' = '.join(md(tag, 60) for tag in tags[:_EQUALS])}**{more}")
    if len(names) == 1:
        others = len(order.tags) - int(sizes[tops[0]])
        how_many = f"all {others:,} others" if most == others > 1 else f"{most:,} of {counted(others, 'other')}"
        return f"The broadest is {names[0]}: arrows lead from there to {how_many}."
    return f"The broadest are {listed(names)}: from each, arrows lead to {counted(most, 'other')}."


def _promise(epsilon: float, kind: Kind, likes: str) -> str:
    """What an inclusion at this ε promises, in numbers."""
    how_much = "how likely it has" if kind.key == "traits" else f"how much it {likes}"
    does = "has" if kind.key == "traits" else likes
    return (
        f"So an arrow says: pick a stereotype by {how_much} the narrow {kind.one}, and it {does} the broad one with a "
        f"probability of **at least {percent(1.0 - epsilon)}**."
    )


def _say_contradicted(view: View, order: Order) -> None:
    """Where the people themselves are not as the stereotypes that they are drawn from."""
    found = _people_with_both(view).contradicted(order)
    if not found:
        return
    named = [f"{md(one.narrow, 40)} in {md(one.broad, 40)} ({one.both:,} of {one.people:,})" for one in found[:6]]
    do, one = ("does", "one") if len(found) == 1 else ("do", f"{len(found):,}")
    st.markdown(
        f"**Among the persons themselves, {one} of these {do} not hold**: fewer than half of those who have the narrow "
        f"one have the broad one. {', '.join(named)}{f' and {len(found) - 6:,} more' if len(found) > 6 else ''}."
    )


def _people_with_both(view: View) -> Overlap:
    traits = view.dataset.traits
    return cache.derived(("overlap", view.dataset.content_hash, *traits), lambda: overlap(traits.items()))


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
    order = hierarchy.at(_telling(hierarchy, kind.widest) if asked.epsilon is None else asked.epsilon)
    figure = hierarchy_figure(order, view.style, every_edge=asked.every_edge, chosen=asked.chosen)
    text = in_words(order, kind, view.words.likes, _n_arrows(order, asked.every_edge))
    return figure, text + (f" Left out: {_listed(tuple(left_out), len(left_out))}." if left_out else "")


def _about(view: View, kind: Kind, hierarchy: Hierarchy, order: Order, chosen: Chosen) -> None:
    if chosen.tag is None:
        return
    tag = chosen.tag
    st.subheader(md(tag, 80), anchor=False)
    above, below = order.including(tag), order.included(tag)
    first = f"is included in {_listed(above)}" if above else f"is included in no other {kind.one}"
    second = f"includes {_listed(below)}" if below else "includes none"
    row = int(hierarchy.rows([tag])[0])
    count = int(hierarchy.counts[row])
    who = counted(count, "person", "people") if kind.key == "traits" else counted(
        count, view.words.item, view.words.items
    )  # fmt: skip
    st.markdown(f"At this ε it {first}, and {second}. It rests on {who}.")
    if chosen.broad is None:
        st.caption(f"Pick the dot on an arrow, or a second {kind.one} above, to see what carries an inclusion.")
        return
    if hierarchy.vectors[row].sum() <= 0:
        have = "has" if kind.key == "traits" else view.words.likes
        st.caption(f"No stereotype {have} “{md(tag, 60)}” at all, so there is nothing to carry or to break.")
        return
    witness = hierarchy.witness(tag, chosen.broad)
    holds = "holds" if witness.birth <= order.epsilon + 1e-12 else "does not hold yet"
    st.markdown(
        f"That **{md(tag, 60)} is included in {md(chosen.broad, 60)}** {holds}: it begins at "
        f"**ε = {witness.birth:.3f}**. "
        f"{_largest(witness.carried, view.names, 'stays inside', 'stay inside')} "
        f"{_largest(witness.losses, view.names, 'falls outside', 'fall outside')}"
    )
    figure = witness_figure(witness, view.names, view.style)
    parts.picture(figure, "witness", "What carries and what breaks the inclusion")
    if kind.key == "traits":
        both, people = _people_with_both(view).of(tag, chosen.broad)
        st.markdown(
            f"Among the persons themselves, {both:,} of {counted(people, 'person', 'people')} with {md(tag, 60)} "
            f"{'has' if both == 1 else 'have'} {md(chosen.broad, 60)}."
        )
    st.caption(f"Full: stays inside. Pale: falls outside; together the pale parts make {witness.birth:.1%}.")


def _largest(parts_of_it: FloatArray, names: Sequence[str], stays: str, stay: str) -> str:
    """With which stereotype the largest part stays inside, or falls outside; several where they look alike."""
    if parts_of_it.max() < 0.005:
        return f"Next to nothing {stays}."
    ranked = np.argsort(-parts_of_it, kind="stable").tolist()
    tops = [k for k in ranked if parts_of_it[k] > parts_of_it.max() - _ALIKE]
    told = listed([f"*{md(names[k], 60)}* ({percent(parts_of_it[k])})" for k in tops])
    return f"The largest part {stays} with {told}." if len(tops) == 1 else f"Equally large parts {stay} with {told}."


_ALIKE = 0.02
"""Parts of an inclusion that differ by less than this look the same in the picture."""


def _listed(tags: tuple[str, ...], most: int = 6) -> str:
    shown = ", ".join(md(tag, 40) for tag in tags[:most])
    return shown if len(tags) <= most else f"{shown} and {len(tags) - most:,} more"


def _files(kind: Kind, hierarchy: Hierarchy, order: Order, figure: go.Figure) -> None:
    epsilon = f"eps-{order.epsilon:.3f}"

    def births() -> pd.DataFrame:
        table = pd.DataFrame(hierarchy.births, columns=[f"in {tag}" for tag in hierarchy.tags])
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
            "Arrows (CSV)": (lambda: graph_text(order, "csv"), f"hierarchy-{epsilon}.csv", "text/csv"),
        },
    )
