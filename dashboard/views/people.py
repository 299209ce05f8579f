"""Page: everybody between the stereotypes, one person up close, and one's own taste."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components import parts, recommendations, search, taste
from dashboard.components.current import current
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.mixture import mixture_figure
from dashboard.figures.simplex import MOST_POINTS, NOT_KNOWN, OTHERS, Audience, simplex_figure
from dashboard.wording import counted, error_in_words, md, unit_for
from nnm_core.interpret.distances import nearest_people
from nnm_core.interpret.traits import trait_shares
from nnm_core.phrases import distinct, percent, shortened
from nnm_core.prediction import predict
from nnm_core.scale import written
from nnm_core.types import FloatArray, IntArray

_LARGEST_PART = ""
"""The choice to colour people by their largest part; a trait without a name is not offered."""

_OFFERED = 200
"""People whom the select box offers when nobody was searched for: the most active."""


def render() -> None:
    """Show the page."""
    view = current()
    st.title("The people")
    tab = link.segments("Show", {"audience": "The audience", "taste": "Your own taste"}, "people", width="content")
    if tab == "taste":
        taste.show(view)
        return
    _audience(view)


def _audience(view: View) -> None:
    model = view.model
    st.markdown(_opening(view))
    color = _coloured_by(view)
    person = _person(view)
    figures = _map(view, color, person) if model.n_stereotypes > 1 else {}
    if color != _LARGEST_PART:
        _trait(view, color)
    tables = {"Mixtures": lambda: mixtures_table(view)}
    if person is not None:
        who = f"Person {shortened(model.user_ids[person], 30)}"
        mixture, items = model.mixtures[person], _items_of(view, person)
        figures[f"{who}, mixture"] = _up_close(view, person)
        tables |= {
            f"{who}, {view.words.rated}": lambda: _history(view, person),
            f"{who}, recommendations": lambda: recommendations.table(view, mixture, items),
            f"{who}, nearest": lambda: _nearest(view, person),
        }
    else:
        pick = "Pick a point, or choose" if figures else "Choose"
        st.caption(f"{pick} somebody above, to see what they are made of and what they would like.")
    parts.take_away("people", tables, figures)


def _map(view: View, color: str, person: int | None) -> dict[str, go.Figure]:
    """Everybody between the stereotypes, of which there are several."""
    figure = simplex_figure(_points(view, color), view.names, view.style, chosen=person)
    parts.picture(figure, "simplex", "Everybody between the stereotypes", on_select=lambda: _pick(view))
    if view.model.n_users > MOST_POINTS:
        st.caption(
            f"{view.model.n_users:,} people are too many for single points: the shading shows where they are dense, "
            f"and {MOST_POINTS:,} of them, evenly selected, are drawn."
        )
    return {"People": figure}


def _opening(view: View) -> str:
    """What the audience looks like as a whole, in a sentence."""
    tastes = _tastes(view)
    n = view.model.n_stereotypes
    if n == 1:
        return "With one kind of taste everybody is alike; raise the number in the sidebar to see how people differ."
    clear = float((tastes.max(axis=1) >= 0.8).mean())
    largest = int(tastes.mean(axis=0).argmax())
    shape = {2: "on a line between the two stereotypes", 3: "in a triangle whose corners are the stereotypes"}.get(
        n, "between the stereotypes, flattened from more dimensions to where they spread most"
    )
    generous = " How generous they are is set aside here." if view.model.n_fixed else ""
    return (
        f"{counted(view.model.n_users, 'person', 'people')} {shape}: the closer to a corner, the more of that kind. "
        f"{_how_pure(clear)} *{md(view.names[largest], 60)}* is the largest part of the audience's taste.{generous}"
    )


def _how_pure(clear: float) -> str:
    """What it means that this share of the people is nearly of a single kind."""
    pure = "at least four fifths of a single kind"
    if clear == 1:
        return f"**Everybody** is {pure}."
    return (
        f"**{percent(clear)}** are {pure}; the others are mixtures."
        if clear
        else f"Nobody is {pure}: all are mixtures."
    )


def _tastes(view: View) -> FloatArray:
    """Mixtures without generosity, rows on the simplex; people without any taste lie in the middle."""

    def compute() -> FloatArray:
        free = view.model.mixtures[:, : view.model.n_stereotypes]
        total = free.sum(axis=1, keepdims=True)
        shares = free / np.maximum(total, 1e-9)
        return np.asarray(np.where(total > 1e-9, shares, 1.0 / free.shape[1]), dtype=np.float64)

    return store.derived(("tastes", view.key), compute)


def _coloured_by(view: View) -> str:
    traits = [trait for trait in view.dataset.traits if trait != _LARGEST_PART]
    if not traits:
        return _LARGEST_PART
    chosen = link.select(
        "Coloured by",
        [_LARGEST_PART, *traits],
        "color",
        default=_LARGEST_PART,
        form=lambda key: "their largest part" if key == _LARGEST_PART else shortened(str(key)),
    )
    return str(chosen)


def _points(view: View, color: str) -> Audience:
    tastes, n = _tastes(view), view.model.n_stereotypes
    if color == _LARGEST_PART:
        colors = [view.style.color(k) for k in range(n)]
        return Audience(view.model.user_ids, tastes, tastes.argmax(axis=1), view.names[:n], colors)
    labels = view.dataset.traits[color]
    order = np.argsort(-labels.counts, kind="stable")[: len(view.style.traits)]
    place = np.full(len(labels.names), OTHERS, dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.full(view.model.n_users, NOT_KNOWN, dtype=np.int64)
    has = np.diff(labels.member.indptr) > 0
    first[has] = place[labels.member.indices[labels.member.indptr[:-1][has]]]
    return Audience(view.model.user_ids, tastes, first, [labels.names[k] for k in order], view.style.traits)


def _trait(view: View, trait: str) -> None:
    """In which value of a trait the people of some stereotype differ most clearly from the audience."""
    labels = view.dataset.traits[trait]
    found = trait_shares(view.model, labels, trait)
    clearest = found.clearest()
    own, all_together = (
        ("", "") if clearest is None else map(percent, (found.shares[clearest], found.audience[clearest[0]]))
    )
    if clearest is None or own == all_together:
        st.caption(f"No stereotype differs clearly from the audience in {md(trait, 40)}.")
        return
    value, kind = clearest
    st.markdown(
        f"Of *{md(view.names[kind], 60)}*’s people **{own}** are “{md(labels.names[value], 40)}”, against "
        f"{all_together} of the audience. Everybody counts by how much of that stereotype they are."
    )


def _person(view: View) -> int | None:
    """The chosen person's row: searched for by id, or one of the most active."""
    left, right = st.columns(2)
    with left:
        sought = search.field("Find a person", "find", "person", placeholder="part of an id", max_chars=80)
    ids = view.model.user_ids
    if sought:
        matches = [name for name in ids if sought.casefold() in name.casefold()]
        matches.sort(key=lambda name: (name.casefold() != sought.casefold(), len(name)))
    else:
        counts = view.dataset.ratings.by_user.counts
        matches = [ids[row] for row in np.argsort(-counts, kind="stable")[:_OFFERED]]
    offered = matches[:_OFFERED]
    closest = matches[0] if sought and matches else None
    asked = st.session_state.get("person") or st.query_params.get("person")
    if asked in view.model.user_index and asked not in offered:
        offered.insert(0, str(asked))
    with right:
        chosen = link.select(
            "Person",
            offered,
            "person",
            default=closest,
            form=shortened,
            placeholder="nobody yet: pick a point or choose here",
        )
    if sought:
        have = {0: "Nobody has", 1: "One person has"}.get(len(matches), f"{len(matches):,} people have")
        shown = "; the closest is shown" if len(matches) > 1 and chosen == closest else ""
        st.caption(f"{have} “{md(sought, 80)}” in their id{shown}.")
    return None if chosen is None else view.model.user_index[chosen]


