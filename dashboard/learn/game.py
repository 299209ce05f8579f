"""Scene: the game of Alice and Bob."""

from __future__ import annotations

import streamlit as st

from dashboard import link, session
from dashboard.components.display import show_figure
from dashboard.compute import store
from dashboard.figures.learn import rate_figure
from dashboard.learn.parts import NAMES, cinema_model, liked_cinema, predict
from dashboard.wording import md
from nnm_core.datasets.synthetic import GENRES, demo
from nnm_core.interpret import Game, play, play_with_stereotype

ROUNDS = 10_000
_WORLDS = {"any": "A real person", "self": "The stereotype itself", "liked": "Somebody who rates only what they like"}
_GUESSES = "learn-guesses"  # in the session's state: which game, and what somebody has guessed in it so far


def show() -> None:
    """Show the scene."""
    st.markdown(
        "You are **Bob**. You know which stereotype Alice is near, and the genre. The referee draws a film of the "
        "genre that she has rated. Will she like it? With 4 of 5 stars, she says “like” 4 times in 5."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        genre = str(link.select("Genre", GENRES, "genre", default="Horror", width=150))
        near = str(link.select("Stereotype", NAMES, "near", default=NAMES[1], width=180))
        world = link.segments("Alice is", _WORLDS, "alice", width="content")
    game = game_of(genre, NAMES.index(near), world)
    key = f"{genre} {near} {world}"
    if st.session_state.get(_GUESSES, ("", []))[0] != key:
        st.session_state[_GUESSES] = (key, [])
    guesses: list[bool] = st.session_state[_GUESSES][1]
    _play(game, guesses, near, genre)
    if world != "liked":
        question = f"Bob's rule: guess what the {near} answers most often in this genre. How often is he right?"
        tenths = round(10 * game.win_rate)
        options = [f"{n} times in 10" for n in sorted({tenths - 3, tenths, min(tenths + 2, 10)})]
        asked = predict(f"game-{key}", question, options, options.index(f"{tenths} times in 10"), _why(game, near))
    else:
        question = f"Bob's promise is {game.promised:.0%}. Does it still hold?"
        asked = predict(f"game-{key}", question, ["Yes", "No"], _misses(game), _why_not(game, near))
    if asked:
        _show_rates(game)


def game_of(genre: str, stereotype: int, world: str) -> Game:
    """Return 10,000 rounds of the game."""
    model, dataset = cinema_model(), liked_cinema() if world == "liked" else demo().dataset

    def rounds() -> Game:
        if world == "self":
            return play_with_stereotype(model, dataset.tags, genre, stereotype, ROUNDS)
        return play(model, dataset, genre, stereotype, ROUNDS)

    return store.derived(("learn", "game", genre, stereotype, world), rounds)


def _play(game: Game, guesses: list[bool], near: str, genre: str) -> None:
    """Show the round that is next, the answer to the one before, and the score."""
    done = len(guesses)
    dataset = demo().dataset
    title = md(dataset.titles[game.items[done]])
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"Round {done + 1}. The film is **{title}**, {genre}. Alice is like the {near}. She will …")
        st.button("like it", key="learn-like", on_click=guesses.append, args=(True,))
        st.button("dislike it", key="learn-dislike", on_click=guesses.append, args=(False,))
    if not done:
        return
    last = done - 1
    who = dataset.ratings.user_ids[game.alices[last]] if game.alices[last] >= 0 else f"the {near}"
    answer = "like" if game.likes[last] else "dislike"
    yours = sum(guess == like for guess, like in zip(guesses, game.likes[:done].tolist(), strict=True))
    st.markdown(
        f"{'You win.' if guesses[last] == bool(game.likes[last]) else 'You lose.'} Alice ({who}) gave "
        f"{game.ratings[last]:.2g} {'star' if game.ratings[last] == 1 else 'stars'} and said “{answer}”. "
        f"Score: **you {yours}, Bob's rule {int(game.wins[:done].sum())}** of {done}."
    )


def _why(game: Game, near: str) -> str:
    guess = "like" if game.guesses[0] else "dislike"
    said = f"The {near} says “{guess}” with probability {game.promised:.1%}: that is Bob's guess, and his promise."
    if game.alices[0] < 0:
        return f"{said} Against the {near}, he keeps it."
    return f"{said} The 20 nearest people are not quite the {near}: of them {game.expected:.2f} is expected."


def _misses(game: Game) -> int:
    """Return 1 where Bob wins clearly less often than promised, else 0."""
    return int(game.win_rate < game.promised - 0.1)


def _why_not(game: Game, near: str) -> str:
    if not _misses(game):
        return f"The {near} expects to like this genre, and rates nearly all of it. Try one that the {near} avoids."
    return (
        "Whoever dislikes the genre has not rated it, and the referee can ask only about ratings. The answers that "
        "would have made Bob right are missing. This is **selection bias**."
    )


def _show_rates(game: Game) -> None:
    st.markdown(
        f"Promised: **{game.promised:.1%}**. Expected of these people: **{game.expected:.1%}**. "
        f"Won in {ROUNDS:,} rounds: **{game.win_rate:.1%}**."
    )
    figure = rate_figure(game.wins, game.promised, game.expected, session.look())
    show_figure(figure, "learn-rates", f"Bob's wins over {ROUNDS:,} rounds")
