"""How well a model recommends where nobody rated: held-out choices among the first ten recommendations."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import streamlit as st

from dashboard.components.accuracy import SHORT
from dashboard.components.common import job_panel
from dashboard.compute import evaluations, store
from dashboard.compute.bounded_store import kept
from dashboard.compute.current import View
from dashboard.compute.evaluations import Lists, Reporting
from nnm_core.phrases import percent


def show_lists(view: View) -> None:
    """Show, where nobody rated, how many choices the model has not seen are among its first recommendations."""
    found = job_panel.run_job(
        _lists_key(view),
        "Testing on held-out choices",
        partial(evaluations.evaluate_lists, view.dataset, view.model.options, view.model.seed),
        "Test on held-out choices",
        at_once=store.expected_seconds(view.dataset, view.model.options) <= SHORT,
        patience=store.PATIENCE,
        lane="quick",
    )
    if found is not None:
        st.markdown(describe_lists(view, found))
        st.caption(
            "One choice in five was held out, the model was fitted to the others, and everybody got a list of ten. "
            "Nobody rated anything here, so there is no error of a rating."
        )


def lists_within(view: View, most_seconds: float, progress: Reporting) -> Lists | None:
    """Return how good lists of ten are if that is known, or takes no longer than so many seconds."""
    found: Lists | None = kept.get("results", _lists_key(view))
    if found is None and store.expected_seconds(view.dataset, view.model.options) <= most_seconds:
        found = evaluations.evaluate_lists(view.dataset, view.model.options, view.model.seed, progress)
    return found


def _lists_key(view: View) -> tuple[Hashable, ...]:
    return ("lists", *view.key)


def describe_lists(view: View, found: Lists) -> str:
    """Say how much of what was held out ten recommendations bring back, as Markdown."""
    own, popular = (round(100 * one.recall) for one in (found.own, found.popular))
    return (
        f"**Ten recommendations of the model bring back {percent(found.own.recall)} of what people chose and the model "
        f"had not seen.** The ten most popular {view.words.items} bring back {percent(found.popular.recall)}: "
        f"{compare_with_popular(own, popular)}"
    )


def compare_with_popular(own: int, popular: int) -> str:
    """Say what the two shares, in percent, mean for the model."""
    if own < popular:
        return "**here the model recommends worse than that.** It still tells who chooses what."
    return f"the model recommends {'better' if own > popular else 'no better'} than that."
