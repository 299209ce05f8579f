"""Scene: from a coin to a mixture of stereotypes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard import link, session
from dashboard.components.common.display import show_figure
from dashboard.figures.learn import die_figure
from dashboard.learn.parts import NAMES, predict
from dashboard.learn.stage import show_point
from nnm_core.datasets.synthetic import demo
from nnm_core.types import FloatArray

DIE = np.array([1 / 4, 1 / 4, 1 / 8, 3 / 8])
"""The paper's four-sided die: the probability of each side."""

HALF_AND_HALF = np.array([0.5, 0.0, 0.5])
"""The person of the question: half thrill seeker, half parent."""

FILMS = {"film-25": "Horror", "film-37": "Romance", "film-13": "Family"}
"""Three films of the invented cinema, and their genres."""

PARTS = {"coin": "A coin", "die": "A die", "people": "People"}


def show() -> None:
    """Show the scene."""
    part = link.segments("Part", PARTS, "mix", label_visibility="collapsed")
    {"coin": _coin, "die": _die, "people": _people}[part]()


def _coin() -> None:
    st.markdown(
        "One coin always lands heads, another always tails. Every other coin is a **mixture** of these two: a point on "
        "the line between them. Its two shares are called **p**. They are not negative and add up to 1."
    )
    why = "Toss it: 7 times in 10 it acts like the first coin, 3 times in 10 like the second. Drag the point to see."
    options = ["7 parts heads, 3 parts tails", "A third kind of coin", "It cannot be said"]
    shown = predict("coin", "A coin lands heads 7 times in 10. What is it made of?", options, 0, why)
    if shown:
        st.markdown(
            "**E** says how likely an answer is at each of the two ends. Heads has E = (1, 0), tails has E = (0, 1). "
            "**p · E** multiplies each share by its E and adds up. That is the probability of the answer."
        )
    questions = {"Heads: p · E with E = (1, 0)": np.array([1.0, 0.0])}
    questions |= {"Tails: p · E with E = (0, 1)": np.array([0.0, 1.0])}
    corners = ["always heads", "always tails"]
    show_point("learn-coin", "The coin, as a mixture", corners, [0.5, 0.5], questions if shown else {})


def _die() -> None:
    st.markdown(
        "Take four dice: one always lands on 1, one on 2, one on 3, one on 4. Every loaded die with four sides is a "
        "mixture of these. Its four shares p are the probabilities below. If you ask for “1 or 4”, sides 1 and 4 "
        "**count**: E is 1 for them, 0 for others."
    )
    options = ["3/8", "1/2", "5/8"]
    question = "The sides have the probabilities 1/4, 1/4, 1/8 and 3/8. How likely is “1 or 4”?"
    shown = predict("die", question, options, 2, "Add up the sides that count: 1/4 + 3/8. As a formula that is p · E.")
    sides = ["1", "2", "3", "4"]
    chosen = st.pills("Sides that count", sides, default=["1", "4"], selection_mode="multi", key="learn-sides")
    counts = np.array([side in chosen for side in sides], dtype=np.float64)
    alt = "The probabilities of the four sides; the sides that count are full"
    show_figure(die_figure(DIE, counts, session.look()), "learn-die", alt)
    if shown:
        terms = " + ".join(f"{p:g} × {e:g}" for p, e in zip(DIE, counts, strict=True))
        st.markdown(f"Probability that one of these sides comes up: p · E = {terms} = **{DIE @ counts:g}**")


def _people() -> None:
    st.markdown(
        "Now the corners are three people: a **thrill seeker**, a **romantic** and a **parent**. We call them "
        "**stereotypes**. Everybody else is a mixture of them, with shares p. A film asks: do you like it? Its E says "
        "how likely each stereotype is to say yes. It is known here, since the films are invented; later scenes "
        "**fit** it to ratings. The stars are 5 times the probability, and at least 1."
    )
    films, scale = questions_of_films(), demo().dataset.ratings.scale
    seeker, _, parent = likes = next(iter(films.values()))
    half, chance = HALF_AND_HALF[0], float(HALF_AND_HALF @ likes)
    stars = float(scale.from_unit(chance))
    options = ["1 star", f"{stars:.1f} stars", "4 stars"]
    question = (
        f"Somebody is half thrill seeker, half parent. A thrill seeker likes this horror film with probability "
        f"{seeker:.2f}, a parent with {parent:.2f}. How many stars will they give?"
    )
    why = (
        f"{half:g} × {seeker:.2f} + {half:g} × {parent:.2f} = {chance:.2f}, and {chance:.2f} × 5 = {stars:.1f}. "
        "Drag the point, and watch the three films."
    )
    shown = predict("people", question, options, 1, why)
    start = [0.34, 0.33, 0.33]
    show_point("learn-people", "The person, as a mixture", NAMES, start, films if shown else {}, scale)


def questions_of_films() -> dict[str, FloatArray]:
    """Return what the three stereotypes think of the three films, {title: E}.

    E has two decimals, as on the page, so that whoever calculates along gets what the page says.
    """
    cinema = demo()
    rows = [cinema.dataset.ratings.item_ids.index(film) for film in FILMS]
    titles = [f"{cinema.dataset.titles[row]}, {FILMS[film]}" for row, film in zip(rows, FILMS, strict=True)]
    return {title: cinema.truth.likes[row].round(2) for title, row in zip(titles, rows, strict=True)}
