"""The page Learn without a browser: every scene asks before it answers, and links lead to each."""

import re

import numpy as np
import pytest

from dashboard.learn.game import game_of, invented_setting
from dashboard.learn.missing import planted_towers
from dashboard.learn.number import errors
from dashboard.learn.page import SCENES
from dashboard.learn.slack import hierarchy
from nnm_core import preset
from tests.dashboard.views.conftest import charts, texts
from tests.fits import fitted

GUESSES = {
    "coin": ("guess-coin", "A third kind of coin"),
    "ratings": ("guess-question", "Both"),
    "fit": ("guess-algorithm", "Elsewhere"),
    "game": ("guess-game-Horror romantic any", "80%"),
    "slack": ("guess-slack-Horror-Thriller", "Nothing"),
    "number": ("guess-number", "On hidden ratings"),
    "missing": ("guess-missing", "Yes"),
}


def guess(app, key, option):
    """Answer a question, and return the page with the answer."""
    app.segmented_control(key=f"{key}-options").set_value(option).run()
    assert not app.exception, app.exception[0].value
    return app


def test_there_are_seven_scenes():
    assert list(GUESSES) == list(SCENES)
    assert len(SCENES) == 7


@pytest.mark.parametrize("scene", GUESSES)
def test_a_scene_asks_before_it_answers(page, scene):
    app = page("learn", scene=scene)
    assert app.title[0].value == SCENES[scene].title
    assert "Predict first." in texts(app)
    assert "The answer is" not in texts(app)
    key, option = GUESSES[scene]
    guess(app, key, option)
    assert "Predict first." not in texts(app)
    assert re.search(r"\*\*(Right|You said “.*”\. The answer is): ", texts(app))
    app.button(key=f"{key}-again").click().run()
    assert "Predict first." in texts(app)


def test_next_and_back_lead_through_every_part_of_every_scene(page):
    app = page("learn")
    lesson = [("coin", part) for part in ("coin", "die", "people")] + [("ratings", ""), ("fit", ""), ("game", "")]
    lesson += [("slack", "two"), ("slack", "three"), ("number", ""), ("missing", "")]

    def shown():
        scene = app.segmented_control(key="scene").value
        part = {"coin": "mix", "slack": "slack"}.get(scene)
        return scene, app.segmented_control(key=part).value if part else ""

    labels = []
    for step in lesson[:-1]:
        assert shown() == step
        labels.append(app.button(key="next-step").label)
        app.button(key="next-step").click().run()
    assert labels[:3] == ["Next: A die", "Next: People", "Next: Ratings"]
    assert labels[-3] == "Next: Three genres"
    for step in lesson[:0:-1]:
        assert shown() == step
        app.button(key="previous-step").click().run()
    assert shown() == ("coin", "coin")
    assert "previous-step" not in [button.key for button in app.button]
    linked = page("learn", mix="people")
    assert linked.button(key="next-step").label == "Next: Ratings"


def test_a_link_to_no_scene_shows_the_first(page):
    app = page("learn", scene="nothing")
    assert app.title[0].value == "From a coin to a mixture"


def test_sides_of_the_die_add_up(page):
    app = guess(page("learn", mix="die"), "guess-die", "1/2")
    assert "**0.625**" in texts(app)
    app.pills(key="learn-sides").set_value(["2", "3"]).run()
    assert "**0.375**" in texts(app)


def test_stereotypes_are_added_one_at_a_time(page):
    app = guess(page("learn", scene="number"), *GUESSES["number"])
    seen, hidden = errors()
    for n in range(1, 9):
        (chart,) = charts(app)
        assert chart["data"][0]["y"] == pytest.approx(seen[:n].tolist())
        assert chart["data"][1]["y"] == pytest.approx(hidden[:n].tolist())
        assert f"**{hidden[n - 1]:.3f}** on hidden ones" in texts(app)
        if n < 8:
            app.button(key="learn-add").click().run()
    assert "lowest at **3**" in texts(app)
    assert app.button(key="learn-add").disabled


def test_the_truth_is_drawn_where_it_is_known(page):
    app = guess(page("learn", scene="missing"), *GUESSES["missing"])
    (chart,) = charts(app)
    lines = [trace for trace in chart["data"] if trace["type"] == "scatter" and len(trace["y"]) == 5]
    np.testing.assert_allclose([trace["x"] for trace in lines], planted_towers().T)
    legend = [trace["name"] for trace in chart["data"] if trace.get("showlegend", True)]
    assert legend == ["with zeros", "without", "truth"]
    assert "**In short:**" in texts(app)
    app.segmented_control(key="seen").set_value("bundled").run()
    (chart,) = charts(app)
    assert {trace["type"] for trace in chart["data"]} == {"bar"}
    assert {len(trace["y"]) for trace in chart["data"] if trace["y"] != trace["y"][:1]} == {10}  # labels must not touch


