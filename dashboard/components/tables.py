"""Columns that the tables of several pages share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd
import streamlit as st

from dashboard.wording import Words


def show_table(
    table: pd.DataFrame, key: str, columns: Mapping[str, Any], *, height: int | Literal["auto"] = "auto"
) -> None:
    """Show a table across its column, without its index."""
    st.dataframe(table, hide_index=True, width="stretch", height=height, key=key, column_config=columns)


def title_column(words: Words) -> Any:
    """Return the column with an item's title: so wide that a phone has room for a number beside it."""
    return st.column_config.TextColumn(
        words.item.capitalize(), width=220, help="Double-click a long title to read all of it."
    )


def number_column(title: str, form: str) -> Any:
    """Return a narrow column of numbers."""
    return st.column_config.NumberColumn(title, format=form, width=68)


def percent_column(title: str) -> Any:
    """Return a column of percents, each with a bar."""
    return st.column_config.ProgressColumn(title, format="%.0f%%", min_value=0.0, max_value=100.0, width=104)
