"""The towers: which bars to draw, how items count in them, and one picture of all where there are many."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import link, session, streamlit_compat
from dashboard.components.common import display, job_panel
from dashboard.components.evidence import choose_stereotype, select_bar
from dashboard.components.portraits import heading, show_one
from dashboard.compute import jobs, store
from dashboard.compute.current import View
from dashboard.compute.evaluations import evaluate_item_chance, evaluate_stability
from dashboard.figures.stereotypes import Bars, heatmap_figure, tower_figure
from dashboard.wording import Words, a, counted, number, signed
from nnm_core.datasets import Labels
from nnm_core.interpret.compare import Stability
from nnm_core.interpret.exemplars import distinctive_rows, item_taste
from nnm_core.interpret.item_chance import ItemChance, measure_item_chance
from nnm_core.interpret.text.portraits import Portrait, split_small, write_portraits
from nnm_core.interpret.towers import Towers, Weighting, compute_towers
from nnm_core.phrases import percent
from nnm_core.types import IntArray

_REFITS = 5
_PATIENCE = 0.2  # seconds to wait for the test of items before they are shown
_SHOWN = 24
MANY = 5  # from so many stereotypes on, all of them are in one picture
_MAP = "all-stereotypes"
_DIFFERENCES = 8
_SORTS = {"apart": "what sets them apart", "liked": "what is liked most", "name": "the alphabet"}
_ABOUT_REFITS = (
    "Fits the model again from other random starts. A line on each bar then spans where it ends in all fits, and a bar "
    "turns pale where they do not agree which way it leans."
)
_HOW_SURE = "The line on a bar spans where it ends in all {} fits; a bar is full only if they agree on it."
_ALIKE = "alike"


def choose_tags(view: View) -> tuple[str, Labels]:
    """Return the tags that the towers show, with a name for caches; asks only where there is a choice."""
    words = view.dataset.user_tags
    if words is None or not words.names:
        return "tags", view.dataset.tags
    if not view.dataset.tags.names:
        return "words", words
    chosen = link.segments("Described by", {"tags": view.words.tags, "words": "people's own words"}, "tags")
    return ("words", words) if chosen == "words" else ("tags", view.dataset.tags)


def choose_weighting(words: Words) -> None:
    """Ask whether all items count alike in the mean of a tag; ``weighting`` knows the answer."""
    about = (
        f"As the paper defines towers. Otherwise {words.items} with few {words.rating}s count less, so that they "
        f"cannot make a {words.tag} look extreme."
    )
    label = f"Every {words.item} counts alike"
    st.toggle(label, key=_ALIKE, bind="query-params", persist_state="session", help=about)


def weighting() -> Weighting:
    """Return how items count in the mean of a tag, as the session or else the link has it."""
    asked = st.session_state.get(_ALIKE, st.query_params.get(_ALIKE) == "true")
    return "alike" if asked else "damped"


def weighting_in_words(words: Words) -> str:
    """Say how items count in the mean of a tag."""
    if weighting() == "alike":
        return f"Weighting: every {words.item} counts alike, as in the paper."
    return f"Weighting: {words.items} with few {words.rating}s count less."


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What the page shows: figures by name, every stereotype in words, what other fits agree on, and how to read it."""

    figures: dict[str, go.Figure]
    told: tuple[Portrait, ...]
    found: Stability | None
    how_to_read: str


def show_tag_towers(view: View, bars: Towers, source: str, row: DeltaGenerator) -> Picture:
    """Show the towers over tags, and in the container ``row`` the choices about them."""
    alone = view.model.n_stereotypes == 1
    shows, sort, sure = "all", "liked", False
    with row:
        if not alone:
            texts = {"against": "vs. audience", "all": "absolute"}
            shows = link.segments("Bars show", texts, "bars", label_visibility="collapsed")
        choose_weighting(view.words)
        with st.popover("More", icon=":material/tune:"):
            if not alone:
                sure = st.toggle("Show uncertainty", key="sure", bind="query-params", help=_ABOUT_REFITS)
                sort = str(link.select("Sorted by", list(_SORTS), "sort", default="apart", form=_SORTS.__getitem__))
            most = link.select(f"{view.words.tags.capitalize()} shown", [_SHOWN, 12, 50, 100, 1000], "most",
                               default=_SHOWN)  # fmt: skip
    order = _order(bars, sort, int(most or _SHOWN))
    found = _stability(view, source, bars.weighting) if sure else None
    relative = shows == "against"
    drawn = _tag_bars(view, bars, order, found, relative=relative)
    told = _portraits(view, found if source == "tags" else None)
    figures = _show(view, drawn, [bars.tags[row] for row in order], told, found, relative=relative)
    st.caption(_caption(view, weighting_in_words(view.words)))
    return Picture(figures, told, found, _how_to_read(view, relative, found))


