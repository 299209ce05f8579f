"""Your own taste: rate well-known items, and see your mixture after every click; a few of them, or a dozen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import link, session, streamlit_compat
from dashboard.components import people
from dashboard.components.common import display, widgets
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.people import mixture_figure
from dashboard.figures.taste import own_place_figure
from dashboard.wording import a, counted, md
from nnm_core import fold_in_user
from nnm_core.datasets.personal import match_personal_export
from nnm_core.errors import DataError
from nnm_core.interpret.audience import shares
from nnm_core.interpret.exemplars import item_taste
from nnm_core.phrases import listed, percent, title_in_words
from nnm_core.scale import Scale, written
from nnm_core.types import FloatArray

N_ITEMS = 12
N_FEW = 5
_STARS = 5
_FOUND = 5
_KEY = "r-"
_HALF = "half-"
_PLACE, _FEW = "own-taste", "few-taste"
_CORNERS = 3  # of a triangle
_CLOSE = 0.1  # up to this distance somebody counts as close to the average
_MOST_NUMBERS = 21
_FEWER_NUMBERS = 11


def show(view: View) -> None:
    """Show the form, beside it the mixture and what it recommends; on a phone the mixture first."""
    words = view.words
    st.markdown(
        f"{'Say what you would choose' if view.dataset.implicit else f'Rate some {words.items} you know'} and skip the "
        f"rest. After every click the model finds the mixture of stereotypes that explains your {words.rating}s best. "
        f"Nothing is stored; what you click is only in this page's address."
    )
    said, drawn, form, more = _begin(view, _PLACE)
    rows = _well_known(view, N_ITEMS)
    before = [row for row in _rated_before(view) if row not in rows]
    with form:
        label, icon = f"{_do(view)} any other {words.item}", ":material/search:"
        sought = st.text_input(label, key="rate", placeholder="part of a title", max_chars=120, icon=icon)
        found = widgets.search_items(view, sought)[:_FOUND] if sought.strip() else []
        if sought.strip() and not found:
            st.caption(f"No {words.item} has “{md(sought, 80)}” in its title.")
        shown = list(dict.fromkeys([*found, *before, *rows]))
        given = {view.model.item_ids[row]: value for row in shown if (value := _rate(view, row)) is not None}
        given = _bring(view) | given
        if given:
            st.button("Start over", icon=":material/restart_alt:", on_click=_clear)
    mixture = fold_in_user(view.model, given) if given else shares(view.model)
    rated = view.model.item_rows(given)
    with said:
        _describe(view, mixture, len(given))
    figure = mixture_figure(mixture, view.look, names=view.names, n_stereotypes=view.model.n_stereotypes)
    with drawn:
        display.show_figure(figure, "own-mixture", f"Your mixture: {people.list_parts(view, mixture)}")
    with more:
        st.header("What you would like, and why" if given else "What the average person would like", anchor=False)
        people.show_recommendations(view, mixture, rated, "you" if given else "the average person")
    if given:
        titles = [view.dataset.titles[row] for row in rated]
        ratings = {"item": list(given), "title": titles, words.rating: list(given.values())}
        tables = {
            f"Your {words.rating}s": lambda: pd.DataFrame(ratings),
            "Your mixture": lambda: pd.DataFrame({"stereotype": view.names, "share": mixture}),
            "Recommendations": lambda: people.recommendations_table(view, mixture, rated),
        }
        display.offer_files("taste", tables, {"Your mixture": figure})


def show_few(view: View) -> None:
    """Show a short form, beside it one's place among the audience; the ratings are the same as on the longer form."""
    words = view.words
    st.subheader(f"{_do(view)} {N_FEW} {words.items}, see your mixture", anchor=False)
    said, drawn, form, more = _begin(view, _FEW)
    before, known = _rated_before(view), _well_known(view, N_FEW)
    left = [row for row in known if row not in before][: max(N_FEW - len(before), 0)]
    # What was just rated stays where it was clicked.
    shown = [*sorted(set(before) - set(known)), *(row for row in known if row in before or row in left)]
    with form:
        given = {view.model.item_ids[row]: value for row in shown if (value := _rate(view, row)) is not None}
        brought = session.state().brought
        given = ({} if brought is None else brought.ratings) | given
        if given:
            st.button("Start over", icon=":material/restart_alt:", on_click=_clear)
    with said:
        if not given:
            st.markdown(f"{_do(view)} {a(words.item)} that you know, and skip the rest: you appear here.")
            return
        mixture = fold_in_user(view.model, given)
        st.markdown(_in_words(view, mixture, len(given)))
    with drawn:
        alt = f"Your place among the stereotypes: {people.list_parts(view, mixture)}"
        display.show_figure(_place(view, mixture), "own-place", alt)
    with more:
        st.caption(f"The page **People** has more {words.items} to rate, and what you would like.")


