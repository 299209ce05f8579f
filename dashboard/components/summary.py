"""The first sentences about an audience: who it is, what divides it, and how generous it is."""

from __future__ import annotations

import numpy as np

from dashboard.compute.current import View
from dashboard.wording import counted, kinds_of_taste, md
from nnm_core.interpret.towers import generosity
from nnm_core.phrases import listed, percent, rating_in_words

_WORTH_MENTIONING = 0.05
"""Shares of the audience's taste below this are not mentioned."""


def summarise_audience(view: View) -> str:
    """Return a few sentences about the audience, as Markdown."""
    ratings, model = view.dataset.ratings, view.model
    people = f"**{counted(ratings.n_users, 'person', 'people')}**"
    items = f"**{counted(ratings.n_items, view.words.item, view.words.items)}**"
    times = f"{counted(len(ratings), 'time')} in all"
    kinds = kinds_of_taste(model.n_stereotypes)
    if view.dataset.implicit:
        first = (
            f"{people} chose among {items}, {times}; nobody gave ratings, so what people chose stands for liking. "
            f"The model sees **{kinds}**."
        )
    else:
        generous = ", and how generous each person is," if model.n_fixed else ""
        verb = "explain" if model.n_stereotypes > 1 or model.n_fixed else "explains"
        first = (
            f"{people} rated {items}, {times}. **{kinds.capitalize()}**{generous} {verb} "
            f"**{percent(view.explained)}** of how their ratings differ."
        )
    return " ".join(part for part in (first, _what_divides(view), _habits(view)) if part)


def _what_divides(view: View) -> str:
    """Say which tag the stereotypes disagree about most: those with a share to speak of, where it is no chance."""
    if view.model.n_stereotypes < 2:
        return "With one kind there is nobody to compare: move **Kinds of taste** to 2 and see what divides people."
    bars = view.towers(view.dataset.tags, "tags")
    telling = bars.is_reliable & (bars.weights >= _WORTH_MENTIONING)
    if (telling.sum(axis=1) < 2).all():
        return ""
    highest, lowest = np.where(telling, bars.likes, -np.inf), np.where(telling, bars.likes, np.inf)
    tag = int((highest.max(axis=1) - lowest.min(axis=1)).argmax())
    most, least = int(highest[tag].argmax()), int(lowest[tag].argmin())
    return (
        f"They disagree most about {md(bars.tags[tag], 40)}: *{md(view.names[most], 60)}* {view.words.likes} "
        f"{bars.likes[tag, most]:.0%} of these {view.words.items}, *{md(view.names[least], 60)}* "
        f"{bars.likes[tag, least]:.0%}."
    )


def _habits(view: View) -> str:
    """Say what the shares of the tastes leave to the enthusiast and the skeptic."""
    habits = generosity(view.model)
    if not habits:
        return ""
    together = percent(sum(portrait.share for portrait in view.portraits[: view.model.n_stereotypes]))
    named = [
        f"{percent(one.share)} *{one.name.capitalize()}*, who gives everything "
        f"{rating_in_words(one.rating, view.model.scale)}"
        for one in habits
    ]
    return f"Taste makes up {together} of the audience; the rest is habit: {listed(named)}."
