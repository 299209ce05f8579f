"""One person: who it is, their mixture, what they rated, who is nearest, and what they would like."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components import charts, recommendations, search, tables
from dashboard.compute.current import View
from dashboard.figures.mixture import mixture_figure
from dashboard.wording import counted, error_in_words, md, unit_for
from nnm_core.interpret.audience import nearest_people
from nnm_core.phrases import shortened
from nnm_core.prediction import predict
from nnm_core.scale import written
from nnm_core.types import IntArray

_OFFERED = 200
"""People whom the select box offers when nobody was searched for: the most active."""


def choose_person(view: View) -> int | None:
    """Return the chosen person's row: searched for by id, or one of the most active."""
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
    closest = matches[0] if sought and matches else None
    with right:
        chosen = link.select(
            "Person",
            search.with_asked(matches[:_OFFERED], "person", view.model.user_index),
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


def show_person(view: View, person: int) -> go.Figure:
    """Show mixture, history, nearest people and recommendations; return the figure of the mixture."""
    model, words = view.model, view.words
    st.header(f"Person {md(model.user_ids[person], 60)}", anchor=False)
    mixture = model.mixtures[person]
    figure = mixture_figure(mixture, view.style, names=view.names, n_stereotypes=model.n_stereotypes)
    charts.show_figure(figure, "mixture", "What this person is made of")
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
        columns = {
            "person": st.column_config.TextColumn("Person", width=120),
            "both": tables.number_column("Both", "localized"),
            "distance": tables.number_column("Distance", "%.1f"),
        }
        tables.show_table(nearest_table(view, person), "near", columns)
    st.subheader("What they would like, and why", anchor=False)
    recommendations.show(view, mixture, items_of(view, person), "them")
    return figure


def _show_history(view: View, person: int) -> None:
    history = history_table(view, person).drop(columns="item")
    if view.dataset.implicit:
        history["expected"] *= 100
        st.caption(f"{counted(len(history), 'choice')}, and how likely the model thinks each of them.")
    else:
        error = float((history["given"] - history["expected"]).abs().mean()) if len(history) else 0.0
        st.caption(
            f"{counted(len(history), 'rating')}, {written(float(history['given'].mean()), 1)} on average. On these, "
            f"which it has seen, the model is off by {error_in_words(error, view.model.scale)} "
            f"{unit_for(view.dataset)} on average."
        )
    columns = {
        "title": tables.title_column(view.words),
        "given": None if view.dataset.implicit else tables.number_column("Given", "%.1f"),
        "expected": tables.number_column("Expected", "%.0f%%" if view.dataset.implicit else "%.1f"),
    }
    tables.show_table(history, "history", columns, height=330)


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
