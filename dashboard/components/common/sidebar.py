"""The sidebar that stays on every page: data set, number of stereotypes, preset, seed, and every option of the fit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from dashboard import link, session, wording
from dashboard.components.common import widgets
from dashboard.compute import sharing, store
from dashboard.compute.sharing import Share
from dashboard.session import FIRST
from dashboard.wording import md
from nnm_core import PRESETS, FitOptions, InputError, preset
from nnm_core.datasets import catalogue
from nnm_core.option_table import OPTIONS, Option

MOST_STEREOTYPES = 32
METHODS = {"recommended": "Recommended", "paper": "As in the paper", "accurate": "Accurate (takes longer)"}
_ABOUT_PRESETS = (
    "**Recommended** tells taste from generosity and predicts well, at once. **As in the paper** is Algorithm 1 and "
    "nothing else: it stops after 16 iterations, before it has converged. **Accurate** predicts best "
    "and takes seconds to a minute."
)
_SWITCH = {"on": True, "off": False}
_OPTION_KEYS = tuple(option.key for option in OPTIONS)


def render() -> session.Spec:
    """Draw the sidebar; return what it asks for."""
    share = session.shared()
    data = _data() if share is None else _describe_share(share)
    own = session.own_model()  # which goes with lost data
    if own is not None and share is not None:
        return session.Spec(data, own.model.options, own.model.seed)
    if own is not None:
        st.info(
            f"Showing the model in **{md(own.name, 60)}**, as it was fitted. The address does not hold it; a link "
            "that **Share** makes does.",
            icon=":material/inventory_2:",
        )
        if st.button("Fit again instead", width="stretch"):
            session.show_own_model(None)
            st.rerun()
        return session.Spec(data, own.model.options, own.model.seed)
    about = "How many stereotypes everybody is a mixture of. The paper calls this number D."
    first, most = FIRST.options.n_stereotypes, MOST_STEREOTYPES
    n_stereotypes = link.slider("Stereotypes (D)", 1, most, first, "D", help=about)
    held = widgets.dragged("D")
    if held is not None:
        n_stereotypes = min(max(int(held), 1), MOST_STEREOTYPES)
    form = METHODS.__getitem__
    way = link.select("Method", list(PRESETS), "fit", default="recommended", form=form, help=_ABOUT_PRESETS)
    chosen = str(way)
    with st.expander("More options", key="more", on_change="rerun") as more:
        about = "Every fit starts at random. The same number gives the same fit."
        limits: dict[str, Any] = {"min_value": 0, "max_value": 999_999, "step": 1}
        seed = link.number("Random seed", "seed", value=FIRST.seed, help=about, **limits)
        # Another page begins with the box closed and without most of the link, but with the state of its fields.
        is_set = any(key in st.query_params or st.session_state.get(key) is not None for key in _OPTION_KEYS)
        changes = ask_options(PRESETS[chosen]) if more.open or is_set else {}
    try:
        options = preset(chosen, n_stereotypes=int(n_stereotypes), **changes)
    except InputError as error:
        st.error(md(why_not(PRESETS[chosen], changes, error), 500))
        options = preset(chosen, n_stereotypes=int(n_stereotypes))
    return session.Spec(data, options, int(seed))


def changed_options() -> dict[str, tuple[str, Any]]:
    """Return the options that are not at their defaults, {key: (text, default)}; once the sidebar is drawn.

    Not the number of stereotypes, which its slider shows all the time.
    """
    state, spec = st.session_state, session.state().spec
    found: dict[str, tuple[str, Any]] = {}
    if session.own_model() is not None:
        return found
    if state.get("fit") != "recommended":
        found["fit"] = (f"Method: {METHODS[state['fit']]}", "recommended")
    if spec.seed != FIRST.seed:
        found["seed"] = (f"Random seed: {spec.seed}", FIRST.seed)
    for option in OPTIONS:
        value = state.get(option.key)
        if value is not None and option.method in (spec.options.method, None):
            said = option.choices[value] if option.choices else f"{value:g}"
            found[option.key] = (f"{option.label}: {said}", None)
    return found


def title_of(key: str, own: Mapping[str, str] | None = None) -> str:
    """Return what the sidebar calls a data set; ``own``: the names of this owner's data, if they are known already."""
    if key.startswith(store.OWN):
        name = (store.own_names(session.owner()) if own is None else own).get(key)
        return "Your data" if name is None else f"{name} (yours)"
    if key.startswith(sharing.SHARED):
        share = session.shared()
        return "Shared data" if share is None else f"{share.title} (shared)"
    missing = key in catalogue.CATALOGUE and catalogue.find_local(key) is None
    return wording.title_of(key, key) + (" · to download" if missing else "")


