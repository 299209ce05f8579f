"""The end of the lesson: what it said, six questions about it, and the way to one's own data."""

from __future__ import annotations

import streamlit as st

from dashboard import link

QUESTIONS = {
    "What is a stereotype, and what is a person?": "Scene 1: a corner, and a mixture of corners.",
    "How does the model predict a rating?": ("Scenes 1 and 2: p · E, read as a probability, times the highest rating."),
    "What are the two half-steps of Algorithm 1, and where does it start?": (
        "Scene 3: films, then people; random corners."
    ),
    "What does the number E = 0.8 for a genre and a stereotype promise?": (
        "Scene 4: guessing “like” is right in 80% of rounds."
    ),
    "Why does ε have to be above 0, and what breaks because of it?": (
        "Scene 5: not even a genre fills itself; transitivity."
    ),
    "Why not simply take many stereotypes, and why count missing ratings as zeros at first?": (
        "Scenes 6 and 7: the hidden error turns; otherwise nothing tells the fit what people skip because they "
        "dislike it."
    ),
}
"""The questions that docs/teaching.md ends with, and their answers."""


def show_summary() -> None:
    """Say in two sentences what the lesson said."""
    st.markdown(
        "**In short:** a person is a mixture of a few stereotypes, and p · E says how likely they are to like a film. "
        "How many stereotypes there are, what missing ratings mean and how large ε is are choices."
    )


def show_buttons() -> None:
    """Draw what comes after the last scene: the questions, and the way to one's own data."""
    with st.popover("Six questions", icon=":material/quiz:", type="tertiary"):
        is_answered = st.toggle("Show the answers", key="learn-answers")
        for place, (question, answer) in enumerate(QUESTIONS.items(), start=1):
            st.markdown(f"{place}. {question}" + (f" **{answer}**" if is_answered else ""))
    address, icon = link.address("data", without=list(st.query_params)), ":material/database:"
    st.link_button("Your own data", address, icon=icon, type="tertiary")
