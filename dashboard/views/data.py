"""Page: the data as they are, other data by name, and data of one's own."""

from __future__ import annotations

import shlex

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session, wording
from dashboard.components.common import display, sidebar
from dashboard.components.common.current import dataset_of, own_model_of, tell_lost
from dashboard.components.data import my_work, upload
from dashboard.compute import store
from dashboard.compute.current import remove_data
from dashboard.export import ratings_table
from dashboard.figures.drawing import label
from dashboard.figures.profile import curve_figure, ratings_figure, tags_figure
from dashboard.theme import Look
from dashboard.wording import counted, md
from nnm_core.datasets import Dataset, ImportReport, catalogue, diagnose
from nnm_core.datasets.reading.sources import format_bytes
from nnm_core.phrases import distinct, percent
from nnm_core.scale import Scale, written
from nnm_core.types import IntArray

_MOST_TAGS = 30
_MOST_LEVELS = 5  # ratings of a scale whose probabilities are all listed


def render() -> None:
    """Show the page."""
    st.title("The data")
    tell_lost()
    tab = "profile" if session.shared() is not None else _choose_part()
    if tab in ("own", "mine"):
        my_work.tell_interrupted()
    if tab == "own":
        upload.show()
        return
    if tab == "more":
        _catalogue()
        return
    if tab == "mine":
        my_work.show()
        return
    loaded = dataset_of(session.state().spec.data)
    own_model_of(loaded)
    spec = session.state().spec
    key = store.model_key(loaded.dataset, spec.options, spec.seed)
    session.given_names(key, spec.options.n_stereotypes * spec.options.committee)  # so that they stay in the link
    _profile(loaded.dataset, loaded.report)


def _choose_part() -> str:
    parts = {"profile": "What is loaded", "own": "Load your own", "more": "MovieLens by name", "mine": "My work"}
    return link.segments("Show", parts, "part", width="content", label_visibility="collapsed")


def _profile(dataset: Dataset, report: ImportReport) -> None:
    words, style = wording.words_for(dataset), session.look()
    ratings = dataset.ratings
    if session.state().just_loaded:
        session.state().just_loaded = False
        why_not = diagnose(dataset, report)
        if why_not:
            st.warning(f"Nothing can be learned from these data. {md(why_not, 400)}", icon=":material/warning:")
        elif 2 * report.rows_unreadable > report.rows_read:
            st.warning(
                f"Your data are loaded, but {report.rows_unreadable:,} of {report.rows_read:,} rows could not be read. "
                "See why below; perhaps another delimiter or other columns are meant, or a quote is never closed.",
                icon=":material/warning:",
            )
        else:
            st.success(
                "Your data are loaded, and the sidebar shows them. Read what became of the rows below, or go on to "
                "**Stereotypes** above.",
                icon=":material/check_circle:",
            )
    st.header(md(sidebar.title_of(session.state().spec.data), 80), anchor=False)
    density = len(ratings) / max(ratings.n_users * ratings.n_items, 1)
    sizes = {
        "People": f"{ratings.n_users:,}",
        words.items.capitalize(): f"{ratings.n_items:,}",
        f"{words.rating.capitalize()}s": f"{len(ratings):,}",
        f"Pairs {'chosen' if dataset.implicit else 'rated'}": f"{density:.2%}",
    }
    with st.container(horizontal=True, gap="large"):
        for title, value in sizes.items():
            st.metric(title, value, width="content")
    st.markdown(_in_words(dataset))
    if not dataset.implicit:
        st.caption(describe_mapping(ratings.scale))
    _kept(report)
    figures = _pictures(dataset, words, style)
    _import_report(report, dataset)
    display.offer_files("data", {"Ratings": lambda: ratings_table(dataset)}, figures)
    licence = md(dataset.licence or "not stated", 600)
    own = session.state().spec.data.startswith(store.OWN)
    st.caption((f"Source: {md(dataset.source or 'not stated', 300)}. " if own else "") + f"Licence: {licence}")
    if session.state().spec.data.startswith(store.OWN) and st.button(
        "Remove these data from the server", icon=":material/delete:"
    ):
        remove_data(session.state().spec.data)
        session.later("data", catalogue.BUNDLED)
        st.rerun()


