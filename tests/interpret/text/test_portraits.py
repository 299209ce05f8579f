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
from nnm_core.datasets import Labels
from nnm_core.interpret.exemplars import distinctive_items
from nnm_core.interpret.text.claims import find_claims
from nnm_core.interpret.text.portraits import (
    _distinct_names,
    _Name,
    _says_more,
    stereotype_names,
    with_names,
    write_portraits,
)
from nnm_core.phrases import listed, percent, quoted_name, rating_in_words, shortened, tag_in_words
from nnm_core.scale import Scale
from nnm_core.storage import model_bytes, model_from_bytes
from tests.interpret.planted import with_tags


class Facts:
    """What the arrays say about tags and stereotypes, computed tag by tag without the library's towers."""

    def __init__(self, model, dataset):
        d = model.n_stereotypes
        self.model, self.dataset, self.counts = model, dataset, np.diff(dataset.ratings.by_item.starts)
        self.likes = np.einsum("izk,z->ik", model.answers, model.answer_values)[:, :d]
        part = model.mixtures.mean(axis=0)[:d]
        self.share, self.weight = part, part / part.sum()
        trust = self.counts / (self.counts + 5 * d)
        self.level = (trust[:, None] * self.likes).sum(axis=0) / trust.sum()
        self.all_level = float((self.level * self.weight).sum())
        own = self.likes - self.level
        own -= (own * self.weight).sum(axis=1)[:, None]
        spread = np.sqrt((trust[:, None] * own**2).sum(axis=0) / trust.sum())
        self.bars, self.errors, self.supported, self.evidence = {}, {}, {}, {}
        raters = np.repeat(np.arange(model.n_items), self.counts)
        people = np.column_stack(
            [np.bincount(raters, model.mixtures[dataset.ratings.by_item.partners, k], model.n_items) for k in range(d)]
        )
        member = dataset.tags.member.tocsc()
        for k, tag in enumerate(dataset.tags.names):
            rows = member.indices[member.indptr[k] : member.indptr[k + 1]]
            w = trust[rows]
            self.bars[tag] = ((w[:, None] * self.likes[rows]).sum(axis=0) + 2 * self.level) / (w.sum() + 2)
            self.errors[tag] = spread * np.sqrt((w**2).sum()) / (w.sum() + 2)
            self.evidence[tag] = people[rows].sum(axis=0)
            self.supported[tag] = len(rows) >= 5 and self.counts[rows].sum() >= 50

    def relative(self, tag, k):
        return self.bars[tag][k] - (self.bars[tag] * self.weight).sum()

    def taste(self, tag, k):
        return self.relative(tag, k) - (self.level[k] - self.all_level)


def split(text):
    """The parts of "a, b and c"; parts may be in quotation marks."""
    return [part.strip("“”") for part in re.split(r", | and (?=[^”]*(?:“|$))", text) if part] if text else []


TASTE = re.compile(
    r"^(?:Likes everything (?P<all>more|less) than others do"
    r"(?:; the gap is (?:wider than usual for (?P<wide>.+?))?(?:, )?(?:narrower for (?P<narrow>.+?))?)?\. "
    r"|Likes (?P<more>.+?) more than others do(?:, and (?P<less>.+?) less)?\. "
    r"|Likes (?P<only_less>.+?) less than others do\. "
    r"|(?P<none>No tag sets it far apart\.) )?It (?P<facts>.+)\.$"
)
FACTS = re.compile(
    r"^makes up (?P<share>.+?%) of the audience"
    r"(?:,| and) (?:(?P<average>rates about as generously as the others)|is (?P<lean>generous|hard to please) "
    r"\((?P<own>\S+) on average, where all tastes together give (?P<all>\S+)\))"
    r"(?: and can be recognised by (?:its liking for|(?P<less>liking)) (?P<items>.+?)(?(less) relatively well|))?$"
)


