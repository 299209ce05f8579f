"""How the shares of the stereotypes moved over the years, in a box that computes nothing until it is opened."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard.components.common import display
from dashboard.compute.current import View
from dashboard.figures.over_time import FEW, shares_figure
from dashboard.wording import counted, md
from nnm_core.datasets.times import NO_DAY
from nnm_core.interpret.over_time import MIN_PEOPLE, joined, shares_over_time
from nnm_core.interpret.text.portraits import split_small


def show_over_time(view: View) -> None:
    """Show the box, where it is known when people rated."""
    if view.dataset.days is None or view.model.n_stereotypes < 2:
        return
    label = "How the shares moved over the years"
    with st.expander(label, icon=":material/timeline:", key="over-time", bind="query-params") as box:
        if box.open:
            _show(view)


def _show(view: View) -> None:
    words, found = view.words, shares_over_time(view.model, view.dataset)
    if found is None:
        st.caption(f"Too few people {words.rated} in more than one quarter of a year.")
        return
    sentence = found.in_words(view.names) if view.has_taste else ""
    if sentence:
        st.markdown(f"**{md(sentence, 800)}**")
    drawn = [portrait.stereotype for portrait in split_small(view.portraits)[0]]
    figure = shares_figure(found, view.look, names=view.names, drawn=drawn)
    alt = sentence or "The share of each stereotype among the people of each period; none moved by more than chance"
    display.show_figure(figure, "over-time-picture", alt)
    which = ", drawn where a share moved by more than chance" if len(drawn) > FEW else ""
    st.caption(
        f"Everybody who {words.rated} anything in a {found.unit} counts once in it, with one mixture for all times: "
        f"shares move because other people come. A band is the sampling error (95%){which}. "
        f"{found.unit.capitalize()}s with fewer than {MIN_PEOPLE} people are left out.{_unknown(view)}"
    )


def _unknown(view: View) -> str:
    """Say for how many people no time is known."""
    n = int(np.count_nonzero(joined(view.dataset) == NO_DAY))
    return f" So are {counted(n, 'person', 'people')} whose times are not known." if n else ""
