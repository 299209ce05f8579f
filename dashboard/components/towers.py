"""The towers: which bars to draw, the row of towers with names and words above, and how to read it."""

from __future__ import annotations

from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, streamlit_compat
from dashboard.components import charts, evidence, job_panel, names
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.compute.evaluations import evaluate_stability
from dashboard.figures.towers import Bars, tower_figure
from dashboard.wording import a, md, number
from nnm_core.datasets import Labels
from nnm_core.interpret.compare import Stability
from nnm_core.interpret.exemplars import distinctive_rows
from nnm_core.interpret.text.portraits import Portrait, write_portraits
from nnm_core.interpret.towers import Towers
from nnm_core.phrases import percent
from nnm_core.types import IntArray

_REFITS = 5
_SHOWN = 24
_SORTS = {"apart": "what sets them apart", "liked": "what is liked most", "name": "the alphabet"}
_ABOUT_REFITS = (
    "Fits the model again from other random starts. A line on each bar then spans where it ends in all fits, and a bar "
    "turns pale where they do not agree which way it leans."
)
_HOW_SURE = "The line on a bar spans where it ends in all {} fits; a bar is full only if they agree on it."


def choose_tags(view: View) -> tuple[str, Labels]:
    """Return the tags that the towers show, with a name for caches; asks only where there is a choice."""
    words = view.dataset.user_tags
    if words is None or not words.names:
        return "tags", view.dataset.tags
    if not view.dataset.tags.names:
        return "words", words
    chosen = link.segments("Described by", {"tags": view.words.tags, "words": "people's own words"}, "tags")
    return ("words", words) if chosen == "words" else ("tags", view.dataset.tags)


def show_tag_towers(view: View, bars: Towers, source: str) -> tuple[dict[str, go.Figure], Stability | None]:
    """Show the towers over tags with the choices about them; return the figures, and the stability if it was asked for.

    A single tower has nothing to differ from.
    """
    alone = view.model.n_stereotypes == 1
    shows, sort, sure = "all", "liked", False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not alone:
            shows = link.segments("Bars show", {"against": "more or less than others", "all": "the whole"}, "bars")
            form = _SORTS.__getitem__
            sort = str(link.select("Sorted by", list(_SORTS), "sort", default="apart", form=form, width=210))
        most = link.select("Shown", [_SHOWN, 12, 50, 100, 1000], "most", default=_SHOWN, width=100)
        if not alone:
            sure = st.toggle("How sure is that?", key="sure", bind="query-params", help=_ABOUT_REFITS)
    order = _order(bars, sort, int(most or _SHOWN))
    found = _stability(view, source) if sure else None
    relative = shows == "against"
    drawn = _tag_bars(bars, order, found, relative=relative)
    told = _portraits(view, found if source == "tags" else None)
    return _show_row(view, drawn, told, [bars.tags[row] for row in order], found, relative=relative), found


def show_item_towers(view: View) -> dict[str, go.Figure]:
    """Show towers over items, for data without tags."""
    return _show_row(view, _item_bars(view), view.portraits, [], None, relative=False)


def first_towers(view: View) -> list[go.Figure]:
    """Return the towers as the page first shows them."""
    bars = view.towers(view.dataset.tags, "tags")
    relative = bool(bars.tags) and view.model.n_stereotypes > 1
    order = _order(bars, "apart" if relative else "liked", _SHOWN)
    drawn = _tag_bars(bars, order, None, relative=relative) if bars.tags else _item_bars(view)
    return [tower_figure(drawn, view.style, stereotype=k, relative=relative) for k in range(view.model.n_stereotypes)]


def _stability(view: View, source: str) -> Stability | None:
    """Return what fits from other random starts agree on, once the job has found out."""
    labels = view.dataset.user_tags if source == "words" else view.dataset.tags
    key = ("stability", view.key, view.dataset.content_hash, source)
    work = partial(evaluate_stability, view.dataset, view.model, labels, _REFITS)
    button = f"Fit {_REFITS} times from other random starts"
    found: Stability | None = job_panel.run_job(key, "Fitting from other random starts", work, button, at_once=True)
    return found


