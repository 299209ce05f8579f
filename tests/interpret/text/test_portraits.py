"""The words are true: every claim in a sentence is recomputed from the arrays, by other code than theirs."""

import io
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnm_core import FitOptions, InputError, average, fit, load_model, preset, save_model
from nnm_core.atlas import Atlas, Optimum
from nnm_core.datasets import Labels
from nnm_core.interpret.text.claims import find_claims
from nnm_core.interpret.text.portraits import (
    _distinct_names,
    _find_names,
    list_stereotypes,
    split_small,
    stereotype_names,
    with_names,
    write_portraits,
)
from nnm_core.interpret.themes import find_themes
from nnm_core.interpret.towers import compute_towers
from nnm_core.storage import model_bytes, model_from_bytes
from tests.fits import fitted
from tests.interpret.planted import above_average, with_tags


class Facts:
    """What the arrays and the ratings say about themes, theme by theme, without the library's towers."""

    def __init__(self, model, dataset):
        d, ratings = model.n_stereotypes, dataset.ratings
        self.model, self.dataset, self.counts = model, dataset, np.diff(ratings.by_item.starts)
        self.likes = np.einsum("izk,z->ik", model.answers, model.answer_values)[:, :d]
        part = model.mixtures.mean(axis=0)[:d]
        self.share, self.weight = part, part / part.sum()
        trust = self.counts / (self.counts + 5 * d)
        self.level = (trust[:, None] * self.likes).sum(axis=0) / trust.sum()
        self.all_level = float((self.level * self.weight).sum())
        self.themes = find_themes(dataset)
        member = self.themes.labels.member.toarray()
        above = above_average(ratings)
        self.bars, self.supported, self.leaning = {}, {}, {}
        for row, phrase in enumerate(self.themes.phrases):
            has = member[:, row]
            w = trust[has]
            self.bars[phrase] = ((w[:, None] * self.likes[has]).sum(axis=0) + 2 * self.level) / (w.sum() + 2)
            self.supported[phrase] = has.sum() >= 5 and self.counts[has].sum() >= 50
            at = has[ratings.items]
            if at.any():
                weights = model.mixtures[ratings.users[at], :d]
                self.leaning[phrase] = (weights * above[at, None]).sum(axis=0) / weights.sum(axis=0) - above[at].mean()

    def relative(self, phrase, k):
        return self.bars[phrase][k] - (self.bars[phrase] * self.weight).sum()

    def taste(self, phrase, k):
        return self.relative(phrase, k) - (self.level[k] - self.all_level)

    def phrases_in(self, text):
        """The phrases of a list such as "a, b and c"; "a and b items" are "a items" and "b items"."""
        noun = self.themes.noun
        parts = re.split(r", | and (?=[^”]*(?:“|$))| or (?=[^”]*(?:“|$))", text) if text else []
        known = {phrase.casefold(): phrase for phrase in self.themes.phrases}
        return [known.get(part.casefold()) or known[f"{part} {noun}".casefold()] for part in parts]


TASTE = re.compile(
    r"^(?:Likes everything (?P<all>more|less) than others do(?:, above all (?P<most>.+?))?\."
    r"(?: The gap is smallest for (?P<least>.+?)\.)?"
    r"|Likes (?P<more>.+?) more than others do(?:, and (?P<less>.+?) less)?\."
    r"|Likes (?P<only_less>.+?) less than others do\."
    r"|What sets it apart: (?P<titles>“.+”)\."
    r"|Nothing in the ratings of the people who lean to it sets it clearly apart\.)"
    r"(?: People who lean to it gave (?P<gave>\S+) on average; all people gave (?P<all_gave>\S+)\.)?$"
)