def show_item_towers(view: View) -> Picture:
    """Show towers over items, for data without tags; pale until it is known which bars are more than chance."""
    key = _item_chance_key(view)
    job = jobs.find(key)
    if job is None and view.model.n_stereotypes > 1 and not session.has_cancelled(key):
        title = f"Testing which {view.words.items} set them apart by more than chance"
        work = partial(evaluate_item_chance, view.dataset, view.model)
        job = jobs.start(key, title, work, session.who(), "long")
        job.wait(_PATIENCE)
    chance = _known_item_chance(view)
    figures = _show(view, _item_bars(view, chance), [], view.portraits, None, relative=False)
    words = view.words
    reason = f"These data have no {words.tags}, so the bars are the {words.items} that divide the stereotypes most."
    st.caption(_caption(view, f"{reason} A file with {words.tags} can be added on the page **Data**."))
    job_panel.watch([job] if job is not None and chance is None else [])
    how = f"A bar says how likely a stereotype is to {words.like} this {words.item}; a grey tick is the whole audience."
    return Picture(figures, view.portraits, None, how)


def _item_chance_key(view: View) -> tuple[Hashable, ...]:
    return ("item chance", view.key, view.dataset.content_hash)


def _known_item_chance(view: View) -> ItemChance | None:
    job = jobs.find(_item_chance_key(view))
    return job.result if job is not None and job.state == "done" else None


def first_towers(view: View, weighting: Weighting) -> list[go.Figure]:
    """Return the towers as the page first shows them, with this weighting."""
    bars = view.towers(view.dataset.tags, "tags", weighting)
    relative = bool(bars.tags) and view.model.n_stereotypes > 1
    order = _order(bars, "apart" if relative else "liked", _SHOWN)
    if bars.tags:
        drawn = _tag_bars(view, bars, order, None, relative=relative)
    else:
        drawn = _item_bars(view, _known_item_chance(view) or measure_item_chance(view.model, view.dataset))
    return [tower_figure(drawn, view.look, stereotype=k, relative=relative) for k in range(view.model.n_stereotypes)]


