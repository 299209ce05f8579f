"""What somebody would like, and why."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard.views.current import View
from dashboard.wording import md
from nnm_core.meaning.phrases import percent, rating_in_words
from nnm_core.meaning.reasons import explain, parts_in_words
from nnm_core.prediction import top_n
from nnm_core.scale import written
from nnm_core.types import FloatArray, IntArray


def show(view: View, mixture: FloatArray, seen: IntArray, whose: str) -> None:
    """The best unseen items with what each kind of taste makes of them; what hardly anybody rated is left out."""
    counts = view.dataset.ratings.by_item.counts
    rare = np.flatnonzero(counts < min(20, max(2, int(np.quantile(counts, 0.75)))))
    found = top_n(view.model, mixture, 6, exclude=np.unique(np.concatenate([seen, rare])))
    if not found:
        st.caption(f"There is no {view.words.item} left to recommend.")
        return
    verb = (
        "how likely each of these kinds is to choose it"
        if view.dataset.implicit
        else "what each of these kinds gives it"
    )
    st.caption(
        f"{md(parts_in_words(mixture, view.names, whose), 400)}. Below each {view.words.item} is {verb}; weighted by "
        "these shares, that makes the number beside its title."
    )
    for part in found:
        title = view.dataset.titles[part.item]
        reason = explain(view.model, mixture, part.item, view.names, implicit=view.dataset.implicit)
        rating = rating_in_words(part.rating, view.model.scale)
        about = f"about {rating} of {written(view.model.scale.highest)}"
        if view.dataset.implicit:
            about = f"chosen with {percent(reason.like)}"
        st.markdown(f"**{md(title, 100)}** · {about}")
        st.caption(md(reason.answers, 600))
