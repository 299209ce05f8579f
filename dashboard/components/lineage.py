"""Where the stereotypes come from: one kind of taste fewer, and one more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import streamlit as st

from dashboard import session
from dashboard.components import charts, job_panel
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.compute.jobs import Job
from dashboard.figures.lineage import Stage, lineage_figure
from nnm_core import Model
from nnm_core.interpret.audience import shares
from nnm_core.interpret.compare import audience_flows, match_stereotypes, stereotype_distances
from nnm_core.interpret.text.portraits import stereotype_names


def show(view: View) -> None:
    """A box; the neighbouring models are fitted when somebody opens it."""
    label = "Where they come from: one kind of taste fewer, and one more"
    with st.expander(label, icon=":material/alt_route:", key="lineage", bind="query-params") as box:
        if box.open:
            _fit_and_show(view)


def _fit_and_show(view: View) -> None:
    near = store.neighbours(view.model.options)
    keys = [store.model_key(view.dataset, options, view.model.seed) for options in near]
    if any(session.has_cancelled(key) and store.known_model(key) is None for key in keys):
        job_panel.offer_restart("Fit them after all", keys)
        return
    models = [view.model]
    for options in near:
        fitted = store.model(view.dataset, options, view.model.seed, session.who())
        if isinstance(fitted, Job):
            job_panel.show_job(fitted)
            return
        models.append(fitted)
    _show(view, sorted(models, key=lambda model: model.n_stereotypes))


def _show(view: View, models: Sequence[Model]) -> None:
    """The models from the fewest kinds of taste to the most, and how people go from one to the next."""
    flows = [audience_flows(*pair) for pair in pairwise(models)]
    stages = [_stage(view, model) for model in models]
    charts.show_figure(
        lineage_figure(stages, view.style, flows=flows),
        "lineage-picture",
        "How the stereotypes become those of a model with one more",
    )
    st.caption(
        "A block is a stereotype, as high as its share of the audience; a band is people who are partly the one and "
        "partly the other. A stereotype has the colour of the tower above of the same name, else of the one that it "
        "resembles; grey ones are new."
    )


def _stage(view: View, model: Model) -> Stage:
    """Names, shares and colours of one model's stereotypes; colours follow the model that the page shows."""
    n = model.n_stereotypes
    names = view.names[:n] if model is view.model else _found_names(view, model)
    kinds = "1 kind" if n == 1 else f"{n} kinds"
    return Stage(f"{kinds} of taste", names, shares(model)[:n].tolist(), _colors(view, model))


def _colors(view: View, model: Model) -> list[str]:
    """The colour of the stereotype on this page that has the same name, else of the one that it becomes; else grey."""
    distances = stereotype_distances(view.model, model, view.dataset.ratings)
    same = np.array([[mine == other for other in _found_names(view, model)] for mine in _found_names(view, view.model)])
    colors = [view.style.muted] * model.n_stereotypes
    for k, kin in enumerate(match_stereotypes(np.where(same, -len(same), distances)).tolist()):
        if kin >= 0:
            colors[kin] = view.style.color(k)
    return colors


def _found_names(view: View, model: Model) -> tuple[str, ...]:
    """What the stereotypes of a model are called where nobody gave them names."""
    fitted = view.key if model is view.model else (model.data_hash, model.options, model.seed)
    key = ("names", fitted, view.dataset.content_hash)
    found = store.derived(key, lambda: stereotype_names(replace(model, given_names=None), view.dataset))
    return tuple(found[: model.n_stereotypes])
