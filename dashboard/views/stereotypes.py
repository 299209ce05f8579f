"""Page: the stereotypes of the audience, in words and as towers."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard import link, session, streamlit_compat
from dashboard.components import evidence, lineage, live, parts, sidebar
from dashboard.components.current import current
from dashboard.components.tags import choose_tags
from dashboard.compute import store
from dashboard.compute.current import View
from dashboard.figures.towers import Bars, tower_figure
from dashboard.wording import a, counted, md, number
from nnm_core.interpret.compare.stability import Stability, measure_stability, refits
from nnm_core.interpret.exemplars import distinctive_rows
from nnm_core.interpret.text.portraits import Portrait, write_portraits
from nnm_core.interpret.towers import Towers, generosity
from nnm_core.phrases import listed, percent, rating_in_words
from nnm_core.types import IntArray

_REFITS = 5
_HOW_TO_READ = {
    True: "A bar says by how many points out of 100 a stereotype is likelier, or less likely, than the whole audience "
    "to {like} {item} of that {tag}.",
    False: "A bar says how likely a stereotype is to {like} {item} of that {tag}; a grey tick is the whole audience.",
}
_HOW_TO_READ_ITEMS = "A bar says how likely a stereotype is to {like} this {item}; a grey tick is the whole audience."
_HOW_SURE = "The line on a bar spans where it ends in all {fits} fits; a bar is full only if they agree on it."
_WHAT_SURE = (
    "Fits the model again from other random starts. A line on each bar then spans where it ends in all fits, and a bar "
    "turns pale where they do not agree which way it leans."
)
_WORTH_MENTIONING = 0.05
"""Shares of the audience's taste below this are not told of in the first sentences."""

_SORTS = {"apart": "what sets them apart", "liked": "what is liked most", "name": "the alphabet"}


def render() -> None:
    """Show the page."""
    view = current()
    st.title("Who is the audience?")
    st.markdown(opening(view))
    n_people, n_kinds = view.dataset.ratings.n_users, view.model.n_stereotypes
    if n_kinds > max(n_people, 1):
        st.info(
            f"There are more kinds of taste here than people ({n_kinds} and {n_people}), so most of them describe "
            "nobody. Choose fewer in the sidebar, or load more people on the page **Data**.",
            icon=":material/groups:",
        )
    source, labels = choose_tags(view, "tags")
    bars = view.towers(labels, source)
    found = None
    if len(bars.tags):
        figures, found = _with_tags(view, bars, source)
    else:
        st.caption(
            f"These data say nothing about their {view.words.items} but who {view.words.rated} them, so the towers are "
            f"made of the {view.words.items} that divide the stereotypes most. A file with tags can be added on "
            "the page **Data**."
        )
        figures = _show_towers(view, _item_bars(view), [], _words(view, None), relative=False)
    evidence.show(view, bars, labels, None if found is None else found.is_firm)
    lineage.show(view)
    names = view.names[: view.model.n_stereotypes]
    tables = {"Towers": lambda: bars.table(names)} if len(bars.tags) else {}
    parts.take_away("stereotypes", tables, figures)
    st.caption(f"Data: {md(sidebar.title_of(view.spec.data))}. {md(view.dataset.licence, 600)}")
    live.lead()


def opening(view: View) -> str:
    """One plain sentence computed from the data, and what divides the audience most."""
    ratings, model = view.dataset.ratings, view.model
    kinds = f"{number(model.n_stereotypes).capitalize()} kind{'s' if model.n_stereotypes > 1 else ''} of taste"
    generous = ", and how generous each person is," if model.n_fixed else ""
    verb = "explain" if model.n_stereotypes > 1 or model.n_fixed else "explains"
    sentence = (
        f"**{counted(ratings.n_users, 'person', 'people')}** rated "
        f"**{counted(ratings.n_items, view.words.item, view.words.items)}**, {counted(len(ratings), 'time')} in all. "
        f"**{kinds}**{generous} {verb} **{percent(view.explained)}** of how their ratings differ."
    )
    if view.dataset.implicit:
        sentence = (
            f"**{counted(ratings.n_users, 'person', 'people')}** chose among "
            f"**{counted(ratings.n_items, view.words.item, view.words.items)}**, "
            f"{counted(len(ratings), 'time')} in all; nobody gave ratings, so what people chose stands for liking. "
            f"The model sees **{kinds.lower()}**."
        )
    return " ".join(part for part in (sentence, _divide(view), _habits(view)) if part)


def _divide(view: View) -> str:
    """Which tag the stereotypes disagree about most: those with a share to speak of, where it is a matter of taste."""
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
    """What the shares of the tastes leave, and who that is."""
    tastes, habits = view.portraits[: view.model.n_stereotypes], generosity(view.model)
    if not habits:
        return ""
    named = [f"{percent(one.share)} *{one.name.capitalize()}*, who gives everything "
             f"{rating_in_words(one.rating, view.model.scale)}" for one in habits]  # fmt: skip
    together = percent(sum(portrait.share for portrait in tastes))
    return f"Taste makes up {together} of the audience; the rest is habit: {listed(named)}."