def _portraits(view: View, found: Stability | None) -> tuple[Portrait, ...]:
    """Return every stereotype in words; where there are several fits, only what all of them say of tags."""
    if found is None:
        return view.portraits
    bars = view.towers(view.dataset.tags, "tags")
    key = ("firm words", view.key, view.dataset.content_hash)
    return store.derived(
        key, lambda: write_portraits(view.model, view.dataset, bars, firm=found.is_firm, tag=view.words.tag)
    )


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


def _tag_bars(bars: Towers, order: IntArray, found: Stability | None, *, relative: bool) -> Bars:
    """Return bars in that order, from the audience or from zero; a single stereotype leans nowhere."""
    firm = bars.is_reliable if bars.likes.shape[1] > 1 else np.ones_like(bars.is_reliable)
    labels = [bars.tags[row] for row in order]
    likes, audience = (bars.relative, np.zeros_like(bars.audience)) if relative else (bars.likes, bars.audience)
    if found is None:
        return Bars(labels, likes[order], audience[order], firm[order])
    band = found.relative if relative else found.likes
    firm = firm & found.is_firm
    return Bars(labels, likes[order], audience[order], firm[order], band.low[order], band.high[order])


def _item_bars(view: View) -> Bars:
    """Return bars of the items that set each stereotype apart, or else of the best known."""
    found = distinctive_rows(view.model, view.dataset, 6)
    rows = list(dict.fromkeys(row for part in found for row in part))[:48]
    if not rows:
        rows = np.argsort(-view.dataset.ratings.by_item.counts, kind="stable")[:12].tolist()
    likes = view.model.likes[np.array(rows), : view.model.n_stereotypes]
    weights = view.towers(view.dataset.tags, "tags").weights
    titles = [view.dataset.titles[row] for row in rows]
    return Bars(titles, likes, likes @ weights, np.ones(likes.shape, dtype=np.bool_))


def _show_row(
    view: View,
    bars: Bars,
    told: tuple[Portrait, ...],
    tags: list[str],
    found: Stability | None,
    *,
    relative: bool,
) -> dict[str, go.Figure]:
    """Show the towers side by side, each with its name and words above; as many to a row as have room."""
    people = view.portraits[: view.model.n_stereotypes]
    figures = {}
    chosen = tags.index(st.session_state["tag"]) if st.session_state.get("tag") in tags else None
    st.html(streamlit_compat.stripes(len(people), view.style.color))
    with st.container(key="towers-two" if len(people) in (2, 4) else "towers"):
        columns = st.columns(len(people))
    for column, portrait in zip(columns, people, strict=True):
        k, key = portrait.stereotype, f"tower-{portrait.stereotype}"
        with column:
            with st.container(height="stretch", key=f"portrait-{k}"):
                st.markdown(_heading(portrait, told[k], found))
                names.offer_name(view, portrait)
            selected = chosen if st.session_state.get("of") == k + 1 else None
            figures[f"Tower {k + 1}"] = tower_figure(
                bars, view.style, stereotype=k, relative=relative, chosen=selected, like=view.words.like
            )
            alt = f"What {portrait.name} {view.words.likes}, {view.words.tag} by {view.words.tag}"
            on_select = partial(evidence.select_bar, key, k, tags) if tags else None
            charts.show_figure(figures[f"Tower {k + 1}"], key, alt, on_select=on_select)
    st.caption(_how_to_read(view, bool(tags), relative, found))
    return figures


def _heading(portrait: Portrait, told: Portrait, found: Stability | None) -> str:
    """Return name, share and words of a stereotype in one piece, which a browser lays out faster than several."""
    share = f"{percent(portrait.share)} of the audience"
    parts = [f"### {md(portrait.name, 80)}", md(told.text, 800).replace(share, f"**{share}**", 1)]
    if found is not None:
        parts.append(f":small[{md(found.in_words(portrait.stereotype), 800)}]")
    return "\n\n".join(parts)


def _how_to_read(view: View, has_tags: bool, relative: bool, found: Stability | None) -> str:
    like, item = view.words.like, view.words.item
    of_a_tag = f"{a(item)} of that {view.words.tag}"
    if not has_tags:
        return f"A bar says how likely a stereotype is to {like} this {item}; a grey tick is the whole audience."
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
    if view.model.n_fixed:
        text += " The audience here is all its tastes together, habits set aside."
    return f"{text} Pick a bar to see what is behind it."
