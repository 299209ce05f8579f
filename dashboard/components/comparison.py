"""The page Compare: what the current view is compared with, the matched pairs, and their table."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session, wording
from dashboard.components.common import job_panel
from dashboard.components.common.current import dataset_of
from dashboard.components.common.display import show_figure
from dashboard.components.common.sidebar import METHODS, MOST_STEREOTYPES, title_of
from dashboard.compute import store
from dashboard.compute.current import View, view_beside
from dashboard.compute.jobs import Job
from dashboard.figures.comparison import pair_figure
from dashboard.session import Spec
from dashboard.theme import Look
from dashboard.wording import counted, md, number
from nnm_core import preset
from nnm_core.datasets import Dataset, catalogue
from nnm_core.datasets.times import NO_DAY
from nnm_core.interpret.over_time import dates_to_split_at, joined
from nnm_core.interpret.side_by_side import Comparison, Side, part_of
from nnm_core.interpret.towers import Towers
from nnm_core.phrases import listed, quoted_name
from nnm_core.types import BoolArray

_KINDS = {
    "D": "number of stereotypes",
    "method": "method",
    "seed": "random seed",
    "data": "data set",
    "part": "part of the audience",
    "date": "date of joining",
    "pinned": "view that is pinned",
}
_MOST_TAGS = 14
_FEWEST_PEOPLE = 20
_IN_A_ROW = 3


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """One of the two views, with what the page calls it."""

    title: str
    side: Side
    names: tuple[str, ...]


def choose(view: View) -> tuple[Shown, Shown] | None:
    """Draw the choice of what to compare with; return both views, None while the other is not there."""
    kinds = _kinds(view)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        kind = str(link.select("Compare with another", kinds, "against", default=kinds[0], form=_KINDS.__getitem__))
    spec, parts = None, None
    with right:
        if kind == "part":
            parts = _people_with_a_trait(view)
        elif kind == "date":
            parts = _people_who_joined(view)
        else:
            spec = _other_spec(view, kind)
    if kind == "date":
        st.caption(f"People join with their first {view.words.rating}. All their {view.words.rating}s go with them.")
    if parts is not None:
        return _both_parts(view, parts)
    if spec is None:
        return None
    other = _view_beside(spec, dataset_of(spec.data))
    return None if other is None else (_shown(view, _title(view.spec, kind)), _shown(other, _title(spec, kind)))


def show(this: Shown, other: Shown, found: Comparison, look: Look) -> dict[str, go.Figure]:
    """Show every matched pair in the colour of this view's stereotype; return the figures by their titles."""
    n_pairs, n_changed = int((found.matches >= 0).sum()), int(found.differs.any(axis=0).sum())
    if n_changed:
        verb = "differs" if n_changed == 1 else "differ"
        verdict = f"{number(n_changed).capitalize()} of {number(n_pairs)} matched stereotypes {verb} in taste."
    elif n_pairs < max(len(this.names), len(other.names)):
        verdict = "No matched stereotype differs in taste beyond chance, but not all have a match."
    elif this.side.dataset.content_hash != other.side.dataset.content_hash:
        verdict = "Matched stereotypes differ in taste no more than those of two random halves of one audience do."
    else:
        verdict = "The two views say the same: no matched stereotype differs in taste beyond chance."
    st.markdown(f"**{verdict}** ●\u00a0{md(this.title)} · ○\u00a0{md(other.title)}")
    rows = _telling_tags(found)
    figures: dict[str, go.Figure] = {}
    columns = st.columns(min(_IN_A_ROW, len(found.matches)))
    for k, match in enumerate(found.matches.tolist()):
        with columns[k % len(columns)]:
            _show_pair(this, other, found, k, match, rows, look, figures)
    if found.unmatched:
        names = listed([quoted_name(md(other.names[k], 60)) for k in found.unmatched])
        st.markdown(f"Only in the other view: {names}.")
    return figures