def _pick(view: View) -> None:
    point = parts.picked("simplex")
    row = None if point is None else point.get("customdata")
    row = row[0] if isinstance(row, (list, tuple)) and row else row
    if isinstance(row, (int, float)) and 0 <= int(row) < view.model.n_users:
        st.session_state["person"] = view.model.user_ids[int(row)]


def _up_close(view: View, person: int) -> go.Figure:
    """One person: mixture, whose picture is given back, history, predictions with their reasons, who is nearest."""
    model, dataset = view.model, view.dataset
    st.header(f"Person {md(model.user_ids[person], 60)}", anchor=False)
    figure = mixture_figure(model.mixtures[person], view.names, model.n_stereotypes, view.style)
    parts.picture(figure, "mixture", "What this person is made of")
    items, history = _items_of(view, person), _history(view, person).drop(columns="item")
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader(f"What they {view.words.rated}", anchor=False)
        error = float((history["given"] - history["expected"]).abs().mean()) if len(history) else 0.0
        if dataset.implicit:
            history["expected"] *= 100
            st.caption(f"{counted(len(items), 'choice')}, and how likely the model thinks each of them.")
        else:
            mean = written(float(history["given"].mean()), 1)
            st.caption(
                f"{counted(len(items), 'rating')}, {mean} on average. On these, which it has seen, the model "
                f"is off by {error_in_words(error, model.scale)} {unit_for(dataset)} on average."
            )
        _ratings_table(view, history, "history")
    with right:
        st.subheader("Nearest people", anchor=False)
        near = _nearest(view, person)
        st.caption(
            f"Whose mixture is most like theirs, and how many {view.words.items} both {view.words.rated}. A distance "
            f"of 5 means: whatever the {view.words.item}, the model expects the two to differ by at most 5 points out "
            "of 100."
        )
        st.dataframe(
            near,
            hide_index=True,
            width="stretch",
            key="near",
            column_config={
                "person": st.column_config.TextColumn("Person", width=120),
                "both": parts.number_column("Both", "localized"),
                "distance": parts.number_column("Distance", "%.1f"),
            },
        )
    st.subheader("What they would like, and why", anchor=False)
    recommendations.show(view, model.mixtures[person], items, "them")
    return figure