def _with_tags(view: View, bars: Towers, source: str) -> tuple[dict[str, go.Figure], Stability | None]:
    """The towers over tags, with what one can choose about them, and what other random starts say if they were asked.

    One tower alone has nothing to differ from.
    """
    alone = view.model.n_stereotypes == 1
    how, chosen, sure = "all", "liked", False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not alone:
            how = link.segments("Bars show", {"against": "more or less than others", "all": "the whole"}, "bars")
            sorts = list(_SORTS)
            chosen = str(link.select("Sorted by", sorts, "sort", default="apart", form=_SORTS.__getitem__, width=210))
        shown = link.select("Shown", [24, 12, 50, 100, 1000], "most", default=24, width=100)
        if not alone:
            sure = st.toggle("How sure is that?", key="sure", bind="query-params", help=_WHAT_SURE)
    order = _order(bars, chosen, int(shown or 24))
    found = _stability(view, source) if sure else None
    words = _words(view, found if source == "tags" else None)
    relative = how == "against"
    drawn = _tag_bars(bars, order, found, relative=relative)
    return _show_towers(view, drawn, [bars.tags[row] for row in order], words, found, relative=relative), found


def _words(view: View, found: Stability | None) -> list[str]:
    """Every stereotype of taste in words; where there are several fits, only what all of them say of tags."""
    told = view.portraits
    if found is not None:
        key = ("firm words", view.key, view.dataset.content_hash)
        bars = view.towers(view.dataset.tags, "tags")
        told = store.derived(key, lambda: write_portraits(view.model, view.dataset, bars, firm=found.is_firm))
    return [
        portrait.text.replace("No tag sets it", f"No {view.words.tag} sets it")
        for portrait in told[: view.model.n_stereotypes]
    ]


def _order(bars: Towers, sort: str, most: int) -> IntArray:
    """The tags to draw, in order: those with enough data, or all if none has."""
    rows = np.flatnonzero(bars.is_supported) if bars.is_supported.any() else np.arange(len(bars.tags))
    apart = np.ptp(bars.likes[rows], axis=1)
    rows = rows[np.argsort(-apart, kind="stable")[:most]]
    if sort == "liked":
        rows = rows[np.argsort(-bars.audience[rows], kind="stable")]
    elif sort == "name":
        rows = rows[np.argsort([bars.tags[row].casefold() for row in rows], kind="stable")]
    return rows


def _tag_bars(bars: Towers, order: IntArray, found: Stability | None, *, relative: bool) -> Bars:
    """Bars in that order, from the audience or from nothing; a stereotype that is alone leans nowhere."""
    telling = bars.is_reliable if bars.likes.shape[1] > 1 else np.ones_like(bars.is_reliable)
    labels = [bars.tags[row] for row in order]
    likes, audience = (bars.relative, np.zeros_like(bars.audience)) if relative else (bars.likes, bars.audience)
    if found is None:
        return Bars(labels, likes[order], audience[order], telling[order])
    band = found.relative if relative else found.likes
    firm = telling & found.is_firm
    return Bars(labels, likes[order], audience[order], firm[order], band.low[order], band.high[order])


def first_towers(view: View) -> list[go.Figure]:
    """The towers as the page first shows them."""
    bars = view.towers(view.dataset.tags, "tags")
    relative = bool(bars.tags) and view.model.n_stereotypes > 1
    order = _order(bars, "apart" if relative else "liked", 24)
    drawn = _tag_bars(bars, order, None, relative=relative) if bars.tags else _item_bars(view)
    return [tower_figure(drawn, k, view.style, relative=relative) for k in range(view.model.n_stereotypes)]


def _item_bars(view: View) -> Bars:
    """Towers of items, where there are no tags: those that set each stereotype apart."""
    found = distinctive_rows(view.model, view.dataset, 6)
    rows = list(dict.fromkeys(row for part in found for row in part))[:48]
    if not rows:
        rows = np.argsort(-view.dataset.ratings.by_item.counts, kind="stable")[:12].tolist()
    likes = view.model.likes[np.array(rows), : view.model.n_stereotypes]
    weights = view.towers(view.dataset.tags, "tags").weights
    titles = [view.dataset.titles[row] for row in rows]
    return Bars(titles, likes, likes @ weights, np.ones(likes.shape, dtype=np.bool_))


