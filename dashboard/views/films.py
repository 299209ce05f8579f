"""Page: the items; what each stereotype makes of one, what is like it, and what divides the audience."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link
from dashboard.components import parts, search
from dashboard.components.current import current
from dashboard.compute.current import View
from dashboard.figures.items import NAMED, distribution_figure, divisive_figure, likes_figure
from dashboard.wording import counted, md
from nnm_core.interpret.audience import taste_shares
from nnm_core.interpret.distances import nearest_items
from nnm_core.interpret.exemplars import item_taste
from nnm_core.phrases import distinct, listed, rating_in_words, shortened
from nnm_core.types import FloatArray, IntArray

_OFFERED = 60
_DRAWN = 400
_ALIKE = 5
"""Points out of 100 below which the stereotypes are said to agree."""


def render() -> None:
    """Show the page."""
    view = current()
    words = view.words
    st.title(f"The {words.items}")
    st.markdown(
        f"To the model every {words.item} is a question with an answer per stereotype: "
        + (
            "how often each kind of taste gives it which rating."
            if view.model.options.mode == "stars"
            else f"how likely each kind of taste is to {words.like} it."
        )
    )
    item = _choose(view)
    figures = _one(view, item) if item is not None else {}
    figures |= _divisive(view)
    parts.take_away("films", {words.items.capitalize(): lambda: _table(view)}, figures)


def _choose(view: View) -> int | None:
    """The chosen item's row: searched for by title, or one of the best known."""
    words, dataset, model = view.words, view.dataset, view.model
    left, right = st.columns(2)
    with left:
        sought = search.field(f"Search {words.items}", "q", "film", placeholder="part of a title", max_chars=120)
    found = search.items(view, sought)
    ids = [model.item_ids[row] for row in found[:_OFFERED]]
    first = ids[0] if ids else None
    asked = st.session_state.get("film") or st.query_params.get("film")
    if asked in model.item_index and asked not in ids:
        ids.insert(0, str(asked))
    with right:
        chosen = link.select(
            words.item.capitalize(),
            ids,
            "film",
            default=first,
            form=lambda key: shortened(dataset.titles[model.item_index[key]], 80),
        )
    if sought:
        said = f"with “{md(sought, 80)}” in the title"
        offered = f", of which the {_OFFERED} best known are offered" if len(found) > _OFFERED else ""
        shown = "; the closest is shown" if len(found) > 1 and chosen == first else ""
        st.caption(
            f"{counted(len(found), words.item, words.items)} {said}{offered}{shown}."
            if found
            else f"There is no {words.item} {said}."
        )
    return None if chosen is None else model.item_index[chosen]


def _one(view: View, item: int) -> dict[str, go.Figure]:
    """What the stereotypes make of one item, and what is like it."""
    model, dataset, words = view.model, view.dataset, view.words
    n = model.n_stereotypes
    likes = model.likes[item, :n]
    audience = float(likes @ taste_shares(model))
    names = view.names[:n]
    st.header(md(dataset.titles[item], 120), anchor=False)
    st.markdown(_about(view, item))
    left, right = st.columns([2, 3], gap="large")
    with left:
        if model.options.mode == "stars":
            st.caption(f"How often each stereotype gives this {words.item} which rating.")
            figure = distribution_figure(model.answers[item][:, :n], model.scale.levels, names, view.style)
        else:
            figure = likes_figure(likes, audience, names, view.style)
        parts.picture(figure, "item", f"What each stereotype makes of this {words.item}")
        if model.options.mode == "like" and not dataset.implicit:
            st.caption(
                "To see how often each rating is given, choose “one answer of several” under **More options** in "
                "the sidebar."
            )
    with right:
        st.subheader("Answered most alike", anchor=False)
        near = nearest_items(model, dataset, item, 8)
        near["distance"] *= 100
        seen = dataset.ratings.by_item
        people = seen.partners[seen.of(item)]
        near["both"] = [len(np.intersect1d(people, seen.partners[seen.of(row)])) for row in near["row"]]
        if near.empty:
            st.caption(f"No other {words.item} has enough {words.rating}s to compare.")
        else:
            st.caption(
                f"How many people {words.rated} both, and how far apart the answers are. A distance of 5 means: "
                "on average over the audience, they differ by 5 points out of 100."
            )
            st.dataframe(
                near[["title", "both", "distance"]],
                hide_index=True,
                width="stretch",
                key="near-items",
                column_config={
                    "title": parts.title_column(words),
                    "both": parts.number_column("Both", "localized"),
                    "distance": parts.number_column("Distance", "%.1f"),
                },
            )
    return {f"One {words.item}": figure}