def _bring(view: View) -> dict[str, float]:
    """Ask for an export of somebody's ratings elsewhere; return those of items in these data."""
    mine = session.state()
    if not view.dataset.about_films or view.dataset.implicit:
        return {}
    with st.expander("Bring your ratings from Letterboxd or IMDb", icon=":material/upload_file:"):
        field: dict[str, Any] = {"key": f"brought-{mine.n_brought}", "on_change": _forget_brought}
        file = st.file_uploader("The file ratings.csv of your export", type="csv", **field)
        if file is not None and mine.brought is None:
            try:
                mine.brought = match_personal_export(file.getvalue(), view.dataset)
            except DataError as error:
                st.error(md(str(error), 500))
        if mine.brought is not None:
            st.markdown(
                f"**{len(mine.brought.ratings):,} of {counted(mine.brought.n_given, 'rating')}** from "
                f"{mine.brought.service} are of films in these data, by title and year. They count in your mixture "
                "until you start over or close this page; they are neither stored nor in the link."
            )
    return {} if mine.brought is None else mine.brought.ratings


def _forget_brought() -> None:
    session.state().brought = None


def _place(view: View, mixture: FloatArray) -> go.Figure:
    """Return one's place in the triangle of three stereotypes; for other numbers the mixture."""
    n, tastes = view.model.n_stereotypes, people.tastes_of(view)
    own = mixture[:n].sum()
    if n != _CORNERS or own <= 0:
        return mixture_figure(mixture, view.look, names=view.names, n_stereotypes=n)
    return own_place_figure(mixture[:n] / own, tastes, view.look, names=view.names[:n])


def _begin(view: View, place: str) -> tuple[DeltaGenerator, ...]:
    """Return containers for what is said, drawn, asked and added; drops ratings of other data."""
    mine = session.state()
    if mine.rated_in not in ("", view.spec.data):
        _clear()  # in other data the same ids mean other items, or none
    mine.rated_in = view.spec.data
    st.html(streamlit_compat.beside_a_form(place, view.look.paper, view.look.faint))
    with st.container(key=place):
        return tuple(st.container(key=f"{place}-{part}") for part in ("said", "drawn", "form", "more"))


def _well_known(view: View, n: int) -> list[int]:
    """Return items that many people know, and among those the ones that set the stereotypes apart."""
    key = ("well known", view.key, view.dataset.content_hash, n)
    return store.derived(key, lambda: _find_well_known(view, n))


def _find_well_known(view: View, n: int) -> list[int]:
    counts = view.dataset.ratings.by_item.counts
    known = np.argsort(-counts, kind="stable")[: 3 * N_ITEMS]
    tastes = item_taste(view.model, view.dataset)[known]
    # In turn, the best-known items that stand out for each stereotype.
    queues = [known[np.argsort(-taste, kind="stable")].tolist() for taste in tastes.T[: view.model.n_stereotypes]]
    chosen: list[int] = []
    while len(chosen) < min(n, len(known)):
        for queue in queues:
            chosen += [row for row in queue if row not in chosen][:1]
    return sorted(chosen[:n], key=lambda row: -int(counts[row]))


def _rated_before(view: View) -> list[int]:
    """Return the items that the link or the session has ratings of."""
    clicked = [str(key) for key, value in st.session_state.items() if value is not None]
    names = [key.removeprefix(_KEY) for key in [*st.query_params, *clicked] if key.startswith(_KEY)]
    return [view.model.item_index[name] for name in dict.fromkeys(names) if name in view.model.item_index]


