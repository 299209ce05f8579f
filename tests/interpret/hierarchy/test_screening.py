"""What is sure enough to be ordered: rare and empty values stay out, and counting people is told where it disagrees."""

from dataclasses import replace

import numpy as np
import pytest

from nnm_core import fit, preset
from nnm_core.datasets import Labels
from nnm_core.interpret.hierarchy.inclusion import hierarchy_of, tag_hierarchy, trait_hierarchy
from nnm_core.interpret.hierarchy.screening import LeftOut, birth_errors, count_overlap, screen_tags, screen_traits
from nnm_core.model import like_answers


def one_value_each(values, names):
    return Labels.from_pairs(np.arange(len(values)), np.asarray(values), names, len(values))


def test_rare_values_are_left_out_and_named(planted):
    values = np.zeros(400, dtype=int)
    values[:7] = 1
    values[200:] = 2
    found = screen_traits(planted.model, [("job", one_value_each(values, ["many", "seven", "half"]))], most_error=1.0)
    assert found.hierarchy.tags == ("many", "half")
    assert found.left_out == (LeftOut("seven", 7, "few"),)


def test_a_value_that_no_taste_has_is_not_included_in_everything(planted):
    """Its people are all of habit: least squares leaves nothing of it to the stereotypes of taste."""
    model = fit(planted.dataset.ratings, preset("recommended"))
    habit = model.mixtures[:, model.n_stereotypes :].sum(axis=1)
    rows = np.argsort(-habit)[:40]
    values = (planted.mixtures.argmax(axis=1) == 0).astype(int)
    values[rows] = 2
    traits = [("kind", one_value_each(values, ["one", "other", "of habit"]))]
    whole = trait_hierarchy(model, traits)
    row = whole.tags.index("of habit")
    assert set(whole.at(0.05).including("of habit")) == {"one", "other"}  # vacuously: nothing of it can fall outside
    assert whole.vectors[row].sum() < 0.001
    found = screen_traits(model, traits)
    assert "of habit" not in found.hierarchy.tags
    assert [(one.name, one.why) for one in found.left_out] == [("of habit", "empty")]


def test_a_value_given_by_lot_to_few_is_unsure_and_a_planted_one_is_not(planted):
    rng = np.random.default_rng(0)
    lot = one_value_each((rng.permutation(400) < 8).astype(int), ["others", "by lot"])
    traits = [*planted.dataset.traits.items(), ("lot", lot)]
    errors = birth_errors(planted.model, traits).max(axis=1)
    assert errors[3] > 2 * errors[:2].max()
    found = screen_traits(planted.model, traits, min_people=1, most_error=errors[3] - 0.01)
    assert found.left_out == (LeftOut("by lot", 8, "unsure"),)


def test_errors_from_halves_are_those_of_births_drawn_anew(planted):
    """Other people with the same truth: births scatter as the error from halves of one draw says."""
    mixtures, truth = planted.model.mixtures, np.array([0.7, 0.3, 0.1])
    names, rng = ["no", "yes"], np.random.default_rng(1)
    draws = [one_value_each((rng.random(400) < mixtures @ truth).astype(int), names) for _ in range(100)]
    drawn = [trait_hierarchy(planted.model, [("t", labels)]).births for labels in draws]
    spread = np.std(drawn, axis=0)[~np.eye(2, dtype=bool)]
    told = np.mean([birth_errors(planted.model, [("t", labels)]) for labels in draws[:10]], axis=0)
    np.testing.assert_allclose(told[~np.eye(2, dtype=bool)], spread, rtol=0.35)


def test_people_are_counted_where_both_traits_are_known():
    sex = Labels.from_pairs(np.arange(6), np.array([0, 0, 0, 1, 1, 1]), ["f", "m"], 6)
    job = Labels.from_pairs(np.array([0, 1, 3]), np.array([0, 1, 1]), ["a", "b"], 6)
    found = count_overlap([("sex", sex), ("job", job)])
    assert found.of("f", "a") == (1, 2)  # of the third nobody knows the job
    assert found.of("b", "m") == (1, 2)
    assert found.of("f", "m") == (0, 3)


def test_inclusions_that_the_people_contradict_are_found():
    women = np.array([1] * 6 + [0] + [0] * 13)
    home = np.array([1] * 7 + [0] * 13)
    traits = [("sex", one_value_each(women, ["male", "female"])), ("home", one_value_each(home, ["out", "home"]))]
    vectors = np.array([[1.0, 0.2], [0.0, 0.8], [0.9, 0.9], [0.1, 0.0]])  # home lies within male, say the stereotypes
    order = hierarchy_of(["male", "female", "out", "home"], vectors).only(["male", "female", "home"]).at(0.2)
    assert order.including("home") == ("male",)
    (found,) = count_overlap(traits).contradicted(order)
    assert (found.narrow, found.broad, found.both, found.people) == ("home", "male", 1, 7)
    assert found.rate == 14 / 20


@pytest.mark.parametrize(("men_at_home", "borne_out"), [(35, False), (45, True), (64, True)])
def test_fewer_than_of_everybody_contradict_an_inclusion_as_well(men_at_home, borne_out):
    """Of 200 people 140 are men; of the 64 at home more than half are, but that may be clearly fewer than 70%."""
    home = np.arange(200) < 64
    men = np.concatenate([np.arange(64) < men_at_home, np.arange(136) < 140 - men_at_home])
    traits = [("sex", one_value_each(men.astype(int), ["female", "male"]))]
    traits += [("home", one_value_each(home.astype(int), ["out", "home"]))]
    vectors = np.array([[0.0, 0.8], [1.0, 0.2], [0.9, 0.9], [0.1, 0.0]])
    order = hierarchy_of(["female", "male", "out", "home"], vectors).only(["male", "home"]).at(0.2)
    assert (count_overlap(traits).contradicted(order) == ()) == borne_out


def test_a_tag_that_hardly_anybody_likes_is_not_ordered(planted):
    model, tags = planted.model, planted.dataset.tags
    assert screen_tags(model, tags).left_out == ()
    everything = tag_hierarchy(model, tags)
    items = tags.member[:, [tags.names.index("Hated")]].nonzero()[0]
    likes = np.array(model.likes)
    likes[items] = [0.0, 0.0, 1e-5]
    spoiled = replace(model, answers=like_answers(likes))
    assert "Loved" in tag_hierarchy(spoiled, tags).at(0.5).including("Hated")
    found = screen_tags(spoiled, tags)
    assert found.left_out == (LeftOut("Hated", len(items), "empty"),)
    assert set(found.hierarchy.tags) == {*everything.tags} - {"Hated"}


def test_with_few_items_everywhere_all_tags_are_ordered(planted):
    found = screen_tags(planted.model, planted.dataset.tags, min_items=1000)
    assert found.hierarchy.tags == planted.dataset.tags.names
    assert found.left_out == ()


@pytest.mark.parametrize("fitted", ["recommended", "paper"])
def test_movielens_says_nothing_false_of_seven_homemakers_and_doctors(ml_100k, fitted):
    model = fit(ml_100k.ratings, preset(fitted))
    found = screen_traits(model, ml_100k.traits.items())
    left_out = {one.name: one.why for one in found.left_out}
    assert left_out["homemaker"] == left_out["doctor"] == "few"
    assert {"male", "female", "student", "programmer"} <= set(found.hierarchy.tags)
    assert (found.hierarchy.vectors.sum(axis=1) > 0).all()
    assert found.hierarchy.counts.min() >= 20
