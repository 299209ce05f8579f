"""The slider of ε, and the barcode below it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard import link, session
from dashboard.components import charts, live
from dashboard.compute.current import View
from dashboard.figures.barcode import barcode_figure
from nnm_core.interpret.hierarchy.inclusion import Hierarchy


def choose_epsilon(view: View, hierarchy: Hierarchy, start: float) -> float:
    """Show the slider over the range in which anything changes, and the barcode; return the chosen ε.

    ``start``: where the slider stands until somebody moves it.
    """
    births = hierarchy.births[~np.eye(len(hierarchy.tags), dtype=np.bool_)]
    low = float(max(0.0, np.floor((births.min() - 0.01) * 20) / 20))
    high = float(min(1.0, np.ceil((births.max() + 0.01) * 20) / 20))
    epsilon = min(max(_asked(start), low), high)
    mine = session.state()
    if (st.session_state.get("eps"), mine.epsilon_range) != (epsilon, (low, high)):
        # Only where it has to move: setting a slider undoes what somebody did to it in the meantime.
        st.session_state["eps"], mine.epsilon_range = epsilon, (low, high)
    mine.epsilon_start = min(max(start, low), high)
    label = "ε: how much may fall outside"
    epsilon = float(st.slider(label, low, high, step=0.001, format="%.3f", key="eps", persist_state="session"))
    # In the link only once somebody moved it: until then every view has an ε of its own, wherever it is opened.
    link.set_param("eps", "" if epsilon == mine.epsilon_start else f"{epsilon:.3f}")
    held = live.dragged("eps")
    epsilon = epsilon if held is None else min(max(held, low), high)
    barcode = barcode_figure(hierarchy.births, view.style, epsilon=epsilon, reach=(low, high))
    charts.show_figure(barcode, "barcode", "Where inclusions begin")
    st.caption("Every stroke is an ε at which one more inclusion begins; the coloured line is where you are.")
    return epsilon


def _asked(start: float) -> float:
    """Return the ε that somebody chose, here or in the link; else ``start``."""
    asked = st.session_state.get("eps", st.query_params.get("eps"))
    if asked is None or asked == session.state().epsilon_start:
        return start
    try:
        epsilon = round(float(asked), 3)
    except ValueError:
        return start
    return start if np.isnan(epsilon) else epsilon
