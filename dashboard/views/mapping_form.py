"""The form that says which column means what, filled with the guess."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from dashboard import cache
from dashboard.wording import counted, md
from nnm_core.datasets import Cleaning, ItemColumns, Offer, RatingColumns, UserColumns
from nnm_core.datasets.columns import read_coded
from nnm_core.datasets.formats import sniff_table
from nnm_core.datasets.levels import offers_among, read_levels
from nnm_core.datasets.sources import SourceFile
from nnm_core.meaning.phrases import shortened
from nnm_core.scale import Scale

_NONE = ""
_MOST_COLUMNS = 500
_DUPLICATES = {"last": "the last one", "first": "the first one", "mean": "their mean"}


def ratings(found: RatingColumns) -> RatingColumns:
    """Which columns hold people, items and ratings."""
    st.subheader("Which column is what?", anchor=False)
    if found.layout == "wide":
        return _wide(found)
    person, item, rating = st.columns(3)
    with person:
        user = _column("Person", found.columns, found.user, "map-user")
    with item:
        thing = _column("Item", found.columns, found.item, "map-item")
    with rating:
        value = _column("Rating", found.columns, found.rating, "map-rating", none="none: a row only says “chosen”")
    return replace(found, user=user, item=thing, rating=value)


def _wide(found: RatingColumns) -> RatingColumns:
    """One person per row, one item per column."""
    st.caption(
        f"One person per row and one of {len(found.item_columns):,} items per column; empty cells are no rating."
    )
    user = _column("Person", found.columns, found.user, "map-user", none="none: rows are numbered")
    return replace(found, user=user, item_columns=tuple(name for name in found.columns if name != user))


def items(found: ItemColumns) -> ItemColumns:
    """Which columns hold the items' ids, titles and tags."""
    st.subheader("About the items", anchor=False)
    first, second, third = st.columns(3)
    with first:
        item = _column("Item (as in the ratings)", found.columns, found.item, "map-item-id")
    with second:
        title = _column("Title", found.columns, found.title, "map-title", none="none: the id stands for it")
    with third:
        offered = list(found.columns[:_MOST_COLUMNS])
        tags = st.multiselect(
            "Tags", offered, [tag for tag in found.tags if tag in offered], key="map-tags", format_func=shortened
        )
    return replace(found, item=item, title=title, tags=tuple(tags))


def users(found: UserColumns) -> UserColumns:
    """Which columns hold the people's ids and traits."""
    st.subheader("About the people", anchor=False)
    first, second = st.columns(2)
    with first:
        user = _column("Person (as in the ratings)", found.columns, found.user, "map-user-id")
    with second:
        offered = list(found.columns[:_MOST_COLUMNS])
        traits = st.multiselect(
            "Traits", offered, [name for name in found.traits if name in offered], key="map-traits",
            format_func=shortened,
        )  # fmt: skip
    return replace(found, user=user, traits=tuple(traits))


def not_rated(file: SourceFile, found: RatingColumns, content: str) -> tuple[float, ...]:
    """Ratings that look as if they meant "seen, not rated" and that somebody wants left out; ``content``: its hash."""
    offers = cache.derived(("offers", content, found), lambda: _offers(file, found))
    left_out = []
    for offer in offers:
        value = f"{offer.value:g}".replace("-", "−")
        with st.container(border=True):
            st.markdown(
                f"**Does {value} mean “seen, not rated”?** It stands there {counted(offer.count, 'time')}, and "
                f"{md(offer.why, 300)}."
            )
            if st.checkbox(
                f"Yes: {value} is no rating, leave it out",
                key=f"missing-{offer.value:g}",
                help="Otherwise it counts as the rating that it says.",
            ):
                left_out.append(offer.value)
    return tuple(left_out)


def _offers(file: SourceFile, found: RatingColumns) -> tuple[Offer, ...]:
    """Looks at every rating of the file, or of a wide table at those of its beginning."""
    if found.implicit:
        return ()
    if found.layout == "wide":
        table = sniff_table(file, found.dialect)
        texts = Counter(cell for name in found.item_columns for cell in table.cells(name) if cell.strip())
    else:
        _, (column,) = read_coded(file, found.dialect, found.columns, [found.rating])
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.names))
        texts = Counter(dict(zip(column.names, counts.tolist(), strict=True)))
    values = read_levels(list(texts)).values
    counts = np.array(list(texts.values()), dtype=np.int64)
    levels, where = np.unique(values[np.isfinite(values)], return_inverse=True)
    return tuple(offers_among(levels, np.bincount(where, counts[np.isfinite(values)], len(levels)).astype(np.int64)))


def cleaning(left_out: tuple[float, ...]) -> Cleaning:
    """What becomes of doubtful rows; ``left_out``: ratings that are none, as was said before."""
    with st.expander("What becomes of doubtful rows"):
        first, second, third = st.columns(3)
        duplicates = first.selectbox(
            "Rated twice: keep", list(_DUPLICATES), format_func=lambda key: _DUPLICATES[key], key="map-duplicates"
        )
        fewest_users = second.number_input("Fewest ratings of a person", 1, 1000, 1, key="map-min-user")
        fewest_items = third.number_input("Fewest ratings of an item", 1, 1000, 1, key="map-min-item")
        missing = st.text_input(
            "Other ratings that mean “not rated”",
            key="map-missing",
            placeholder="for example -1 or 0; several with spaces",
        )
        low, high, step = st.columns(3)
        lowest = low.number_input("Lowest possible rating", value=None, key="map-low", placeholder="as found")
        highest = high.number_input("Highest possible rating", value=None, key="map-high", placeholder="as found")
        width = step.number_input("Step between ratings", value=1.0, min_value=0.0, key="map-step")
    scale = Scale(float(lowest), float(highest), float(width)) if lowest is not None and highest is not None else None
    return Cleaning(
        missing=(*left_out, *_numbers(missing)),
        duplicates=duplicates,  # type: ignore[arg-type]
        min_user_ratings=int(fewest_users),
        min_item_ratings=int(fewest_items),
        scale=scale,
    )


def _numbers(text: str) -> tuple[float, ...]:
    found = []
    for part in text.replace(",", " ").replace(";", " ").split():
        try:
            found.append(float(part))
        except ValueError:
            st.caption(f"“{shortened(part, 20)}” is no number and was passed over.")
    return tuple(found)


def _column(label: str, columns: Sequence[str], guess: str, key: str, none: str = "") -> str:
    """A select box over the columns, at the guess; with ``none`` it may also stay open."""
    options = [*([_NONE] if none or not guess else []), *columns[:_MOST_COLUMNS]]
    if guess and guess not in options:
        options.append(guess)
    if st.session_state.get(f"{key} guessed") != (columns, guess):
        # Another table, or another reading of it: what was chosen before does not hold any more.
        st.session_state[f"{key} guessed"] = (columns, guess)
        st.session_state[key] = guess if guess in options else options[0]
    chosen = st.selectbox(
        label,
        options,
        format_func=lambda name: shortened(name, 60) if name else none or "choose a column",
        key=key,
    )
    return str(chosen)
