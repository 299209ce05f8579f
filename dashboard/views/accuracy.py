"""Page: how well the model predicts, how many stereotypes predict best, and whether the fit has converged."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dashboard.components import accuracy, convergence, lists
from dashboard.components.common import display
from dashboard.components.common.current import current
from nnm_core.evaluation import Evaluation
from nnm_core.evaluation.cross_validation import Measure


def render() -> None:
    """Show the page."""
    view = current()
    st.title("Accuracy")
    figures: dict[str, go.Figure] = {}
    tables: dict[str, Any] = {}
    held_out: Evaluation | None = None
    measure: Measure = "rmse"
    if not accuracy.is_testable(view):
        st.info("There are too few ratings: nothing can be held out to predict.")
    elif view.dataset.implicit:
        lists.show_lists(view)
    else:
        words = st.container()
        asked = accuracy.choose(view)
        found = accuracy.run(view, asked)
        words.markdown(accuracy.describe(view, asked, found))
        figures, tables = accuracy.show_curve(view, asked, found)
        measure = asked.measure
        held_out = None if found.held_out is None else found.held_out.evaluation
    figures |= convergence.show_convergence(view, held_out, measure)
    display.offer_files("accuracy", tables, figures)
