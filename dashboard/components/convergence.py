"""Whether a fit converged: its objective and its error, iteration by iteration."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard.components import charts
from dashboard.compute.current import View
from dashboard.figures.convergence import errors_figure, objective_figure
from dashboard.wording import number, unit_for
from nnm_core.evaluation import Evaluation


def show(view: View, held_out: Evaluation | None) -> dict[str, go.Figure]:
    """Show the objective and the error per iteration, on held-out ratings too where they are known."""
    model = view.model
    st.header("Did the fit come to rest?", anchor=False)
    if not model.traces:
        st.caption("This model carries no record of its fit.")
        return {}
    last = model.traces[-1]
    rest = "It has converged" if model.converged else "It stopped before it converged"
    more = "" if model.converged else " Allow more iterations under **More options** in the sidebar."
    st.markdown(
        f"A fit goes in iterations: find the best answers for every {view.words.item}, then the best mixture for every "
        f"person. **{rest}**: the last iteration moved the stereotypes by {last.movement:.1g} on average.{more}"
    )
    skipped = last.shown_from // 2
    if skipped:
        st.caption(
            f"The pictures begin after the first {'round' if skipped == 1 else f'{number(skipped)} rounds'}: there, to "
            "get started, the fit counts unknown ratings as zero, so its misses do not compare with the later ones."
        )
    figures = {"Left unexplained": objective_figure(model.traces, view.style)}
    left, right = st.columns(2, gap="large")
    with left:
        st.caption(
            "What is left unexplained, round by round: the sum of all squared misses. A point at half a round is after "
            "its first half."
        )
        charts.show_figure(figures["Left unexplained"], "objective", "What is left unexplained, round by round")
    if view.dataset.implicit:
        return figures
    with right:
        st.caption("The typical miss, round by round. Large misses weigh more in it (root mean squared error, RMSE).")
        training, errors = last.training_errors, None
        if held_out is not None:
            fold = held_out.folds[0]
            training, errors = fold.training_errors, np.array([scores.rmse for scores in fold.sweeps])
        unit = unit_for(view.dataset)
        figures["Errors"] = errors_figure(training, view.style, held_out=errors, unit=unit, skipped=skipped)
        charts.show_figure(figures["Errors"], "errors", "The typical miss, round by round")
    return figures
