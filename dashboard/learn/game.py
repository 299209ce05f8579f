"""Scene: the game of Alice and Bob."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from dashboard import link, session
from dashboard.components.common.current import current
from dashboard.components.common.display import show_figure
from dashboard.compute import store
from dashboard.figures.learn import rate_figure
from dashboard.learn.parts import NAMES, cinema_model, liked_cinema, predict
from dashboard.wording import md
from nnm_core import Model
from nnm_core.datasets import Dataset
from nnm_core.datasets.synthetic import GENRES, demo
from nnm_core.interpret import Game, play, play_with_stereotype

ROUNDS = 10_000
_WORLDS = {
    "any": "A person of the invented cinema",
    "self": "The stereotype itself",
    "liked": "Somebody who rates only what she likes",
    "current": "A person of the current data",
}
_GUESSES = "learn-guesses"  # in the session's state: which game, and what somebody has guessed in it so far


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What a game is played with; ``key`` names it for what is computed from it.

    ``stereotype``: which one Alice is like; ``name``: what it is called, and ``near`` in a sentence. ``people``: who is
    in Alice's part, unless it ``is_stereotype``.
    """

    model: Model
    dataset: Dataset
    tag: str
    stereotype: int
    name: str
    near: str
    people: str
    key: tuple[Hashable, ...]
    is_stereotype: bool = False


def show() -> None:
    """Show the scene."""
    st.markdown(
        "You are **Bob**. You know the genre, and which stereotype Alice is like. A referee draws a film of the genre "
        "that she has rated. Does she say “like”? If she gave it 4 of 5 stars, she says so 4 times in 5. A **rule** "
        "plays too: it guesses what the stereotype says more often. **E** of a genre is the average over its films, "
        "**fitted** to ratings. It is not quite the truth of scene 1: no rating is below 1 star, or 0.2."
    )
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        world = str(link.select("Alice is", list(_WORLDS), "alice", default="any", form=_WORLDS.__getitem__, width=330))
    setting = _current_setting(row) if world == "current" else _invented_setting(row, world)
    if setting is None:
        st.info("The current data have no ratings by genre to play with. Choose other data in the sidebar.")
        return
    game = game_of(setting)
    if st.session_state.get(_GUESSES, ((), []))[0] != setting.key:
        st.session_state[_GUESSES] = (setting.key, [])
    guesses: list[bool] = st.session_state[_GUESSES][1]
    _play(game, guesses, setting)
    name = "game-" + " ".join(map(str, setting.key))
    if world == "liked":
        question = f"The rule promises to be right in {game.promised:.0%} of rounds. Does that hold?"
        asked = predict(name, question, ["Yes", "No"], _misses(game), _why_not(game, setting))
    else:
        question = "How often is the rule right?"
        options = _options(game.promised)
        asked = predict(name, question, options, options.index(f"{game.promised:.0%}"), _why(game, setting))
    if asked:
        _show_rates(game, None if setting.is_stereotype else game.expected)


def _invented_setting(row: st.delta_generator.DeltaGenerator, world: str) -> Setting:
    with row:
        genre = str(link.select("Genre", GENRES, "genre", default="Horror", width=130))
        near = str(link.select("Stereotype", NAMES, "near", default=NAMES[1], width=160))
    return invented_setting(genre, NAMES.index(near), world)


def invented_setting(genre: str, stereotype: int, world: str) -> Setting:
    """Return a game in the invented cinema."""
    dataset, near = liked_cinema() if world == "liked" else demo().dataset, NAMES[stereotype]
    key = (genre, near, world)
    return Setting(cinema_model(), dataset, genre, stereotype, near, f"the {near}", "people", key, world == "self")


def _current_setting(row: st.delta_generator.DeltaGenerator) -> Setting | None:
    """Return a game with people of the current data; None where these cannot be asked."""
    view = current()
    dataset, model = view.dataset, view.model
    tags = [name for name, count in zip(dataset.tags.names, dataset.tags.counts, strict=True) if count]
    if not tags or dataset.implicit:
        return None
    with row:
        default = "Horror" if "Horror" in tags else tags[0]
        tag = str(link.select(view.words.tag.capitalize(), tags, "alice_tag", default=default, width=130))
        numbers, form = range(model.n_stereotypes), view.names.__getitem__
        stereotype = link.select("Stereotype", numbers, "alice_near", default=0, form=form, width=160) or 0
    name, people = f"“{md(view.names[stereotype], 40)}”", f"people of {md(view.title, 40)}"
    return Setting(model, dataset, tag, stereotype, name, name, people, (view.key, tag, stereotype))