def check_words(model, dataset):
    """Recompute every claim of every portrait; returns how many themes were named."""
    facts, n_named = Facts(model, dataset), 0
    for k, portrait in enumerate(write_portraits(model, dataset)[: model.n_stereotypes]):
        found = TASTE.match(portrait.text)
        assert found, portrait.text
        more, less = facts.phrases_in(found["more"]), facts.phrases_in(found["less"] or found["only_less"])
        most, least = facts.phrases_in(found["most"]), facts.phrases_in(found["least"])
        if found["all"]:
            sign = 1 if found["all"] == "more" else -1
            supported = [phrase for phrase, enough in facts.supported.items() if enough]
            assert all(sign * facts.relative(phrase, k) >= 0.04 for phrase in supported)
            more, less = (more + most, less + least) if sign > 0 else (more + least, less + most)
        else:
            assert all(facts.relative(phrase, k) >= 0.04 for phrase in more)
            assert all(facts.relative(phrase, k) <= -0.04 for phrase in less)
        for phrase, sign in [*((phrase, 1) for phrase in more), *((phrase, -1) for phrase in less)]:
            assert facts.supported[phrase]
            assert sign * facts.taste(phrase, k) >= 0.04
            assert sign * facts.leaning[phrase][k] > 0  # the people who lean to it did rate so
            n_named += 1
        check_generosity(portrait, found, facts, k)
        check_name(portrait, facts, k)
        check_items(portrait, facts, k)
        if found["titles"]:
            assert found["titles"] == " and ".join(f"“{title}”" for title in portrait.titles)
            assert portrait.is_named_after_items
    return n_named


def check_generosity(portrait, found, facts, k):
    """What its people gave is a mean of ratings that were given, and it is said where it differs by enough."""
    ratings, scale = facts.dataset.ratings, facts.model.scale
    weights = facts.model.mixtures[ratings.users, k]
    gave, all_gave = float((weights * ratings.values).sum() / weights.sum()), float(ratings.values.mean())
    assert portrait.claims.gave == pytest.approx(gave)
    if found["gave"] is None:
        assert portrait.claims.generosity == "average"
        return
    assert abs(gave - all_gave) >= 0.025 * (scale.highest - scale.lowest)
    assert (portrait.claims.generosity == "generous") == (gave > all_gave)
    for said, true in ((found["gave"], gave), (found["all_gave"], all_gave)):
        assert abs(float(said) - true) <= 0.5 * 10.0 ** -len(said.partition(".")[2]) + 1e-9


def check_name(portrait, facts, k):
    """A name says no more than the arrays and the ratings do."""
    name = portrait.name
    if re.match(r"(Generous with everything|Hard to please)$", name):
        assert (portrait.claims.gave > portrait.claims.all_gave) == name.startswith("Generous")
    elif name.startswith(("Fan of “", "No clear leaning")):
        assert not portrait.themes
    else:
        form = r"(?:Not keen on |Generous, most of all with |Hard to please, less so with )"
        negative = name.startswith("Not keen on ")
        for phrase in facts.phrases_in(re.sub(form, "", name)):
            assert (facts.taste(phrase, k) < 0) == negative
            assert (facts.leaning[phrase][k] < 0) == negative


def check_items(portrait, facts, k):
    """Items to recognise it by are well known, liked, and stand out for this stereotype more than for any other."""
    assert len(portrait.items) == len(portrait.titles) <= 2
    rank = np.argsort(np.argsort(-facts.counts, kind="stable"))
    for row in portrait.items:
        assert rank[row] < 250
        own = facts.likes[row] - facts.level
        assert facts.likes[row, k] >= 0.5
        assert own.argmax() == k


CASES = [(name, dim, seed) for name in ("paper", "recommended") for dim, seed in ((2, 0), (3, 1), (5, 2), (8, 0))]


@pytest.mark.parametrize(("name", "dim", "seed"), CASES)
def test_every_claim_is_true_of_the_bundled_data(bundled, name, dim, seed):
    model = fitted(bundled.ratings, preset(name, n_stereotypes=dim), seed=seed)
    assert check_words(model, bundled) > 0


@pytest.mark.movielens
@pytest.mark.parametrize(("name", "dim", "seed"), CASES)
def test_every_claim_is_true_of_ml_1m(ml_1m, name, dim, seed):
    model = fitted(ml_1m.ratings, preset(name, n_stereotypes=dim), seed=seed)
    assert check_words(model, ml_1m) >= 2 * dim  # real data carry claims


@pytest.mark.parametrize(
    "options", [FitOptions(n_stereotypes=3), FitOptions(n_stereotypes=4, mode="stars"), preset("recommended")]
)
def test_every_claim_is_true_of_planted_data(planted, options):
    check_words(fit(planted.dataset.ratings, options), planted.dataset)


