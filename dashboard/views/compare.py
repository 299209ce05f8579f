"""Page: the current view beside another one, with matched stereotypes and what is different in words."""

from __future__ import annotations

import streamlit as st

from dashboard.components import comparison
from dashboard.components.common import display
from dashboard.components.common.current import current
from dashboard.wording import md
from nnm_core import InputError
from nnm_core.interpret.side_by_side import compare_sides


def render() -> None:
    """Show the page."""
    view = current()
    st.title("Compare")
    pair = comparison.choose(view)
    if pair is None:
        return
    this, other = pair
    try:
        found = compare_sides(this.side, other.side)
    except InputError as error:
        st.info(md(str(error), 300), icon=":material/compare_arrows:")
        return
    figures = comparison.show(this, other, found, view.look)
    display.offer_files("compare", {"Comparison": lambda: comparison.table(this, other, found)}, figures)
