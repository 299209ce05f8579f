"""Scene: what missing ratings do."""

from __future__ import annotations

import streamlit as st

from dashboard import link, session
from dashboard.components.current import dataset_of
from dashboard.components.display import show_figure
from dashboard.compute import store
from dashboard.figures.learn import fill_figure
from dashboard.learn.parts import NAMES, cinema_model, liked_cinema, match_likes, predict
from nnm_core import preset
from nnm_core.datasets import Dataset, catalogue
from nnm_core.datasets.synthetic import demo
from nnm_core.interpret import bobs_table
from nnm_core.interpret.compare import TowerComparison, fill_comparison

_DATA = {"cinema": "Rated at random", "liked": "Rated what they like", "bundled": "MovieLens"}
_ZEROS = {"first": "Zeros in the first two iterations", "always": "Zeros in every iteration"}


def show() -> None:
    """Show the scene."""
    st.markdown(
        "Most people have not rated most films. Leave these out, or count them as **zeros**? The paper: who has not "
        "seen a film would often not like it. So its first two iterations count missing ratings as zeros."
    )
    with st.container(horizontal=True):
        data = link.segments("Data", _DATA, "seen", width="content", label_visibility="collapsed")
        zeros = link.segments("Zeros", _ZEROS, "zeros", width="content", label_visibility="collapsed")
    question = "Zeros in every iteration, on ratings at random: what happens to the bars?"
    options = ["They all fall, in the same order", "They change places", "Nothing"]
    why = (
        "A zero that is made up lowers every average. Zeros at the start only show the way: the end is nearly the same."
    )
    if not predict("missing", question, options, 0, why):
        return
    found, names = comparison(data, zeros == "always")
    shift = float(found.shifts.mean())
    st.markdown(
        f"With zeros (full bars), bars are on average **{abs(shift):.2f} {'lower' if shift < 0 else 'higher'}** than "
        f"without (pale). Of all pairs of genres, **{found.structure_kept:.0%}** are in the same order."
    )
    alt = "How likely each stereotype is to like each genre, with zeros for missing ratings and without"
    show_figure(fill_figure(found, names, session.look()), "learn-fill", alt)


def comparison(data: str, throughout: bool) -> tuple[TowerComparison, tuple[str, ...]]:
    """Return the towers with and without zeros, and the names of the stereotypes."""
    dataset = _dataset(data)
    key = ("learn", "fill", data, throughout)
    found = store.derived(key, lambda: fill_comparison(dataset, preset("paper"), throughout=throughout))
    if data == "bundled":
        return found, tuple(f"Stereotype {k + 1}" for k in range(found.first.shape[1]))
    order = match_likes(found.second, bobs_table(cinema_model(), dataset.tags).likes)
    return found, tuple(NAMES[k] for k in order)


def _dataset(name: str) -> Dataset:
    if name == "bundled":
        return dataset_of(catalogue.BUNDLED).dataset
    return demo().dataset if name == "cinema" else liked_cinema()