def test_planted_tastes_are_put_into_words(planted):
    found = write_portraits(planted.model, planted.dataset)
    noir, kids, hard = (found[column] for column in planted.columns)
    assert noir.text.startswith("Likes Noir items more than others do, and Kids items less.")
    assert kids.claims.likes[0] == 1
    assert 0 in kids.claims.avoids
    assert noir.name == "Noir items"
    assert kids.name == "Kids items"
    assert hard.claims.generosity == "hard to please"
    assert "gave" in hard.text
    assert "Dice" not in " ".join(portrait.text for portrait in found)
    for portrait, column in zip(found, range(3), strict=True):
        assert portrait.share_in_words == f"{100 * planted.model.mixtures[:, column].mean():.0f}% of the audience"


def test_words_are_the_same_every_time(bundled, recommended):
    assert write_portraits(recommended, bundled) == write_portraits(recommended, bundled)
    again = fit(bundled.ratings, preset("recommended"), n_threads=1)
    assert write_portraits(again, bundled) == write_portraits(recommended, bundled)


def test_no_claim_without_data(bundled, recommended):
    """Tags that are attached at random get no words; without tags, years and well-known films speak."""
    for seed in range(5):
        guessed = with_tags(bundled, ("red", "green", "blue"), seed)
        assert not any({0, 1, 2} & {*claim.likes, *claim.avoids} for claim in find_claims(recommended, guessed))
    titles = tuple(title[:-7] for title in bundled.titles)
    bare = replace(bundled, tags=Labels.none(bundled.ratings.n_items), titles=titles)
    kinds = [find_themes(bare).kinds[row] for part in write_portraits(recommended, bare) for row in part.mentioned]
    assert set(kinds) <= {"known"}


def test_a_stereotype_without_themes_is_named_after_two_items(bundled, recommended):
    found = find_claims(recommended, bundled)
    bare = [replace(claim, likes=(), avoids=(), own=(), own_avoids=(), shared=()) for claim in found]
    names = _find_names([bare[0], *found[1:]], find_themes(bundled), bundled)
    assert [bundled.titles[row] for row in found[0].items[:2]] == [
        "Seven (a.k.a. Se7en) (1995)",
        "Clockwork Orange, A (1971)",
    ]
    assert names[0].text == "Fan of “Seven” and “A Clockwork Orange”"
    assert (names[0].themes, names[0].items) == ((), found[0].items[:2])
    names = _find_names([replace(bare[0], items=()), *found[1:]], find_themes(bundled), bundled)
    assert names[0].text == "No clear leaning"


def test_what_equally_good_fits_disagree_on_is_not_said(bundled, recommended):
    """A second optimum that is the first with two stereotypes swapped contradicts everything about these two."""
    order = [1, 0, 2, 3, 4]
    twin = Optimum(1e-5, 2, np.zeros(3), recommended.mixtures[:, order], recommended.answers[:, :, order])
    alone = find_claims(recommended, bundled)
    both = find_claims(replace(recommended, atlas=Atlas(4, 2, np.full(3, 2), (twin,))), bundled)
    taste = compute_towers(recommended, bundled, find_themes(bundled).labels).taste
    said = [(k, row) for k in (0, 1) for row in (*alone[k].likes, *alone[k].avoids)]
    agreed = [(k, row) for k, row in said if taste[row, 0] * taste[row, 1] > 0]
    assert len(agreed) < len(said)
    assert sorted((k, row) for k in (0, 1) for row in (*both[k].likes, *both[k].avoids)) == sorted(agreed)
    assert both[2].likes == alone[2].likes


def test_what_seeds_disagree_on_is_not_said(bundled, recommended):
    nothing = np.zeros((len(bundled.tags.names), 3), dtype=bool)
    for claim in find_claims(recommended, bundled, firm=nothing):
        assert all(row >= len(bundled.tags.names) for row in (*claim.likes, *claim.avoids))
    everything = np.ones_like(nothing)
    assert write_portraits(recommended, bundled, firm=everything) == write_portraits(recommended, bundled)


def test_the_enthusiast_and_the_skeptic_say_what_they_are(bundled, recommended):
    enthusiast, skeptic = write_portraits(recommended, bundled)[3:]
    share = recommended.mixtures.mean(axis=0)
    assert enthusiast.text == "Gives everything the highest rating (5.0): a habit, not a taste."
    assert enthusiast.share_in_words == f"{share[3]:.0%} of the audience"
    assert skeptic.text.startswith("Gives everything the lowest rating (0.5)")
    assert (enthusiast.name, skeptic.name) == ("Enthusiast", "Skeptic")


def test_one_stereotype_is_not_compared(planted):
    (only,) = write_portraits(fit(planted.dataset.ratings, FitOptions(n_stereotypes=1)), planted.dataset)
    assert only.text == "The only stereotype: there is nobody to compare it with."


