"""People: the map of everybody, one person up close, and what somebody would like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components.common import display, widgets
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.people import MOST_POINTS, NOT_KNOWN, OTHERS, Audience, mixture_figure, simplex_figure
from dashboard.wording import counted, error_in_words, md, unit_for
from nnm_core.interpret.audience import nearest_people
from nnm_core.interpret.text.reasons import describe_mixture, explain
from nnm_core.interpret.towers import generosity
from nnm_core.interpret.traits import trait_shares
from nnm_core.phrases import distinct, percent, rating_in_words, shortened
from nnm_core.prediction import Recommendation, predict, top_n
from nnm_core.scale import written
from nnm_core.types import FloatArray, IntArray

LARGEST_PART = ""  # the choice to colour people by their largest part; a trait without a name is not offered
_OFFERED = 200  # people whom the select box offers when nobody was searched for: the most active
PANEL = "person-panel"  # the container with the chosen person
_HALF = 0.5 - 1e-9  # the least share of the stereotypes in the corners that somebody who is drawn has
_SHOWN = 6
_IN_FILE = 100


def describe_people(view: View) -> str:
    """Say what the audience looks like as a whole."""
    n = view.model.n_stereotypes
    if n == 1:
        return "With one stereotype everybody is alike; raise the number in the sidebar to see how people differ."
    tastes = tastes_of(view)
    largest = int(tastes.mean(axis=0).argmax())
    shape = {2: "on a line between the two stereotypes", 3: "in a triangle whose corners are the stereotypes"}.get(
        n, "between the stereotypes"
    )
    pure, share = "at least four fifths of one stereotype", float((tastes.max(axis=1) >= 0.8).mean())
    how_pure = {0.0: f"Nobody is {pure}: all are mixtures.", 1.0: f"**Everybody** is {pure}."}.get(
        share, f"**{percent(share)}** are {pure}; the others are mixtures."
    )
    generous = " How generous they are is set aside here." if view.model.n_fixed else ""
    return (
        f"{counted(view.model.n_users, 'person', 'people')} {shape}: the closer to a corner, the more of that "
        f"stereotype. {how_pure} The largest part of the audience's taste is "
        f"*{md(view.names[largest], 60)}*.{generous}"
    )


def choose_colour(view: View) -> str:
    """Return the trait by which people are coloured, or ``LARGEST_PART``; asks only where there is a choice."""
    traits = [trait for trait in view.dataset.traits if trait != LARGEST_PART]
    if not traits:
        return LARGEST_PART
    options, texts = [LARGEST_PART, *traits], {LARGEST_PART: "their largest part"}
    chosen = link.select(
        "Coloured by", options, "color", default=LARGEST_PART, form=lambda key: texts.get(key, shortened(key))
    )
    return str(chosen)


def choose_corners(view: View) -> list[int]:
    """Return the stereotypes in the corners of the picture: all, or two or three of more than three."""
    n, key = view.model.n_stereotypes, "corners"
    if n <= 3:
        return list(range(n))
    link.asked_for(key)
    numbers = [int(part) - 1 for part in st.query_params.get(key, "").split("-") if part.isdigit()]
    wanted = st.session_state.get(key, numbers)
    if any(isinstance(k, str) for k in wanted):  # what stereotypes were called when the browser drew the field
        wanted = numbers
    link.set_widget(key, [k for k in wanted if 0 <= k < n][:3])
    about = "With two or three of them in the corners, everybody lies where their shares of these are."
    chosen = st.multiselect(
        "Corners",
        list(range(n)),
        format_func=lambda k: shortened(view.names[k], 40),
        key=key,
        max_selections=3,
        placeholder="all; choose two or three",
        help=about,
        persist_state="session",
    )
    link.set_param(key, "-".join(str(k + 1) for k in chosen))
    return sorted(chosen) if len(chosen) > 1 else list(range(n))


def show_map(view: View, color: str, corners: list[int], person: int | None) -> dict[str, go.Figure]:
    """Show everybody between the stereotypes in the corners, of which there are several."""
    audience, n = _audience(view, color, corners), view.model.n_stereotypes
    names = [view.names[k] for k in corners]
    figure = simplex_figure(audience, view.look, names=names, chosen=person)
    tastes = tastes_of(view)
    sizes = ", ".join(f"{view.names[k]} {percent(float((tastes.argmax(axis=1) == k).mean()))}" for k in corners)
    alt = f"Everybody between the stereotypes. Share of the people whose largest part each is: {sizes}"
    display.show_figure(figure, "simplex", alt, on_select=lambda: _select(view))
    if len(corners) < n:
        some = f"{len(audience.ids):,} of {counted(view.model.n_users, 'person', 'people')}"
        st.caption(f"Shown are the {some} who are at least half made of these; they lie by their shares of them.")
    elif n > 3:
        st.caption(
            f"The {n} corners are flattened onto the plane in which people differ most; the shading shows where many "
            "people are. For a true triangle, choose three corners."
        )
    if len(audience.ids) > MOST_POINTS:
        st.caption(
            f"{len(audience.ids):,} people are too many for single points: the shading shows where they are dense, "
            f"and {MOST_POINTS:,} of them, evenly selected, are drawn."
        )
    return {"People": figure}


def show_trait(view: View, trait: str) -> None:
    """Say in which value of a trait the people of some stereotype differ most clearly from the audience."""
    labels = view.dataset.traits[trait]
    found = trait_shares(view.model, labels, trait)
    clearest = found.clearest()
    if clearest is None or percent(found.shares[clearest]) == percent(found.audience[clearest[0]]):
        st.caption(f"No stereotype differs clearly from the audience in {md(trait, 40)}.")
        return
    value, kind = clearest
    st.markdown(
        f"Of *{md(view.names[kind], 60)}*’s people **{percent(found.shares[clearest])}** are "
        f"“{md(labels.names[value], 40)}”, against {percent(found.audience[value])} of the audience. Everybody counts "
        "by how much of that stereotype they are."
    )


def tastes_of(view: View) -> FloatArray:
    """Return mixtures without generosity, rows on the simplex; people without any taste lie in the middle."""

    def compute() -> FloatArray:
        free = view.model.mixtures[:, : view.model.n_stereotypes]
        total = free.sum(axis=1, keepdims=True)
        shares = free / np.maximum(total, 1e-9)
        return np.asarray(np.where(total > 1e-9, shares, 1.0 / free.shape[1]), dtype=np.float64)

    return store.derived(("tastes", view.key), compute)


def _audience(view: View, color: str, corners: list[int]) -> Audience:
    """Return the people to draw: all, or those who are at least half made of the stereotypes in the corners."""
    tastes = tastes_of(view)
    total = tastes[:, corners].sum(axis=1)
    rows = np.flatnonzero(total >= _HALF)
    between = tastes[rows][:, corners] / total[rows, None]
    if color == LARGEST_PART:
        colors = [view.look.color(k) for k in corners]
        groups, names = between.argmax(axis=1), [view.names[k] for k in corners]
    else:
        labels = view.dataset.traits[color]
        order = np.argsort(-labels.counts, kind="stable")[: len(view.look.traits)]
        place = np.full(len(labels.names), OTHERS, dtype=np.int64)
        place[order] = np.arange(len(order))
        values = np.full(view.model.n_users, NOT_KNOWN, dtype=np.int64)
        has = np.diff(labels.member.indptr) > 0
        values[has] = place[labels.member.indices[labels.member.indptr[:-1][has]]]
        groups, names, colors = values[rows], [labels.names[k] for k in order], list(view.look.traits)
    ids = [view.model.user_ids[row] for row in rows]
    return Audience(ids, between, groups, names, colors, rows, corners)


def _select(view: View) -> None:
    row = display.selected_data("simplex")
    if isinstance(row, (int, float)) and 0 <= int(row) < view.model.n_users:
        st.session_state["person"] = view.model.user_ids[int(row)]
        widgets.forget_search("person")
        widgets.lead_to(PANEL)


def choose_person(view: View) -> int | None:
    """Return the chosen person's row: searched for by id, or one of the most active."""
    ids, counts = view.model.user_ids, view.dataset.ratings.by_user.counts
    chosen, typed, found = widgets.search_select(
        "Search people",
        "person",
        offered=[ids[row] for row in np.argsort(-counts, kind="stable")[:_OFFERED]],
        known=view.model.user_index,
        find=lambda sought: _find_people(ids, sought),
        form=shortened,
        placeholder="pick a point, or type an id",
        help="Choose from the list, which begins with the most active, or type part of an id and press Enter.",
    )
    if typed:
        have = {0: "Nobody has", 1: "One person has"}.get(len(found), f"{len(found):,} people have")
        shown = "; the closest is shown, the others head the list" if len(found) > 1 and chosen == found[0] else ""
        st.caption(f"{have} “{md(typed, 80)}” in their id{shown}.")
    return None if chosen is None else view.model.user_index[chosen]