def show_other_descriptions(view: View, labels: Labels, ours: Towers) -> None:
    """Show the optima that describe the ratings as well as the model does, and where they differ from its towers."""
    atlas = view.model.atlas
    for number_, other in enumerate(() if atlas is None else atlas.equally_good):
        if atlas is None or other.mixtures is None or other.answers is None:
            continue
        twin = replace(view.model, mixtures=other.mixtures, answers=other.answers, atlas=None, given_names=None)
        key = ("other description", view.key, view.dataset.content_hash, number_, ours.weighting)
        make = partial(compute_towers, twin, view.dataset, labels, weighting=ours.weighting)
        theirs = store.derived(key, make)
        rows = np.flatnonzero(ours.is_supported)
        with st.expander("Another description fits the ratings equally well", icon=":material/compare_arrows:"):
            st.markdown(
                f"{counted(other.n_starts, 'random start')} of {atlas.n_starts} ended in it. It fits the "
                f"ratings within {other.excess:.3%} of the one above, so the ratings do not say which of the two is "
                "right. This is where they differ most:"
            )
            apart = theirs.relative[rows] - ours.relative[rows]
            cells = np.argsort(-np.abs(apart), axis=None)[:_DIFFERENCES]
            table = pd.DataFrame(
                {
                    "Stereotype": [view.names[cell % apart.shape[1]] for cell in cells],
                    view.words.tag.capitalize(): [ours.tags[rows[cell // apart.shape[1]]] for cell in cells],
                    "Above": [signed(100 * ours.relative[rows].flat[cell]) for cell in cells],
                    "Other": [signed(100 * theirs.relative[rows].flat[cell]) for cell in cells],
                }
            )
            st.dataframe(table, hide_index=True, width="stretch")
            st.caption("Points by which a stereotype likes them more or less than the audience.")


def _stability(view: View, source: str, weighting: Weighting) -> Stability | None:
    """Return what fits from other random starts agree on, once the job has found out."""
    labels = view.dataset.user_tags if source == "words" else view.dataset.tags
    key = ("stability", view.key, view.dataset.content_hash, source, weighting)
    work = partial(evaluate_stability, view.dataset, view.model, labels, weighting, _REFITS)
    button = f"Fit {_REFITS} times from other random starts"
    return job_panel.run_job(key, "Fitting from other random starts", work, button, at_once=True)


def _portraits(view: View, found: Stability | None) -> tuple[Portrait, ...]:
    """Return every stereotype in words; where there are several fits, only what all of them say of tags."""
    if found is None:
        return view.portraits
    write = partial(write_portraits, view.model, view.dataset, firm=found.is_firm)
    return store.derived(("firm words", view.key, view.dataset.content_hash), write)


def _order(bars: Towers, sort: str, most: int) -> IntArray:
    """Return the tags to draw, in order: those with enough data, or all if none has."""
    rows = np.flatnonzero(bars.is_supported) if bars.is_supported.any() else np.arange(len(bars.tags))
    apart = np.ptp(bars.likes[rows], axis=1)
    rows = rows[np.argsort(-apart, kind="stable")[:most]]
    if sort == "liked":
        rows = rows[np.argsort(-bars.audience[rows], kind="stable")]
    elif sort == "name":
        rows = rows[np.argsort([bars.tags[row].casefold() for row in rows], kind="stable")]
    return rows


def _tag_bars(view: View, bars: Towers, order: IntArray, found: Stability | None, *, relative: bool) -> Bars:
    """Return bars in that order, from the audience or from zero; a single stereotype leans nowhere."""
    firm = bars.is_reliable & view.has_taste if bars.likes.shape[1] > 1 else np.ones_like(bars.is_reliable)
    labels = [bars.tags[row] for row in order]
    likes, audience = (bars.relative, np.zeros_like(bars.audience)) if relative else (bars.likes, bars.audience)
    if found is None:
        return Bars(labels, likes[order], audience[order], firm[order])
    band = found.relative if relative else found.likes
    firm = firm & found.is_firm
    return Bars(labels, likes[order], audience[order], firm[order], band.low[order], band.high[order])


def _item_bars(view: View, chance: ItemChance | None) -> Bars:
    """Return bars of the items that set each stereotype apart, or else of the best known."""
    found = distinctive_rows(view.model, view.dataset, 6)
    rows = list(dict.fromkeys(row for part in found for row in part))[:48]
    if not rows:
        rows = np.argsort(-view.dataset.ratings.by_item.counts, kind="stable")[:12].tolist()
    likes = view.model.likes[np.array(rows), : view.model.n_stereotypes]
    weights = view.towers(view.dataset.tags, "tags").weights
    titles = [view.dataset.titles[row] for row in rows]
    firm = np.full(likes.shape, view.model.n_stereotypes == 1)
    if chance is not None and view.model.n_stereotypes > 1 and view.has_taste:
        taste, relative = item_taste(view.model, view.dataset)[rows], likes - (likes @ weights)[:, None]
        firm = chance.is_clear[rows] & (np.sign(relative) == np.sign(taste))
    return Bars(titles, likes, likes @ weights, firm)


def _show(
    view: View, bars: Bars, tags: list[str], told: tuple[Portrait, ...], found: Stability | None, *, relative: bool
) -> dict[str, go.Figure]:
    """Show a tower for each stereotype, or where there are many, all in one picture and the tower of one."""
    n = view.model.n_stereotypes
    if n < MANY:
        return _show_row(view, bars, tags, relative=relative)
    st.html(streamlit_compat.stripes(n, view.look.color))
    above, (left, right) = st.container(), st.columns([2, 3], gap="medium")
    with left:
        k = choose_stereotype(view)
        show_one(view, told[k], found)
    large, small = split_small(view.portraits)
    drawn = [portrait.stereotype for portrait in large]
    shown = heatmap_figure(
        bars.of(drawn),
        view.look,
        names=[view.names[one] for one in drawn],
        relative=relative,
        chosen=drawn.index(k) if k in drawn else None,
        like=view.words.like,
    )
    widest = bars.of(drawn).widest_in_words([view.names[one] for one in drawn], relative=relative)
    alt = f"What {len(drawn)} stereotypes {view.words.like}. They are farthest apart on {widest}"
    with above:
        display.show_figure(shown, _MAP, alt, on_select=partial(_select_cell, tags, drawn))
        legend = "The stronger the colour, the better liked."
        if relative:
            legend = "Blue: more than the audience. Orange: less."
        if small:
            them = "it" if len(small) == 1 else "them"
            legend += f" Not drawn here: {counted(len(small), 'small group')}. Choose {them} under **Stereotype**."
        st.caption(legend)
    with right:
        tower = _show_tower(view, bars, tags, k, relative=relative)
    return {"All stereotypes": shown, f"Tower {k + 1}": tower}


def _select_cell(tags: list[str], drawn: list[int]) -> None:
    """Show the tower of the stereotype that is selected in the picture of all; ``drawn``: those that it shows."""
    point = display.selected_point(_MAP)
    place = (point or {}).get("customdata")
    if not isinstance(place, (list, tuple)) or len(place) != 2:
        return
    row, tag = int(place[0]), int(place[1])
    if 0 <= row < len(drawn):
        st.session_state["of"] = drawn[row] + 1
    if 0 <= tag < len(tags):
        st.session_state["tag"] = tags[tag]


def _show_row(view: View, bars: Bars, tags: list[str], *, relative: bool) -> dict[str, go.Figure]:
    """Show the towers side by side, each with its name above; as many to a row as have room."""
    n = view.model.n_stereotypes
    st.html(streamlit_compat.stripes(n, view.look.color))
    with st.container(key={2: "towers-two", 4: "towers-four"}.get(n, "towers")):
        columns = st.columns(n)
    figures = {}
    for k, column in enumerate(columns):
        with column:
            with st.container(height="stretch", key=f"portrait-{k}"):
                st.markdown(heading(view, k))
            figures[f"Tower {k + 1}"] = _show_tower(view, bars, tags, k, relative=relative)
    return figures


def _show_tower(view: View, bars: Bars, tags: list[str], k: int, *, relative: bool) -> go.Figure:
    """Show the tower of one stereotype; a bar that is selected leads to its evidence."""
    key, chosen = f"tower-{k}", None
    if st.session_state.get("of") == k + 1 and st.session_state.get("tag") in tags:
        chosen = tags.index(st.session_state["tag"])
    figure = tower_figure(bars, view.look, stereotype=k, relative=relative, chosen=chosen, like=view.words.like)
    alt = f"What {view.names[k]} {view.words.likes}: {bars.ends_in_words(k, relative=relative)}"
    display.show_figure(figure, key, alt, on_select=partial(select_bar, key, k, tags) if tags else None)
    return figure


def _caption(view: View, first: str) -> str:
    """Return the line below the picture, with where the rest of the audience is: shares do not add up to 100%."""
    pale = " Pale bars could be chance." if view.model.n_stereotypes > 1 else ""
    if not view.model.n_fixed:
        return f"{first}{pale}"
    habit = percent(1.0 - sum(portrait.share for portrait in view.portraits[: view.model.n_stereotypes]))
    rest = f"The other {habit} of the audience is habit: giving everything high or low {view.words.rating}s."
    return f"{first}{pale} {rest}"


def _how_to_read(view: View, relative: bool, found: Stability | None) -> str:
    like, of_a_tag = view.words.like, f"{a(view.words.item)} of that {view.words.tag}"
    if relative:
        text = (
            "A bar says by how many points out of 100 a stereotype is likelier, or less likely, than the whole "
            f"audience to {like} {of_a_tag}."
        )
    else:
        text = f"A bar says how likely a stereotype is to {like} {of_a_tag}; a grey tick is the whole audience."
    if view.model.n_stereotypes > 1:
        unsure = "." if found is None else f", or differ from fit to fit. {_HOW_SURE.format(number(found.n_fits))}"
        text += f" Pale bars could be chance, or come from liking everything more or less than others do{unsure}"
    if view.model.n_stereotypes >= MANY:
        text += " In the picture of all stereotypes, pick a place to see that tower."
    if view.model.n_fixed:
        text += " The audience here is all its tastes together, habits set aside."
    return f"{text} Pick a bar to see what is behind it."