def test_whoever_only_turns_pages_reads_why_slack_is_needed(page):
    app = page("learn", scene="slack", slack="three")
    assert "Predict first." in texts(app)
    assert f"not even Horror fills itself ({hierarchy().witness('Horror', 'Horror').birth:.3f} stays empty)" in texts(
        app
    )


def test_ones_own_score_stands_beside_bobs(page):
    app, game = page("learn", scene="game"), game_of(invented_setting("Horror", 1, "any"))
    yours = bobs = 0
    for turn in range(6):
        app.button(key="learn-like").click().run()
        yours += int(game.likes[turn])
        bobs += int(game.wins[turn])
        assert f"**you {yours}, the rule {bobs}** of {turn + 1}" in texts(app)
    app.selectbox(key="genre").set_value("Comedy").run()
    assert "Round 1:" in texts(app)


@pytest.mark.parametrize("alice", ["any", "self", "liked"])
def test_the_rates_of_the_game_are_the_librarys(page, alice):
    app, game = page("learn", scene="game", alice=alice), game_of(invented_setting("Horror", 1, alice))
    options = app.segmented_control(key=f"guess-game-Horror romantic {alice}-options").options
    guess(app, f"guess-game-Horror romantic {alice}", options[0])
    assert f"Promised: **{game.promised:.1%}**" in texts(app)
    assert f"Won by the rule in 10,000 rounds: **{game.win_rate:.1%}**" in texts(app)
    (chart,) = charts(app)
    assert chart["data"][-1]["y"][-1] == pytest.approx(game.win_rate)
    is_person = alice != "self"  # of the stereotype itself, nothing is expected but the promise
    assert (f"Expected of these people: **{game.expected:.1%}**" in texts(app)) == is_person
    assert [trace["name"] for trace in chart["data"]].count("expected") == is_person
    assert ("selection bias" in texts(app)) == (alice == "liked")


def test_alice_can_be_a_real_person_of_the_current_data(page, bundled):
    app = page("learn", scene="game", alice="current", alice_tag="Drama", alice_near="2")
    model = fitted(bundled.ratings, preset("recommended", n_stereotypes=3))
    rows = np.flatnonzero(bundled.tags.member[:, [bundled.tags.names.index("Drama")]].toarray())
    said = re.search(r"likes Drama with probability \*\*E = ([\d.]+)\*\*", texts(app))
    assert float(said[1]) == pytest.approx(model.likes[rows, 2].mean(), abs=0.005)
    nearest = np.argsort(-model.mixtures[:, 2])[:40]
    for _ in range(4):
        app.button(key="learn-like").click().run()
        (alice,) = re.findall(r"Alice \((\w+)\)", texts(app))
        assert bundled.ratings.user_ids.index(alice) in nearest
    options = app.segmented_control[-1].options
    app.segmented_control[-1].set_value(options[0]).run()
    assert "one of the 20 nearest people of MovieLens small" in texts(app)


def test_presenter_mode_is_in_the_link(page):
    app = page("learn", present="1")
    assert app.button(key="present-button").label == "Leave"
    app.button(key="present-button").click().run()
    assert "present" not in app.query_params
    assert app.button(key="present-button").label == "Present"


def test_a_changed_rating_moves_both_points(page):
    app = guess(page("learn", scene="ratings", dim=2), *GUESSES["ratings"])
    before = [chart["data"][-1] for chart in charts(app)]
    app.segmented_control(key="learn-rating-0-1").set_value("1").run()
    after = [chart["data"][-1] for chart in charts(app)]
    assert all((a["x"], a["y"]) != (b["x"], b["y"]) for a, b in zip(before, after, strict=True))
    assert "Ann gave 1." in texts(app)
    app.button(key="learn-2-3").click().run()
    assert "Cleo, Puppies" in texts(app)
    assert "Somebody changes one rating." in texts(app)  # the answer holds for any cell


def test_about_cites_the_paper_and_names_versions(page):
    app = page("about")
    links = [button.proto.url for button in app.get("link_button")]
    assert links == ["https://arxiv.org/abs/1511.04775", "https://arxiv.org/abs/1511.06718"]
    assert "Cyril J. Stark" in texts(app)
    assert "MIT licence" in texts(app)
    assert "Harper and Joseph" in texts(app)
    assert "1.67." in str(app.table[0].value)