def _rate(view: View, row: int) -> float | None:
    """Ask for an item's rating on the scale of the data: thumbs for two levels, stars, or else its own numbers."""
    scale = view.model.scale
    item = view.model.item_ids[row]
    title, stars = st.columns([3, 2], vertical_alignment="center")
    title.markdown(md(title_in_words(view.dataset.titles[row]), 70))
    with stars:
        if scale.n_levels == 2:
            clicked = _clicked("thumbs", item, 2)
            return None if clicked is None else (scale.lowest, scale.highest)[clicked]
        if scale.highest == _STARS and scale.lowest == scale.step and scale.step in (0.5, 1.0):
            return _stars(item, halves=scale.step == 0.5)
        label = f"Your rating of {md(view.dataset.titles[row], 70)}"
        field: dict[str, Any] = {"placeholder": "not rated", "label_visibility": "collapsed"}
        return link.select(label, _numbers(scale), f"{_KEY}{item}", form=written, **field)


def _stars(item: str, *, halves: bool) -> float | None:
    """Ask for whole stars in one click; where the scale has halves, a second one takes half a star off."""
    clicked = _clicked("stars", item, _STARS)
    if clicked is None or not halves:
        return None if clicked is None else clicked + 1.0
    label, key = f"{clicked or ''}½ instead", f"{_HALF}{item}"
    less = st.checkbox(label, key=key, bind="query-params", persist_state="session")
    return clicked + (0.5 if less else 1.0)


def _clicked(kind: Literal["thumbs", "stars"], item: str, n_options: int) -> int | None:
    """Return which of the icons was clicked; what other data left under the same id is ignored."""
    key = f"{_KEY}{item}"
    if key in st.session_state and st.session_state[key] not in (None, *range(n_options)):
        st.session_state[key] = None
    return st.feedback(kind, key=key, bind="query-params", on_change=_whole, args=(item,))


def _whole(item: str) -> None:
    """Count whole stars again after another click."""
    if f"{_HALF}{item}" in st.session_state:
        st.session_state[f"{_HALF}{item}"] = False


def _numbers(scale: Scale) -> list[float]:
    """Return the ratings of a scale, or evenly spread ones where it has too many to choose among."""
    if 0 < scale.n_levels <= _MOST_NUMBERS:
        return [float(level) for level in scale.levels]
    spread = scale.round(np.linspace(scale.lowest, scale.highest, _FEWER_NUMBERS))
    return [float(scale.clip(float(f"{level:g}"))) for level in np.unique(spread)]


def _clear() -> None:
    mine = session.state()
    mine.brought, mine.n_brought = None, mine.n_brought + 1  # a new key empties the field for the file
    for key in [name for name in st.session_state if str(name).startswith((_KEY, _HALF))]:
        st.session_state[key] = None if str(key).startswith(_KEY) else False


def _do(view: View) -> str:
    """Return what to do with an item: where nobody rates, one takes it or leaves it."""
    return "Choose or refuse" if view.dataset.implicit else "Rate"


def _describe(view: View, mixture: FloatArray, n_given: int) -> None:
    """Say what somebody's mixture is, or that it is the average so far."""
    st.header("You, as far as the model can tell" if n_given else "The average person, so far", anchor=False)
    if not n_given:
        st.markdown(f"{_do(view)} {a(view.words.item)}, and this becomes yours.")
        return
    st.markdown(_in_words(view, mixture, n_given))


def _in_words(view: View, mixture: FloatArray, n_given: int) -> str:
    """Say what the mixture is that so many ratings give."""
    n = view.model.n_stereotypes
    kinds = _named(view, mixture, np.argsort(-mixture[:n], kind="stable")[:3].tolist())
    taste = f"you are {kinds}." if kinds else "no stereotype stands out yet."
    habits = _named(view, mixture, range(n, len(mixture)))
    if habits:
        lean = float(mixture[n] - mixture[n + 1])
        readily = f": you give {'high' if lean > 0 else 'low'} ratings more readily than your taste alone explains"
        taste += f" Habit adds {habits}{readily if abs(lean) > 0.1 else ''}."
    if n_given < 4 and 0.5 * np.abs(mixture - shares(view.model)).sum() <= _CLOSE:
        taste += f" With so few {view.words.rating}s this is still close to the average."
    return f"From {counted(n_given, view.words.rating)}: {taste}"


def _named(view: View, mixture: FloatArray, columns: Iterable[int]) -> str:
    """Return the shares of these columns with their names; empty where all are next to nothing."""
    parts = [f"{percent(float(mixture[k]))} *{md(view.names[k], 60)}*" for k in columns if mixture[k] >= 0.05]
    return listed(parts) if parts else ""