def _stability(view: View, source: str) -> Stability | None:
    """What fits from other random starts agree on, as a job."""
    key = ("stability", view.key, view.dataset.content_hash, source)
    dataset, model = view.dataset, view.model
    labels = dataset.user_tags if source == "words" else dataset.tags
    side = store.side_information(dataset, model.options)

    def work(job: parts.Job) -> Stability:
        done = 0

        def callback(sweep: parts.Sweep) -> bool:
            nonlocal done
            done += 1
            job.report(done / (sweep.n_sweeps * _REFITS), f"fit {1 + done // sweep.n_sweeps} of {_REFITS}")
            return True

        return measure_stability(refits(dataset.ratings, model, _REFITS, side=side, callback=callback), dataset, labels)

    found: Stability | None = parts.background(
        key, "Fitting from other random starts", work, f"Fit {_REFITS} times from other random starts", at_once=True
    )
    return found


def _show_towers(
    view: View, bars: Bars, tags: list[str], words: list[str], found: Stability | None = None, *, relative: bool
) -> dict[str, go.Figure]:
    """The towers side by side, each with its name and words above; as many to a row as have room."""
    people = view.portraits[: view.model.n_stereotypes]
    figures = {}
    chosen = tags.index(st.session_state["tag"]) if st.session_state.get("tag") in tags else None
    st.html(streamlit_compat.stripes(len(people), view.style.color))
    with st.container(key="towers-two" if len(people) in (2, 4) else "towers"):
        columns = st.columns(len(people))
    for column, portrait in zip(columns, people, strict=True):
        k = portrait.stereotype
        with column:
            with st.container(height="stretch", key=f"portrait-{k}"):
                st.markdown(_told(portrait, words[k], found))
                _offer_name(view, portrait)
            picked = chosen if st.session_state.get("of") == k + 1 else None
            figure = tower_figure(bars, k, view.style, relative=relative, chosen=picked, like=view.words.like)
            figures[f"Tower {k + 1}"] = figure
            parts.picture(
                figure,
                f"tower-{k}",
                f"What {portrait.name} {view.words.likes}, {view.words.tag} by {view.words.tag}",
                on_select=partial(evidence.pick, f"tower-{k}", k, tags) if tags else None,
            )
    st.caption(_explained(view, tags, relative, found))
    return figures


def _explained(view: View, tags: list[str], relative: bool, found: Stability | None) -> str:
    """How to read the towers."""
    like, item, tag = view.words.like, view.words.item, view.words.tag
    if not tags:
        return _HOW_TO_READ_ITEMS.format(like=like, item=item)
    how = _HOW_TO_READ[relative].format(like=like, item=a(item), tag=tag)
    if view.model.n_stereotypes > 1:
        sure = "" if found is None else f", or differ from fit to fit. {_HOW_SURE.format(fits=number(found.n_fits))}"
        how += f" Pale bars could be chance, or come from liking everything more or less than others do{sure or '.'}"
    aside = " The audience here is all its tastes together, habits set aside." if view.model.n_fixed else ""
    return f"{how}{aside} Pick a bar to see what is behind it."


def _told(portrait: Portrait, words: str, found: Stability | None) -> str:
    """The name, the share and the words of a stereotype, in one piece: a browser takes its time for every piece."""
    share = f"{percent(portrait.share)} of the audience"
    told = [f"### {md(portrait.name, 80)}", md(words, 800).replace(share, f"**{share}**", 1)]
    if found is not None:
        told.append(f":small[{md(found.in_words(portrait.stereotype), 800)}]")
    return "\n\n".join(told)


def _offer_name(view: View, portrait: Portrait) -> None:
    """A button; once pressed, a field for the name as well."""
    k = portrait.stereotype
    is_asked = session.state().renaming == (view.key, k)
    if is_asked:
        st.text_input(
            "A name of your own",
            value=view.given_names[k],
            max_chars=80,
            key=f"rename-{abs(hash((view.key, k)))}",
            placeholder=portrait.name,
            on_change=_rename,
            args=(view, k),
        )
        st.caption("Leave it empty for the program's own name. Names are in the link and in the model file.")
    st.button(
        "Keep the name" if is_asked else "Rename",
        key=f"name-{k}",
        icon=":material/edit:",
        type="tertiary",
        on_click=_ask_name,
        args=(None if is_asked else (view.key, k),),
    )


def _ask_name(which: tuple[Hashable, int] | None) -> None:
    session.state().renaming = which
    if which is not None:
        live.lead_to(f"portrait-{which[1]}")


def _rename(view: View, stereotype: int) -> None:
    names = list(view.given_names)
    wanted = " ".join(str(st.session_state[f"rename-{abs(hash((view.key, stereotype)))}"]).split())
    others = {name.casefold() for k, name in enumerate(names) if k != stereotype and name}
    if wanted.casefold() in others | {"enthusiast", "skeptic"}:
        st.toast("Another stereotype has this name; choose a different one.", icon=":material/error:")
        return
    session.state().renaming = None
    names[stereotype] = wanted
    session.give_names(view.key, names)
