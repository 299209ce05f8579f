"""The evidence behind a bar: the items of a tag and what a stereotype makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import link
from dashboard.components import live, parts
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


def pick(chart: str, stereotype: int, tags: list[str]) -> None:
    """Somebody picked a bar: make it the choice that the page and the link hold."""
    point = parts.picked(chart)
    if point is not None and 0 <= int(point["point_index"]) < len(tags):
        st.session_state["tag"] = tags[int(point["point_index"])]
        st.session_state["of"] = stereotype + 1
        st.session_state[_BOX] = True
        live.lead_to(_BOX)


def show(view: View, bars: Towers, labels: Labels, firm: BoolArray | None) -> None:
    """A box that opens when a bar is picked; in it, one can choose a stereotype and a tag as well.

    ``firm`` (n_tags, n_stereotypes): where fits from other random starts agree, if they were made.
    """
    with st.expander("What is behind a bar", icon=":material/manage_search:", key=_BOX, bind="query-params") as box:
        if box.open:
            _choose_and_show(view, bars, labels, firm)


def _choose_and_show(view: View, bars: Towers, labels: Labels, firm: BoolArray | None) -> None:
    n_stereotypes = view.model.n_stereotypes
    left, right = st.columns(2)
    with left:
        link.select(
            "Stereotype",
            range(1, n_stereotypes + 1),
            "of",
            default=1,
            form=lambda k: shortened(view.names[k - 1], 60),
        )
    stereotype = int(st.session_state["of"]) - 1
    if not bars.tags:
        _recognise(view, stereotype)
        return
    tags = sorted(bars.tags, key=str.casefold)
    with right:
        tag = link.select(
            view.words.tag.capitalize(), tags, "tag", form=shortened, placeholder="none: what to recognise it by"
        )
    if tag is None:
        _recognise(view, stereotype)
    else:
        row = bars.row(str(tag))
        _behind(view, bars, labels, stereotype, row, agreed=firm is None or bool(firm[row, stereotype]))


def _recognise(view: View, stereotype: int) -> None:
    table = distinctive_items(view.model, view.dataset, stereotype, 8)
    if table.empty:
        st.caption(f"No well-known {view.words.item} sets this stereotype apart clearly.")
        return
    st.markdown(
        f"**{view.words.items.capitalize()} to recognise it by:** well known, and what it "
        f"{view.words.likes} more than others do."
    )
    st.markdown(_written(view, table))


def _written(view: View, table: pd.DataFrame) -> str:
    """A short table as text, which a browser draws in a tenth of the time that a table to scroll and sort takes."""
    head = [view.words.item.capitalize(), f"It {view.words.likes} it", "Audience", f"{view.words.rating.capitalize()}s"]
    titles, shares = [md(title, 60) for title in table["title"]], table[["likes", "audience"]].to_numpy()
    rows = [
        [title, f"{likes:.0%}", f"{audience:.0%}", f"{count:,}"]
        for title, (likes, audience), count in zip(titles, shares, table["ratings"].to_list(), strict=True)
    ]
    lines = [head, [":---", "---:", "---:", "---:"], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _behind(view: View, bars: Towers, labels: Labels, stereotype: int, row: int, *, agreed: bool) -> None:
    name, share = view.names[stereotype], float(bars.likes[row, stereotype])
    table = _items_of(view, labels, row, stereotype)
    own, others = round(100 * share), round(100 * float(bars.audience[row]))
    more = "more" if own > others else "less"
    apart = f"{counted(abs(own - others), 'point')} {more}, {_how_clear(bars, row, stereotype, agreed)}"
    st.markdown(
        f"*{md(name, 80)}* {view.words.likes} **{own}%** of {md(bars.tags[row], 60)} {view.words.items}, the "
        f"audience {others}%: {apart if own != others else 'no difference'}. "
        f"It rests on {counted(int(bars.n_items[row]), view.words.item, view.words.items)} with "
        f"{counted(int(bars.n_ratings[row]), view.words.rating)}, of which this stereotype's people made "
        f"about {bars.evidence[row, stereotype]:,.0f}."
    )
    _table(view, table)


def _how_clear(bars: Towers, row: int, stereotype: int, agreed: bool) -> str:
    """Whether a bar is a matter of taste, and whether fits from other random starts agree on it."""
    if bars.is_reliable[row, stereotype]:
        return "which is more than chance" + (
            "" if agreed else ", but fits from other random starts do not agree on it"
        )
    lean = float(bars.leanings[stereotype])
    more, other = ("more", "less") if bars.relative[row, stereotype] > 0 else ("less", "more")
    if bars.is_clear[row, stereotype]:
        return f"but it likes everything {more}, and beside that this {other} than other things"
    if round(100 * abs(lean)) and (lean > 0) == (more == "more"):
        everything = f"{counted(round(100 * abs(lean)), 'point')} {more}"
        return f"but it likes everything about {everything}; what is left is not more than chance could do"
    return "which is not more than chance could do"


def _items_of(view: View, labels: Labels, tag: int, stereotype: int) -> pd.DataFrame:
    """The items of a tag, the best known first, with what the stereotype and the audience make of them."""
    rows = np.flatnonzero(labels.member[:, [tag]].toarray().ravel())
    counts = view.dataset.ratings.by_item.counts
    rows = rows[np.argsort(-counts[rows], kind="stable")[:_MOST]]
    likes = view.model.likes[rows][:, : view.model.n_stereotypes]
    return pd.DataFrame(
        {
            "title": [view.dataset.titles[row] for row in rows],
            "likes": likes[:, stereotype],
            "audience": likes @ taste_shares(view.model),
            "ratings": counts[rows],
            "ratings by its people": evidence(view.model, view.dataset.ratings)[rows, stereotype],
        }
    )


def _table(view: View, table: pd.DataFrame) -> None:
    st.dataframe(
        table.assign(likes=100 * table["likes"], audience=100 * table["audience"]),
        hide_index=True,
        width="stretch",
        key="behind-table",
        column_order=["title", "likes", "audience", "ratings", "ratings by its people"],
        column_config={
            "title": parts.title_column(view.words),
            "likes": _share(f"It {view.words.likes} it"),
            "audience": _share("Audience"),
            "ratings": parts.number_column(f"{view.words.rating.capitalize()}s", "localized"),
            "ratings by its people": parts.number_column("By its people", "%.0f"),
        },
    )


def _share(title: str) -> Any:
    return st.column_config.ProgressColumn(title, format="%.0f%%", min_value=0.0, max_value=100.0, width=104)
