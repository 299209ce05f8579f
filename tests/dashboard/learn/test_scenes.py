"""What the scenes of the page Learn show is true, and is what the library computes."""

import base64
import re
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

import dashboard
from dashboard.learn import algorithm, missing, mixture, number, question, recordings, slack
from dashboard.learn.game import ROUNDS, game_of, invented_setting
from dashboard.learn.parts import NAMES, cinema_model, liked_cinema
from dashboard.learn.stage import encode
from nnm_core import fit, preset
from nnm_core.datasets.synthetic import GENRES, demo
from nnm_core.fitting.recording import record_fit
from nnm_core.interpret.hierarchy.inclusion import ROUNDING

FOLDER = Path(dashboard.__file__).parent / "learn"


def test_other_pages_do_not_import_the_scenes():
    code = "import sys, dashboard.app; print(*[name for name in sys.modules if name.startswith('dashboard.learn')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_scripts_and_style_sheets_ask_for_nothing_from_elsewhere():
    for file in [*FOLDER.glob("*.js"), *FOLDER.glob("*.css")]:
        found = re.findall(r"https?://\S+|\bimport\b|fetch\(|XMLHttp|url\(", file.read_text())
        assert set(found) <= {'http://www.w3.org/2000/svg";'}, file.name


def test_the_die_and_the_film_of_the_first_scene():
    assert mixture.DIE.sum() == 1
    assert mixture.DIE[[0, 3]].sum() == 5 / 8
    films = mixture.questions_of_films()
    assert [title.rpartition(", ")[2] for title in films] == ["Horror", "Romance", "Family"]
    assert [int(likes.argmax()) for likes in films.values()] == [0, 1, 2]  # each is some stereotype's favourite
    rows = [demo().dataset.ratings.item_ids.index(film) for film in mixture.FILMS]
    np.testing.assert_allclose(list(films.values()), demo().truth.likes[rows], atol=0.005)


def test_numbers_reach_the_browser_with_16_bits():
    values = np.random.default_rng(0).random((4, 5, 3))
    back = np.frombuffer(base64.b64decode(encode(values)), "<u2").reshape(values.shape) / 65535
    assert np.abs(back - values).max() <= 0.5 / 65535 + 1e-9


@pytest.mark.parametrize("make", [recordings.invented_cinema, recordings.invented_crowd])
def test_a_recorded_fit_ends_near_the_truth(make):
    source = make()
    found = recordings.record(source, False, 0)
    assert np.abs(found.mixtures[-1] - source.truth.mixtures).mean() < 0.08  # another order of the columns: 0.3
    assert np.abs(found.likes[-1] - source.truth.likes).mean() < 0.06
    again = record_fit(source.ratings, preset("paper"))
    assert sorted(found.mixtures[-1].sum(axis=0)) == pytest.approx(sorted(again.mixtures[-1].sum(axis=0)))


def test_starts_of_the_cinema_end_alike_and_those_of_real_data_do_not(bundled):
    cinema, real = recordings.invented_cinema(), recordings.real(bundled)
    for source, told in ((cinema, "same place"), (real, "different places")):
        first, second = (recordings.record(source, False, seed) for seed in (0, 1))
        apart = np.abs(first.likes[-1] - second.likes[-1]).mean(axis=0).max()
        assert told in algorithm.compare_starts(first, second, source.unit)
        assert f"disagree by {apart:.3f} on average about" in algorithm.compare_starts(first, second, source.unit)


def test_momentum_gets_there_in_fewer_steps():
    source = recordings.invented_cinema()
    plain, fast = (recordings.record(source, momentum, 0).training_errors for momentum in (False, True))
    assert np.argmax(fast < plain[-1] + 1e-4) < np.argmax(plain < plain[-1] + 1e-4)


def test_what_is_drawn_is_bounded(bundled):
    assert len(recordings.shown_people(bundled.ratings)) == bundled.ratings.n_users
    films = recordings.shown_films(bundled.ratings)
    counts = bundled.ratings.by_item.counts
    assert len(films) == recordings.MOST_FILMS
    assert counts[films].min() >= np.sort(counts)[-recordings.MOST_FILMS]


