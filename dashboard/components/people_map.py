"""The map of people: everybody between the stereotypes, coloured by their largest part or by a trait."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components import charts
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.simplex import MOST_POINTS, NOT_KNOWN, OTHERS, Audience, simplex_figure
from dashboard.wording import counted, md
from nnm_core.interpret.traits import trait_shares
from nnm_core.phrases import percent, shortened
from nnm_core.types import FloatArray

LARGEST_PART = ""
"""The choice to colour people by their largest part; a trait without a name is not offered."""


def describe_people(view: View) -> str:
    """Say what the audience looks like as a whole."""
    n = view.model.n_stereotypes
    if n == 1:
        return "With one kind of taste everybody is alike; raise the number in the sidebar to see how people differ."
    tastes = tastes_of(view)
    largest = int(tastes.mean(axis=0).argmax())
    shape = {2: "on a line between the two stereotypes", 3: "in a triangle whose corners are the stereotypes"}.get(
        n, "between the stereotypes, flattened from more dimensions to where they spread most"
    )
    generous = " How generous they are is set aside here." if view.model.n_fixed else ""
    return (
        f"{counted(view.model.n_users, 'person', 'people')} {shape}: the closer to a corner, the more of that kind. "
        f"{_how_pure(float((tastes.max(axis=1) >= 0.8).mean()))} *{md(view.names[largest], 60)}* is the largest part "
        f"of the audience's taste.{generous}"
    )


def _how_pure(share: float) -> str:
    """Say what it means that this share of the people is nearly of a single kind."""
    pure = "at least four fifths of a single kind"
    if share == 1:
        return f"**Everybody** is {pure}."
    if share == 0:
        return f"Nobody is {pure}: all are mixtures."
    return f"**{percent(share)}** are {pure}; the others are mixtures."


def choose_colour(view: View) -> str:
    """Return the trait by which people are coloured, or ``LARGEST_PART``; asks only where there is a choice."""
    traits = [trait for trait in view.dataset.traits if trait != LARGEST_PART]
    if not traits:
        return LARGEST_PART
    chosen = link.select(
        "Coloured by",
        [LARGEST_PART, *traits],
        "color",
        default=LARGEST_PART,
        form=lambda key: "their largest part" if key == LARGEST_PART else shortened(str(key)),
    )
    return str(chosen)


def show_map(view: View, color: str, person: int | None) -> dict[str, go.Figure]:
    """Show everybody between the stereotypes, of which there are several."""
    figure = simplex_figure(_audience(view, color), view.style, names=view.names, chosen=person)
    charts.show_figure(figure, "simplex", "Everybody between the stereotypes", on_select=lambda: _select(view))
    if view.model.n_users > MOST_POINTS:
        st.caption(
            f"{view.model.n_users:,} people are too many for single points: the shading shows where they are dense, "
            f"and {MOST_POINTS:,} of them, evenly selected, are drawn."
        )
    return {"People": figure}


def show_trait(view: View, trait: str) -> None:
    """Say in which value of a trait the people of some stereotype differ most clearly from the audience."""
    labels = view.dataset.traits[trait]
    found = trait_shares(view.model, labels, trait)
    clearest = found.clearest()
    if clearest is not None:
        value, kind = clearest
        own, everybody = percent(found.shares[clearest]), percent(found.audience[value])
        if own != everybody:
            st.markdown(
                f"Of *{md(view.names[kind], 60)}*’s people **{own}** are “{md(labels.names[value], 40)}”, against "
                f"{everybody} of the audience. Everybody counts by how much of that stereotype they are."
            )
            return
    st.caption(f"No stereotype differs clearly from the audience in {md(trait, 40)}.")


def tastes_of(view: View) -> FloatArray:
    """Return mixtures without generosity, rows on the simplex; people without any taste lie in the middle."""

    def compute() -> FloatArray:
        free = view.model.mixtures[:, : view.model.n_stereotypes]
        total = free.sum(axis=1, keepdims=True)
        shares = free / np.maximum(total, 1e-9)
        return np.asarray(np.where(total > 1e-9, shares, 1.0 / free.shape[1]), dtype=np.float64)

    return store.derived(("tastes", view.key), compute)


def _audience(view: View, color: str) -> Audience:
    tastes, n = tastes_of(view), view.model.n_stereotypes
    if color == LARGEST_PART:
        colors = [view.style.color(k) for k in range(n)]
        return Audience(view.model.user_ids, tastes, tastes.argmax(axis=1), view.names[:n], colors)
    labels = view.dataset.traits[color]
    order = np.argsort(-labels.counts, kind="stable")[: len(view.style.traits)]
    place = np.full(len(labels.names), OTHERS, dtype=np.int64)
    place[order] = np.arange(len(order))
    groups = np.full(view.model.n_users, NOT_KNOWN, dtype=np.int64)
    has = np.diff(labels.member.indptr) > 0
    groups[has] = place[labels.member.indices[labels.member.indptr[:-1][has]]]
    return Audience(view.model.user_ids, tastes, groups, [labels.names[k] for k in order], view.style.traits)


def _select(view: View) -> None:
    row = charts.selected_data("simplex")
    if isinstance(row, (int, float)) and 0 <= int(row) < view.model.n_users:
        st.session_state["person"] = view.model.user_ids[int(row)]
