"""The game of section 5.1: Bob's rule, his chances, and rounds with real people."""

import numpy as np
import pytest

from nnm_core import InputError
from nnm_core.datasets import Labels
from nnm_core.interpret.game import BobsTable, bobs_table, play, play_with_stereotype
from nnm_core.interpret.towers import tag_vectors


def test_bobs_rule_and_chances_by_hand():
    table = BobsTable(("a", "b"), np.array([[0.5, 0.49], [0.9, 0.0]]))
    assert table.guesses_like.tolist() == [[True, False], [True, False]]
    np.testing.assert_allclose(table.wins, [[0.5, 0.51], [0.9, 1.0]])
    lines = table.table(["x", "y"])
    assert lines["Bob guesses"].tolist() == ["like", "dislike", "like", "dislike"]
    with pytest.raises(InputError, match="1 names for 2"):
        table.table(["x"])


def test_bobs_table_is_the_papers_mean(planted):
    table = bobs_table(planted.model, planted.dataset.tags)
    np.testing.assert_array_equal(table.likes, tag_vectors(planted.model, planted.dataset.tags))


def test_rounds_are_real_ratings_of_the_nearest_people(planted):
    dataset, stereotype = planted.dataset, int(planted.columns[0])
    game = play(planted.model, dataset, "Noir", stereotype, 300, seed=4, n_people=8)
    nearest = np.argsort(-planted.model.mixtures[:, stereotype], kind="stable")[:8]
    assert set(game.alices.tolist()) == set(nearest.tolist())
    assert (game.items < 30).all()  # Noir is the first planted tag
    cells = {
        (u, i): v for u, i, v in zip(dataset.ratings.users, dataset.ratings.items, dataset.ratings.values, strict=True)
    }
    assert all(cells[u, i] == r for u, i, r in zip(game.alices, game.items, game.ratings, strict=True))
    assert game.wins.tolist() == (game.likes == game.guesses).tolist()
    assert game.win_rate == game.wins.mean()
    table = game.table(dataset)
    assert table["title"].tolist() == [dataset.titles[row] for row in game.items]
    assert (table["answer"] == "like").tolist() == game.likes.tolist()


def test_the_referee_draws_evenly(planted):
    """One person, who has rated n items of the tag: each comes about equally often."""
    stereotype = int(planted.columns[0])
    game = play(planted.model, planted.dataset, "Noir", stereotype, 6000, n_people=1)
    counts = np.unique(game.items, return_counts=True)[1]
    assert len(np.unique(game.alices)) == 1
    expected = 6000 / len(counts)
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


def test_bob_wins_as_often_as_the_model_says(planted):
    """With people who are almost the stereotype, theory and play agree; like by coin, as the paper reads ratings."""
    for tag, stereotype in (("Noir", 0), ("Kids", 0), ("Broad", 1), ("Hated", 2)):
        game = play(planted.model, planted.dataset, tag, int(planted.columns[stereotype]), 4000, seed=1)
        assert game.win_rate == pytest.approx(game.expected, abs=0.05)
        assert game.win_rate == pytest.approx(game.promised, abs=0.08)
        assert game.error < 0.01


def test_against_the_stereotype_itself_bob_keeps_his_promise(planted):
    model, dataset = planted.model, planted.dataset
    for tag in ("Noir", "Kids", "Broad", "Hated"):
        for stereotype in range(3):
            game = play_with_stereotype(model, dataset.tags, tag, stereotype, 10_000, seed=2)
            assert abs(game.win_rate - game.promised) < 3.5 * max(game.error, 1e-3)
            assert game.promised == game.expected
    assert set(game.table(dataset)["Alice"]) == {"the stereotype"}
    with pytest.raises(InputError, match="no tag 'Western'"):
        play_with_stereotype(model, dataset.tags, "Western", 0)
    ghost = Labels.from_pairs(np.array([], int), np.array([], int), ["ghost"], model.n_items)
    with pytest.raises(InputError, match="No item has this tag"):
        play_with_stereotype(model, ghost, "ghost", 0)


def test_the_threshold_decides_without_a_coin(planted):
    game = play(planted.model, planted.dataset, "Noir", 0, 200, answering="threshold")
    assert game.likes.tolist() == (game.ratings >= 2.5).tolist()


def test_the_same_seed_plays_the_same_rounds(planted):
    first, second, other = (play(planted.model, planted.dataset, "Noir", 0, 50, seed=seed) for seed in (1, 1, 2))
    assert first.items.tolist() == second.items.tolist()
    assert first.likes.tolist() == second.likes.tolist()
    assert first.items.tolist() != other.items.tolist()


def test_real_data_can_be_played(bundled, recommended):
    game = play(recommended, bundled, "Drama", 1, 500)
    assert 0.4 < game.win_rate < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Western", 0), "no tag 'Western'"),
        (("Noir", 5), "no stereotype of taste number 5"),
        (("Noir", 0, 0), "at least 1 round"),
    ],
)
def test_unplayable_games_are_refused(planted, arguments, message):
    with pytest.raises(InputError, match=message):
        play(planted.model, planted.dataset, *arguments)
    with pytest.raises(InputError, match="not by 'mood'"):
        play(planted.model, planted.dataset, "Noir", 0, answering="mood")


def test_a_tag_that_nobody_rated_is_refused(planted):
    ghost = Labels.from_pairs(np.array([], int), np.array([], int), ["ghost"], planted.model.n_items)
    with pytest.raises(InputError, match="Nobody has rated"):
        play(planted.model, planted.dataset, "ghost", 0, tags=ghost)
