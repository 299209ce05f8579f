"""The evidence behind a bar: the items of a tag, and how much a stereotype likes them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import link
from dashboard.components import charts, live, tables
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


def select_bar(chart: str, stereotype: int, tags: list[str]) -> None:
    """Show the evidence of the bar that is selected in a chart."""
    point = charts.selected_point(chart)
    if point is not None and 0 <= int(point["point_index"]) < len(tags):
        st.session_state["tag"] = tags[int(point["point_index"])]
        st.session_state["of"] = stereotype + 1
        st.session_state[_BOX] = True
        live.lead_to(_BOX)


def show(view: View, bars: Towers, labels: Labels, firm: BoolArray | None) -> None:
    """Show a box that opens when a bar is selected; in it, one can choose a stereotype and a tag as well.

    ``firm`` (n_tags, n_stereotypes): where fits from other random starts agree, if they were made.
    """
    with st.expander("What is behind a bar", icon=":material/manage_search:", key=_BOX, bind="query-params") as box:
        if box.open:
            _choose_and_show(view, bars, labels, firm)


def _choose_and_show(view: View, bars: Towers, labels: Labels, firm: BoolArray | None) -> None:
    tag = None
    left, right = st.columns(2)
    with left:
        numbers = range(1, view.model.n_stereotypes + 1)
        link.select("Stereotype", numbers, "of", default=1, form=lambda k: shortened(view.names[k - 1], 60))
    stereotype = int(st.session_state["of"]) - 1
    if bars.tags:
        with right:
            tags, hint = sorted(bars.tags, key=str.casefold), "none: what to recognise it by"
            tag = link.select(view.words.tag.capitalize(), tags, "tag", form=shortened, placeholder=hint)
    if tag is None:
        _show_distinctive(view, stereotype)
    else:
        row = bars.row(str(tag))
        _show_bar(view, bars, row, stereotype, agreed=firm is None or bool(firm[row, stereotype]))
        _show_items(view, labels, row, stereotype)


def _show_distinctive(view: View, stereotype: int) -> None:
    """Show the items by which one recognises a stereotype."""
    words, table = view.words, distinctive_items(view.model, view.dataset, stereotype, 8)
    if table.empty:
        st.caption(f"No well-known {words.item} sets this stereotype apart clearly.")
        return
    st.markdown(
        f"**{words.items.capitalize()} to recognise it by:** well known, and what it {words.likes} more than others do."
    )
    # As text, which a browser draws in a tenth of the time that a table to scroll and sort takes.
    head = [words.item.capitalize(), f"It {words.likes} it", "Audience", f"{words.rating.capitalize()}s"]
    rows = [
        [md(str(item.title), 60), f"{item.likes:.0%}", f"{item.audience:.0%}", f"{item.ratings:,}"]
        for item in table.itertuples()
    ]
    lines = [head, [":---", "---:", "---:", "---:"], *rows]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _show_bar(view: View, bars: Towers, row: int, stereotype: int, *, agreed: bool) -> None:
    """Say what a bar means and what it rests on; ``agreed``: fits from other random starts agree on it."""
    words = view.words
    own, others = round(100 * float(bars.likes[row, stereotype])), round(100 * float(bars.audience[row]))
    apart = f"{counted(abs(own - others), 'point')} {'more' if own > others else 'less'}"
    difference = f"{apart}, {_how_clear(bars, row, stereotype, agreed)}" if own != others else "no difference"
    st.markdown(
        f"*{md(view.names[stereotype], 80)}* {words.likes} **{own}%** of {md(bars.tags[row], 60)} {words.items}, the "
        f"audience {others}%: {difference}. It rests on "
        f"{counted(int(bars.n_items[row]), words.item, words.items)} with "
        f"{counted(int(bars.n_ratings[row]), words.rating)}, of which this stereotype's people made "
        f"about {bars.evidence[row, stereotype]:,.0f}."
    )


def _how_clear(bars: Towers, row: int, stereotype: int, agreed: bool) -> str:
    """Say whether a bar is a matter of taste, and whether fits from other random starts agree on it."""
    if bars.is_reliable[row, stereotype]:
        return "which is more than chance" if agreed else _NOT_AGREED
    lean = float(bars.leanings[stereotype])
    more, other = ("more", "less") if bars.relative[row, stereotype] > 0 else ("less", "more")
    if bars.is_clear[row, stereotype]:
        return f"but it likes everything {more}, and beside that this {other} than other things"
    if round(100 * abs(lean)) and (lean > 0) == (more == "more"):
        everything = f"{counted(round(100 * abs(lean)), 'point')} {more}"
        return f"but it likes everything about {everything}; what is left is not more than chance could do"
    return "which is not more than chance could do"


def _show_items(view: View, labels: Labels, tag: int, stereotype: int) -> None:
    """Show the items of a tag, the best known first, with what the stereotype and the audience make of them."""
    words, counts = view.words, view.dataset.ratings.by_item.counts
    rows = np.flatnonzero(labels.member[:, [tag]].toarray().ravel())
    rows = rows[np.argsort(-counts[rows], kind="stable")[:_MOST]]
    likes = 100 * view.model.likes[rows][:, : view.model.n_stereotypes]
    table = pd.DataFrame(
        {
            "title": [view.dataset.titles[row] for row in rows],
            "likes": likes[:, stereotype],
            "audience": likes @ taste_shares(view.model),
            "ratings": counts[rows],
            "ratings by its people": evidence(view.model, view.dataset.ratings)[rows, stereotype],
        }
    )
    columns = {
        "title": tables.title_column(words),
        "likes": tables.percent_column(f"It {words.likes} it"),
        "audience": tables.percent_column("Audience"),
        "ratings": tables.number_column(f"{words.rating.capitalize()}s", "localized"),
        "ratings by its people": tables.number_column("By its people", "%.0f"),
    }
    tables.show_table(table, "behind-table", columns)