def _find_people(ids: Sequence[str], sought: str) -> list[str]:
    """Return the ids with this text in them, the exact one first, then the shortest."""
    wanted = sought.strip().casefold()
    found = [name for name in ids if wanted in name.casefold()]
    return sorted(found, key=lambda name: (name.casefold() != wanted, len(name)))


def show_mixture(view: View, person: int) -> go.Figure:
    """Show who somebody is, beside the picture of everybody; return the figure of the mixture."""
    model, mixture = view.model, view.model.mixtures[person]
    with st.container(key=PANEL):
        st.header(f"Person {md(model.user_ids[person], 60)}", anchor=False)
        figure = mixture_figure(mixture, view.look, names=view.names, n_stereotypes=model.n_stereotypes)
        display.show_figure(figure, "mixture", f"What this person is made of: {list_parts(view, mixture)}")
    return figure


def list_parts(view: View, mixture: FloatArray) -> str:
    """Return every stereotype with its share of a mixture."""
    return ", ".join(f"{name} {percent(share)}" for name, share in zip(view.names, mixture.tolist(), strict=True))


def show_person(view: View, person: int) -> None:
    """Show somebody's history, nearest people and recommendations."""
    words = view.words
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader(f"What they {words.rated}", anchor=False)
        _show_history(view, person)
    with right:
        st.subheader("Nearest people", anchor=False)
        st.caption(
            f"Whose mixture is most like theirs, and how many {words.items} both {words.rated}. A distance of 5 means: "
            f"whatever the {words.item}, the model expects the two to differ by at most 5 points out of 100."
        )
        columns = {"person": st.column_config.TextColumn("Person", width=120), **display.distance_columns()}
        display.show_table(nearest_table(view, person), "near", columns)
    st.subheader("What they would like, and why", anchor=False)
    show_recommendations(view, view.model.mixtures[person], items_of(view, person), "them")