def plain_title_of(key: str) -> str:
    """Return what a data set is called, whoever looks at it."""
    return store.own_names(session.owner()).get(key) or wording.title_of(key, key)


def _describe_share(share: Share) -> str:
    """Say that this is somebody's shared view, and offer the way out of it; return the key of its data."""
    what = "You may look at it and download the data" if share.may_download else "You may look at it"
    until = "" if share.expires is None else f", until {wording.day(share.expires)}"
    st.info(
        f"**{md(share.title, 80)}**, shared as it was on {wording.day(share.created)}. {what}{until}.",
        icon=":material/share:",
    )
    if st.button("Leave the shared view", icon=":material/logout:", width="stretch"):
        session.leave_share()
        st.rerun()
    return sharing.SHARED + share.id


def _data() -> str:
    """Draw the choice of the data set, newest uploads of this browser first; return its key."""
    own = store.own_names(session.owner())
    options = [*reversed(own), *catalogue.names()]
    asked = st.session_state.get("data", st.query_params.get("data", FIRST.data))
    if asked not in options:
        was_here = "data" in st.session_state
        session.state().lost_data = (str(asked), was_here)
        if was_here:
            session.show_own_model(None)  # which was one of those data
    form = partial(title_of, own=own)
    return str(link.select("Data set", options, "data", default=FIRST.data, form=form, note=False))


def ask_options(preset: FitOptions) -> dict[str, Any]:
    """Draw the options of the preset's method and return those that somebody set, by name."""
    st.caption("What you leave empty stays as the method has it.")
    given: dict[str, Any] = {}
    anchors: list[int | None] = []
    for option in OPTIONS:
        if option.method not in (preset.method, None):
            continue
        value = _ask_one(option, getattr(preset, option.name))
        if option.name == "anchors":
            anchors.append(value)
        elif value is not None:
            given[option.name] = value
    if all(anchors) and anchors:
        given["anchors"] = tuple(anchors)
    elif any(anchors):
        st.caption("Give both numbers: how many people and how many items to learn from.")
    return given


def why_not(preset: FitOptions, given: Mapping[str, Any], error: InputError) -> str:
    """Return why the options cannot be used together; the fields allow only numbers of sweeps to clash."""
    method, distilled = preset.method, preset.method == "distilled"
    more, less = _option("n_sweeps", method), _option("burn_in" if distilled else "fill_sweeps", method)
    sweeps, fewer = (given.get(option.name, getattr(preset, option.name)) for option in (more, less))
    if sweeps > fewer:
        return str(error)
    name = f"“{less.label}”" if distilled else f"“{_option('fill', method).label} {less.label}”"
    clash = f"“{more.label}” is {sweeps:,} and must be more than {name}, which is {fewer:,}"
    way_out = "Raise the first or lower the second"
    if not distilled:
        generosity = _option("generosity", method)
        way_out += f", or choose “{generosity.choices['off']}” for “{generosity.label}”"
    return f"{clash}. {way_out}; until then no option set here is used."


def _ask_one(option: Option, preset_value: Any) -> Any:
    """Draw one field; return the chosen value, None if it stays as the preset has it."""
    about = f"{option.help} In the address: `{option.key}`."
    if option.choices:
        values = _SWITCH if option.kind is bool else {key: key for key in option.choices}
        hint = next(text for key, text in option.choices.items() if values[key] == preset_value)
        form, options = option.choices.__getitem__, list(option.choices)
        chosen = link.select(option.label, options, option.key, form=form, placeholder=hint, help=about)
        return None if chosen is None else values[chosen]
    field: dict[str, Any] = {"min_value": option.kind(option.lowest), "max_value": option.kind(option.highest)}
    field |= {"format": "%g"} if option.kind is float else {"step": 1}
    field |= {"placeholder": "all" if preset_value is None else f"{preset_value:g}", "help": about}
    return link.number(option.label, option.key, value=None, **field)


def _option(name: str, method: str) -> Option:
    return next(option for option in OPTIONS if option.name == name and option.method == method)
