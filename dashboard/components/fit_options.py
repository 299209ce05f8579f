"""The form with every further option of a fit, made from the library's table of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard import link
from nnm_core import FitOptions, InputError
from nnm_core.option_table import OPTIONS, Option

_SWITCH = {"on": True, "off": False}


def are_in_the_link() -> bool:
    """Return whether the link sets one of them."""
    return any(option.key in st.query_params for option in OPTIONS)


def ask(preset: FitOptions) -> dict[str, Any]:
    """Draw the options of the preset's method and return those that somebody set, by name."""
    st.caption("What you leave empty stays as the way of fitting has it.")
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
    """Return why the options cannot be used together, by their labels, and what to change.

    The fields allow only numbers of sweeps to clash; for anything else, return the library's message.
    """
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
        chosen = link.select(
            option.label,
            list(option.choices),
            option.key,
            form=option.choices.__getitem__,
            placeholder=next(text for key, text in option.choices.items() if values[key] == preset_value),
            help=about,
        )
        return None if chosen is None else values[chosen]
    steps: dict[str, Any] = {"format": "%g"} if option.kind is float else {"step": 1}
    return st.number_input(
        option.label,
        option.kind(option.lowest),
        option.kind(option.highest),
        None,
        placeholder="all" if preset_value is None else f"{preset_value:g}",
        key=option.key,
        bind="query-params",
        help=about,
        **steps,
    )


def _option(name: str, method: str) -> Option:
    return next(option for option in OPTIONS if option.name == name and option.method == method)
