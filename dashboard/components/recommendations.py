"""What somebody would like, and why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.compute.current import View
from dashboard.wording import md
from nnm_core.interpret.text.reasons import describe_mixture, explain
from nnm_core.interpret.towers import generosity
from nnm_core.phrases import distinct, percent, rating_in_words
from nnm_core.prediction import Recommendation, top_n
from nnm_core.scale import written
from nnm_core.types import FloatArray, IntArray

_SHOWN = 6
_IN_FILE = 100


def show(view: View, mixture: FloatArray, seen: IntArray, whose: str) -> None:
    """Show the best unseen items with what each kind of taste makes of them; hardly known items are left out."""
    found = _best(view, mixture, seen, _SHOWN)
    if not found:
        st.caption(f"There is no {view.words.item} left to recommend.")
        return
    st.caption(_how_it_adds_up(view, mixture, whose))
    for part in found:
        title = view.dataset.titles[part.item]
        reason = explain(view.model, mixture, part.item, view.names, implicit=view.dataset.implicit)
        rating = rating_in_words(part.rating, view.model.scale)
        about = f"about {rating} of {written(view.model.scale.highest)}"
        if view.dataset.implicit:
            about = f"chosen with {percent(reason.like)}"
        st.markdown(f"**{md(title, 100)}** · {about}")
        if reason.answers:
            st.caption(md(reason.answers, 600))


def table(view: View, mixture: FloatArray, seen: IntArray) -> pd.DataFrame:
    """Return more of the best unseen items than a page has room for, one line each.

    ``expected`` is the sum of the parts that come from each stereotype: its share times what it would give.
    """
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
