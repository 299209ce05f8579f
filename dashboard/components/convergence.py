"""Whether a fit came to rest: what it left unexplained and how far off it was, round by round."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dashboard.components import parts
from dashboard.compute.current import View
from dashboard.figures.convergence import errors_figure, objective_figure
from dashboard.wording import number, unit_for
from nnm_core.evaluation import Evaluation


def show(view: View, held_out: Evaluation | None) -> dict[str, go.Figure]:
    """What the fit tells about itself, and the error per round, held-out ratings included where they are known."""
    model, unit = view.model, unit_for(view.dataset)
    st.header("Did the fit come to rest?", anchor=False)
    if not model.traces:
        st.caption("This model carries no record of its fit.")
        return {}
    last = model.traces[-1]
    rest = "It came to rest" if model.converged else "It had not quite come to rest"
    more = "" if model.converged else " There can be more rounds: under **More options** in the sidebar."
    st.markdown(
        f"A fit goes in rounds: find the best answers for every {view.words.item}, then the best mixture for every "
        f"person. **{rest}**: the last round changed what is left unexplained by {_small(last.progress)}.{more}"
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
        parts.picture(figures["Left unexplained"], "objective", "What is left unexplained, round by round")
    if view.dataset.implicit:
        return figures
    with right:
        st.caption("The typical miss, round by round. Large misses weigh more in it (root mean squared error, RMSE).")
        if held_out is None:
            figure = errors_figure(last.training_errors, None, unit, view.style, skipped=skipped)
        else:
            fold = held_out.folds[0]
            errors = np.array([scores.rmse for scores in fold.sweeps], dtype=np.float64)
            figure = errors_figure(fold.training_errors, errors, unit, view.style, skipped=skipped)
        figures["Errors"] = figure
        parts.picture(figure, "errors", "The typical miss, round by round")
    return figures


def _small(share: float) -> str:
    """A share that is often tiny, never as nothing where it is something."""
    return "less than 0.01%" if 0 < share < 1e-4 else f"{share:.2%}"