def test_births_are_the_papers_and_the_chain_is_not_transitive():
    ordered = slack.hierarchy()
    first, second, third = ordered.vectors[ordered.rows(slack.CHAIN)]

    def birth(narrow, broad):
        return 1 - narrow @ broad / narrow.sum()

    assert ordered.witness("Romance", "Comedy").birth == pytest.approx(birth(first, second))
    assert birth(first, second) <= slack.CHAIN_EPSILON
    assert birth(second, third) <= slack.CHAIN_EPSILON
    assert birth(first, third) > slack.CHAIN_EPSILON + 0.02
    assert f"ROUNDING = {ROUNDING:g};" in (FOLDER / "slack.js").read_text()


def test_even_a_genre_that_is_filled_with_itself_leaves_something_empty():
    ordered = slack.hierarchy()
    own = np.array([ordered.witness(genre, genre).birth for genre in GENRES])
    likes = ordered.vectors[ordered.rows(GENRES)]
    np.testing.assert_allclose(own, (likes * (1 - likes)).sum(axis=1) / likes.sum(axis=1))  # stereotypes count alike
    assert own.min() > 0.2


@pytest.mark.parametrize("genre", GENRES)
@pytest.mark.parametrize("stereotype", range(3))
def test_bob_keeps_his_promise_against_the_stereotype_within_sampling_error(genre, stereotype):
    game = game_of(invented_setting(genre, stereotype, "self"))
    like = cinema_model().likes[films_of(genre), stereotype].mean()
    assert len(game.wins) == ROUNDS == 10_000
    assert game.promised == pytest.approx(max(like, 1 - like))
    assert abs(game.win_rate - game.promised) < 3.3 * np.sqrt(like * (1 - like) / ROUNDS)
    assert set(game.items) == set(films_of(genre))


@pytest.mark.parametrize("genre", GENRES)
@pytest.mark.parametrize("stereotype", range(3))
def test_with_real_people_bob_wins_about_as_often_as_expected(genre, stereotype):
    """About: the fit of a person's ratings is not exact."""
    game, model = game_of(invented_setting(genre, stereotype, "any")), cinema_model()
    assert len(np.unique(game.alices)) == 20
    assert model.mixtures[game.alices, stereotype].min() > 0.85
    assert game.win_rate == pytest.approx(game.expected, abs=0.025)
    assert game.expected == pytest.approx(game.promised, abs=0.06)
    assert set(game.items) <= set(films_of(genre))


def films_of(genre):
    tags = demo().dataset.tags
    return np.flatnonzero(tags.member[:, [tags.names.index(genre)]].toarray())


def test_bob_fails_where_people_rate_only_what_they_like():
    parent, romantic = NAMES.index("parent"), NAMES.index("romantic")
    for stereotype in (parent, romantic):
        game = game_of(invented_setting("Horror", stereotype, "liked"))
        assert game.promised > 0.8
        assert game.win_rate < 0.3
    truth, ratings = demo().truth, liked_cinema().ratings
    chance = (truth.mixtures[ratings.users] * truth.likes[ratings.items]).sum(axis=1)
    assert chance.min() >= 0.5
    assert len(ratings) == ((demo_chances() >= 0.5).sum())


def demo_chances():
    truth, ratings = demo().truth, demo().dataset.ratings
    return (truth.mixtures[ratings.users] * truth.likes[ratings.items]).sum(axis=1)


def test_the_seen_error_falls_and_the_hidden_one_turns_at_three():
    seen, hidden = number.errors()
    assert (np.diff(seen) < 0).all()
    assert int(hidden.argmin()) + 1 == 3
    assert (np.diff(hidden[2:]) > 0).all()
    assert number.curve().suggestion("rmse").n_stereotypes == 3


