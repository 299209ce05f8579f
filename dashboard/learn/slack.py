"""Scene: ε as the slack that is needed for one genre to be inside another."""

from __future__ import annotations

import streamlit as st

from dashboard import link
from dashboard.learn.parts import NAMES, cinema_model, predict
from dashboard.learn.stage import show_slack
from nnm_core.datasets.synthetic import GENRES, demo
from nnm_core.interpret.hierarchy import Hierarchy, tag_hierarchy

CHAIN = ("Romance", "Comedy", "Family")
"""Three genres of which the first is in the second, the second in the third, but not the first in the third …"""

CHAIN_EPSILON = 0.41
"""… at this ε."""

DIGITS = 3
"""Of what stays empty: shown, and compared with ε, so that what holds agrees with the numbers on the screen."""

PARTS = {"two": "Two genres", "three": "Three genres"}


def hierarchy() -> Hierarchy:
    """Return the paper's hierarchy of the genres of the invented cinema."""
    return tag_hierarchy(cinema_model(), demo().dataset.tags)


def show() -> None:
    """Show the scene."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = link.segments("Part", PARTS, "slack", width="content", label_visibility="collapsed")
        if part == "two":
            narrow = str(link.select("Fill this genre", GENRES, "fill_of", default="Horror", width=200))
            broad = str(link.select("with this one", GENRES, "fill_with", default="Thriller", width=200))
    if part == "two":
        _two(narrow, broad)
    else:
        _three()


def _two(narrow: str, broad: str) -> None:
    if narrow == broad:
        asked = f"Two films are drawn from **{narrow}**. Does whoever likes one like the other too?"
        empty = "liking one but not the other"
    else:
        asked = f"Does whoever likes **{narrow}** like **{broad}** too?"
        empty = f"liking a film drawn from {narrow} but not one drawn from {broad}"
    st.markdown(
        f"{asked} The dashed bars show how likely each stereotype is to like a {narrow} film: E of the genre, "
        "**fitted** as in scene 4, hence no 0.00 as for a film of scene 1. Fill each to the share of "
        f"{broad} films that the stereotype likes. What stays empty stands for {empty}. All stereotypes count alike."
    )
    ordered = hierarchy()
    witness = ordered.witness(narrow, broad)
    question = "How much of all the dashed bars together stays empty?"
    options = ["Nothing", "About a third", "About two thirds"]
    why = (
        f"{witness.birth:.3f} of them. **ε** is how much may stay empty. If that is enough, {narrow} is **included** "
        f"in {broad}. This is written {narrow} ⊆ {broad}. {_why_above_zero(narrow)}"
    )
    is_answered = predict(f"slack-{narrow}-{broad}", question, options, _nearest(witness.birth), why)
    show_slack(f"{narrow} {broad}", _two_data(ordered, narrow, broad) | {"isFilled": is_answered})


def _why_above_zero(genre: str) -> str:
    """Return in words why ε has to be above 0."""
    empty = hierarchy().witness(genre, genre).birth
    return (
        f"**ε has to be above 0**: not even {genre} fills itself ({empty:.3f} stays empty), since every stereotype "
        "likes some of its films but not all."
    )


def _nearest(share: float) -> int:
    """Return which of none, a third and two thirds a share is nearest to."""
    return min(range(3), key=lambda third: abs(share - third / 3))


def _two_data(ordered: Hierarchy, narrow: str, broad: str) -> dict[str, object]:
    witness = ordered.witness(narrow, broad)
    first, second = ordered.vectors[ordered.rows([narrow, broad])]
    return {
        "stereotypes": list(NAMES),
        "narrow": {"name": narrow, "likes": first.tolist()},
        "broad": {"name": broad, "likes": second.tolist()},
        "losses": witness.losses.tolist(),
        "carried": witness.carried.tolist(),
        "birth": round(witness.birth, DIGITS),
        "epsilon": 0.1,
        "alt": f"{narrow} filled with {broad}: {witness.birth:.3f} of it stays empty",
    }


def _three() -> None:
    first, second, third = CHAIN
    st.markdown(
        f"{_why_above_zero('Horror')} What does that break? An arrow from one genre to another: the first is included "
        f"in the second, so at most ε of it stays empty. At ε = {CHAIN_EPSILON}, {first} is included in {second}, and "
        f"{second} in {third}."
    )
    question = f"Is {first} then included in {third}?"
    why = (
        "Each step may leave up to ε empty, so two steps may leave more. Inclusion at ε is **not transitive**: two "
        "steps need not make a third. The number at an arrow is the ε that it needs. Drag ε, and watch the arrows."
    )
    if predict("slack-three", question, ["Yes", "No"], 1, why):
        ordered = hierarchy()
        rows = ordered.rows(CHAIN)
        births = ordered.births[rows][:, rows].round(DIGITS)
        alt = "Three genres in a circle, with an arrow from each to every other that includes it"
        data = {"tags": list(CHAIN), "births": births.tolist(), "epsilon": CHAIN_EPSILON, "alt": alt}
        show_slack("three", data)
