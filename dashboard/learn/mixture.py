"""Scene: from a coin to a mixture of stereotypes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard import link, session
from dashboard.components.display import show_figure
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


def show() -> None:
    """Show the scene."""
    parts = {"coin": "A coin", "die": "A die", "people": "People"}
    part = link.segments("Part", parts, "mix", label_visibility="collapsed")
    {"coin": _coin, "die": _die, "people": _people}[part]()


def _coin() -> None:
    st.markdown(
        "One coin always lands heads, another always tails. Every other coin is a **mixture** of these two. "
        "It is a point on the line between them."
    )
    why = "Toss it: 7 times in 10 it acts like the first coin, 3 times in 10 like the second. Drag the point to see."
    options = ["7 parts heads, 3 parts tails", "A third kind of coin", "It cannot be said"]
    shown = predict("coin", "A coin lands heads 7 times in 10. What is it made of?", options, 0, why)
    questions = {"P(heads) = p · E, with E = (1, 0)": np.array([1.0, 0.0])}
    questions |= {"P(tails) = p · E, with E = (0, 1)": np.array([0.0, 1.0])}
    corners = ["always heads", "always tails"]
    show_point("learn-coin", "The coin, as a mixture", corners, [0.5, 0.5], questions if shown else {})


def _die() -> None:
    st.markdown(
        "A die with four sides has four corners to mix. This one is loaded. "
        "An **event** is a set of sides: E is 1 for a side that counts, and 0 for one that does not."
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
        st.markdown(f"P(event) = p · E = {terms} = **{DIE @ counts:g}**")


def _people() -> None:
    st.markdown(
        "Now the corners are three people: a **thrill seeker**, a **romantic** and a **parent**. We call them "
        "stereotypes. Everybody else is a mixture of them, and a film is a question: do you like it?"
    )
    films, scale = questions_of_films(), demo().dataset.ratings.scale
    horror = float(scale.from_unit(HALF_AND_HALF @ next(iter(films.values()))))
    options = ["1 star", f"{horror:.1f} stars", "4 stars"]
    question = "Somebody is half thrill seeker, half parent. How will they rate a horror film?"
    why = "Half of a fan's 5 stars, half of next to none. Drag the point, and watch the three films."
    shown = predict("people", question, options, 1, why)
    start = [0.34, 0.33, 0.33]
    show_point("learn-people", "The person, as a mixture", NAMES, start, films if shown else {}, scale)


def questions_of_films() -> dict[str, FloatArray]:
    """Return what the three stereotypes think of the three films, {title: E}."""
    cinema = demo()
    rows = [cinema.dataset.ratings.item_ids.index(film) for film in FILMS]
    titles = [f"{cinema.dataset.titles[row]}, {FILMS[film]}" for row, film in zip(rows, FILMS, strict=True)]
    return {title: cinema.truth.likes[row] for title, row in zip(titles, rows, strict=True)}
