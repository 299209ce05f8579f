"""The evidence behind a bar: the items and ratings that it rests on, and whether it is more than chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import link
from dashboard.components.common import display, widgets
from dashboard.compute.current import View
from dashboard.wording import counted, md
from nnm_core.datasets import Labels
from nnm_core.interpret.audience import evidence, taste_shares
from nnm_core.interpret.exemplars import distinctive_items
from nnm_core.interpret.towers import Towers
from nnm_core.phrases import shortened
from nnm_core.types import BoolArray

_MOST = 200
_BOX = "behind"
_NOT_AGREED = "which is more than chance, but fits from other random starts do not agree on it"


def choose_stereotype(view: View) -> int:
    """Ask for a stereotype of taste; the choice is in the link, counted from 1."""
    numbers = range(1, view.model.n_stereotypes + 1)
    link.select("Stereotype", numbers, "of", default=1, form=lambda k: shortened(view.names[k - 1], 60))
    return int(st.session_state["of"]) - 1


def select_bar(chart: str, stereotype: int, tags: list[str]) -> None:
    """Show the evidence of the bar that is selected in a chart."""
    point = display.selected_point(chart)
    if point is not None and 0 <= int(point["point_index"]) < len(tags):
        st.session_state["tag"] = tags[int(point["point_index"])]
        st.session_state["of"] = stereotype + 1
        st.session_state[_BOX] = True
        widgets.lead_to(_BOX)


def show_evidence(view: View, bars: Towers, labels: Labels, firm: BoolArray | None, *, ask: bool) -> None:
    """Show a box that opens when a bar is selected.

    ``firm``: where fits from other random starts agree, if made. ``ask``: the box asks for the stereotype as well.
    """
    with st.expander("Evidence", icon=":material/manage_search:", key=_BOX, bind="query-params") as box:
        if box.open:
            _choose_and_show(view, bars, labels, firm, ask=ask)


def _choose_and_show(view: View, bars: Towers, labels: Labels, firm: BoolArray | None, *, ask: bool) -> None:
    tag, (left, right) = None, st.columns(2)
    if ask:
        with left:
            choose_stereotype(view)
    stereotype = int(st.session_state["of"]) - 1
    if bars.tags:
        with right:
            tags, hint = sorted(bars.tags, key=str.casefold), "none: what to recognise it by"
            tag = link.select(view.words.tag.capitalize(), tags, "tag", form=shortened, placeholder=hint)
    if tag is None:
        _show_distinctive(view, stereotype)
        return
    row = bars.row(str(tag))
    _show_bar(view, bars, row, stereotype, agreed=firm is None or bool(firm[row, stereotype]))
    _show_items(view, labels, row, stereotype)


def _show_distinctive(view: View, stereotype: int) -> None:
    """Show the items by which one recognises a stereotype."""
    words, table = view.words, distinctive_items(view.model, view.dataset, stereotype, 8)
    if table.empty or not view.has_taste:
        st.caption(f"No well-known {words.item} sets this stereotype apart clearly.")
        return
    st.markdown(
        f"**{words.items.capitalize()} to recognise it by:** well known, and what it {words.likes} more than others do."
    )
    # As text, which a browser draws in a tenth of the time that a table to scroll and sort takes.
    head = [words.item.capitalize(), f"It {words.likes} it", "Audience", f"{words.rating.capitalize()}s"]
    lines = [head, [":---", "---:", "---:", "---:"]]
    lines += [
        [md(str(item.title), 60), f"{item.likes:.0%}", f"{item.audience:.0%}", f"{item.ratings:,}"]
        for item in table.itertuples()
    ]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _show_bar(view: View, bars: Towers, row: int, stereotype: int, *, agreed: bool) -> None:
    """Say what a bar means and what it rests on; ``agreed``: fits from other random starts agree on it."""
    words = view.words
    own, others = round(100 * float(bars.likes[row, stereotype])), round(100 * float(bars.audience[row]))
    apart = f"{counted(abs(own - others), 'point')} {'more' if own > others else 'less'}"
    difference = f"{apart}, {_how_clear(view, bars, row, stereotype, agreed)}" if own != others else "no difference"
    st.markdown(
        f"*{md(view.names[stereotype], 80)}* {words.likes} **{own}%** of {md(bars.tags[row], 60)} {words.items}, the "
        f"audience {others}%: {difference}. It rests on "
        f"{counted(int(bars.n_items[row]), words.item, words.items)} with "
        f"{counted(int(bars.n_ratings[row]), words.rating)}, of which this stereotype’s people gave "
        f"about {bars.evidence[row, stereotype]:,.0f}."
    )


def _how_clear(view: View, bars: Towers, row: int, stereotype: int, agreed: bool) -> str:
    """Say whether a bar is a matter of taste, and whether fits from other random starts agree on it."""
    if not view.has_taste:
        return "which could be chance"
    if bars.is_reliable[row, stereotype]:
        return "which is more than chance" if agreed else _NOT_AGREED
    lean = float(bars.leanings[stereotype])
    more, other = ("more", "less") if bars.relative[row, stereotype] > 0 else ("less", "more")
    if bars.is_clear[row, stereotype]:
        return f"but it likes everything {more}, and apart from that this {other} than other things"
    points = round(100 * abs(lean))
    if points and (lean > 0) == (more == "more"):
        everything = f"but it likes everything about {counted(points, 'point')} {more}"
        return f"{everything}; what is left could be chance"
    return "which could be chance"


def _show_items(view: View, labels: Labels, tag: int, stereotype: int) -> None:
    """Show the items of a tag, the best known first, with what the stereotype and the audience make of them."""
    words, counts = view.words, view.dataset.ratings.by_item.counts
    rows = np.flatnonzero(labels.member[:, [tag]].toarray().ravel())
    rows = rows[np.argsort(-counts[rows], kind="stable")[:_MOST]]
    likes = 100 * view.model.likes[rows][:, : view.model.n_stereotypes]
    columns = {
        "title": ([view.dataset.titles[row] for row in rows], display.title_column(words)),
        "likes": (likes[:, stereotype], display.percent_column(f"It {words.likes} it")),
        "audience": (likes @ taste_shares(view.model), display.percent_column("Audience")),
        "ratings": (counts[rows], display.number_column(f"{words.rating.capitalize()}s", "localized")),
        "ratings by its people": (
            evidence(view.model, view.dataset.ratings)[rows, stereotype],
            display.number_column("By its people", "%.0f"),
        ),
    }
    table = pd.DataFrame({name: values for name, (values, _) in columns.items()})
    display.show_table(table, "behind-table", {name: column for name, (_, column) in columns.items()})
