"""How good a model is on what it has not seen: the error on held-out ratings, or lists of ten for choices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dashboard.components import job_panel
from dashboard.compute import jobs, store
from dashboard.compute.current import View
from dashboard.compute.evaluations import HeldOut, Lists, evaluate_held_out, evaluate_lists
from dashboard.compute.jobs import Job
from dashboard.wording import error_in_words, unit_for
from nnm_core.evaluation.peers import Peer
from nnm_core.phrases import percent
from nnm_core.scale import written

_HELD_OUT = "held out"


def show_held_out(view: View) -> HeldOut | None:
    """Show how far off the model is on ratings it has not seen, beside the best simple guess."""
    found: HeldOut | None = _run(view, _HELD_OUT, "Hold a fifth of the ratings out and see", evaluate_held_out)
    if found is None:
        return None
    scale = view.model.scale
    st.markdown(_verdict(view, found))
    st.caption(
        "One rating in five was hidden, the model was fitted to the others, and asked for the hidden ones. Ratings "
        f"go from {written(scale.lowest)} to {written(scale.highest)}. “Off by” is the mean distance between what "
        "it said and what people gave (mean absolute error, MAE)."
    )
    return found


def show_lists(view: View) -> None:
    """Show, where nobody rated, how many choices the model has not seen are among its first recommendations."""
    found: Lists | None = _run(view, "lists", "Hold a fifth of the choices out and see", evaluate_lists)
    if found is None:
        return
    st.markdown(
        f"**Ten recommendations of the model bring back {percent(found.own.recall)} of what people chose and the model "
        f"had not seen.** The ten most popular {view.words.items} bring back {percent(found.popular.recall)}: "
        f"{compare_with_popular(round(100 * found.own.recall), round(100 * found.popular.recall))}"
    )
    st.caption(
        "One choice in five was hidden, the model was fitted to the others, and everybody got a list of ten. Nobody "
        "rated anything here, so there are no ratings to be off by."
    )


def known_verdict(view: View) -> str:
    """Return how far off the model is, if that was computed; empty else."""
    job = jobs.find((_HELD_OUT, view.key))
    return _verdict(view, job.result) if job is not None and job.state == "done" else ""


def name_of(peer: Peer, view: View) -> str:
    """Return what another method is called."""
    simple = {
        "global mean": "the mean of all ratings",
        "user means": "each person's mean",
        "item means": f"each {view.words.item}'s mean",
        "user and item means": f"each person's and {view.words.item}'s mean together",
    }
    return simple.get(peer.name, peer.name)


def compare_with_popular(own: int, popular: int) -> str:
    """Say what the two shares, in percent, mean for the model."""
    if own > popular:
        return "the model recommends better than that."
    if own == popular:
        return "the model recommends no better than that."
    return "**here the model recommends worse than that.** It still tells who chooses what."


def _verdict(view: View, found: HeldOut) -> str:
    scale, unit = view.model.scale, unit_for(view.dataset)
    own, simple = found.evaluation.scores.mae, found.simple.scores.mae
    return (
        f"**On ratings it has not seen, the model is off by {error_in_words(own, scale, 1)} {unit} on average.** "
        f"The best simple guess, {name_of(found.simple, view)}, is off by {error_in_words(simple, scale, 1)}: "
        f"{_compared(own, simple)}."
    )


def _compared(own: float, other: float) -> str:
    gain = 1.0 - own / max(other, 1e-12)
    if abs(gain) < 0.005:
        return "the model is no closer than that"
    return f"the model is {gain:.0%} closer" if gain > 0 else f"the model is {-gain:.0%} further off"


def _run(view: View, name: str, button: str, evaluate: Callable[..., Any]) -> Any:
    """Return the result of short work at once, of long work when somebody asks for it; None while it is not there."""
    work: Callable[[Job], Any] = partial(evaluate, view.dataset, view.model.options, view.model.seed)
    short = store.expected_seconds(view.dataset, view.model.options) <= store.LONG
    title = "Fitting without a fifth"
    return job_panel.run_job((name, view.key), title, work, button, at_once=short, patience=store.PATIENCE)