def check_words(model, dataset):
    """Recompute every claim of every portrait; returns how many tags were named."""
    facts, n_named = Facts(model, dataset), 0
    tags = list(dataset.tags.names)
    all_supported = [tag for tag in tags if facts.supported[tag]]
    for k, portrait in enumerate(write_portraits(model, dataset)[: model.n_stereotypes]):
        found = TASTE.match(portrait.text)
        assert found, portrait.text
        more, less = split(found["more"]), split(found["less"] or found["only_less"])
        wide, narrow = split(found["wide"]), split(found["narrow"])
        if found["all"]:
            sign = 1 if found["all"] == "more" else -1
            assert all(sign * facts.relative(tag, k) >= 0.03 for tag in all_supported)
            assert all(sign * facts.taste(tag, k) > 0 for tag in wide)
            assert all(sign * facts.taste(tag, k) < 0 for tag in narrow)
        assert all(facts.relative(tag, k) >= 0.03 and facts.taste(tag, k) > 0 for tag in more)
        assert all(facts.relative(tag, k) <= -0.03 and facts.taste(tag, k) < 0 for tag in less)
        for tag in (*more, *less, *wide, *narrow):
            assert facts.supported[tag]
            assert facts.evidence[tag][k] >= 10
            assert abs(facts.taste(tag, k)) > 2.5 * facts.errors[tag][k]
            n_named += 1
        told = FACTS.match(found["facts"])
        check_facts(told, facts, k)
        if told["items"]:
            assert bool(told["less"]) == (found["all"] == "less")
        check_name(portrait.name, facts, k)
    return n_named


def check_facts(found, facts, k):
    assert found
    model = facts.model
    assert found["share"] == f"{100 * facts.share[k]:.0f}%" or "than" in found["share"]
    lean = facts.level[k] - facts.all_level
    assert bool(found["average"]) == (abs(lean) < 0.05)
    assert (found["lean"] == "generous") == (lean >= 0.05)
    assert (found["lean"] == "hard to please") == (lean <= -0.05)
    if found["lean"]:
        for said, unit in ((found["own"], facts.level[k]), (found["all"], facts.all_level)):
            true = np.clip(model.scale.from_unit(unit), model.scale.lowest, model.scale.highest)
            assert abs(float(said) - true) <= 0.5 * 10.0 ** -len(said.partition(".")[2]) + 1e-9
        assert found["own"] != found["all"]
    for title, tags in re.findall(r"“(.+?)”(?: \(([^“]+?)\))?(?=,|$| and )", found["items"] or ""):
        row = [shortened(name) for name in facts.dataset.titles].index(title)
        has = {facts.dataset.tags.names[tag] for tag in facts.dataset.tags.member[[row]].indices}
        assert all(tag in has and facts.taste(tag, k) > 0 for tag in tags.split(", ") if tag)
        rows = [row for row, name in enumerate(facts.dataset.titles) if shortened(name) == title]
        assert any(facts.counts[row] >= 10 and facts.likes[row, k] >= 0.5 for row in rows)
        assert any(
            facts.likes[row, k] - facts.likes[row] @ facts.weight > facts.level[k] - facts.all_level for row in rows
        )


def check_name(name, facts, k):
    """A name says no more than the sentences."""
    tags = {tag_in_words(tag, 28): tag for tag in facts.dataset.tags.names}
    if fan := re.fullmatch(r"(.+?)(?: and (.+?))? fan(?:, cooler on (.+))?", name):
        for tag in filter(None, fan.groups()[:2]):
            assert facts.bars[tags[tag]][k] >= 0.5
            assert facts.relative(tags[tag], k) > 0
        assert fan[3] is None or facts.relative(tags[fan[3]], k) < 0
    elif cooler := re.fullmatch(r"Cooler on (.+?)(?: and (.+))?", name):
        assert all(facts.relative(tags[tag], k) < 0 for tag in filter(None, cooler.groups()))
    elif milder := re.fullmatch(r"Milder on (.+?), (?:but hard to please|harder on (.+))", name):
        assert facts.level[k] < facts.all_level
        assert facts.taste(tags[milder[1]], k) > 0
        assert milder[2] is None or facts.taste(tags[milder[2]], k) < 0
    elif keener := re.fullmatch(r"Keener on (.+?), (?:open to everything|likes everything more)", name):
        assert facts.level[k] > facts.all_level
        assert facts.taste(tags[keener[1]], k) > 0
    elif name.startswith("Hard to please"):
        assert facts.level[k] < facts.all_level
    elif name.startswith("Open to everything"):
        assert all(facts.bars[tag][k] >= 0.5 for tag in facts.bars if facts.supported[tag])
    else:
        assert name.startswith(("Fan of “", "Warmer on ", "Likes everything more", "Stereotype "))