def _show_history(view: View, person: int) -> None:
    history = history_table(view, person).drop(columns="item")
    if view.dataset.implicit:
        history["expected"] *= 100
        st.caption(f"{counted(len(history), 'choice')}, and how likely the model thinks each of them.")
    else:
        error = float((history["given"] - history["expected"]).abs().mean()) if len(history) else 0.0
        st.caption(
            f"{counted(len(history), 'rating')}, {written(float(history['given'].mean()), 1)} on average. On these, "
            f"which it has seen, the model is {error_in_words(error, view.model.scale)} "
            f"{unit_for(view.dataset)} off on average."
        )
    columns = {
        "title": display.title_column(view.words),
        "given": None if view.dataset.implicit else display.number_column("Given", "%.1f"),
        "expected": display.number_column("Expected", "%.0f%%" if view.dataset.implicit else "%.1f"),
    }
    display.show_table(history, "history", columns, height=330)


def items_of(view: View, person: int) -> IntArray:
    """Return the rows of the items that a person rated."""
    by_user = view.dataset.ratings.by_user
    return by_user.partners[by_user.of(person)]


def nearest_table(view: View, person: int) -> pd.DataFrame:
    """Return whose mixtures are most like a person's, how many items both rated, and the distance in points."""
    near, items = nearest_people(view.model, person, 8), items_of(view, person)
    near["both"] = [len(np.intersect1d(items, items_of(view, row))) for row in near["row"]]
    near["distance"] *= 100
    return near[["person", "both", "distance"]]