_CLEARLY_MORE = 0.6  # a mean that is further up the scale than this speaks of a bias toward high ratings


def _in_words(dataset: Dataset) -> str:
    """Say what the scale is, how far ratings lean toward high ones, and how unequal people and items are."""
    ratings, scale = dataset.ratings, dataset.ratings.scale
    values = ratings.levels[ratings.by_user.codes]
    mean, middle = float(values.mean()), (scale.lowest + scale.highest) / 2
    upper = float((values > middle).mean())
    active = np.sort(ratings.by_user.counts)[::-1]
    top = float(active[: max(1, len(active) // 10)].sum() / max(active.sum(), 1))
    rare = float((ratings.by_item.counts < 5).mean())
    words = wording.words_for(dataset)
    share = f", and {percent(rare)} of the {words.items}" if rare else ""
    if dataset.implicit:
        return (
            "Nobody rated: that somebody chose something counts as 1, and everything else as 0. The most active tenth "
            f"of the people made {percent(top)} of all choices{share and f'{share} were chosen fewer than five times'}."
        )
    least = float(ratings.levels[ratings.levels > middle].min(initial=scale.highest))
    usual = mean > scale.lowest + _CLEARLY_MORE * scale.span
    why = ", as is usual where people choose what they rate" if usual else ""
    return (
        f"Ratings go from {md(dataset.scale_in_words)}. **{percent(upper)}** of them are {written(least)} or more, "
        f"{written(mean, 2)} on average{why}. The most active tenth of the people gave {percent(top)} of all ratings"
        f"{share and f'{share} have fewer than five'}."
    )


def describe_mapping(scale: Scale) -> str:
    """Say which probability of liking each rating of a scale stands for."""
    lowest, highest = written(scale.lowest), written(scale.highest)
    if scale.is_continuous:
        return f"As a probability of liking, {lowest} counts as 0, {highest} as 1, and the rest in proportion."
    if scale.n_levels == 2:
        return f"As a probability of liking, {lowest} counts as 0 and {highest} as 1, like the paper’s binary answers."
    levels, units = scale.levels, scale.to_unit(scale.levels)
    shown = [0, 1, -1] if scale.n_levels > _MOST_LEVELS else range(scale.n_levels)
    pairs = [f"{written(levels[k])} as {written(round(float(units[k]), 3))}" for k in shown]
    before_last = ", … " if scale.n_levels > _MOST_LEVELS else " and "
    return (
        f"As a probability of liking, the z-th of Z levels counts as z/Z, as in the paper: {', '.join(pairs[:-1])}"
        f"{before_last}{pairs[-1]}."
    )


def _kept(report: ImportReport) -> None:
    """Show ratings that may be none and were kept: whoever reads a mean should know."""
    for offer in report.offers:
        st.info(
            f"**{written(offer.value)} counts as a rating here.** It was given {counted(offer.count, 'time')}, and "
            f"{md(offer.why, 300)}. If it means “seen, not rated”, load the file again and leave it out.",
            icon=":material/help:",
        )


def _pictures(dataset: Dataset, words: wording.Words, style: Look) -> dict[str, go.Figure]:
    ratings = dataset.ratings
    counts = np.bincount(ratings.by_user.codes, minlength=len(ratings.levels))
    given = {} if dataset.implicit else {"Ratings given": ratings_figure(counts, style, levels=ratings.levels)}
    people, items = (
        curve_figure(side.counts, style, rows=rows, words=words)
        for side, rows in ((ratings.by_user, "people"), (ratings.by_item, words.items))
    )
    plural = f"{words.rating}s".capitalize()
    figures = given | {f"{plural} per person": people, f"{plural} per {words.item}": items}
    findings = _findings(dataset, words, counts)
    for k, (column, (title, figure)) in enumerate(zip(st.columns(3, gap="large"), figures.items(), strict=False)):
        with column:
            st.markdown(f"**{title}**")
            display.show_figure(figure, f"profile-{k}", f"{title}: {findings[k]}")
    st.caption("In the curves, 1, 10, 100 and so on stand equally far apart.")
    groups = [(words.tags.capitalize(), dataset.tags), *dataset.traits.items()]
    if dataset.user_tags is not None:
        groups.insert(1, ("People's own words", dataset.user_tags))
    groups = [(title, labels) for title, labels in groups if labels.names]
    titles = distinct([*figures, *(title for title, _ in groups)])[len(figures) :]  # a trait may be called anything
    shown = list(zip(titles, (labels for _, labels in groups), strict=True))
    if not shown:
        st.caption(f"Nothing more is known about these {words.items} and people.")
    for first in range(0, len(shown), 3):
        columns = st.columns(min(3, len(shown)), gap="large")
        for place, (column, (title, labels)) in enumerate(zip(columns, shown[first : first + 3], strict=False), first):
            order = np.argsort(-labels.counts, kind="stable")[:_MOST_TAGS]
            figure = tags_figure(labels.counts[order], style, names=[label(labels.names[k]) for k in order])
            figures[title] = figure
            with column:
                more = f" (the {_MOST_TAGS} most frequent)" if len(labels.names) > _MOST_TAGS else ""
                st.markdown(f"**{md(title, 40)}**: {len(labels.names):,}{more}")
                most = labels.names[order[0]]
                alt = f"How often each of {title} occurs: most often {most}, {labels.counts[order[0]]:,} times"
                display.show_figure(figure, f"labels-{place}", alt)
    return figures


def _findings(dataset: Dataset, words: wording.Words, counts: IntArray) -> list[str]:
    """Return what each of the first pictures shows, in words; ``counts``: how often each level was given."""
    ratings, plural = dataset.ratings, f"{words.rating}s"
    if not len(ratings):
        return ["nothing was rated"] * 3
    active, known = ratings.by_user.counts, ratings.by_item.counts
    return [
        *([] if dataset.implicit else [f"{written(ratings.levels[counts.argmax()])} is the most frequent"]),
        f"half of the people made at most {np.median(active):,.0f} {plural}, the most active {active.max():,}",
        f"half of the {words.items} have at most {np.median(known):,.0f} {plural}, the best known {known.max():,}",
    ]


def _import_report(report: ImportReport, dataset: Dataset) -> None:
    """Show what became of every row; open where it matters, which is for data that somebody has just brought."""
    expanded = session.state().spec.data.startswith(store.OWN) and len(dataset.ratings) > 0
    with st.expander("What became of every row", icon=":material/receipt_long:", expanded=expanded):
        upload.show_report(report)
        if report.arguments:
            st.caption("To read the same file in the same way from a shell:")
            st.code(f"nnm fit {shlex.join([report.source, *report.arguments])}", language="sh", wrap_lines=True)


def _catalogue() -> None:
    """Show the MovieLens sets, each with its size and where it is."""
    st.markdown(
        "MovieLens are ratings of films that GroupLens Research at the University of Minnesota has collected since "
        "1997. What comes with this program is one of them; the others are downloaded once, if you accept their terms."
    )
    for name, entry in catalogue.CATALOGUE.items():
        here = catalogue.find_local(name) is not None
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            size = "" if here or not entry.size else f"{format_bytes(entry.size)} "
            place = "on this machine" if here else f"{size}to download"
            title = md(wording.title_of(name, name))
            st.markdown(f"**{title}**: {md(entry.about)}  \n{place}")
            if st.button(f"Open {title}" if here else f"Read the terms of {title}", key=f"open-{name}"):
                session.later("data", name)
                session.later("part", "profile")
                st.rerun()
    own = store.own_names(session.owner())
    if own:
        st.caption("Your own: " + ", ".join(md(sidebar.title_of(key, own), 60) for key in own))
