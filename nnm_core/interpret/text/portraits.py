"""Stereotypes in words: for each a name and a sentence or two, true of the numbers and never twice the same name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import InputError
from nnm_core.interpret.text.claims import Claims, claims
from nnm_core.interpret.towers import Generosity, Towers, generosity, towers
from nnm_core.model import FIXED_NAMES, Model
from nnm_core.phrases import listed, percent, quoted, quoted_name, rating_in_words, tag_in_words
from nnm_core.types import BoolArray

_IN_NAMES = 28
"""Characters of a tag or title within a name."""

_UNNAMED = "Stereotype"
"""What a stereotype without any other name is called, with its number."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """A stereotype in words.

    ``stereotype``: its column. ``name``: given by somebody where ``is_given``, else found by the program.
    ``text``: one or two sentences. ``claims``: what they rest on; ``None`` for the enthusiast and the skeptic.
    """

    stereotype: int
    name: str
    is_given: bool
    text: str
    share: float
    claims: Claims | None


def portraits(
    model: Model, dataset: Dataset, bars: Towers | None = None, *, firm: BoolArray | None = None
) -> tuple[Portrait, ...]:
    """Every stereotype in words, the enthusiast and the skeptic last; the same model and data give the same words.

    ``firm`` (n_tags, n_stereotypes) restricts what is said about tags, in names too: see ``Stability.is_firm``. Where
    the usual name, which other places go on showing, says more than that, the text says so.
    """
    bars = towers(model, dataset) if bars is None else bars
    found = claims(model, dataset, bars, firm=firm)
    given = model.given_names or ("",) * model.n_stereotypes
    apart = _apart(found)
    candidates = [_candidates(claim, apart[claim.stereotype], bars, dataset) for claim in found]
    items = [[f"Fan of {quoted(dataset.titles[item], _IN_NAMES)}" for item in claim.items] for claim in found]
    if model.n_stereotypes == 1:
        candidates = [["Common taste"]]
    usual = () if firm is None else portraits(model, dataset, bars)[: len(found)]
    if usual:
        # A name that is firm stays, even where a shorter one would do now.
        candidates = [
            [before.name] * (before.name in [*names, *others]) + names
            for before, names, others in zip(usual, candidates, items, strict=True)
        ]
    names = _distinct_names(candidates, given, items)
    texts = [_text(claim, model.n_stereotypes, bars, model, dataset) for claim in found]
    for k, before in enumerate(usual):
        texts[k] += _says_more(before, found[k], names[k], bars)
    of_taste = [
        Portrait(claim.stereotype, name, own != "", text, claim.share, claim)
        for claim, name, own, text in zip(found, names, given, texts, strict=True)
    ]
    of_habit = [
        Portrait(model.n_stereotypes + k, part.name.capitalize(), False, _habit_text(part, model), part.share, None)
        for k, part in enumerate(generosity(model))
    ]
    return (*of_taste, *of_habit)


def stereotype_names(model: Model, dataset: Dataset) -> tuple[str, ...]:
    """A name for every column of the model: given names first, found ones else."""
    return tuple(portrait.name for portrait in portraits(model, dataset))


def with_names(model: Model, names: Mapping[int, str]) -> Model:
    """The model with these names given to its stereotypes of taste, {stereotype: name}; an empty one takes it back.

    Names that are not mentioned stay. The file of the model keeps them.
    """
    given = list(model.given_names or ("",) * model.n_stereotypes)
    for stereotype, name in names.items():
        if not 0 <= stereotype < model.n_stereotypes:
            raise InputError(
                f"There is no stereotype of taste number {stereotype}; the model has 0 to {model.n_stereotypes - 1}."
            )
        given[stereotype] = " ".join(name.split())
    return replace(model, given_names=tuple(given) if any(given) else None)


def _apart(found: Sequence[Claims]) -> dict[int, list[int]]:
    """For each stereotype the tags that it likes, first one that sets it apart from the others of its manner.

    Those with few tags choose first, and everybody takes the tag that the fewest others have.
    """
    counts = Counter((claim.manner, tag) for claim in found for tag in claim.likes)
    taken: set[tuple[str, int]] = set()
    apart = {}
    for claim in sorted(found, key=lambda claim: len(claim.likes)):
        apart[claim.stereotype] = sorted(
            claim.likes, key=lambda tag: ((claim.manner, tag) in taken, counts[claim.manner, tag])
        )
        taken |= {(claim.manner, tag) for tag in apart[claim.stereotype][:1]}
    return apart


def _candidates(claim: Claims, apart: Sequence[int], bars: Towers, dataset: Dataset) -> list[str]:
    """Names for a stereotype, shortest first; each says no more than its claims, and what sets it apart comes first.

    ``apart``: the tags that it likes, the most telling among stereotypes of its manner first.
    """
    likes = [tag_in_words(bars.tags[tag], _IN_NAMES) for tag in _shown_first(claim, bars, dataset)]
    avoids = [tag_in_words(bars.tags[tag], _IN_NAMES) for tag in claim.avoids]
    telling = [tag_in_words(bars.tags[tag], _IN_NAMES) for tag in apart]
    own = bars.likes[:, claim.stereotype]
    if claim.manner == "open":
        first = "Open to everything" if (own[bars.is_supported] >= 0.5).all() else f"{_verb(dataset)} everything more"
        return [first, *(f"Keener on {tag}, {first[0].lower()}{first[1:]}" for tag in telling)]
    if claim.manner == "strict" and dataset.implicit:
        return ["Chooses little", *(f"Chooses little, less so with {tag}" for tag in telling)]
    if claim.manner == "strict":
        names = ["Hard to please", *(f"Milder on {tag}, but hard to please" for tag in telling)]
        return names + [f"Milder on {tag}, harder on {other}" for other in avoids for tag in telling]
    names = []
    if likes:
        loves = (own[list(claim.likes)] >= 0.5).all()
        form: Callable[[str], str] = "{} fan".format if loves else "Warmer on {}".format
        names += [form(likes[0])] + [form(f"{likes[0]} and {other}") for other in likes[1:]]
        names += [f"{form(likes[0])}, cooler on {other}" for other in avoids]
    elif avoids:
        names += [f"Cooler on {avoids[0]}"] + [f"Cooler on {avoids[0]} and {other}" for other in avoids[1:]]
    return names


def _shown_first(claim: Claims, bars: Towers, dataset: Dataset) -> list[int]:
    """The tags that it likes, first those that one of the items to recognise it by has: a name shows its evidence."""
    if bars.tags != dataset.tags.names or not claim.items:
        return list(claim.likes)
    shown = np.asarray(dataset.tags.member[list(claim.items)].sum(axis=0)).ravel()
    return sorted(claim.likes, key=lambda tag: shown[tag] == 0)


def _distinct_names(
    candidates: Sequence[Sequence[str]], given: Sequence[str], items: Sequence[Sequence[str]]
) -> list[str]:
    """One name each, no two alike; where several would get the same name, all of them move on to their next one.

    Only the first of those that would have to be named after one of their ``items`` then keeps the name.
    Names are found as if none were given, so that giving one leaves the others as they are.
    """
    options = [[*names, *items[k], f"{_UNNAMED} {k + 1}"] for k, names in enumerate(candidates)]
    at = [0] * len(options)
    reserved = {*FIXED_NAMES, *(own.casefold() for own in given if own)}
    while True:
        names = [options[k][at[k]] for k in range(len(options))]
        keys = [name.casefold() for name in names]
        clashing = [
            k for k, key in enumerate(keys) if (key in reserved or keys.count(key) > 1) and at[k] + 1 < len(options[k])
        ]
        if not clashing:
            return _numbered([own or name for name, own in zip(names, given, strict=True)], given)
        stuck = [k for k in clashing if at[k] + 1 == len(candidates[k]) and keys[k] not in reserved]
        keeping = {keys[k]: k for k in reversed(stuck)}
        moving = [k for k in clashing if keeping.get(keys[k]) != k]
        for k in moving or clashing:
            at[k] += 1


def _numbered(names: Sequence[str], given: Sequence[str]) -> list[str]:
    """The names, with a number behind those that still occur twice."""
    taken = {own.casefold() for own in given if own} | {*FIXED_NAMES}
    result = []
    for name, own in zip(names, given, strict=True):
        unique, number = name, 2
        while not own and unique.casefold() in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique.casefold())
        result.append(unique)
    return result


def _text(claim: Claims, n_stereotypes: int, bars: Towers, model: Model, dataset: Dataset) -> str:
    if n_stereotypes == 1:
        return f"The only stereotype of taste; makes up {percent(claim.share)} of the audience."
    if claim.generosity == "unknown":
        return "Hardly anybody in the data is of this kind."
    about = [f"makes up {percent(claim.share)} of the audience"]
    level = float(bars.levels[claim.stereotype])
    if dataset.implicit and claim.generosity != "average":
        more = "more" if claim.lean > 0 else "less"
        about.append(f"chooses {more} ({percent(level)} of everything, where all tastes together choose "
                     f"{percent(level - claim.lean)})")  # fmt: skip
    elif dataset.implicit:
        about.append("chooses about as much as the others")
    elif claim.generosity != "average":
        own, all_together = (
            rating_in_words(float(model.scale.from_unit(unit)), model.scale) for unit in (level, level - claim.lean)
        )
        about.append(f"is {claim.generosity} ({own} on average, where all tastes together give {all_together})")
    else:
        about.append("rates about as generously as the others")
    if claim.items:
        shown = listed([_with_evidence(row, claim, bars, dataset) for row in claim.items])
        likes = f"liking {shown} relatively well" if claim.manner == "strict" else f"its liking for {shown}"
        about.append(f"can be recognised by {f'choosing {shown}' if dataset.implicit else likes}")
    return f"{_taste_sentence(claim, bars, _verb(dataset))} It {listed(about)}.".lstrip()


def _says_more(usual: Portrait, firm: Claims, name: str, bars: Towers) -> str:
    """That the usual name rests on tags that are not firm, and the name that does not; nothing where that is not so."""
    before = usual.claims
    if before is None or usual.is_given:
        return ""
    dropped = {*before.likes, *before.avoids} - {*firm.likes, *firm.avoids}
    named = [re.escape(tag_in_words(bars.tags[tag], _IN_NAMES)) for tag in dropped]
    if not any(re.search(rf"(?<!\w){tag}(?!\w)", usual.name) for tag in named):
        return ""
    instead = "" if name.startswith(_UNNAMED) else f"; by what they agree on it is {quoted_name(name)}"
    return f" Its name {quoted_name(usual.name)} says more than all fits agree on{instead}."


def _with_evidence(row: int, claim: Claims, bars: Towers, dataset: Dataset) -> str:
    """The title of an item and, of its tags, those that the stereotype is said to like."""
    title = quoted(dataset.titles[row])
    if claim.manner != "taste" or bars.tags != dataset.tags.names:
        return title
    has = set(dataset.tags.member[[row]].indices.tolist())
    tags = [bars.tags[tag] for tag in claim.likes if tag in has]
    plain = [tag for tag in tags if tag_in_words(tag) == tag]
    return f"{title} ({', '.join(plain)})" if plain else title


def _verb(dataset: Dataset) -> str:
    """What a stereotype does with what suits it."""
    return "Chooses" if dataset.implicit else "Likes"


def _taste_sentence(claim: Claims, bars: Towers, verb: str) -> str:
    likes = listed([tag_in_words(bars.tags[tag]) for tag in claim.likes]) if claim.likes else ""
    avoids = listed([tag_in_words(bars.tags[tag]) for tag in claim.avoids]) if claim.avoids else ""
    if claim.manner in ("open", "strict"):
        wide, narrow = (likes, avoids) if claim.manner == "open" else (avoids, likes)
        parts = ([f"wider than usual for {wide}"] if wide else []) + ([f"narrower for {narrow}"] if narrow else [])
        gap = f"; the gap is {', '.join(parts)}" if parts else ""
        return f"{verb} everything {'more' if claim.manner == 'open' else 'less'} than others do{gap}."
    if likes and avoids:
        return f"{verb} {likes} more than others do, and {avoids} less."
    if likes:
        return f"{verb} {likes} more than others do."
    if avoids:
        return f"{verb} {avoids} less than others do."
    return "No tag sets it far apart." if bars.is_supported.any() else ""


def _habit_text(part: Generosity, model: Model) -> str:
    what = "highest" if part.name == FIXED_NAMES[0] else "lowest"
    rating = rating_in_words(part.rating, model.scale)
    return (
        f"Gives everything the {what} rating ({rating}): a habit and not a taste. "
        f"It makes up {percent(part.share)} of the audience."
    )
