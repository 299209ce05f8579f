"""Items: one up close, those that are answered alike, and those that divide the audience."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard.components.common import display, widgets
from dashboard.compute.current import View
from dashboard.figures.items import NAMED, Items, distribution_figure, divisive_figure, likes_figure
from dashboard.wording import counted, md
from nnm_core.interpret.audience import enough_in_common, nearest_items, taste_shares
from nnm_core.interpret.exemplars import item_taste
from nnm_core.phrases import distinct, listed, percent, rating_in_words
from nnm_core.types import FloatArray, IntArray

PANEL = "film-panel"  # the container with the chosen item
_DRAWN = 400
_ALIKE = 5  # points out of 100 below which the stereotypes are said to agree


def show_item(view: View, item: int) -> dict[str, go.Figure]:
    """Show what the stereotypes make of one item."""
    with st.container(key=PANEL):
        st.header(md(view.dataset.titles[item], 120), anchor=False)
        st.markdown(_about(view, item))
        return {f"One {view.words.item}": _show_answers(view, item)}


def _show_answers(view: View, item: int) -> go.Figure:
    model, words, n = view.model, view.words, view.model.n_stereotypes
    likes, names = model.likes[item, :n], view.names[:n]
    if model.options.mode == "stars":
        st.caption(f"How often each stereotype gives this {words.item} which rating.")
        answers = model.answers[item][:, :n]
        figure = distribution_figure(answers, view.look, levels=model.scale.levels, names=names)
    else:
        figure = likes_figure(likes, view.look, audience=float(likes @ taste_shares(model)), names=names)
    alt = "; ".join(f"{name} {percent(like)}" for name, like in zip(names, likes.tolist(), strict=True))
    display.show_figure(figure, "item", f"How likely each stereotype is to {words.like} it: {alt}")
    if model.options.mode == "like" and n > 1:
        habits = ", with habits set aside" if model.n_fixed else ""
        st.caption(f"The audience is the average of these stereotypes by their shares{habits}.")
    if model.options.mode == "like" and model.options.method == "alternating" and not view.dataset.implicit:
        st.caption(
            "To see how often each rating is given, choose that a rating stands for “one of several answers”, under "
            "**More options** in the sidebar."
        )
    return figure


def show_alike(view: View, item: int) -> None:
    """Show what is answered most like an item by people who rated both."""
    words = view.words
    st.subheader(f"Similar {words.items}", anchor=False)
    near = nearest_items(view.model, view.dataset, item, 8)
    n_people = int(view.dataset.ratings.by_item.counts[item])
    enough = counted(enough_in_common(n_people), "person", "people")
    if near.empty:
        st.caption(f"No other {words.item} has enough {words.rating}s to compare: at least {enough} in common.")
        return
    near["distance"] *= 100
    st.caption(
        f"Only {words.items} that at least {enough} of the {n_people:,} who {words.rated} this one {words.rated} too. "
        "A distance of 5 means that the answers differ by 5 points out of 100 on average over the audience."
    )
    near = near.rename(columns={"common": "both"})
    columns = {"title": display.title_column(words), **display.distance_columns()}
    display.show_table(near[list(columns)], "near-items", columns)


def _about(view: View, item: int) -> str:
    """Return the item's tags and ratings, and who likes it most, in a sentence."""
    dataset, model = view.dataset, view.model
    member = dataset.tags.member
    tags = [md(dataset.tags.names[k], 40) for k in member.indices[member.indptr[item] : member.indptr[item + 1]]]
    given = dataset.ratings.levels[dataset.ratings.by_item.codes[dataset.ratings.by_item.of(item)]]
    mean = f", {rating_in_words(float(given.mean()), model.scale)} on average" if len(given) else ""
    times = f"Chosen {counted(len(given), 'time')}" if dataset.implicit else f"{counted(len(given), 'rating')}{mean}"
    kinds = f"{listed(tags)}. " if tags else ""
    return f"{kinds}{times}. {who_likes(model.likes[item, : model.n_stereotypes], view)}".rstrip()


def who_likes(likes: FloatArray, view: View) -> str:
    """Say who likes an item most and least, by the whole percents that the page shows; empty with one stereotype."""
    if len(likes) < 2:
        return ""
    shown = _in_percent(likes)
    gap = int(np.ptp(shown))
    if gap < _ALIKE:
        return "All stereotypes see it much alike."
    most, least = (
        [f"*{md(view.names[k], 60)}*" for k in np.flatnonzero(shown == level)] for level in (shown.max(), shown.min())
    )
    verb = view.words.liked.capitalize()
    return f"{verb} most by {listed(most)}, least by {listed(least)}: they are {counted(gap, 'point')} apart."


def _in_percent(likes: FloatArray) -> IntArray:
    """Return probabilities as the page shows them; differences are taken of these, so that anybody can check them."""
    return np.asarray(np.round(100 * likes), dtype=np.int64)


def show_divisive(view: View) -> dict[str, go.Figure]:
    """Show the items that set the stereotypes apart most, among the best known."""
    model, titles = view.model, view.dataset.titles
    st.header("What divides the audience", anchor=False)
    if model.n_stereotypes < 2:
        st.caption("With one stereotype nothing can divide the audience; raise the number in the sidebar.")
        return {}
    counts = view.dataset.ratings.by_item.counts
    rows = np.argsort(-counts, kind="stable")[:_DRAWN]
    likes = model.likes[rows][:, : model.n_stereotypes]
    gaps = np.ptp(likes, axis=1)
    top = [f"**{md(titles[row], 80)}**" for row in rows[np.argsort(-gaps, kind="stable")[:NAMED]]]
    st.markdown(f"Among the {len(rows):,} best known, the stereotypes disagree most about {listed(top)}.")
    items = Items(
        ids=[model.item_ids[row] for row in rows],
        titles=[titles[row] for row in rows],
        counts=counts[rows],
        audience=likes @ taste_shares(model),
        gaps=gaps,
        points=np.ptp(_in_percent(likes), axis=1),
        fans=likes.argmax(axis=1),
    )
    figure = divisive_figure(items, view.look, words=view.words, names=view.names[: model.n_stereotypes])
    first = int(gaps.argmax())
    alt = (
        f"How far the stereotypes are apart on each of {len(rows):,} {view.words.items}: most on "
        f"{items.titles[first]}, by {counted(int(items.points[first]), 'point')}"
    )
    display.show_figure(figure, "divisive", alt, on_select=_select)
    st.caption("The higher a point, the more they disagree; the larger, the better known. Click one to see it.")
    return {"Divisive": figure}


def _select() -> None:
    item = display.selected_data("divisive")
    if item is not None:
        st.session_state["film"] = str(item)
        widgets.forget_search("film")
        widgets.lead_to(PANEL)


def items_table(view: View) -> pd.DataFrame:
    """Return every item: title, ratings, what each stereotype makes of it, and how it stands out."""
    model, names = view.model, view.names[: view.model.n_stereotypes]
    taste = item_taste(model, view.dataset)
    columns = [
        ("id", list(model.item_ids)),
        ("title", list(view.dataset.titles)),
        ("ratings", view.dataset.ratings.by_item.counts),
        *((f"{name} likes it", model.likes[:, k]) for k, name in enumerate(names)),
        *((f"stands out for {name}", taste[:, k]) for k, name in enumerate(names)),
    ]
    titles, values = zip(*columns, strict=True)
    return pd.DataFrame(dict(zip(distinct(titles), values, strict=True)))