def table(this: Shown, other: Shown, found: Comparison) -> pd.DataFrame:
    """Return one row per tag and matched pair."""
    parts = [
        pd.DataFrame(
            {
                "tag": found.tags,
                "stereotype": this.names[k],
                "other stereotype": other.names[match],
                "taste": found.first[:, k],
                "other taste": found.second[:, match],
                "differs": found.differs[:, k],
            }
        )
        for k, match in enumerate(found.matches.tolist())
        if match >= 0
    ]
    return pd.concat(parts, ignore_index=True)


def _show_pair(
    this: Shown, other: Shown, found: Comparison, k: int, match: int, rows: list[int], look: Look,
    figures: dict[str, go.Figure],
) -> None:  # fmt: skip
    theirs = "" if match < 0 or other.names[match] == this.names[k] else f" ↔ {md(other.names[match], 60)}"
    with st.container(height="content" if match < 0 else "stretch"):  # so that the pictures begin at one height
        st.markdown(f"##### {md(this.names[k], 60)}{theirs}")
    if match < 0 or not rows:
        st.caption(found.in_words(k))
        return
    tags = [found.tags[row] for row in rows]
    widest = float(max(np.abs(found.first).max(), np.abs(found.second).max()))
    figure = pair_figure(
        tags, found.first[rows, k], found.second[rows, match], found.differs[rows, k], look, stereotype=k, widest=widest
    )
    show_figure(figure, f"pair-{k}", f"{this.names[k]}: {found.in_words(k)}")
    st.caption(found.in_words(k))
    figures[this.names[k]] = figure


def _telling_tags(found: Comparison) -> list[int]:
    """Return the tags to draw: those that any stereotype of either view leans to or against most, in their order."""
    strength = np.maximum(np.abs(found.first).max(axis=1, initial=0.0), np.abs(found.second).max(axis=1, initial=0.0))
    return sorted(np.argsort(-strength, kind="stable")[:_MOST_TAGS].tolist())


def _kinds(view: View) -> list[str]:
    is_file = session.own_model() is not None
    kinds = [] if is_file else ["D", "method", "seed", "data"]
    parts = {"part": bool(_traits(view.dataset)), "date": bool(_dates(view.dataset))}
    return [*kinds, *(kind for kind, is_known in parts.items() if is_known), "pinned"]


def _other_spec(view: View, kind: str) -> Spec | None:
    """Draw the choice of the other value; return what to fit, None if there is nothing yet."""
    spec = view.spec
    if kind == "D":
        n = spec.options.n_stereotypes
        first = n + 1 if n < MOST_STEREOTYPES else n - 1
        numbers = [k for k in range(1, MOST_STEREOTYPES + 1) if k != n]
        other = link.select("Stereotypes (D)", numbers, "other_D", default=first)
        return replace(spec, options=replace(spec.options, n_stereotypes=int(other or first)))
    if kind == "method":
        options = [name for name in METHODS if preset(name, n_stereotypes=spec.options.n_stereotypes) != spec.options]
        name = link.select("Method", options, "other_fit", default=options[0], form=METHODS.__getitem__)
        return replace(spec, options=preset(str(name), n_stereotypes=spec.options.n_stereotypes))
    if kind == "seed":
        seeds = [seed for seed in range(20) if seed != spec.seed]
        seed = link.select("Random seed", seeds, "other_seed", default=seeds[0])
        return replace(spec, seed=int(seed or 0))
    if kind == "data":
        own = store.own_names(session.owner())
        here = [name for name in catalogue.names() if name not in catalogue.CATALOGUE or catalogue.find_local(name)]
        options = [key for key in [*reversed(own), *here] if key != spec.data]
        form = partial(title_of, own=own)
        chosen = link.select("Data set", options, "other_data", default=options[0], form=form)
        return replace(spec, data=str(chosen))
    return _pinned(view)


def _pinned(view: View) -> Spec | None:
    mine = session.state()
    if st.button("Pin this view", icon=":material/keep:", help="Keep it here, then change D, the method or the data."):
        mine.pinned = view.spec
    if mine.pinned is None:
        st.caption("Nothing is pinned yet. Pin this view, then change something in the sidebar.")
    elif mine.pinned == view.spec:
        st.caption("This view is pinned. Change something in the sidebar to see both side by side.")
    else:
        return mine.pinned
    return None


