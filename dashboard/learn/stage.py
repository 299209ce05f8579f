"""The components of the page Learn: what has to move smoothly runs in the browser, on numbers of the library."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from dashboard import session
from dashboard.learn.recordings import Source, shown_films, shown_people
from nnm_core import Scale
from nnm_core.fitting.recording import Recording
from nnm_core.types import FloatArray

_HERE = Path(__file__).parent


def _source(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


def _component(name: str, *more: str) -> Any:
    return st.components.v2.component(
        f"learn_{name}",
        html=f'<div class="{name}"></div>',
        css=_source("learn.css"),
        js=_source("simplex.js", *more, f"{name}.js"),
    )


_point, _player, _slack = _component("point"), _component("player", "panels.js"), _component("slack")


def show_point(
    key: str,
    label: str,
    corners: Sequence[str],
    mixture: Sequence[float],
    questions: Mapping[str, FloatArray],
    scale: Scale | None = None,
) -> None:
    """Show a point that can be dragged between two or three corners, and p · E for each question.

    ``mixture``: where it is at first, (n_corners,). ``questions``: {name: E}, with E of (n_corners,). With a ``scale``,
    the probability is also given as a rating.
    """
    data: dict[str, Any] = {
        "label": label,
        "corners": list(corners),
        "mixture": list(mixture),
        "questions": [{"name": name, "likes": likes.tolist()} for name, likes in questions.items()],
        "colors": [session.look().color(k) for k in range(len(corners))],
        "scale": None,
    }
    if scale is not None:
        data["scale"] = {
            "zero": scale.zero,
            "span": scale.unit_span,
            "lowest": scale.lowest,
            "highest": scale.highest,
        }
    _point(key=key, data=data)


def show_player(
    key: str,
    name: str,
    source: Source,
    first: Recording,
    second: Recording | None = None,
    *,
    is_truth_shown: bool = False,
) -> None:
    """Show a recorded fit that can be played, and beside it a second one or the truth.

    ``name``: of the data and the method; when it changes, the player goes back to the start. Where the truth is shown,
    it begins at the end: only that can be compared with the truth. People have the colour of the stereotype that is the
    largest part of them, by the truth where it is known, else in the end; films that of the stereotype that likes them
    most.
    """
    look, truth = session.look(), source.truth
    people, films = shown_people(source.ratings), shown_films(source.ratings)
    colored_by = first.mixtures[-1] if truth is None else truth.mixtures
    liked = first.likes[-1] if truth is None else truth.likes
    other = "The truth" if is_truth_shown else "" if second is None else "A second start"
    colored = "the end of the fit" if truth is None else "the truth, which the fit does not see"
    data = {
        "name": name,
        "names": list(source.names),
        "people": colored_by[people].argmax(axis=1).tolist(),
        "films": liked[films].argmax(axis=1).tolist(),
        "runs": [
            {
                "mixtures": encode(run.mixtures[:, people]),
                "likes": encode(run.likes[:, films]),
                "errors": run.training_errors.tolist(),
            }
            for run in (first, second)
            if run is not None
        ],
        "truth": {"mixtures": encode(truth.mixtures[people])} if truth is not None and is_truth_shown else None,
        "captions": ["People", other],
        "errorCaption": f"Error in {source.unit}" if second is None else "Error (dashed: second)",
        "colored": (
            f"Colours show {colored}: for people the stereotype that they are most like, for {source.items} the one "
            "that likes them most. People are drawn a little apart, so that all can be seen."
        ),
        "items": source.items,
        "unit": source.unit,
        "nFilled": first.n_filled,
        "look": {
            "ink": look.ink,
            "muted": look.muted,
            "faint": look.faint,
            "accent": look.accent,
            "colors": [look.color(k) for k in range(len(source.names))],
        },
    }
    _player(key=key, data=data)


def encode(values: FloatArray) -> str:
    """Return numbers from 0 to 1 as text: 16 bits each, in order, in base 64."""
    return base64.b64encode(np.round(values * 65535).astype("<u2").tobytes()).decode()


def show_slack(name: str, data: Mapping[str, object]) -> None:
    """Show inclusions and a slider for ε, which begins anew when ``name`` changes; ``data``: as in ``slack.js``."""
    look = session.look()
    _slack(key="learn-slack", data={"name": name, "colors": [look.color(k) for k in range(3)], **data})