def test_the_fit_learns_from_zeros_that_thrill_seekers_dislike_romance():
    found = missing.comparison("liked", False)
    place = found.tags.index("Romance"), NAMES.index("thrill seeker")
    assert found.truth[place] == pytest.approx(found.with_zeros[place], abs=0.03)
    assert found.without[place] > 0.8
    truth, ratings = demo().truth, liked_cinema().ratings
    by_seekers = truth.mixtures[ratings.users].argmax(axis=1) == NAMES.index("thrill seeker")
    assert np.isin(ratings.items[by_seekers], films_of("Romance")).mean() < 0.02  # they rate hardly any


def test_zeros_put_people_into_their_corners():
    true, ratings = demo().truth.mixtures.argmax(axis=1), liked_cinema().ratings
    shares = []
    for options in (preset("paper", n_sweeps=2), preset("paper", fill="none")):
        found = fit(ratings, options).mixtures.argmax(axis=1)
        shares.append(max((np.array(order)[found] == true).mean() for order in permutations(range(3))))
    assert missing.right_corners() == pytest.approx(shares)
    assert shares[0] > shares[1] + 0.2


def test_without_zeros_parents_seem_to_like_horror_and_zeros_bring_the_order_back():
    parent, horror = NAMES.index("parent"), GENRES.index("Horror")
    for throughout in (False, True):
        found = missing.comparison("liked", throughout)
        assert found.without[:, parent].min() > 0.5
        assert found.with_zeros[horror, parent] < found.without[horror, parent] - 0.3
        kept = [missing.share_in_order(found.truth, bars) for bars in (found.with_zeros, found.without)]
        assert kept[0] > kept[1] + 0.1


def test_bars_are_compared_with_what_was_planted():
    likes = demo().truth.likes
    planted = np.array([likes[films_of(genre)].mean(axis=0) for genre in demo().dataset.tags.names])
    found = missing.comparison("cinema", False)
    np.testing.assert_allclose(found.truth, planted)
    assert 0.01 < np.abs(found.without - planted).mean() < 0.06  # a fit is never exact


def test_at_random_zeros_in_two_iterations_change_nothing_and_in_all_lower_every_bar():
    two, always = (missing.comparison("cinema", throughout) for throughout in (False, True))
    np.testing.assert_allclose(two.with_zeros, two.without, atol=0.02)
    assert (always.with_zeros < always.without - 0.05).all()


def test_the_share_of_pairs_in_the_same_order():
    truth = np.array([[1.0], [2.0], [3.0]])
    assert missing.share_in_order(truth, truth) == 1
    assert missing.share_in_order(truth, -truth) == 0
    assert missing.share_in_order(truth, np.array([[1.0], [3.0], [2.0]])) == pytest.approx(2 / 3)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_changed_rating_moves_its_person_and_its_film_to_the_best_place(dim):
    table = question.TABLE.copy()
    table[0, 1] = 1
    solved = question.solve_cell(table, 0, 1, dim)
    targets = solved.film.ratings
    best = lsq_linear(solved.film.partners, targets, (0, 1)).cost
    residual = solved.film.partners @ solved.likes[1] - targets
    assert residual @ residual / 2 == pytest.approx(best, abs=1e-6)
    simplex = [{"type": "eq", "fun": lambda x: x.sum() - 1}]
    error = minimize(lambda x: solved.person.squared_error(x[None])[0], np.full(dim, 1 / dim), bounds=[(0, 1)] * dim,
                     constraints=simplex, options={"ftol": 1e-12})  # fmt: skip
    assert solved.person.squared_error(solved.mixture[1][None])[0] == pytest.approx(error.fun, abs=1e-6)
    assert np.abs(solved.likes[1] - solved.likes[0]).max() > 0.05
    assert np.abs(solved.mixture[1] - solved.mixture[0]).max() > 0.05


def test_an_unchanged_table_moves_nothing():
    solved = question.solve_cell(question.TABLE, 0, 1, 2)
    np.testing.assert_allclose(solved.mixture[1], solved.mixture[0], atol=2e-3)
    np.testing.assert_allclose(solved.likes[1], solved.likes[0], atol=2e-3)
