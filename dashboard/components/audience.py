"""The audience as a whole: what it is in a few sentences, and where its stereotypes come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import streamlit as st

from dashboard import session
from dashboard.components.common import display, job_panel
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.compute.jobs import Job
from dashboard.figures.stereotypes import Stage, lineage_figure
from dashboard.wording import counted, md, number, stereotypes
from nnm_core import Model
from nnm_core.interpret.audience import shares
from nnm_core.interpret.compare import audience_flows, match_stereotypes, stereotype_distances
from nnm_core.interpret.text.portraits import list_stereotypes, split_small, stereotype_names
from nnm_core.interpret.themes import is_telling
from nnm_core.interpret.towers import Weighting, generosity
from nnm_core.phrases import listed, percent, rating_in_words

_LEAST_GAIN = 0.0005  # gains below this are shown as 0.0%
_WORTH_MENTIONING = 0.05  # shares of the audience's taste below this are not mentioned


def summarise_audience(view: View, weighting: Weighting) -> str:
    """Return a few sentences about the audience, as Markdown; ``weighting`` is that of the towers."""
    ratings, model = view.dataset.ratings, view.model
    people = f"**{counted(ratings.n_users, 'person', 'people')}**"
    items = f"**{counted(ratings.n_items, view.words.item, view.words.items)}**"
    times = f"{counted(len(ratings), 'time')} in all"
    kinds = stereotypes(model.n_stereotypes)
    if view.dataset.implicit:
        first = (
            f"{people} chose among {items}, {times}; nobody gave ratings, so what people chose stands for liking. "
            f"The model sees **{kinds}**."
        )
    else:
        generous = ", and how generous each person is," if model.n_fixed else ""
        verb = "describe" if model.n_stereotypes > 1 or model.n_fixed else "describes"
        first = f"{people} rated {items}, {times}. **{kinds.capitalize()}**{generous} {verb} them. {_held_out(view)}"
    if model.n_stereotypes > 1 and view.is_settled and view.has_taste:
        first += f" The stereotypes are {md(list_stereotypes(view.portraits), 4000)}."
    return " ".join(part for part in (first, _what_divides(view, weighting), _habits(view)) if part)


def open_with(view: View, weighting: Weighting) -> str:
    """Return what stands above the picture: how many people and stereotypes, and what divides them."""
    ratings, verb = view.dataset.ratings, "chose among" if view.dataset.implicit else "rated"
    people = f"**{counted(ratings.n_users, 'person', 'people')}**"
    items = f"**{counted(ratings.n_items, view.words.item, view.words.items)}**"
    model = view.model
    generous = ", and how generous each person is," if model.n_fixed else ""
    describe = "describe" if model.n_stereotypes > 1 or model.n_fixed else "describes"
    first = f"{people} {verb} {items}. **{stereotypes(model.n_stereotypes).capitalize()}**{generous} {describe} them."
    first += _small_groups(view)
    return " ".join(part for part in (first, _what_divides(view, weighting), _held_out(view)) if part)


def _small_groups(view: View) -> str:
    """Say how many of the stereotypes are too small to be named above the picture."""
    _, small = split_small(view.portraits)
    if not small:
        return ""
    groups = (
        "One of them is a small group" if len(small) == 1 else f"{number(len(small)).capitalize()} are small groups"
    )
    together = " together" if len(small) > 1 else ""
    return f" {groups} ({percent(sum(one.share for one in small))} of the audience{together})."


def _held_out(view: View) -> str:
    """Say what taste adds on ratings that the model has not seen, once that is known."""
    found = view.taste
    if found is None or not found.is_found:
        return ""
    averages = f"{view.words.item} averages and people's generosity"
    if found.gain < _LEAST_GAIN:
        return (
            "Ratings that the model has not seen bear out that people differ in taste. They are predicted no better "
            f"than by {averages}, though: there is too much chance in them."
        )
    first = "On ratings that the model has not seen, taste explains"
    options = view.taste_options
    if options is not None and options != replace(view.model.options, starts=1):
        tested = stereotypes(options.n_stereotypes)
        first = f"On ratings that it has not seen, the recommended fit with {tested} explains"
    return f"{first} **{100 * found.gain:.1f}%** of what {averages} leave open."


def _what_divides(view: View, weighting: Weighting) -> str:
    """Say which tag divides the stereotypes most, of those with a share to speak of and a name that says something."""
    if not view.has_taste or not view.is_settled:
        return ""
    if view.model.n_stereotypes < 2:
        return "With one stereotype nobody can be compared: move **Stereotypes (D)** to 2 to see what divides people."
    bars = view.towers(view.dataset.tags, "tags", weighting)
    telling = bars.is_reliable & (bars.weights >= _WORTH_MENTIONING)
    telling &= np.array([is_telling(tag) for tag in bars.tags], dtype=np.bool_)[:, None]
    portraits = view.portraits[: view.model.n_stereotypes]
    telling &= np.array([bool(one.themes or one.items or view.given_names[one.stereotype]) for one in portraits])
    if (telling.sum(axis=1) < 2).all():
        return ""
    highest, lowest = np.where(telling, bars.likes, -np.inf), np.where(telling, bars.likes, np.inf)
    tag = int((highest.max(axis=1) - lowest.min(axis=1)).argmax())
    most, least = int(highest[tag].argmax()), int(lowest[tag].argmin())
    return (
        f"They disagree most about {md(bars.tags[tag], 40)}: the stereotype *{md(view.names[most], 60)}* "
        f"{view.words.likes} {bars.likes[tag, most]:.0%} of these {view.words.items}, *{md(view.names[least], 60)}* "
        f"{bars.likes[tag, least]:.0%}."
    )


def _habits(view: View) -> str:
    """Say what the shares of the tastes leave to the enthusiast and the skeptic."""
    habits = generosity(view.model)
    if not habits or not view.has_taste:
        return ""
    together = percent(sum(portrait.share for portrait in view.portraits[: view.model.n_stereotypes]))
    named = [
        f"{percent(one.share)} *{one.name.capitalize()}*, who gives everything "
        f"{rating_in_words(one.rating, view.model.scale)}"
        for one in habits
    ]
    return f"Taste makes up {together} of the audience; the rest is habit: {listed(named)}."


def show_lineage(view: View) -> None:
    """Show a box; the models with one stereotype fewer and one more are fitted when somebody opens it."""
    label = "How stereotypes split: one fewer, and one more"
    with st.expander(label, icon=":material/alt_route:", key="lineage", bind="query-params") as box:
        if not box.open:
            return
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
        _show_stages(view, sorted(models, key=lambda model: model.n_stereotypes))


def _show_stages(view: View, models: Sequence[Model]) -> None:
    """Show the models from the fewest stereotypes to the most, and how people go from one to the next."""
    stages = []
    for model in models:
        n = model.n_stereotypes
        names = view.names[:n] if model is view.model else _found_names(view, model)
        title = counted(n, "stereotype")
        stages.append(Stage(title, names, shares(model)[:n].tolist(), _colors(view, model)))
    figure = lineage_figure(stages, view.look, flows=[audience_flows(*pair) for pair in pairwise(models)])
    alt = "; ".join(f"{stage.title}: {', '.join(stage.names)}" for stage in stages)
    display.show_figure(figure, "lineage-picture", f"How stereotypes split. {alt}")
    st.caption(
        "A block is a stereotype, as high as its share of the audience; a band is people who are partly the one and "
        "partly the other. A stereotype has the colour of the tower above of the same name, else of the one that it "
        "resembles; grey ones are new."
    )


def _colors(view: View, model: Model) -> list[str]:
    """Return the colours of stereotypes on this page with the same names, else of those that they become; else grey."""
    distances = stereotype_distances(view.model, model, view.dataset.ratings)
    same = np.array([[mine == other for other in _found_names(view, model)] for mine in _found_names(view, view.model)])
    colors = [view.look.muted] * model.n_stereotypes
    for k, kin in enumerate(match_stereotypes(np.where(same, -len(same), distances)).tolist()):
        if kin >= 0:
            colors[kin] = view.look.color(k)
    return colors


def _found_names(view: View, model: Model) -> tuple[str, ...]:
    """Return what the stereotypes of a model are called where nobody gave them names."""
    fitted = view.key if model is view.model else (model.data_hash, model.options, model.seed)
    key = ("names", fitted, view.dataset.content_hash)
    found = store.derived(key, lambda: stereotype_names(replace(model, given_names=None), view.dataset))
    return tuple(found[: model.n_stereotypes])
