"""The form that says which column means what, filled with the guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from nnm_core.datasets import Cleaning, ColumnMapping, ItemColumns, Prefill, RatingColumns, UserColumns
from nnm_core.meaning.phrases import shortened
from nnm_core.scale import Scale

_NONE = ""
_MOST_COLUMNS = 500
_DUPLICATES = {"last": "the last one", "first": "the first one", "mean": "their mean"}


def ratings(guess: Prefill) -> ColumnMapping:
    """Which columns hold people, items and ratings."""
    found = guess.mapping.ratings
    st.subheader("Which column is what?", anchor=False)
    if found.layout == "wide":
        return ColumnMapping(_wide(found))
    person, item, rating = st.columns(3)
    with person:
        user = _column("Person", found.columns, found.user, "map-user")
    with item:
        thing = _column("Item", found.columns, found.item, "map-item")
    with rating:
        value = _column("Rating", found.columns, found.rating, "map-rating", none="none: a row only says “chosen”")
    return ColumnMapping(replace(found, user=user, item=thing, rating=value))


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


def cleaning() -> Cleaning:
    """What becomes of doubtful rows."""
    with st.expander("What becomes of doubtful rows"):
        first, second, third = st.columns(3)
        duplicates = first.selectbox(
            "Rated twice: keep", list(_DUPLICATES), format_func=lambda key: _DUPLICATES[key], key="map-duplicates"
        )
        fewest_users = second.number_input("Fewest ratings of a person", 1, 1000, 1, key="map-min-user")
        fewest_items = third.number_input("Fewest ratings of an item", 1, 1000, 1, key="map-min-item")
        missing = st.text_input(
            "Ratings that mean “not rated”", key="map-missing", placeholder="for example -1 or 0; several with spaces"
        )
        low, high, step = st.columns(3)
        lowest = low.number_input("Lowest possible rating", value=None, key="map-low", placeholder="as found")
        highest = high.number_input("Highest possible rating", value=None, key="map-high", placeholder="as found")
        width = step.number_input("Step between ratings", value=1.0, min_value=0.0, key="map-step")
    scale = Scale(float(lowest), float(highest), float(width)) if lowest is not None and highest is not None else None
    return Cleaning(
        missing=_numbers(missing),
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
    chosen = st.selectbox(
        label,
        options,
        index=options.index(guess) if guess in options else 0,
        format_func=lambda name: shortened(name, 60) if name else none or "choose a column",
        key=key,
    )
    return str(chosen)
