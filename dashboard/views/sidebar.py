"""The sidebar that stays on every page: data set, number of stereotypes, preset, seed, and every option of the fit."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from dashboard import cache, state, wording
from dashboard.wording import md
from nnm_core import PRESETS, FitOptions, InputError, preset
from nnm_core.datasets import catalogue
from nnm_core.options import Fill, Mode

MOST_STEREOTYPES = 32

_PRESETS = {
    "recommended": "Recommended",
    "paper": "As in the paper",
    "accurate": "Accurate (takes longer)",
}
_MORE = (
    *("mode", "sweeps", "tol", "fill", "fill_sweeps", "generosity", "shrinkage", "committee", "star_sweeps"),
    *("anchor_users", "anchor_items", "burn_in", "factors", "chains"),
)
"""What the link calls the options that are drawn only when somebody looks at them or has set one."""

_ABOUT_PRESETS = (
    "**Recommended** tells taste from generosity and predicts well, at once. **As in the paper** is Algorithm 1 and "
    "nothing else. **Accurate** predicts best and takes seconds to a minute."
)


def render() -> state.Spec:
    """Draw the sidebar; what it asks for."""
    data = _data()
    own = state.own_model()
    if own is not None:
        st.info(f"Showing the model in **{md(own.name, 60)}**, as it was fitted.", icon=":material/inventory_2:")
        if st.button("Fit again instead", width="stretch"):
            state.show_own_model(None)
            st.rerun()
        return state.Spec(data, own.model.options, own.model.seed)
    n_stereotypes = st.slider(
        "Kinds of taste (D)",
        1,
        MOST_STEREOTYPES,
        3,
        key="D",
        bind="query-params",
        help="How many stereotypes everybody is a mixture of. The paper calls this number D.",
    )
    choices = list(PRESETS)
    chosen = str(
        state.select(
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
        0,
        key="seed",
        bind="query-params",
        help="Every fit starts at random. The same number gives the same fit; another one shows what is chance.",
    )
    with st.expander("More options", key="more", on_change="rerun") as more:
        changes = _more(PRESETS[chosen]) if more.open or any(key in st.query_params for key in _MORE) else {}
    try:
        options = preset(chosen, n_stereotypes=int(n_stereotypes), **changes)
    except InputError as error:
        st.error(md(str(error), 500))
        options = preset(chosen, n_stereotypes=int(n_stereotypes))
    return state.Spec(data, options, int(seed))


def title_of(key: str) -> str:
    """What the sidebar calls a data set."""
    if key.startswith(cache.OWN):
        loaded = cache.own_dataset(key, state.owner())
        return f"{loaded.dataset.name} (yours)" if loaded else "Your data"
    missing = key in catalogue.CATALOGUE and catalogue.find_local(key) is None
    return wording.title_of(key, key) + (" · to download" if missing else "")


def _titles(keys: list[str]) -> dict[str, str]:
    """What each data set is called; uploads of the same name are numbered, the newest first."""
    titles: dict[str, str] = {}
    for key in keys:
        title, number = title_of(key), 1
        unique = title
        while unique in titles.values():
            number += 1
            unique = f"{title} {number}"
        titles[key] = unique
    return titles


def _data() -> str:
    """The choice of the data set: uploads of this browser first."""
    own = list(cache.own_datasets(state.owner()))[::-1]
    options = [*own, *catalogue.names()]
    asked = st.session_state.get("data", st.query_params.get("data", catalogue.BUNDLED))
    if asked not in options:
        st.session_state["lost data"] = str(asked)
    return str(state.select("Data set", options, "data", default=catalogue.BUNDLED, form=_titles(options).__getitem__))


def _more(chosen: FitOptions) -> dict[str, Any]:
    """Every other option; what is left open is as the preset has it."""
    st.caption("What you leave empty stays as the way of fitting has it.")
    if chosen.method == "distilled":
        return _more_distilled(chosen)
    values: dict[str, Any] = {
        "mode": _choice("Ratings are read as", "mode", {"like": "how likely one likes it", "stars": "an answer each"}),
        "n_sweeps": _whole("Rounds", "sweeps", 1, 1000, chosen.n_sweeps),
        "tol": _number("Stop when a round gains less than (share)", "tol", 1.0, chosen.tol),
        "fill": _choice(
            "Unknown ratings count as zero at first",
            "fill",
            {"all": "all of them", "sampled": "a sample of them", "none": "none of them"},
        ),
        "fill_sweeps": _whole("… for that many rounds", "fill_sweeps", 0, 1000, chosen.fill_sweeps),
        "generosity": _choice("Enthusiast and skeptic", "generosity", {"on": "with them", "off": "without them"}),
        "shrinkage": _number("Pull toward the average (ratings)", "shrinkage", 1000.0, chosen.shrinkage),
        "committee": _whole("Average over fits", "committee", 1, 32, chosen.committee),
        "star_sweeps": _whole("Rounds for answers", "star_sweeps", 1, 1000, chosen.star_sweeps),
    }
    if values["generosity"] is not None:
        values["generosity"] = values["generosity"] == "on"
    users = _whole("Fit only the most active people", "anchor_users", 1, 10_000_000, None)
    items = _whole("… and the best-known items", "anchor_items", 1, 10_000_000, None)
    if users and items:
        values["anchors"] = (users, items)
    elif users or items:
        st.caption("Give both numbers: how many people and how many items to fit; the rest is folded in.")
    return {name: value for name, value in values.items() if value is not None}


def _more_distilled(chosen: FitOptions) -> dict[str, Any]:
    """The options that the accurate way of fitting knows."""
    values = {
        "n_sweeps": _whole("Rounds", "sweeps", 2, 2000, chosen.n_sweeps),
        "burn_in": _whole("… of which the first do not count", "burn_in", 1, 1999, chosen.burn_in),
        "n_factors": _whole("Factors of the relaxed model (0: by the data)", "factors", 0, 64, chosen.n_factors),
        "n_chains": _whole("Chains that are averaged", "chains", 1, 8, chosen.n_chains),
        "committee": _whole("Average over fits", "committee", 1, 32, chosen.committee),
    }
    return {name: value for name, value in values.items() if value is not None}


def _choice(label: str, key: str, texts: dict[str, str]) -> str | None:
    allowed = {"mode": get_args(Mode), "fill": get_args(Fill)}.get(key, tuple(texts))
    chosen = state.select(label, allowed, key, form=lambda name: texts.get(name, str(name)), placeholder="as it is")
    return None if chosen is None else str(chosen)


def _whole(label: str, key: str, lowest: int, highest: int, as_it_is: int | None) -> int | None:
    given = st.number_input(
        label,
        lowest,
        highest,
        None,
        step=1,
        placeholder="all" if as_it_is is None else f"{as_it_is}",
        key=key,
        bind="query-params",
    )
    return None if given is None else int(given)


def _number(label: str, key: str, highest: float, as_it_is: float) -> float | None:
    given = st.number_input(
        label, 0.0, highest, None, format="%g", placeholder=f"{as_it_is:g}", key=key, bind="query-params"
    )
    return None if given is None else float(given)
