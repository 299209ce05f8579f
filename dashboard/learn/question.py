"""Scene: from a table of ratings to the two small problems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import streamlit as st

from dashboard import link, session
from dashboard.components.common.display import show_figure
from dashboard.figures.learn_regions import box_figure, simplex_figure
from dashboard.learn.parts import predict
from nnm_core import Model, Ratings, Scale, fit, preset
from nnm_core.fitting.small_problems import SmallProblem
from nnm_core.types import FloatArray

PEOPLE = ("Ann", "Ben", "Cleo", "Dan", "Eve")
FILMS = ("Ghosts", "Chase", "Roses", "Puppies")
_NONE = 0.0  # not rated
TABLE = np.array([[5, 4, 1, 1], [4, 5, 2, _NONE], [1, 2, 5, 4], [2, _NONE, 4, 5], [3, 3, 3, 3]])
SCALE = Scale(1, 5)
_WIDE = 58  # pixels of a cell: five fit on a narrow phone, and beside a scrollbar on a wider one
_RATINGS, _CELL = "learn-ratings", "learn-cell"  # in the session's state: the table, and the cell that is chosen


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """A cell of the table: the problems of its film and its person, and their solutions before and after a change."""

    film: SmallProblem
    person: SmallProblem
    likes: tuple[FloatArray, FloatArray]
    mixture: tuple[FloatArray, FloatArray]


def show() -> None:
    """Show the scene."""
    st.markdown(
        "Five people rate four films. A rating answers the question “do you like this film?” 4 of 5 stars count as a "
        "probability of 4/5. The model says **p · E**, from the person's shares p and the film's answers E. It looks "
        "for those that come nearest to the ratings. Click a cell to see its p · E."
    )
    table: FloatArray = st.session_state.setdefault(_RATINGS, TABLE.copy())
    question = "Somebody changes one rating. Which has to be looked for again: the person's p or the film's E?"
    options = ["Only p", "Only E", "Both"]
    why = "p has to fit all ratings of the person, E all ratings of the film. Change a rating, and see both move."
    is_answered = predict("question", question, options, 2, why)
    left, right = st.columns([5, 7], gap="large")
    with left:
        person, film = _choose_cell(table)
        dim = int(link.segments("Stereotypes", {"2": "2 stereotypes", "3": "3"}, "dim", width="content"))
        solved = solve_cell(table, person, film, dim)
        _describe(solved, person, film, table)
    if not is_answered:
        return
    with right:
        _change(table, person, film)
        of_film, of_person = st.columns(2)
        look = session.look()
        with of_film:
            st.markdown(f"E of **{FILMS[film]}**, in a {'square' if dim == 2 else 'cube'}")
            alt = f"Where the answers of {FILMS[film]} were and are"
            show_figure(box_figure(solved.film, *solved.likes, look), "learn-box", alt)
        with of_person:
            st.markdown(f"p of **{PEOPLE[person]}**, {'on a line' if dim == 2 else 'in a triangle'}")
            alt = f"Where the mixture of {PEOPLE[person]} was and is"
            show_figure(simplex_figure(solved.person, *solved.mixture, look), "learn-simplex", alt)
        shading = "The bluer, or the lower on the curve," if dim == 2 else "In the triangle: the bluer,"
        st.caption(f"{shading} the nearer to the ratings. Circle: before the change. Disc: now.")


def _choose_cell(table: FloatArray) -> tuple[int, int]:
    """Draw the table; return the row and the column of the cell that is chosen."""
    chosen: tuple[int, int] = st.session_state.setdefault(_CELL, (0, 1))
    with st.container(key="learn-table", gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall"):
            for name in ("", *FILMS):
                st.caption(name or "&nbsp;", width=_WIDE)
        for row, person in enumerate(PEOPLE):
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                st.markdown(person, width=_WIDE)
                for column, film in enumerate(FILMS):
                    rating = f"{table[row, column]:g}" if table[row, column] else "–"
                    label = f"**\\[{rating}\\]**" if (row, column) == chosen else rating
                    about = f"{person}, {film}"
                    st.button(label, key=f"learn-{row}-{column}", width=_WIDE, on_click=_set_cell, args=(row, column),
                              help=about)  # fmt: skip
    return chosen


def _set_cell(row: int, column: int) -> None:
    st.session_state[_CELL] = (row, column)


def _change(table: FloatArray, person: int, film: int) -> None:
    """Draw the choice of the rating, and put it into the table."""
    key, values = f"learn-rating-{person}-{film}", ["–", "1", "2", "3", "4", "5"]

    def put() -> None:
        table[person, film] = values.index(st.session_state[key] or "–")

    st.session_state[key] = values[int(table[person, film])]
    label = f"{PEOPLE[person]}'s rating of {FILMS[film]}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(label, values, key=key, on_change=put, required=True)
        is_new = bool((table == TABLE).all())
        st.button("Reset the table", on_click=st.session_state.pop, args=(_RATINGS,), disabled=is_new)


def _describe(solved: Solved, person: int, film: int, table: FloatArray) -> None:
    p, e = solved.mixture[1], solved.likes[1]
    terms = " + ".join(f"{share:.2f} × {like:.2f}" for share, like in zip(p, e, strict=True))
    said = f"gave {table[person, film]:g}" if table[person, film] else "has not rated it"
    stars = float(SCALE.clip(SCALE.from_unit(p @ e)))
    st.markdown(
        f"**{PEOPLE[person]}, {FILMS[film]}**: p · E = {terms} ≈ **{p @ e:.2f}**, or {stars:.1f} stars. "
        f"{PEOPLE[person]} {said}."
    )


def solve_cell(table: FloatArray, person: int, film: int, dim: int) -> Solved:
    """Solve the problems of a cell's film and person with the ratings of a table, everything else as it was fitted."""
    model = fitted(dim)
    raters, rated = np.flatnonzero(table[:, film]), np.flatnonzero(table[person])
    center = np.full(dim, SCALE.to_unit(TABLE[TABLE > 0]).mean())
    of_film = SmallProblem(model.mixtures[raters], SCALE.to_unit(table[raters, film]), center, on_simplex=False)
    mean = np.array(model.mean_mixture)
    of_person = SmallProblem(model.likes[rated], SCALE.to_unit(table[person, rated]), mean, on_simplex=True)
    return Solved(
        of_film,
        of_person,
        (np.array(model.likes[film]), of_film.solve()),
        (np.array(model.mixtures[person]), of_person.solve()),
    )


@lru_cache(maxsize=2)
def fitted(dim: int) -> Model:
    """Return the paper's fit of the table as it is at first."""
    rows, columns = np.nonzero(TABLE)
    ratings = Ratings.from_numbers(rows, columns, TABLE[rows, columns], PEOPLE, FILMS, scale=SCALE)
    return fit(ratings, preset("paper", n_stereotypes=dim, n_sweeps=200))
