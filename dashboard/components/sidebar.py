"""The sidebar that stays on every page: data set, number of stereotypes, preset, seed, and every option of the fit."""

from __future__ import annotations

import streamlit as st

from dashboard import link, session, wording
from dashboard.components import fit_options, live
from dashboard.compute import store
from dashboard.session import FIRST
from dashboard.wording import md
from nnm_core import PRESETS, InputError, preset
from nnm_core.datasets import catalogue

MOST_STEREOTYPES = 32

_PRESETS = {
    "recommended": "Recommended",
    "paper": "As in the paper",
    "accurate": "Accurate (takes longer)",
}
_ABOUT_PRESETS = (
    "**Recommended** tells taste from generosity and predicts well, at once. **As in the paper** is Algorithm 1 and "
    "nothing else. **Accurate** predicts best and takes seconds to a minute."
)


def render() -> session.Spec:
    """Draw the sidebar; return what it asks for."""
    data = _data()
    own = session.own_model()
    if own is not None:
        st.info(
            f"Showing the model in **{md(own.name, 60)}**, as it was fitted. A link does not hold it: whoever opens "
            "one needs this file too.",
            icon=":material/inventory_2:",
        )
        if st.button("Fit again instead", width="stretch"):
            session.show_own_model(None)
            st.rerun()
        return session.Spec(data, own.model.options, own.model.seed)
    n_stereotypes = st.slider(
        "Kinds of taste (D)",
        1,
        MOST_STEREOTYPES,
        FIRST.options.n_stereotypes,
        key="D",
        bind="query-params",
        help="How many stereotypes everybody is a mixture of. The paper calls this number D.",
    )
    held = live.dragged("D")
    if held is not None:
        n_stereotypes = min(max(int(held), 1), MOST_STEREOTYPES)
    choices = list(PRESETS)
    chosen = str(
        link.select(
            "Way of fitting",
            choices,
            "fit",
            default="recommended",
            form=lambda name: _PRESETS.get(name, str(name).capitalize()),
            help=_ABOUT_PRESETS,
        )
    )
    seed = st.number_input(
        "Random start (seed)",
        0,
        999_999,
        FIRST.seed,
        key="seed",
        bind="query-params",
        help="Every fit starts at random. The same number gives the same fit; another one shows what is chance.",
    )
    with st.expander("More options", key="more", on_change="rerun") as more:
        changes = fit_options.ask(PRESETS[chosen]) if more.open or fit_options.are_in_the_link() else {}
    try:
        options = preset(chosen, n_stereotypes=int(n_stereotypes), **changes)
    except InputError as error:
        st.error(md(fit_options.why_not(PRESETS[chosen], changes, error), 500))
        options = preset(chosen, n_stereotypes=int(n_stereotypes))
    return session.Spec(data, options, int(seed))


def title_of(key: str) -> str:
    """Return what the sidebar calls a data set."""
    if key.startswith(store.OWN):
        loaded = store.own_dataset(key, session.owner())
        return f"{loaded.dataset.name} (yours)" if loaded else "Your data"
    missing = key in catalogue.CATALOGUE and catalogue.find_local(key) is None
    return wording.title_of(key, key) + (" · to download" if missing else "")


def _data() -> str:
    """Draw the choice of the data set, newest uploads of this browser first; return its key."""
    own = list(store.own_datasets(session.owner()))[::-1]
    options = [*own, *catalogue.names()]
    asked = st.session_state.get("data", st.query_params.get("data", FIRST.data))
    if asked not in options:
        was_here = "data" in st.session_state
        session.state().lost_data = (str(asked), was_here)
        if was_here:
            session.show_own_model(None)  # which was one of those data
    return str(link.select("Data set", options, "data", default=FIRST.data, form=title_of))