@pytest.mark.parametrize("dim", [1, 4, 12])
def test_no_two_stereotypes_have_the_same_name(bundled, planted, dim):
    for dataset in (bundled, planted.dataset):
        model = fitted(dataset.ratings, preset("recommended", n_stereotypes=dim))
        names = [name.casefold() for name in stereotype_names(model, dataset)]
        assert len(set(names)) == len(names) == dim + 2


def test_twins_get_different_names(planted):
    """A committee of a model with itself has every stereotype twice."""
    twins = average([planted.model, planted.model])
    names = stereotype_names(twins, planted.dataset)
    assert len(set(names)) == 6


@given(st.lists(st.sampled_from(["a", "b", "A", "enthusiast", "a (2)"]), min_size=1, max_size=8))
def test_names_are_always_distinct(found):
    names = _distinct_names(found, [""] * len(found))
    assert len({name.casefold() for name in names} | {"enthusiast", "skeptic"}) == len(names) + 2


@given(st.sets(st.sampled_from(["a", "B", "b (2)", "c (2)"]), max_size=3), st.integers(0, 5))
def test_given_names_stay_as_they_are(own, n_free):
    given_names = [*sorted(own), *[""] * n_free]
    names = _distinct_names(["a", "b", "c"] * 3, (given_names + [""] * 9)[:9])
    assert names[: len(own)] == sorted(own)
    assert len({name.casefold() for name in names}) == len(names)


def test_small_stereotypes_are_listed_together(bundled, recommended):
    first, second, third, *habits = write_portraits(recommended, bundled)
    small = [replace(second, share=0.02), replace(third, share=0.0299)]
    named = f"“{first.name}” ({first.share:.0%})"
    assert list_stereotypes([first, *small, *habits]) == f"{named} and 2 small groups (5%)"
    assert list_stereotypes([first, small[0], replace(third, share=0.03)]) == (
        f"{named}, “{third.name}” (3%) and 1 small group (2%)"
    )
    many = [replace(second, share=0.025)] * 19 + [replace(third, share=0.012)]  # nearly all are below 3%
    assert [len(part) for part in split_small(many)] == [19, 1]


def test_own_names_are_kept_with_the_model(bundled, recommended, tmp_path):
    named = with_names(recommended, {0: "Popcorn  crowd", 2: "日本 🎬"})
    save_model(named, tmp_path / "m.nnm")
    again = load_model(tmp_path / "m.nnm")
    assert again.given_names == ("Popcorn crowd", "", "日本 🎬")
    found = write_portraits(again, bundled)
    assert found[0].name == "Popcorn crowd"
    assert found[1].name == write_portraits(recommended, bundled)[1].name
    assert with_names(again, {0: "", 2: ""}).given_names is None
    assert with_names(again, {1: "Night owls"}).given_names == ("Popcorn crowd", "Night owls", "日本 🎬")


def test_a_found_name_yields_to_the_same_given_name(bundled, recommended):
    found = stereotype_names(recommended, bundled)
    named = with_names(recommended, {2: found[0]})
    names = stereotype_names(named, bundled)
    assert names[2] == found[0]
    assert len(set(names)) == 5


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({0: "x" * 81}, "more than 80 characters"),
        ({0: "Same", 1: "same"}, "is given twice"),
        ({0: "a\x07b"}, "cannot be printed"),
        ({0: "Skeptic"}, "belongs to a stereotype of generosity"),
        ({7: "x"}, "no stereotype of taste number 7"),
    ],
)
def test_unusable_names_are_refused_in_words(recommended, names, message):
    with pytest.raises(InputError, match=message):
        with_names(recommended, names)


def test_names_of_a_wrong_number_or_kind_are_refused(recommended):
    with pytest.raises(InputError, match="2 names for 3 stereotypes"):
        replace(recommended, given_names=("a", "b"))
    with pytest.raises(InputError, match="tuple of texts"):
        replace(recommended, given_names=["a", "b", "c"])


def test_files_without_names_still_load(recommended):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(model_bytes(recommended))) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            new.writestr(member, old.read(member).replace(b'"given_names"', b'"later_names"'))
    assert model_from_bytes(out.getvalue()).given_names is None


def test_a_committee_of_named_models_has_no_names(recommended):
    named = with_names(recommended, {0: "Popcorn crowd"})
    assert average([named, named]).given_names is None