def game_of(setting: Setting) -> Game:
    """Return 10,000 rounds with the nearest people, or with the stereotype itself."""

    def rounds() -> Game:
        model, tag, stereotype = setting.model, setting.tag, setting.stereotype
        if setting.is_stereotype:
            return play_with_stereotype(model, setting.dataset.tags, tag, stereotype, ROUNDS)
        return play(model, setting.dataset, tag, stereotype, ROUNDS)

    return store.derived(("learn", "game", *setting.key), rounds)


def _play(game: Game, guesses: list[bool], setting: Setting) -> None:
    """Show the round that is next, the answer to the one before, and the score."""
    done = len(guesses)
    dataset, near = setting.dataset, setting.near
    title = md(dataset.titles[game.items[done]])
    with st.container(border=True):
        text, buttons = st.columns([4, 1], vertical_alignment="center")
        like = game.promised if game.guesses[0] else 1 - game.promised
        known = f"{near[0].upper()}{near[1:]} likes {md(setting.tag, 30)} with probability **E = {like:.2f}**."
        text.markdown(f"{known} Round {done + 1}: **{title}**. Alice will …")
        with buttons.container(horizontal=True, gap="small"):
            st.button("like it", key="learn-like", on_click=guesses.append, args=(True,))
            st.button("dislike it", key="learn-dislike", on_click=guesses.append, args=(False,))
    if not done:
        return
    last = done - 1
    who = md(dataset.ratings.user_ids[game.alices[last]], 30) if game.alices[last] >= 0 else near
    answer = "like" if game.likes[last] else "dislike"
    yours = sum(guess == like for guess, like in zip(guesses, game.likes[:done].tolist(), strict=True))
    st.markdown(
        f"{'You win.' if guesses[last] == bool(game.likes[last]) else 'You lose.'} Alice ({who}) gave "
        f"{game.ratings[last]:.2g} {'star' if game.ratings[last] == 1 else 'stars'} and said “{answer}”. "
        f"Score: **you {yours}, the rule {int(game.wins[:done].sum())}** of {done}."
    )


def _options(promised: float) -> list[str]:
    """Return how often a rule may be right: the promise, what a coin would get, and what the other guess would."""
    right = round(100 * promised)
    others = {100 - right, 50} if right > 52 else {25, 75}
    return [f"{percent}%" for percent in sorted({right} | others)]


def _why(game: Game, setting: Setting) -> str:
    guess = "like" if game.guesses[0] else "dislike"
    said = f"{setting.near} says “{guess}” with probability {game.promised:.1%}. That is the **promise**."
    said = said[0].upper() + said[1:]
    if setting.is_stereotype:
        return f"{said} Against {setting.near} itself, the rule keeps it."
    alices = np.unique(game.alices)
    share = float(setting.model.mixtures[alices, setting.stereotype].mean())
    return f"{said} Alice is one of the {len(alices)} nearest {setting.people}, {share:.0%} {setting.name} on average."


def _misses(game: Game) -> int:
    """Return 1 where the rule wins clearly less often than promised, else 0."""
    return int(game.win_rate < game.promised - 0.1)


def _why_not(game: Game, setting: Setting) -> str:
    near = setting.near
    if not _misses(game):
        return f"People like {near} expect to like this genre, and rate nearly all of it. Try one that they avoid."
    return (
        "Whoever dislikes the genre has not rated it, and the referee asks only about ratings. The answers that would "
        "have made the rule right are missing. This is **selection bias**."
    )


def _show_rates(game: Game, expected: float | None) -> None:
    """Show how often the rule wins; ``expected``: of people who are only near the stereotype."""
    told = "" if expected is None else f"Expected of these people: **{expected:.1%}**. "
    st.markdown(
        f"Promised: **{game.promised:.1%}**. {told}Won by the rule in {ROUNDS:,} rounds: **{game.win_rate:.1%}**."
    )
    figure = rate_figure(game.wins, game.promised, expected, session.look())
    show_figure(figure, "learn-rates", f"The rule was right in {game.win_rate:.1%} of {ROUNDS:,} rounds")
