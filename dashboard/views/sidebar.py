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
MORE = (
    *("mode", "sweeps", "tol", "fill", "fill_sweeps", "generosity", "shrinkage", "kinship", "committee"),
    *("star_sweeps", "anchor_users", "anchor_items", "burn_in", "factors", "chains"),
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
        st.info(
            f"Showing the model in **{md(own.name, 60)}**, as it was fitted. A link does not hold it: whoever opens "
            "one needs this file too.",
            icon=":material/inventory_2:",
        )
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
        changes = _more(PRESETS[chosen]) if more.open or any(key in st.query_params for key in MORE) else {}
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
        "mode": _choice(
            "What a rating says",
            "mode",
            {"like": "how likely one likes it", "stars": "one answer of several"},
            "“One answer of several” tells how often a stereotype gives each rating, on the page with the items; it "
            "takes longer.",
        ),
        "n_sweeps": _whole("Most rounds of improving", "sweeps", 1, 1000, chosen.n_sweeps, _ROUNDS),
        "tol": _number(
            "Stop early below this gain",
            "tol",
            1.0,
            chosen.tol,
            "When a round improves the fit by a smaller share than this, it stops; 0 goes on to the last round.",
        ),
        "fill": _choice(
            "Not rated counts as zero at first",
            "fill",
            {"all": "wherever nothing is known", "sampled": "for a random part", "none": "never"},
            "People rate what they expect to like. A start from zeros lets the fit see what nobody chose; the rounds "
            "after it look at given ratings alone.",
        ),
        "fill_sweeps": _whole(
            "… in how many rounds",
            "fill_sweeps",
            0,
            1000,
            chosen.fill_sweeps,
            "More rounds, and what few people know seems less liked.",
        ),
        "generosity": _choice(
            "Set generosity aside",
            "generosity",
            {"on": "yes", "off": "no"},
            "Adds an enthusiast and a skeptic, who give everything the highest and the lowest rating, so that the "
            "stereotypes are about taste and not about how strict people are.",
        ),
        "shrinkage": _number(
            "Caution about little-known ones",
            "shrinkage",
            1000.0,
            chosen.shrinkage,
            "So many average ratings are added to everybody and everything: those with few ratings of their own stay "
            "closer to the average, and predictions get safer.",
        ),
        "kinship": _whole(
            "… and trust in their like, in how many ways",
            "kinship",
            0,
            100,
            chosen.kinship,
            "What people chose to rate says something about them too. Those with few ratings then stay closer to "
            "people who rated the same, and items to what the same people rated, instead of the average of all; 0 "
            "keeps to the average.",
        ),
        "committee": _whole("Average over several fits", "committee", 1, 32, chosen.committee, _COMMITTEE),
        "star_sweeps": _whole(
            "Rounds for several answers",
            "star_sweeps",
            1,
            1000,
            chosen.star_sweeps,
            "Matters only where a rating is read as one answer of several.",
        ),
    }
    if values["generosity"] is not None:
        values["generosity"] = values["generosity"] == "on"
    users = _whole("Learn from the most active people only", "anchor_users", 1, 10_000_000, None, _ANCHORS)
    items = _whole("… and the best-known items only", "anchor_items", 1, 10_000_000, None, _ANCHORS)
    if users and items:
        values["anchors"] = (users, items)
    elif users or items:
        st.caption("Give both numbers: how many people and how many items to learn from.")
    return {name: value for name, value in values.items() if value is not None}


def _more_distilled(chosen: FitOptions) -> dict[str, Any]:
    """The options that the accurate way of fitting knows."""
    values = {
        "n_sweeps": _whole(
            "Rounds of trying out", "sweeps", 2, 2000, chosen.n_sweeps, "More are steadier and take longer."
        ),
        "burn_in": _whole(
            "… of which the first do not count",
            "burn_in",
            1,
            1999,
            chosen.burn_in,
            "Until then it has not settled (the burn-in of a sampler).",
        ),
        "n_factors": _whole(
            "Detail of the model behind it",
            "factors",
            0,
            64,
            chosen.n_factors,
            "This way fits a freer model first, with so many numbers (factors) per person, and then the stereotypes "
            "that come closest to it. 0 lets the size of the data decide.",
        ),
        "n_chains": _whole(
            "Independent runs that are averaged",
            "chains",
            1,
            8,
            chosen.n_chains,
            "More are steadier and take as many times as long (chains of a sampler).",
        ),
        "committee": _whole("Average over several fits", "committee", 1, 32, chosen.committee, _COMMITTEE),
    }
    return {name: value for name, value in values.items() if value is not None}


_ROUNDS = "Each round fits everybody and everything a little better. More take longer; “How good” shows when it rests."
_COMMITTEE = (
    "Fits that many times from other random starts and takes their average, which predicts a little better and takes "
    "that many times as long."
)
_ANCHORS = (
    "For very large data: the stereotypes are found among these alone, which is faster, and everybody else is then "
    "described by them."
)


def _choice(label: str, key: str, texts: dict[str, str], about: str) -> str | None:
    allowed = {"mode": get_args(Mode), "fill": get_args(Fill)}.get(key, tuple(texts))
    chosen = state.select(
        label,
        allowed,
        key,
        form=lambda name: texts.get(name, str(name)),
        placeholder="as it is",
        help=_help(about, key),
    )
    return None if chosen is None else str(chosen)


def _whole(label: str, key: str, lowest: int, highest: int, as_it_is: int | None, about: str) -> int | None:
    given = st.number_input(
        label,
        lowest,
        highest,
        None,
        step=1,
        placeholder="all" if as_it_is is None else f"{as_it_is}",
        key=key,
        bind="query-params",
        help=_help(about, key),
    )
    return None if given is None else int(given)


def _number(label: str, key: str, highest: float, as_it_is: float, about: str) -> float | None:
    given = st.number_input(
        label,
        0.0,
        highest,
        None,
        format="%g",
        placeholder=f"{as_it_is:g}",
        key=key,
        bind="query-params",
        help=_help(about, key),
    )
    return None if given is None else float(given)


def _help(about: str, key: str) -> str:
    """What an option changes, and what it is called in a link."""
    return f"{about} In the address: `{key}`."
