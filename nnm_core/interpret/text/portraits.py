"""Stereotypes in words: for each a name, unlike all others, and a sentence or two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnm_core.datasets.dataset import Dataset
from nnm_core.errors import InputError
from nnm_core.interpret.text.claims import Claims, find_claims
from nnm_core.interpret.towers import Generosity, Towers, compute_towers, generosity
from nnm_core.model import FIXED_NAMES, Model
from nnm_core.phrases import listed, percent, quoted, quoted_name, rating_in_words, tag_in_words
from nnm_core.types import BoolArray

_IN_NAMES = 28  # characters of a tag or title within a name


@dataclass(frozen=True, slots=True)
class Portrait:
    """A stereotype in words.

    ``stereotype``: its column. ``text``: one or two sentences. ``claims``: what they rest on; ``None`` for the
    enthusiast and the skeptic.
    """

    stereotype: int
    name: str
    text: str
    share: float
    claims: Claims | None


@dataclass(frozen=True, slots=True)
class _Name:
    """A name for a stereotype and the tags that it mentions; a number says nothing about the stereotype."""

    text: str
    tags: tuple[int, ...] = ()
    is_number: bool = False


def write_portraits(
    model: Model, dataset: Dataset, bars: Towers | None = None, *, firm: BoolArray | None = None, tag: str = "tag"
) -> tuple[Portrait, ...]:
    """Put every stereotype into words, the enthusiast and the skeptic last.

    ``bars`` are the model's towers, if at hand; ``tag`` is what a tag is called. Only tags that are ``firm`` (n_tags,
    n_stereotypes), see ``Stability.is_firm``, are mentioned; where the usual name of a stereotype, which other places
    show, mentions others, the text says so.

    >>> write_portraits(model, dataset)[2].text.split(".")[0]
    'Likes Romance more than others do, and Horror and Thriller less'
    """
    bars = compute_towers(model, dataset) if bars is None else bars
    given = model.given_names or ("",) * model.n_stereotypes
    found = find_claims(model, dataset, bars, firm=firm)
    texts = [_text(claim, bars, model, dataset, tag) for claim in found]
    if firm is None:
        names = _find_names(found, bars, given, dataset)
    else:
        before = find_claims(model, dataset, bars)
        usual = _find_names(before, bars, given, dataset)
        names = _find_names(found, bars, given, dataset, keep=usual)
        for k in range(model.n_stereotypes):
            if not given[k]:
                texts[k] += _says_more(usual[k], before[k], names[k], found[k])
    of_taste = [
        Portrait(claim.stereotype, name.text, text, claim.share, claim)
        for claim, name, text in zip(found, names, texts, strict=True)
    ]
    of_habit = [
        Portrait(model.n_stereotypes + k, part.name.capitalize(), _habit_text(part, model), part.share, None)
        for k, part in enumerate(generosity(model))
    ]
    return (*of_taste, *of_habit)


def stereotype_names(model: Model, dataset: Dataset) -> tuple[str, ...]:
    """Return a name for every column of the model: given names where there are any, found ones else.

    >>> stereotype_names(model, dataset)
    ('Horror fan', 'Family fan', 'Romance fan')
    """
    return tuple(portrait.name for portrait in write_portraits(model, dataset))


def with_names(model: Model, names: Mapping[int, str]) -> Model:
    """Return the model with these names for stereotypes of taste; an empty name takes a given one back.

    >>> stereotype_names(with_names(model, {0: "Night owls"}), dataset)
    ('Night owls', 'Family fan', 'Romance fan')
    """
    given = list(model.given_names or ("",) * model.n_stereotypes)
    for stereotype, name in names.items():
        if not 0 <= stereotype < model.n_stereotypes:
            raise InputError(
                f"There is no stereotype of taste number {stereotype}; the model has 0 to {model.n_stereotypes - 1}."
            )
        given[stereotype] = " ".join(name.split())
    return replace(model, given_names=tuple(given) if any(given) else None)


def _find_names(
    found: Sequence[Claims], bars: Towers, given: Sequence[str], dataset: Dataset, keep: Sequence[_Name] = ()
) -> list[_Name]:
    """Return one name per stereotype, no two alike; ``keep``: names to prefer where the claims still carry them."""
    apart = _apart(found)
    candidates = [_candidates(claim, apart[claim.stereotype], bars, dataset) for claim in found]
    if len(found) == 1:
        candidates = [[_Name("Common taste")]]
    items = [[_Name(f"Fan of {quoted(dataset.titles[item], _IN_NAMES)}") for item in claim.items] for claim in found]
    for k, name in enumerate(keep):
        if name in candidates[k] or name in items[k]:
            candidates[k].insert(0, name)
    choices, fallbacks = ([[name.text for name in names] for names in part] for part in (candidates, items))
    texts = _distinct_names(choices, given, fallbacks)
    known = [{name.text: name for name in (*items[k], *candidates[k])} for k in range(len(found))]
    return [known[k].get(text, _Name(text, is_number=True)) for k, text in enumerate(texts)]


def _apart(found: Sequence[Claims]) -> dict[int, list[int]]:
    """Return for each stereotype the tags that it likes, first one that sets it apart from others of its manner.

    Those with few tags choose first, and each takes the tag that the fewest others have.
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


