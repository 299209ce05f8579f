"""Page: the stereotypes of the audience, in words and as towers of genres."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard import cache
from dashboard.figures.towers import tower_figure
from dashboard.theme import stereotype_color
from nnm_core import PRESETS, NnmError, preset
from nnm_core.meaning.portraits import Portrait, portraits
from nnm_core.meaning.towers import Towers, towers

_TOWERS_PER_ROW = 3


def render() -> None:
    """Show the page."""
    with st.sidebar:
        n_stereotypes = st.slider("Kinds of taste (D)", 1, 10, 3, key="D", bind="query-params")
        choices = list(PRESETS)
        chosen = st.selectbox("Fit", choices, index=choices.index("recommended"), key="fit", bind="query-params")
    try:
        dataset = cache.dataset("bundled")
        model = cache.model("bundled", preset(chosen, n_stereotypes=n_stereotypes), 0)
        bars = towers(model, dataset)
        people = portraits(model, dataset, bars)
    except NnmError as error:
        st.error(str(error))
        return
    ratings = dataset.ratings
    st.title("Who is the audience?")
    st.markdown(
        f"**{ratings.n_users:,} people** rated **{ratings.n_items:,} films**, {len(ratings):,} times in all. "
        f"The model sees every one of them as a mixture of **{n_stereotypes}** stereotypical "
        f"{'viewer' if n_stereotypes == 1 else 'viewers'} of taste. A bar says how likely such a viewer is to "
        "like a film of that genre; the grey tick beside it is the whole audience."
    )
    _show_towers(people[:n_stereotypes], bars)
    for habit in people[n_stereotypes:]:
        st.caption(f"**{habit.name}.** {habit.text}")
    st.caption(f"Data: {dataset.name}. {dataset.licence}")


def _show_towers(people: tuple[Portrait, ...], bars: Towers) -> None:
    """The towers over the same genres, those that divide the stereotypes most on top, a few to a row."""
    supported = np.flatnonzero(bars.is_supported)
    order = supported[np.argsort(-np.abs(bars.taste[supported]).max(axis=1), kind="stable")]
    tags = [bars.tags[row] for row in order]
    for first in range(0, len(people), _TOWERS_PER_ROW):
        for column, portrait in zip(st.columns(_TOWERS_PER_ROW), people[first : first + _TOWERS_PER_ROW], strict=False):
            with column:
                st.subheader(f"{portrait.name} · {portrait.share:.0%}")
                st.write(portrait.text)
                st.plotly_chart(
                    tower_figure(
                        tags,
                        bars.likes[order, portrait.stereotype],
                        bars.audience[order],
                        stereotype_color(portrait.stereotype),
                    ),
                    width="stretch",
                    key=f"tower-{portrait.stereotype}",
                    alt=f"Genres that {portrait.name} likes",
                )