def test_stereotypes_of_one_manner_are_told_apart_by_what_comes_first(bundled):
    """With ten kinds of taste half a dozen are hard to please; none is a mere number, and no two begin alike.

    A converged fit has one that is; one that is stopped early has several.
    """
    options = preset("recommended", n_stereotypes=10, n_sweeps=24, tol=0.0, momentum=False)
    model = fit(bundled.ratings, options)
    told = write_portraits(model, bundled)[:10]
    strict = [portrait for portrait in told if portrait.claims.manner == "strict"]
    assert len(strict) >= 4
    assert len({portrait.name[:18] for portrait in strict}) == len(strict)
    assert not any(portrait.name.startswith("Stereotype ") for portrait in told)
    check_words(model, bundled)


CASES = [(name, dim, seed) for name in ("paper", "recommended") for dim, seed in ((2, 0), (3, 1), (5, 2), (8, 0))]


@pytest.mark.parametrize(("name", "dim", "seed"), CASES)
def test_every_claim_is_true_of_the_bundled_data(bundled, name, dim, seed):
    model = fit(bundled.ratings, preset(name, n_stereotypes=dim), seed=seed)
    assert check_words(model, bundled) > 0


@pytest.mark.parametrize(("name", "dim", "seed"), CASES)
def test_who_is_named_after_a_tag_has_an_item_of_it_to_show(bundled, name, dim, seed):
    model = fit(bundled.ratings, preset(name, n_stereotypes=dim), seed=seed)
    tags = {tag_in_words(tag, 28): k for k, tag in enumerate(bundled.tags.names)}
    n_named = 0
    for portrait in write_portraits(model, bundled)[:dim]:
        named = re.match(r"(?:Warmer on )?(.+?)(?: and .+?)?(?: fan.*|, cooler on .+|$)", portrait.name)
        if portrait.claims.manner != "taste" or not portrait.claims.likes or named[1] not in tags:
            continue
        candidates = distinctive_items(model, bundled, portrait.stereotype, model.n_items)["row"].tolist()
        carried = bundled.tags.member[portrait.claims.items, :].toarray().any(axis=0)
        if bundled.tags.member[candidates, :][:, portrait.claims.likes].toarray().any():
            assert carried[tags[named[1]]], (portrait.name, [bundled.titles[row] for row in portrait.claims.items])
            n_named += 1
    assert n_named or not any("fan" in portrait.name for portrait in write_portraits(model, bundled))


@pytest.mark.movielens
@pytest.mark.parametrize(("name", "dim", "seed"), CASES)
def test_every_claim_is_true_of_ml_1m(ml_1m, name, dim, seed):
    model = fit(ml_1m.ratings, preset(name, n_stereotypes=dim), seed=seed)
    assert check_words(model, ml_1m) >= 2 * dim  # real data carry claims


@pytest.mark.parametrize(
    "options", [FitOptions(n_stereotypes=3), FitOptions(n_stereotypes=4, mode="stars"), preset("recommended")]
)
def test_every_claim_is_true_of_planted_data(planted, options):
    check_words(fit(planted.dataset.ratings, options), planted.dataset)


