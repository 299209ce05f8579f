"""What docs/teaching.md tells teachers to expect is what the scenes show."""

import re
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest

from dashboard.learn import missing, recordings, slack
from dashboard.learn.algorithm import CLOSE
from dashboard.learn.ending import QUESTIONS
from dashboard.learn.game import game_of, invented_setting
from dashboard.learn.mixture import HALF_AND_HALF, questions_of_films
from dashboard.learn.number import errors
from dashboard.learn.page import SCENES
from dashboard.learn.parts import NAMES

GUIDE = " ".join((Path(__file__).resolve().parents[3] / "docs" / "teaching.md").read_text(encoding="utf-8").split())


def test_every_scene_has_its_address():
    asked = [parse_qs(link)["scene"][0] for link in re.findall(r"`/learn\?([^`]+)`", GUIDE)]
    assert set(asked) == set(SCENES)


def test_the_last_scene_asks_the_questions_of_the_guide():
    assert len(QUESTIONS) == 6
    for place, (question, answer) in enumerate(QUESTIONS.items(), start=1):
        assert f"{place}. {question} ({answer})" in GUIDE


def test_figures_of_the_first_scenes():
    assert f"*Expected:* {5 * HALF_AND_HALF @ next(iter(questions_of_films().values())):.1f} stars" in GUIDE
    cinema, crowd = recordings.invented_cinema(), recordings.invented_crowd()
    first, second = (recordings.record(cinema, False, seed) for seed in (0, 1))
    assert f"disagree by {apart(first, second):.3f} on average about how likely" in GUIDE
    assert f"Less than {CLOSE} counts as the same" in GUIDE
    assert f"is off by {np.abs(first.likes[-1] - cinema.truth.likes).mean():.2f} on average" in GUIDE
    first, second = (recordings.record(crowd, False, seed) for seed in (0, 2))
    assert apart(first, second) > CLOSE
    assert f"{first.training_errors[-1]:.3f} against {second.training_errors[-1]:.3f} stars" in GUIDE


def apart(first, second):
    return np.abs(first.likes[-1] - second.likes[-1]).mean(axis=0).max()


def test_figures_of_the_game():
    real, itself, liked = (game_of(invented_setting("Horror", 1, alice)) for alice in ("any", "self", "liked"))
    assert f"promised {real.promised:.1%}, won {real.win_rate:.1%} of 10,000" in GUIDE
    assert f"itself*: {itself.win_rate:.1%}" in GUIDE
    assert f"likes horror with probability E = {1 - real.promised:.2f}" in GUIDE
    assert f"it wins {liked.win_rate:.0%}" in GUIDE
    comedy = game_of(invented_setting("Comedy", 0, "any"))
    assert not comedy.guesses[0]
    assert f"(Dislike; {comedy.win_rate:.0%}.)" in GUIDE


@pytest.mark.parametrize(
    ("narrow", "broad", "said"),
    [
        ("Horror", "Thriller", "({:.3f}), so the inclusion"),
        ("Thriller", "Horror", "another ε ({:.3f})"),
        ("Horror", "Horror", "not nothing ({:.3f})"),
        ("Romance", "Family", "needs {:.3f}"),
        ("Comedy", "Horror", "(Above: {:.2f}.)"),
    ],
)
def test_figures_of_inclusions(narrow, broad, said):
    assert said.format(slack.hierarchy().witness(narrow, broad).birth) in GUIDE


def test_figures_of_the_last_scenes():
    seen, hidden = errors()
    assert f"from {seen[0]:.2f} to {seen[-1]:.2f} stars" in GUIDE
    assert f"lowest at three, {hidden.min():.2f}, and ends at {hidden[-1]:.2f}" in GUIDE
    found = missing.comparison("liked", False)
    place = found.tags.index("Romance"), NAMES.index("thrill seeker")
    true, full, pale = (bars[place] for bars in (found.truth, found.with_zeros, found.without))
    assert f"(truth {true:.2f}, with zeros {full:.2f}, without {pale:.2f})" in GUIDE
    place = found.tags.index("Horror"), NAMES.index("parent")
    true, full, pale, random = (bars[place] for bars in (found.truth, found.with_zeros, found.without, at_random()))
    assert f"fit says {full:.2f} (truth {true:.2f}, without zeros {pale:.2f})" in GUIDE
    film = questions_of_films()["The Cellar Answers (2008), Horror"][NAMES.index("parent")]
    assert f"has the parent {random:.2f} for Horror, and {film:.2f} in scene 1?" in GUIDE
    assert f"The true average is {true:.2f}" in GUIDE
    with_zeros, without = missing.right_corners()
    assert f"{with_zeros:.0%} of people are nearest to their true corner; without zeros, {without:.0%}" in GUIDE
    kept = [missing.share_in_order(found.truth, bars) for bars in (found.with_zeros, found.without)]
    assert f"{kept[0]:.0%} of the pairs of genres are in the true order with zeros, {kept[1]:.0%} without" in GUIDE
    assert f"{missing.comparison('bundled', False).comparison.structure_kept:.0%} of the pairs of genres keep" in GUIDE


def at_random():
    return missing.comparison("cinema", False).with_zeros
