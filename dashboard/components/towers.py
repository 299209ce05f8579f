"""The towers: which bars to draw, names and words above them, and the evidence behind a bar."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session, streamlit_compat
from dashboard.components import display, job_panel, widgets
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.compute.evaluations import evaluate_stability
from dashboard.figures.stereotypes import Bars, tower_figure
from dashboard.wording import a, counted, md, number
from nnm_core.datasets import Labels
from nnm_core.interpret.audience import evidence, taste_shares
from nnm_core.interpret.compare import Stability
from nnm_core.interpret.exemplars import distinctive_items, distinctive_rows
from nnm_core.interpret.text.portraits import Portrait, write_portraits
from nnm_core.interpret.towers import Towers, compute_towers
from nnm_core.model import FIXED_NAMES
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray, IntArray

_REFITS = 5
_SHOWN = 24
_DIFFERENCES = 8
_SORTS = {"apart": "what sets them apart", "liked": "what is liked most", "name": "the alphabet"}
_ABOUT_REFITS = (
    "Fits the model again from other random starts. A line on each bar then spans where it ends in all fits, and a bar "
    "turns pale where they do not agree which way it leans."
)
_HOW_SURE = "The line on a bar spans where it ends in all {} fits; a bar is full only if they agree on it."
_MOST = 200
_BOX = "behind"
_NOT_AGREED = "which is more than chance, but fits from other random starts do not agree on it"


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
    """Show the towers over tags with the choices about them; return the figures, and the stability if asked for."""
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
    drawn = drawn if view.has_taste else replace(drawn, firm=np.zeros_like(drawn.firm))
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


def show_other_descriptions(view: View, labels: Labels) -> None:
    """Show the optima that describe the ratings as well as the model does, and where they differ from it."""
    atlas = view.model.atlas
    for number_, other in enumerate(() if atlas is None else atlas.equally_good):
        if atlas is None or other.mixtures is None or other.answers is None:
            continue
        twin = replace(view.model, mixtures=other.mixtures, answers=other.answers, atlas=None, given_names=None)
        key = ("other description", view.key, view.dataset.content_hash, number_)
        theirs = store.derived(key, partial(compute_towers, twin, view.dataset, labels))
        ours = view.towers(labels, "tags")
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
                    "Above": [f"{100 * ours.relative[rows].flat[cell]:+.0f}" for cell in cells],
                    "Other": [f"{100 * theirs.relative[rows].flat[cell]:+.0f}" for cell in cells],
                }
            )
            st.dataframe(table, hide_index=True, width="stretch")
            st.caption("Points by which a stereotype likes them more or less than the audience.")


def _stability(view: View, source: str) -> Stability | None:
    """Return what fits from other random starts agree on, once the job has found out."""
    labels = view.dataset.user_tags if source == "words" else view.dataset.tags
    key = ("stability", view.key, view.dataset.content_hash, source)
    work = partial(evaluate_stability, view.dataset, view.model, labels, _REFITS)
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
    view: View, bars: Bars, told: tuple[Portrait, ...], tags: list[str], found: Stability | None, *, relative: bool
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
                # In one piece, which a browser lays out faster than several.
                text = f"**{portrait.share_in_words}.** {md(told[k].text, 800)}"
                sure = "" if found is None else f"\n\n:small[{md(found.in_words(k), 800)}]"
                atlas = view.model.atlas
                if atlas is not None:
                    sure += f"\n\n:small[Found by {atlas.found_by[k]} of {atlas.n_starts} random starts.]"
                st.markdown(f"### {md(portrait.name, 80)}\n\n{text}{sure}")
                offer_name(view, portrait)
            selected = chosen if st.session_state.get("of") == k + 1 else None
            figures[f"Tower {k + 1}"] = tower_figure(
                bars, view.style, stereotype=k, relative=relative, chosen=selected, like=view.words.like
            )
            alt = f"What {portrait.name} {view.words.likes}, {view.words.tag} by {view.words.tag}"
            on_select = partial(select_bar, key, k, tags) if tags else None
            display.show_figure(figures[f"Tower {k + 1}"], key, alt, on_select=on_select)
    st.caption(_how_to_read(view, bool(tags), relative, found))
    return figures


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


def select_bar(chart: str, stereotype: int, tags: list[str]) -> None:
    """Show the evidence of the bar that is selected in a chart."""
    point = display.selected_point(chart)
    if point is not None and 0 <= int(point["point_index"]) < len(tags):
        st.session_state["tag"] = tags[int(point["point_index"])]
        st.session_state["of"] = stereotype + 1
        st.session_state[_BOX] = True
        widgets.lead_to(_BOX)


def show_evidence(view: View, bars: Towers, labels: Labels, firm: BoolArray | None) -> None:
    """Show a box that opens when a bar is selected; ``firm``: where fits from other random starts agree, if made."""
    with st.expander("What is behind a bar", icon=":material/manage_search:", key=_BOX, bind="query-params") as box:
        if box.open:
            _choose_and_show(view, bars, labels, firm)


def _choose_and_show(view: View, bars: Towers, labels: Labels, firm: BoolArray | None) -> None:
    tag, (left, right) = None, st.columns(2)
    with left:
        numbers = range(1, view.model.n_stereotypes + 1)
        link.select("Stereotype", numbers, "of", default=1, form=lambda k: shortened(view.names[k - 1], 60))
    stereotype = int(st.session_state["of"]) - 1
    if bars.tags:
        with right:
            tags, hint = sorted(bars.tags, key=str.casefold), "none: what to recognise it by"
            tag = link.select(view.words.tag.capitalize(), tags, "tag", form=shortened, placeholder=hint)
    if tag is None:
        _show_distinctive(view, stereotype)
        return
    row = bars.row(str(tag))
    _show_bar(view, bars, row, stereotype, agreed=firm is None or bool(firm[row, stereotype]))
    _show_items(view, labels, row, stereotype)


def _show_distinctive(view: View, stereotype: int) -> None:
    """Show the items by which one recognises a stereotype."""
    words, table = view.words, distinctive_items(view.model, view.dataset, stereotype, 8)
    if table.empty:
        st.caption(f"No well-known {words.item} sets this stereotype apart clearly.")
        return
    st.markdown(
        f"**{words.items.capitalize()} to recognise it by:** well known, and what it {words.likes} more than others do."
    )
    # As text, which a browser draws in a tenth of the time that a table to scroll and sort takes.
    head = [words.item.capitalize(), f"It {words.likes} it", "Audience", f"{words.rating.capitalize()}s"]
    lines = [head, [":---", "---:", "---:", "---:"]]
    lines += [
        [md(str(item.title), 60), f"{item.likes:.0%}", f"{item.audience:.0%}", f"{item.ratings:,}"]
        for item in table.itertuples()
    ]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _show_bar(view: View, bars: Towers, row: int, stereotype: int, *, agreed: bool) -> None:
    """Say what a bar means and what it rests on; ``agreed``: fits from other random starts agree on it."""
    words = view.words
    own, others = round(100 * float(bars.likes[row, stereotype])), round(100 * float(bars.audience[row]))
    apart = f"{counted(abs(own - others), 'point')} {'more' if own > others else 'less'}"
    difference = f"{apart}, {_how_clear(bars, row, stereotype, agreed)}" if own != others else "no difference"
    st.markdown(
        f"*{md(view.names[stereotype], 80)}* {words.likes} **{own}%** of {md(bars.tags[row], 60)} {words.items}, the "
        f"audience {others}%: {difference}. It rests on "
        f"{counted(int(bars.n_items[row]), words.item, words.items)} with "
        f"{counted(int(bars.n_ratings[row]), words.rating)}, of which this stereotype's people made "
        f"about {bars.evidence[row, stereotype]:,.0f}."
    )


def _how_clear(bars: Towers, row: int, stereotype: int, agreed: bool) -> str:
    """Say whether a bar is a matter of taste, and whether fits from other random starts agree on it."""
    if bars.is_reliable[row, stereotype]:
        return "which is more than chance" if agreed else _NOT_AGREED
    lean = float(bars.leanings[stereotype])
    more, other = ("more", "less") if bars.relative[row, stereotype] > 0 else ("less", "more")
    if bars.is_clear[row, stereotype]:
        return f"but it likes everything {more}, and beside that this {other} than other things"
    points = round(100 * abs(lean))
    if points and (lean > 0) == (more == "more"):
        everything = f"but it likes everything about {counted(points, 'point')} {more}"
        return f"{everything}; what is left is not more than chance could do"
    return "which is not more than chance could do"


def _show_items(view: View, labels: Labels, tag: int, stereotype: int) -> None:
    """Show the items of a tag, the best known first, with what the stereotype and the audience make of them."""
    words, counts = view.words, view.dataset.ratings.by_item.counts
    rows = np.flatnonzero(labels.member[:, [tag]].toarray().ravel())
    rows = rows[np.argsort(-counts[rows], kind="stable")[:_MOST]]
    likes = 100 * view.model.likes[rows][:, : view.model.n_stereotypes]
    columns = {
        "title": ([view.dataset.titles[row] for row in rows], display.title_column(words)),
        "likes": (likes[:, stereotype], display.percent_column(f"It {words.likes} it")),
        "audience": (likes @ taste_shares(view.model), display.percent_column("Audience")),
        "ratings": (counts[rows], display.number_column(f"{words.rating.capitalize()}s", "localized")),
        "ratings by its people": (
            evidence(view.model, view.dataset.ratings)[rows, stereotype],
            display.number_column("By its people", "%.0f"),
        ),
    }
    table = pd.DataFrame({name: values for name, (values, _) in columns.items()})
    display.show_table(table, "behind-table", {name: column for name, (_, column) in columns.items()})


def offer_name(view: View, portrait: Portrait) -> None:
    """Show a button; once pressed, a field for the name as well."""
    k = portrait.stereotype
    is_open = session.state().renaming == (view.key, k)
    if is_open:
        field: dict[str, Any] = {"key": _key(view, k), "placeholder": portrait.name, "max_chars": 80}
        st.text_input("A name of your own", view.given_names[k], on_change=_rename, args=(view, k), **field)
        st.caption("Leave it empty for the program's own name. Names are in the link and in the model file.")
    label, args = ("Keep the name", (None,)) if is_open else ("Rename", ((view.key, k),))
    st.button(label, key=f"name-{k}", icon=":material/edit:", type="tertiary", on_click=_open, args=args)


def _open(which: tuple[Hashable, int] | None) -> None:
    session.state().renaming = which
    if which is not None:
        widgets.lead_to(f"portrait-{which[1]}")


def _rename(view: View, stereotype: int) -> None:
    names = list(view.given_names)
    wanted = " ".join(str(st.session_state[_key(view, stereotype)]).split())
    others = {name.casefold() for k, name in enumerate(names) if k != stereotype and name}
    if wanted.casefold() in others | set(FIXED_NAMES):
        st.toast("Another stereotype has this name; choose a different one.", icon=":material/error:")
        return
    session.state().renaming = None
    names[stereotype] = wanted
    session.give_names(view.key, names)


def _key(view: View, stereotype: int) -> str:
    return f"rename-{abs(hash((view.key, stereotype)))}"