def _about(view: View, item: int) -> str:
    """The item's tags and ratings, and who likes it most, in a sentence."""
    dataset, model = view.dataset, view.model
    member = dataset.tags.member
    tags = [md(dataset.tags.names[k], 40) for k in member.indices[member.indptr[item] : member.indptr[item + 1]]]
    entries = dataset.ratings.by_item.of(item)
    given = dataset.ratings.levels[dataset.ratings.by_item.codes[entries]]
    mean = f", {rating_in_words(float(given.mean()), model.scale)} on average" if len(given) else ""
    times = f"Chosen {counted(len(given), 'time')}" if dataset.implicit else f"{counted(len(given), 'rating')}{mean}"
    likes = model.likes[item, : model.n_stereotypes]
    kinds = f"{listed(tags)}. " if tags else ""
    return f"{kinds}{times}. {_who_likes(likes, view)}".rstrip()


def _who_likes(likes: FloatArray, view: View) -> str:
    """Who likes an item most and least, by the whole percents that one sees; nothing where there is but one kind."""
    if len(likes) < 2:
        return ""
    shown = _in_percent(likes)
    gap = int(np.ptp(shown))
    if gap < _ALIKE:
        return "All kinds of taste see it much alike."
    most, least = (
        [f"*{md(view.names[k], 60)}*" for k in np.flatnonzero(shown == level)] for level in (shown.max(), shown.min())
    )
    verb = view.words.likes if len(most) == 1 else view.words.like
    return f"{listed(most)} {verb} it most, {listed(least)} least: they are {counted(gap, 'point')} apart."


def _in_percent(likes: FloatArray) -> IntArray:
    """Probabilities as one sees them: differences are told of these, so that anybody can check them."""
    return np.asarray(np.round(100 * likes), dtype=np.int64)


def _divisive(view: View) -> dict[str, go.Figure]:
    """The items that set the stereotypes apart most, among those that enough people know."""
    words, model = view.words, view.model
    st.header("What divides the audience", anchor=False)
    if model.n_stereotypes < 2:
        st.caption("With one kind of taste nothing can divide it; raise the number in the sidebar.")
        return {}
    counts = view.dataset.ratings.by_item.counts
    rows = np.argsort(-counts, kind="stable")[:_DRAWN]
    likes = model.likes[rows][:, : model.n_stereotypes]
    gaps = np.ptp(likes, axis=1)
    top = rows[np.argsort(-gaps, kind="stable")[:NAMED]]
    st.markdown(
        f"Among the {len(rows):,} best known, the stereotypes disagree most about "
        f"{listed(['**' + md(view.dataset.titles[row], 80) + '**' for row in top])}. The higher a point, the more they "
        "disagree; the larger, the more people know it."
    )
    figure = divisive_figure(
        likes @ taste_shares(model),
        gaps,
        np.ptp(_in_percent(likes), axis=1),
        counts[rows],
        [view.dataset.titles[row] for row in rows],
        [model.item_ids[row] for row in rows],
        words,
        view.style,
    )
    parts.picture(figure, "divisive", f"{words.items.capitalize()} that divide the audience", on_select=_pick)
    return {"Divisive": figure}


def _pick() -> None:
    point = parts.picked("divisive")
    if point is not None and point.get("customdata") is not None:
        data = point["customdata"]
        st.session_state["film"] = str(data[0] if isinstance(data, (list, tuple)) else data)


def _table(view: View) -> pd.DataFrame:
    """Every item: title, ratings, what each stereotype makes of it, and how it stands out."""
    model, n = view.model, view.model.n_stereotypes
    taste = item_taste(model, view.dataset)
    columns = [
        ("id", list(model.item_ids)),
        ("title", list(view.dataset.titles)),
        ("ratings", view.dataset.ratings.by_item.counts),
        *((f"{name} likes it", model.likes[:, k]) for k, name in enumerate(view.names[:n])),
        *((f"stands out for {name}", taste[:, k]) for k, name in enumerate(view.names[:n])),
    ]
    names = distinct(name for name, _ in columns)
    return pd.DataFrame(dict(zip(names, (values for _, values in columns), strict=True)))