def test_planted_tastes_are_put_into_words(planted):
    found = write_portraits(planted.model, planted.dataset)
    noir, kids, hard = (found[column] for column in planted.columns)
    assert noir.text.startswith("Likes Noir and Broad more than others do, and Kids less.")
    assert kids.claims.likes[0] == 1
    assert 0 in kids.claims.avoids
    assert noir.name == "Noir fan"
    assert kids.name == "Kids fan"
    assert "hard to please" in hard.text
    assert "Dice" not in " ".join(portrait.text for portrait in found)
    for portrait, column in zip(found, range(3), strict=True):
        assert f"makes up {100 * planted.model.mixtures[:, column].mean():.0f}% of the audience" in portrait.text


def test_words_are_the_same_every_time(bundled, recommended):
    assert write_portraits(recommended, bundled) == write_portraits(recommended, bundled)
    again = fit(bundled.ratings, preset("recommended"), n_threads=1)
    assert write_portraits(again, bundled) == write_portraits(recommended, bundled)


def test_no_claim_without_data(bundled, recommended):
    """Tags that are attached at random get no words, and without tags the items speak."""
    for seed in range(5):
        guessed = with_tags(bundled, ("red", "green", "blue"), seed)
        assert not any(claim.likes or claim.avoids for claim in find_claims(recommended, guessed))
    bare = replace(bundled, tags=Labels.none(bundled.ratings.n_items))
    found = write_portraits(recommended, bare)
    assert not any("Likes" in portrait.text or "tag" in portrait.text for portrait in found)
    assert all(portrait.name.startswith("Fan of “") for portrait in found[:3])


def test_what_seeds_disagree_on_is_not_said(bundled, recommended):
    nothing = np.zeros((len(bundled.tags.names), 3), dtype=bool)
    assert not any(claim.likes or claim.avoids for claim in find_claims(recommended, bundled, firm=nothing))


def test_the_name_beside_firm_words_is_firm_and_the_usual_one_is_told(bundled, recommended):
    usual = write_portraits(recommended, bundled)[:3]
    k, tag = next(
        (k, tag)
        for k, portrait in enumerate(usual)
        for tag in portrait.claims.likes[::-1]
        if bundled.tags.names[tag] in portrait.name
    )
    firm = np.ones((len(bundled.tags.names), 3), dtype=bool)
    assert write_portraits(recommended, bundled, firm=firm)[:3] == usual  # all is firm: nothing changes
    firm[tag, k] = False
    found = write_portraits(recommended, bundled, firm=firm)
    assert bundled.tags.names[tag] not in found[k].name
    assert f" Its name “{usual[k].name}” says more than all fits agree on" in found[k].text
    assert f"by what they agree on it is {quoted_name(found[k].name)}." in found[k].text
    assert all("says more" not in found[other].text for other in range(3) if other != k)
    mine = write_portraits(with_names(recommended, {k: "Night owls"}), bundled, firm=firm)[k]
    assert mine.name == "Night owls"
    assert "says more" not in mine.text


def test_a_title_that_reads_like_a_tag_is_not_taken_for_one(planted):
    """Whether a name mentions a tag is known from how it was made, not read off its words."""
    dataset = replace(planted.dataset, titles=tuple(f"Noir {k}" for k in range(planted.model.n_items)))
    claim = find_claims(planted.model, dataset)[planted.columns[0]]
    assert dataset.tags.names.index("Noir") in claim.likes
    without = replace(claim, likes=(), avoids=())
    by_tag, by_title = _Name("Noir fan", claim.likes), _Name("Fan of “Noir 3”")
    assert "Its name “Noir fan” says more" in _says_more(by_tag, claim, _Name("Stereotype 1", is_number=True), without)
    assert _says_more(by_title, claim, by_title, without) == ""


def test_the_enthusiast_and_the_skeptic_say_what_they_are(bundled, recommended):
    enthusiast, skeptic = write_portraits(recommended, bundled)[3:]
    share = recommended.mixtures.mean(axis=0)
    assert enthusiast.text == (
        "Gives everything the highest rating (5.0): a habit and not a taste. "
        f"It makes up {share[3]:.0%} of the audience."
    )
    assert skeptic.text.startswith("Gives everything the lowest rating (0.5)")
    assert (enthusiast.name, skeptic.name) == ("Enthusiast", "Skeptic")