def _view_beside(spec: Spec, loaded: store.Loaded, whole: str = "") -> View | None:
    """Return the other view, None while it is being fitted; show what is under way."""
    view, improving = view_beside(spec, loaded, session.who(), whole)
    if isinstance(view, Job):
        job_panel.show_job(view)
        return None
    session.state().waiting += [] if improving is None else [improving]
    return view


def _people_with_a_trait(view: View) -> list[tuple[str, BoolArray]]:
    """Draw the choice of a part of the audience; return it and everybody else of whom the trait is known."""
    traits = _traits(view.dataset)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        trait = str(link.select("Trait", list(traits), "trait", default=next(iter(traits))))
    labels = traits[trait]
    largest = labels.names[int(np.argmax(labels.counts))]
    values = right.multiselect("People who are", labels.names, [largest], key=f"part-{trait}") or [largest]
    member = labels.member[:, [labels.names.index(value) for value in values]]
    inside = np.asarray(member.sum(axis=1)).ravel() > 0
    known = np.diff(labels.member.indptr) > 0
    return [(", ".join(values), inside), ("everyone else", known & ~inside)]


def _people_who_joined(view: View) -> list[tuple[str, BoolArray]]:
    """Draw the choice of a date; return the people who joined before it and those who joined since."""
    first, dates = np.asarray(joined(view.dataset)), _dates(view.dataset)
    known = first != NO_DAY
    middle = min(dates, key=lambda date: abs(_day(date) - float(np.median(first[known]))))
    date = str(link.select("Joined before or since", dates, "date", default=middle, form=_date_in_words))
    since = first >= _day(date)
    when = _date_in_words(date)
    return [(f"joined before {when}", known & ~since), (f"joined since {when}", since)]


def _dates(dataset: Dataset) -> tuple[str, ...]:
    """Return the dates that divide people into two parts that are large enough."""
    first = joined(dataset)
    return () if first is None else dates_to_split_at(first, _FEWEST_PEOPLE)


def _day(date: str) -> int:
    """Return the number of a day from 1970, as data sets count them."""
    return int(np.datetime64(date, "D").astype(np.int64))


def _date_in_words(date: str) -> str:
    day = datetime.date.fromisoformat(date)
    return f"{day.day} {day:%B %Y}"


def _both_parts(view: View, parts: list[tuple[str, BoolArray]]) -> tuple[Shown, Shown] | None:
    """Return the views of two parts of the audience, None while they are not there."""
    shown = []
    for title, people in parts:
        if people.sum() < _FEWEST_PEOPLE:
            st.info(f"“{md(title, 60)}” are {counted(int(people.sum()), 'person', 'people')}; at least "
                    f"{_FEWEST_PEOPLE} are needed.", icon=":material/group_off:")  # fmt: skip
            return None
        beside = _view_beside(view.spec, _part(view, title, people), view.dataset.content_hash)
        if beside is None:
            return None
        shown.append(_shown(beside, f"{title} ({counted(int(people.sum()), 'person', 'people')})"))
    return shown[0], shown[1]


def _part(view: View, title: str, people: Any) -> store.Loaded:
    key = ("part", view.dataset.content_hash, people.tobytes())
    dataset = store.derived(key, lambda: part_of(view.dataset, people, title))
    return store.Loaded(dataset, view.report)


def _traits(dataset: Dataset) -> dict[str, Any]:
    """Return the traits that divide people into at least two parts."""
    return {trait: labels for trait, labels in dataset.traits.items() if len(labels.names) > 1}


def _shown(view: View, title: str) -> Shown:
    towers: Towers = view.towers(view.dataset.tags, "tags")
    names = tuple(portrait.name for portrait in view.portraits[: view.model.n_stereotypes])
    return Shown(title, Side(view.model, view.dataset, towers), names)


def _title(spec: Spec, kind: str) -> str:
    """Return what sets a view apart where the two differ in this."""
    titles = {
        "D": counted(spec.options.n_stereotypes, "stereotype"),
        "method": wording.fit_in_words(spec.options, spec.seed),
        "seed": f"random seed {spec.seed}",
        "data": title_of(spec.data),
    }
    return titles.get(kind, f"{title_of(spec.data)}, {wording.fit_in_words(spec.options, spec.seed)}")