def _candidates(claim: Claims, apart: Sequence[int], bars: Towers, dataset: Dataset) -> list[_Name]:
    """Return names for a stereotype, the shortest first; each says no more than its claims.

    ``apart``: the tags that it likes, first one that sets it apart from others of its manner.
    """
    if claim.manner == "plain":
        return []
    words = {tag: tag_in_words(bars.tags[tag], _IN_NAMES) for tag in (*claim.likes, *claim.avoids)}
    own = bars.likes[:, claim.stereotype]
    if claim.manner == "open":
        everything = (own[bars.is_supported] >= 0.5).all()
        verb = _verb(dataset)
        first = "Open to everything" if everything else f"{verb} everything more"
        after = "open to everything" if everything else f"{verb.lower()} everything more"
        return [_Name(first), *(_Name(f"Keener on {words[tag]}, {after}", (tag,)) for tag in apart)]
    if claim.manner == "strict" and dataset.implicit:
        milder = [_Name(f"Chooses little, less so with {words[tag]}", (tag,)) for tag in apart]
        return [_Name("Chooses little"), *milder]
    if claim.manner == "strict":
        milder = [_Name(f"Milder on {words[tag]}, but hard to please", (tag,)) for tag in apart]
        both = [(tag, other) for other in claim.avoids for tag in apart]
        harder = [_Name(f"Milder on {words[tag]}, harder on {words[other]}", (tag, other)) for tag, other in both]
        return [_Name("Hard to please"), *milder, *harder]
    form: Callable[[str], str] = "Cooler on {}".format
    tags = claim.avoids
    if claim.likes:
        form = "{} fan".format if (own[list(claim.likes)] >= 0.5).all() else "Warmer on {}".format
        tags = _shown_first(claim, bars, dataset)
    names = [_Name(form(words[tags[0]]), tags[:1])]
    names += [_Name(form(f"{words[tags[0]]} and {words[other]}"), (tags[0], other)) for other in tags[1:]]
    if claim.likes:
        only = form(words[tags[0]])
        names += [_Name(f"{only}, cooler on {words[other]}", (tags[0], other)) for other in claim.avoids]
    return names


def _shown_first(claim: Claims, bars: Towers, dataset: Dataset) -> tuple[int, ...]:
    """Return the tags that it likes, first those that one of the items to recognise it by has."""
    if bars.tags != dataset.tags.names or not claim.items:
        return claim.likes
    shown = np.asarray(dataset.tags.member[list(claim.items)].sum(axis=0)).ravel()
    return tuple(sorted(claim.likes, key=lambda tag: shown[tag] == 0))