def _items_of(view: View, person: int) -> IntArray:
    """The rows of the items that a person rated."""
    by_user = view.dataset.ratings.by_user
    return by_user.partners[by_user.of(person)]


def _nearest(view: View, person: int) -> pd.DataFrame:
    """Whose mixtures are most like a person's, how many items both rated, and how far apart they are, in points."""
    near, items = nearest_people(view.model, person, 8), _items_of(view, person)
    near["both"] = [len(np.intersect1d(items, _items_of(view, row))) for row in near["row"]]
    near["distance"] *= 100
    return near[["person", "both", "distance"]]


def _history(view: View, person: int) -> pd.DataFrame:
    """What a person rated, and what the model expected; the highest ratings first."""
    model, ratings, items = view.model, view.dataset.ratings, _items_of(view, person)
    columns = {
        "item": [model.item_ids[row] for row in items],
        "title": [view.dataset.titles[row] for row in items],
        "given": ratings.levels[ratings.by_user.codes[ratings.by_user.of(person)]],
        "expected": predict(model, np.full(len(items), person), items),
    }
    return pd.DataFrame(columns).sort_values("given", ascending=False, kind="stable")


def _ratings_table(view: View, table: pd.DataFrame, key: str) -> None:
    st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        height=330,
        key=key,
        column_config={
            "title": parts.title_column(view.words),
            "given": None if view.dataset.implicit else parts.number_column("Given", "%.1f"),
            "expected": parts.number_column("Expected", "%.0f%%" if view.dataset.implicit else "%.1f"),
        },
    )


def mixtures_table(view: View) -> pd.DataFrame:
    """Everybody's mixture, one line each."""
    person, *names = distinct(["person", *view.names])
    table = pd.DataFrame(view.model.mixtures, columns=names)
    table.insert(0, person, list(view.model.user_ids))
    return table