def history_table(view: View, person: int) -> pd.DataFrame:
    """Return what a person rated and what the model expects, the highest ratings first."""
    model, ratings, items = view.model, view.dataset.ratings, items_of(view, person)
    columns = {
        "item": [model.item_ids[row] for row in items],
        "title": [view.dataset.titles[row] for row in items],
        "given": ratings.levels[ratings.by_user.codes[ratings.by_user.of(person)]],
        "expected": predict(model, np.full(len(items), person), items),
    }
    return pd.DataFrame(columns).sort_values("given", ascending=False, kind="stable")


def show_recommendations(view: View, mixture: FloatArray, seen: IntArray, whose: str) -> None:
    """Show the best unseen items with what each stereotype makes of them; hardly known items are left out."""
    found = _best(view, mixture, seen, _SHOWN)
    if not found:
        st.caption(f"There is no {view.words.item} left to recommend.")
        return
    st.caption(_how_it_adds_up(view, mixture, whose))
    for part in found:
        title = view.dataset.titles[part.item]
        reason = explain(view.model, mixture, part.item, view.names, implicit=view.dataset.implicit)
        about = f"about {rating_in_words(part.rating, view.model.scale)} of {written(view.model.scale.highest)}"
        if view.dataset.implicit:
            about = f"chosen with {percent(reason.like)}"
        st.markdown(f"**{md(title, 100)}** · {about}")
        if reason.answers:
            st.caption(md(reason.answers, 600))


def recommendations_table(view: View, mixture: FloatArray, seen: IntArray) -> pd.DataFrame:
    """Return more of the best unseen items than a page has room for; ``expected`` is the sum of the other numbers."""
    found = _best(view, mixture, seen, _IN_FILE)
    item, title, expected, *names = distinct(["item", "title", "expected", *(f"from {name}" for name in view.names)])
    columns: dict[str, object] = {
        item: [view.model.item_ids[part.item] for part in found],
        title: [view.dataset.titles[part.item] for part in found],
        expected: [part.rating for part in found],
    }
    return pd.DataFrame(columns | {name: [part.contributions[k] for part in found] for k, name in enumerate(names)})


def _best(view: View, mixture: FloatArray, seen: IntArray, n: int) -> list[Recommendation]:
    counts = view.dataset.ratings.by_item.counts
    rare = np.flatnonzero(counts < min(20, max(2, int(np.quantile(counts, 0.75)))))
    return top_n(view.model, mixture, n, exclude=np.unique(np.concatenate([seen, rare])))


def _how_it_adds_up(view: View, mixture: FloatArray, whose: str) -> str:
    """Say of what somebody is made, and how that makes the numbers below."""
    model = view.model
    made_of = md(describe_mixture(mixture, view.names, whose, n_fixed=model.n_fixed), 400)
    verb = "how likely each taste is to choose it" if view.dataset.implicit else "what each taste gives it"
    habits = [
        f"{habit.name.capitalize()} {rating_in_words(habit.rating, model.scale)}"
        for habit, share in zip(generosity(model), mixture[model.n_stereotypes :].tolist(), strict=True)
        if share > 0
    ]
    same = f"; habits give the same to everything ({', '.join(habits)})" if habits else ""
    return (
        f"{made_of}. Below each {view.words.item} is {verb}{same}. Weighted by these shares, that makes the number "
        "beside its title."
    )