def _distinct_names(
    candidates: Sequence[Sequence[str]], given: Sequence[str], items: Sequence[Sequence[str]]
) -> list[str]:
    """Return one name each, no two alike: where several would get the same, all of them move on to their next one.

    Of those that would then be named after one of their ``items``, the first keeps the name. Names are found as if none
    were given, so that giving one leaves the others as they are.
    """
    options = [[*names, *items[k], f"Stereotype {k + 1}"] for k, names in enumerate(candidates)]
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
    """Return the names, with a number behind those that still occur twice."""
    taken = {own.casefold() for own in given if own} | {*FIXED_NAMES}
    result = []
    for name, own in zip(names, given, strict=True):
        unique, number = name, 2
        while not own and unique.casefold() in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique.casefold())
        result.append(unique)
    return result


def _text(claim: Claims, bars: Towers, model: Model, dataset: Dataset, tag: str) -> str:
    if model.n_stereotypes == 1:
        return f"The only stereotype of taste; makes up {percent(claim.share)} of the audience."
    if claim.generosity == "unknown":
        return "Hardly anybody in the data is of this kind."
    about = [f"makes up {percent(claim.share)} of the audience", _generosity_words(claim, bars, model, dataset)]
    if claim.items:
        shown = listed([_with_evidence(row, claim, bars, dataset) for row in claim.items])
        likes = f"liking {shown} relatively well" if claim.manner == "strict" else f"its liking for {shown}"
        about.append(f"can be recognised by {f'choosing {shown}' if dataset.implicit else likes}")
    return f"{_taste_sentence(claim, bars, _verb(dataset), tag)} It {listed(about)}.".lstrip()


def _generosity_words(claim: Claims, bars: Towers, model: Model, dataset: Dataset) -> str:
    level = float(bars.levels[claim.stereotype])
    audience = level - claim.lean
    if dataset.implicit:
        if claim.generosity == "average":
            return "chooses about as much as the others"
        more = "more" if claim.lean > 0 else "less"
        return f"chooses {more} ({percent(level)} of everything, where all tastes together choose {percent(audience)})"
    if claim.generosity == "average":
        return "rates about as generously as the others"
    own, all_together = (rating_in_words(float(model.scale.from_unit(unit)), model.scale) for unit in (level, audience))
    return f"is {claim.generosity} ({own} on average, where all tastes together give {all_together})"


def _says_more(usual: _Name, usual_claims: Claims, name: _Name, firm: Claims) -> str:
    """Say that the usual name mentions tags that are not firm, and which name does not; else nothing."""
    dropped = {*usual_claims.likes, *usual_claims.avoids} - {*firm.likes, *firm.avoids}
    if dropped.isdisjoint(usual.tags):
        return ""
    instead = "" if name.is_number else f"; by what they agree on it is {quoted_name(name.text)}"
    return f" Its name {quoted_name(usual.text)} says more than all fits agree on{instead}."


def _with_evidence(row: int, claim: Claims, bars: Towers, dataset: Dataset) -> str:
    """Return the title of an item and, of its tags, those that the stereotype is said to like."""
    title = quoted(dataset.titles[row])
    if claim.manner != "taste" or bars.tags != dataset.tags.names:
        return title
    has = set(dataset.tags.member[[row]].indices.tolist())
    tags = [bars.tags[tag] for tag in claim.likes if tag in has]
    plain = [tag for tag in tags if tag_in_words(tag) == tag]
    return f"{title} ({', '.join(plain)})" if plain else title


def _verb(dataset: Dataset) -> str:
    """Return what a stereotype does with items that it likes."""
    return "Chooses" if dataset.implicit else "Likes"


def _taste_sentence(claim: Claims, bars: Towers, verb: str, tag: str) -> str:
    likes = listed([tag_in_words(bars.tags[row]) for row in claim.likes]) if claim.likes else ""
    avoids = listed([tag_in_words(bars.tags[row]) for row in claim.avoids]) if claim.avoids else ""
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
    return f"No {tag} sets it far apart." if bars.is_supported.any() else ""


def _habit_text(part: Generosity, model: Model) -> str:
    what = "highest" if part.name == FIXED_NAMES[0] else "lowest"
    rating = rating_in_words(part.rating, model.scale)
    return (
        f"Gives everything the {what} rating ({rating}): a habit and not a taste. "
        f"It makes up {percent(part.share)} of the audience."
    )
