"""What a hierarchy says, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from dashboard.figures.hierarchy import rounded_up, shade
from dashboard.theme import Look
from dashboard.wording import Words, a, counted, md
from nnm_core.interpret.hierarchy.graph import Order
from nnm_core.interpret.hierarchy.inclusion import By, Hierarchy, Witness
from nnm_core.interpret.hierarchy.screening import MIN_ITEMS, MIN_PEOPLE, Contradicted, LeftOut
from nnm_core.phrases import listed, percent, percent_down
from nnm_core.types import FloatArray

_TOPS = 3  # equally broad ones that the sentence names; more are counted
_EQUALS = 4  # equal tags that the sentence names
_MOSTLY = 0.5  # from this part of the variance on, one may say that the order is mostly one of being liked
# Tags that the page names: left out for one reason, ranked by how well they are liked, contradicted
_LEFT_OUT, _RANKED, _CONTRADICTED = 12, 6, 6
_NOTHING = 1e-9  # part of an inclusion below which there is none
_ALIKE = 0.02  # parts of an inclusion that differ by less than this look the same in the picture


@dataclass(frozen=True, slots=True)
class Kind:
    """What is ordered: its key for caches, what one of it and several of it are called, and what is compared."""

    key: str
    one: str
    many: str
    by: By = "taste"

    @property
    def short(self) -> str:
        """What several of it are called where there is little room."""
        return self.key if self.key == "traits" else self.many


def nothing_to_order(hierarchy: Hierarchy, kind: Kind, words: Words) -> str:
    """Say why nothing can include anything, at any ε below 1; empty if something can."""
    n_tags = len(hierarchy.tags)
    if n_tags < 2:
        return f"Fewer than two {kind.many} are left to compare."
    if hierarchy.births[~np.eye(n_tags, dtype=np.bool_)].min() < 1.0 - _NOTHING:
        return ""
    have = "leans toward" if kind.by == "taste" else "has" if kind.key == "traits" else words.likes
    return f"No stereotype {have} more than one of these {n_tags:,} {kind.many}, so none includes another."


def promise(order: Order, kind: Kind, words: Words) -> str:
    """Say in one sentence what an arrow means at this ε; the percentage is rounded down."""
    part = f"**at least {percent_down(1.0 - order.epsilon)}**"
    one, likes = kind.one, "has" if kind.key == "traits" else words.likes
    if kind.by == "taste":
        means = f"{part} of the taste for the narrow {one} is taste for the broad one as well"
    else:
        much = "likely it is to have" if kind.key == "traits" else f"much it {likes}"
        means = f"a stereotype picked by how {much} the narrow {one} {likes} the broad one with a probability of {part}"
    return f"Arrows lead from broad to narrow: {means}."


def written_epsilon(epsilon: float) -> str:
    """Return ε with three decimals, or as a third."""
    return "1/3" if epsilon == 1 / 3 else f"{epsilon:.3f}"


def meaning(kind: Kind, like: str) -> str:
    """Say what it means that one is included in another."""
    if kind.by == "taste":
        if kind.key == "traits":
            lean = "has it more often than the audience does"
        else:
            lean = f"{like}s it more than the audience does, beyond how much more it {like}s everything"
        included = (
            f"when the stereotypes that lean toward the one lean toward the other at least as far. A stereotype leans "
            f"toward {a(kind.one)} as far as it {lean}"
        )
    elif kind.key == "traits":
        included = "when the stereotypes that its people are drawn from mostly have the other as well"
    else:
        included = f"when the stereotypes that {like} the one mostly {like} the other as well"
    persons = " This compares **stereotypes, not persons**: the same people need not have both."
    return (
        f"One {kind.one} is **included** in another {included}.{persons if kind.key == 'traits' else ''} **ε** is the "
        "part that may fall outside: the smaller it is, the more an arrow says. Each stroke below the slider is an ε "
        "at which one more inclusion begins, and the coloured line is the current one. Pick a node, or the dot on an "
        "arrow, to see which stereotypes are behind it."
    )


def describe_order(order: Order, kind: Kind, n_arrows: int) -> str:
    """Say what the graph shows; ``n_arrows``: how many arrows are drawn, 0 if only a part of it is drawn."""
    n_tags, epsilon = len(order.tags), written_epsilon(order.epsilon)
    if order.n_edges == 0:
        return f"At ε = {epsilon} none of these {n_tags:,} {kind.many} includes another: move ε to the right."
    if len(order.classes) == 1:
        return f"At ε = {epsilon} all {n_tags:,} {kind.many} include each other: move ε to the left."
    verb = "there is" if order.n_edges == 1 else "there are"
    there = f"{verb} {counted(order.n_edges, 'inclusion')} among {n_tags:,} {kind.many}"
    squares = len(order.classes) < n_tags
    if 0 < n_arrows < order.n_edges:
        undrawn = [f"{kind.many} in one square share their arrows"] if squares else []
        undrawn += ["no arrow is drawn where others already lead"] if n_arrows < order.between.sum() else []
        there += f", drawn as {counted(n_arrows, 'arrow')}: {listed(undrawn)}" if undrawn else ""
    return f"At ε = {epsilon} {there}. {_broadest(order, kind)}"


def explain_marks(kind: Kind, words: Words) -> str:
    """Say what size, shade and shape of the nodes mean."""
    size = "people" if kind.key == "traits" else words.items
    dark = "" if kind.key == "traits" else f" One of a stronger shade is {words.liked} more."
    return (
        f"A larger node has more {size}.{dark} A square stands for {kind.many} that include each other, directly or "
        "in a circle; a dashed arrow holds for some of them only."
    )


def legend(order: Order, kind: Kind, words: Words, look: Look) -> str:
    """Return the legend of the picture as HTML: only what the picture has."""
    several = len(order.classes) < len(order.tags)
    parts = [f"{_mark(8, look.panel, look)} few {_mark(16, look.panel, look)} many "]
    parts[0] += "people" if kind.key == "traits" else escape(words.items)
    if kind.key != "traits":
        dark, pale = (_mark(12, shade(part, look), look) for part in (1.0, 0.0))
        parts.append(f"{dark} most {words.liked} {pale} least")
    if several:
        parts.append(f"{_mark(12, look.panel, look, '2px')} {escape(kind.many)} that include each other")
    if (order.reduced & (order.holding < 1.0)).any():
        parts.append(f"{_line(look)} holds for some of them only")
    style = f"display:flex;flex-wrap:wrap;gap:.1rem 1.4rem;font-size:.85rem;color:{look.muted}"
    return f"<div class=legend style='{style}'>{''.join(f'<span>{part}</span>' for part in parts)}</div>"


def _mark(size: int, color: str, look: Look, radius: str = "50%") -> str:
    return (
        f"<i style='display:inline-block;width:{size}px;height:{size}px;border-radius:{radius};background:{color};"
        f"border:1px solid {look.ink};vertical-align:middle'></i>"
    )


def _line(look: Look) -> str:
    return f"<i style='display:inline-block;width:24px;border-top:2px dashed {look.muted};vertical-align:middle'></i>"


def count_arrows(order: Order, *, every_edge: bool) -> int:
    """Return how many arrows the picture has."""
    return int((order.between if every_edge else order.reduced).sum())


def _broadest(order: Order, kind: Kind) -> str:
    """Say from which nodes arrows lead to most others; tags of one node count alike."""
    sizes = np.array([len(members) for members in order.classes])
    below = order.reach @ sizes
    most = int(below.max())
    tops = np.flatnonzero(below == most).tolist()
    if most == 0:
        return f"No arrow is left to draw: only the {kind.many} in one square include each other."
    if len(tops) > _TOPS:
        return f"None is the broadest: from {len(tops):,} of them arrows lead to {counted(most, 'other')} each."
    names = []
    for number in tops:
        tags = [order.tags[row] for row in order.classes[number]]
        more = f" and {len(tags) - _EQUALS:,} more" if len(tags) > _EQUALS else ""
        names.append(f"**{' = '.join(md(tag, 60) for tag in tags[:_EQUALS])}**{more}")
    if len(names) == 1:
        others = len(order.tags) - int(sizes[tops[0]])
        every = {1: "the other", 2: "both others"}.get(others, f"all {others:,} others")
        how_many = every if most == others else f"{most:,} of {others:,} others"
        return f"The broadest is {names[0]}: arrows lead from there to {how_many}."
    return f"The broadest are {listed(names)}: from each, arrows lead to {counted(most, 'other')}."


def describe_left_out(left_out: Sequence[LeftOut], kind: Kind, words: Words) -> str:
    """Say which tags or traits are not ordered, and why; empty if all are."""
    of_people = kind.key == "traits"
    few = f"with fewer than {MIN_PEOPLE} people" if of_people else f"with fewer than {MIN_ITEMS} {words.items}"
    nobody = "that no stereotype of taste has" if of_people else f"that no stereotype {words.likes}"
    reasons = {
        "few": few,
        "unsure": "about which random halves of the people disagree",
        "empty": f"{nobody}, so that everything would include it",
        "faint": "toward which stereotypes lean no more than chance would make them",
    }
    parts = []
    for why, reason in reasons.items():
        names = [f"{md(one.name, 40)} ({one.count:,})" for one in left_out if one.why == why]
        if names:
            more = f" and {len(names) - _LEFT_OUT:,} more" if len(names) > _LEFT_OUT else ""
            parts.append(f"{reason}: {', '.join(names[:_LEFT_OUT])}{more}")
    return f"Left out: {counted(len(left_out), kind.one, kind.many)}, {'; '.join(parts)}." if parts else ""


def describe_all_inclusive(tags: Sequence[str]) -> str:
    """Say which tags are left out because they include all others; empty if none is."""
    verb = "includes" if len(tags) == 1 else "include"
    return f"Left out, since {'it' if len(tags) == 1 else 'they'} {verb} everything: {some_of(tags)}." if tags else ""


def describe_contradicted(found: Sequence[Contradicted], order: Order) -> str:
    """Say which inclusions counting the persons does not bear out; empty if there are none."""
    if not found:
        return ""
    named = [
        f"{md(one.narrow, 40)} in {md(one.broad, 40)} ({one.both:,} of {one.people:,}; of all {percent(one.rate)})"
        for one in found[:_CONTRADICTED]
    ]
    more = f" and {len(found) - _CONTRADICTED:,} more" if len(found) > _CONTRADICTED else ""
    how_many = "one" if len(found) == 1 else f"{len(found):,}"
    dashed = " (dashed where an arrow draws them)" if order.between.any() else ""
    return (
        f"**Counting the persons does not bear out {how_many} of these**{dashed}: too few of those with the narrow "
        "trait have the broad one, which means fewer than half, or clearly fewer than among all people. "
        f"{', '.join(named)}{more}."
    )


def explain_bundles(hierarchy: Hierarchy, kind: Kind, like: str) -> str:
    """Say, where it is so, why a small step of ε may change much."""
    if not _is_mostly_liking(hierarchy, kind):
        return ""
    ranked = [md(hierarchy.tags[row], 40) for row in np.argsort(-hierarchy.vectors.mean(axis=1), kind="stable")]
    return (
        f"Here the hierarchy is mostly an order of how well liked the {kind.many} are. Where an inclusion begins "
        f"depends on its broad {kind.one}. So strokes come in bundles: when ε reaches the next best liked "
        f"{kind.one}, it includes nearly all others at once, and stands in one square with those that did so "
        f"before. People {like} them in this order: "
        f"{', '.join(ranked[:_RANKED])}{' …' if len(ranked) > _RANKED else '.'}"
    )


def caveat(hierarchy: Hierarchy, kind: Kind, like: str) -> str:
    """Say, where it is so, that the order is mostly one of being liked; empty else."""
    if not _is_mostly_liking(hierarchy, kind):
        return ""
    return (
        f"**Mostly this is an order of how well people {like} {kind.many}**: which is the broad one explains "
        f"{percent(hierarchy.share_of_the_broad())} of where inclusions begin."
    )


def _is_mostly_liking(hierarchy: Hierarchy, kind: Kind) -> bool:
    is_asked = kind.key != "traits" and kind.by == "liking"
    return is_asked and hierarchy.share_of_the_broad() >= _MOSTLY


def describe_neighbours(order: Order, tag: str, kind: Kind) -> str:
    """Say what includes a tag and what it includes."""
    above, below = order.including(tag), order.included(tag)
    first = f"is included in {some_of(above)}" if above else f"is included in no other {kind.one}"
    second = f"includes {some_of(below)}" if below else "includes none"
    return f"At this ε it {first}, and {second}."


def describe_witness(witness: Witness, names: Sequence[str], epsilon: float) -> str:
    """Say from which ε on an inclusion holds, and with whom the largest parts stay inside and fall outside."""
    holds = "holds" if witness.birth <= epsilon + 1e-12 else "does not hold yet"
    return (
        f"That **{md(witness.narrow, 60)} is included in {md(witness.broad, 60)}** {holds}: it begins at "
        f"**ε = {rounded_up(witness.birth)}**. {_largest(witness.carried, names, 'stays inside', 'stay inside')} "
        f"{_largest(witness.losses, names, 'falls outside', 'fall outside')}"
    )


def _largest(parts: FloatArray, names: Sequence[str], stays: str, stay: str) -> str:
    """Say with which stereotype the largest part stays inside, or falls outside; several where they look alike."""
    if parts.max() < 0.005:
        return f"Next to nothing {stays}."
    ranked = np.argsort(-parts, kind="stable").tolist()
    tops = [k for k in ranked if parts[k] > max(parts.max() - _ALIKE, parts.max() / 2)]
    named = listed([f"*{md(names[k], 60)}* ({percent(parts[k])})" for k in tops])
    if len(tops) == 1:
        return f"The largest part {stays} with {named}."
    return f"About equally large parts {stay} with {named}."


def some_of(tags: Sequence[str], most: int = 6) -> str:
    """Return the first of them, and how many more there are."""
    shown = ", ".join(md(tag, 40) for tag in tags[:most])
    return shown if len(tags) <= most else f"{shown} and {len(tags) - most:,} more"