def test_one_stereotype_is_not_compared(planted):
    (only,) = write_portraits(fit(planted.dataset.ratings, FitOptions(n_stereotypes=1)), planted.dataset)
    assert only.text == "The only stereotype of taste; makes up 100% of the audience."


@pytest.mark.parametrize("dim", [1, 4, 12])
def test_no_two_stereotypes_have_the_same_name(bundled, planted, dim):
    for dataset in (bundled, planted.dataset):
        model = fit(dataset.ratings, preset("recommended", n_stereotypes=dim))
        names = [name.casefold() for name in stereotype_names(model, dataset)]
        assert len(set(names)) == len(names) == dim + 2


def test_twins_get_different_names(planted):
    """A committee of a model with itself has every stereotype twice."""
    twins = average([planted.model, planted.model])
    names = stereotype_names(twins, planted.dataset)
    assert len(set(names)) == 6


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "A", "enthusiast", "Stereotype 1"]), max_size=3), min_size=1, max_size=8
    ),
    st.integers(0, 2),
)
def test_names_are_always_distinct(candidates, n_items):
    items = [["Fan of “x”", "b"][:n_items]] * len(candidates)
    names = _distinct_names(candidates, [""] * len(candidates), items)
    assert len({name.casefold() for name in names} | {"enthusiast", "skeptic"}) == len(names) + 2


@given(st.sets(st.sampled_from(["a", "B", "Stereotype 2", "c (2)"]), max_size=3), st.integers(0, 5))
def test_given_names_stay_as_they_are(own, n_free):
    given_names = [*sorted(own), *[""] * n_free]
    names = _distinct_names([["a", "b"]] * len(given_names), given_names, [[]] * len(given_names))
    assert names[: len(own)] == sorted(own)
    assert len({name.casefold() for name in names}) == len(names)


def test_giving_one_name_leaves_the_others_as_they_are():
    candidates = [["Horror fan", "Horror and War fan"], ["Horror fan", "Horror and Crime fan"]]
    assert _distinct_names(candidates, ["", ""], [[], []]) == ["Horror and War fan", "Horror and Crime fan"]
    assert _distinct_names(candidates, ["Night owls", ""], [[], []]) == ["Night owls", "Horror and Crime fan"]


def test_who_would_have_to_be_named_after_an_item_keeps_a_name_of_tags():
    candidates = [["Horror fan"], ["Horror fan", "Horror and Crime fan"]]
    items = [["Fan of “Psycho”"], ["Fan of “M”"]]
    assert _distinct_names(candidates, ["", ""], items) == ["Horror fan", "Horror and Crime fan"]
    assert _distinct_names(candidates[:1] * 2, ["", ""], items) == ["Horror fan", "Fan of “M”"]


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


def test_pieces_of_text():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert [percent(s) for s in (0, 0.001, 0.004999, 0.41, 0.9949, 0.999, 1)] == [
        "0%", "less than 1%", "less than 1%", "41%", "99%", "more than 99%", "100%",
    ]  # fmt: skip
    assert tag_in_words("Film-Noir") == "Film-Noir"
    assert tag_in_words("War, and peace") == "“War, and peace”"
    assert tag_in_words("<b>bold</b>") == "“<b>bold</b>”"
    assert tag_in_words("black and white") == "“black and white”"
    assert shortened("a\n\x00b  c") == "a b c"
    assert len(shortened("x" * 200)) == 60
    assert rating_in_words(3.449, Scale(1, 5)) == "3.4"
    assert rating_in_words(0.449, Scale(0, 1)) == "0.45"
    assert rating_in_words(-0.2, Scale(-10, 10)) == "0"
    assert rating_in_words(0.2, Scale(1, 5)) == "1.0"
