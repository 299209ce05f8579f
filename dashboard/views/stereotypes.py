"""Page: what each stereotype of the audience likes, genre by genre."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard import cache
from dashboard.figures.towers import towers_figure
from nnm_core import PRESETS, NnmError, preset

_MIN_ITEMS = 10
"""Tags with fewer items say more about those items than about the tag."""


def render() -> None:
    """Show the page."""
    with st.sidebar:
        n_stereotypes = st.slider("Kinds of taste (D)", 1, 10, 3, key="D", bind="query-params")
        chosen = st.selectbox(
            "Fit", list(PRESETS), index=list(PRESETS).index("recommended"), key="fit", bind="query-params"
        )
    try:
        dataset = cache.dataset("bundled")
        model = cache.model("bundled", preset(chosen, n_stereotypes=n_stereotypes), 0)
    except NnmError as error:
        st.error(str(error))
        return
    ratings = dataset.ratings
    st.title("Who is the audience?")
    st.markdown(
        f"**{ratings.n_users:,} people** rated **{ratings.n_items:,} films**, {len(ratings):,} times in all. "
        f"The model sees every one of them as a mixture of **{n_stereotypes}** stereotypical "
        f"{'viewer' if n_stereotypes == 1 else 'viewers'}. Each tower is one of them: a bar says how likely this "
        "viewer likes a film of that genre, drawn at random."
    )
    supported = np.flatnonzero(dataset.tags.counts >= _MIN_ITEMS)
    member = dataset.tags.member[:, supported].astype(np.float64)
    tag_likes = np.asarray(member.T @ model.likes[:, :n_stereotypes]) / np.asarray(member.sum(axis=0))[:, None]
    shares = model.mixtures.mean(axis=0)
    names = [f"Stereotype {k + 1} · {shares[k]:.0%}" for k in range(n_stereotypes)]
    figure = towers_figure(tag_likes, [dataset.tags.names[k] for k in supported], names)
    st.plotly_chart(figure, width="stretch", key="towers", alt="Towers of genres, one per stereotype")
    if model.n_fixed:
        st.caption(
            "The percentage beside a stereotype is its share of the audience. Two more viewers only carry how generous "
            f"people are: the enthusiast, who gives everything the top rating ({shares[-2]:.0%} of the audience), and "
            f"the skeptic, who gives everything the lowest ({shares[-1]:.0%})."
        )
    st.caption(f"Data: {dataset.name}. {dataset.licence}")
